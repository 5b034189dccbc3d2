//! A file whose lines may be edited, and why another one is left alone.

use gephost_gene::handwritten;

use crate::lexer::Language;

/// The text and the language of a file, or why it is left alone.
pub(crate) fn accept(path: &str, bytes: Vec<u8>) -> Result<(String, Language), &'static str> {
    let language = Language::of(path).ok_or("it is neither Python nor JavaScript")?;
    if let Some(objection) = handwritten::objection(path, &bytes) {
        return Err(objection);
    }
    let text = String::from_utf8(bytes).map_err(|_| "it is not UTF-8 text")?;
    Ok((text, language))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_person_wrote_and_other_languages_are_left_alone() {
        for (path, text, accepted) in [
            ("a.py", "x = 1\n", true),
            ("a.mjs", "let s = 'do not edit'\n", true),
            ("a.js", "// @generated\n", false),
            ("a.rs", "x", false),
        ] {
            assert_eq!(accept(path, text.as_bytes().to_vec()).is_ok(), accepted, "{path}: {text:.40}");
        }
        assert!(accept("a.py", vec![0xff]).is_err());
    }
}
