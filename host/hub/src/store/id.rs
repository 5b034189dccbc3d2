//! Asset ids and digests: text on the wire, 32 bytes in the database.

use gephost_core::recording::Digest;

/// The bytes of `sha256:` and 64 lower-case hexadecimal digits.
pub(crate) fn digest_bytes(text: &str) -> Option<[u8; 32]> {
    Some(*text.parse::<Digest>().ok()?.as_bytes())
}

/// The text of 32 bytes.
pub(crate) fn digest_text(bytes: &[u8]) -> String {
    format!("sha256:{}", gephost_core::digest::hex(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_spelling_of_a_digest_is_read() {
        let text = format!("sha256:{}", "0a".repeat(32));
        assert_eq!(digest_bytes(&text), Some([10; 32]));
        assert_eq!(digest_text(&[10; 32]), text);
        for bad in ["", "sha256:", &text.to_uppercase(), &text[..70], &format!("{text}0"), &text.replace('0', "g")] {
            assert_eq!(digest_bytes(bad), None, "{bad}");
        }
    }
}
