//! Base64 (RFC 4648 section 4) for content that is not UTF-8. Strict: padding must be there and unused bits zero, so
//! that one content has one spelling.

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes to text.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3).saturating_mul(4));
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().chain([0, 0].iter()).take(3).fold(0_u32, |group, &byte| group << 8 | u32::from(byte));
        for place in 0..4 {
            let digit = (group >> (18 - 6 * place)) & 63;
            let letter = ALPHABET.get(digit as usize).copied().map_or('=', char::from);
            text.push(if place <= chunk.len() { letter } else { '=' });
        }
    }
    text
}

/// Text to bytes; `None` where it is not the one spelling of any.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    if !text.len().is_multiple_of(4) {
        return None;
    }
    let digits = text.strip_suffix("==").or_else(|| text.strip_suffix('=')).unwrap_or(text);
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    for chunk in digits.as_bytes().chunks(4) {
        let group = chunk.iter().try_fold(0_u32, |group, &letter| Some(group << 6 | value(letter)?))?;
        let missing = 4 - chunk.len();
        let [_, first, second, third] = (group << (6 * missing)).to_be_bytes();
        bytes.extend([first, second, third].iter().take(3 - missing.min(2)));
        let unused = if missing == 0 { 0 } else { group & ((1 << (2 * missing)) - 1) };
        if missing > 2 || unused != 0 {
            return None;
        }
    }
    Some(bytes)
}

fn value(letter: u8) -> Option<u32> {
    ALPHABET.iter().position(|&known| known == letter).and_then(|at| u32::try_from(at).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_vectors_of_rfc_4648() {
        for (bytes, text) in
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")]
        {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text).as_deref(), Some(bytes.as_bytes()));
        }
        for bad in ["Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zm9v\n", "Zm-_", "é==="] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes in proptest::collection::vec(any::<u8>(), 0..50)) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
    }
}
