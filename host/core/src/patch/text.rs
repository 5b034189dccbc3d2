//! How the bytes of a file are read as text: as UTF-8, or as Latin-1 if they are not UTF-8.
//!
//! What must stay true: [`encoded`] takes back what [`latin_1`] did, byte for byte. Content with a NUL byte is no text.
//! In other encodings in which ASCII means itself, such as Windows-1252, only characters beyond ASCII look different.

use std::borrow::Cow;

/// UTF-8 without NUL bytes.
pub(super) fn utf_8(content: &[u8]) -> Option<&str> {
    memchr::memchr(0, content).is_none().then(|| std::str::from_utf8(content).ok()).flatten()
}

/// Every byte as the character of its number. `None` if the content has control characters of ASCII that texts do not
/// have: then it is no text in any encoding.
pub(super) fn latin_1(content: &[u8]) -> Option<String> {
    is_printable(content).then(|| content.iter().copied().map(char::from).collect())
}

/// The bytes of which [`latin_1`] made a text. `None` if it has a character that Latin-1 lacks.
pub(super) fn encoded(text: &str) -> Option<Vec<u8>> {
    text.chars().map(|c| u8::try_from(c).ok()).collect()
}

/// Whether content is text, but not in UTF-8.
pub(crate) fn is_foreign(content: &[u8]) -> bool {
    std::str::from_utf8(content).is_err() && is_printable(content)
}

/// Whether the content has no control characters of ASCII but white space.
fn is_printable(content: &[u8]) -> bool {
    content.iter().all(|byte| !byte.is_ascii_control() || matches!(byte, b'\t'..=b'\r'))
}

/// The text that a patch shows of a file. Binary content is read as far as it is UTF-8.
pub(crate) fn shown(content: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(content) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => latin_1(content).map_or_else(|| String::from_utf8_lossy(content), Cow::Owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_a_character_and_comes_back() {
        let all: Vec<u8> = (b' '..=0xff).filter(|byte| *byte != 0x7f).chain(*b"\t\r\n").collect();
        let text = latin_1(&all).expect("text");
        assert_eq!(encoded(&text), Some(all.clone()));
        assert!(is_foreign(&all) && !is_foreign("é".as_bytes()) && !is_foreign(b"\xff\0") && !is_foreign(b"\xff\x1b"));
        assert_eq!(encoded("€"), None);
        assert_eq!(latin_1(b"\x1b[0m"), None);
        assert_eq!(shown(b"\xe9 \xe2\x80\xae"), "é â\u{80}®");
    }
}
