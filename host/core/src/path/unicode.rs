//! Characters that are invisible or change how a text looks.
//!
//! The one table behind the checks of paths, of validation commands and of added lines. What must stay true: every
//! format character and every character that Unicode calls ignorable is in it (a test compares with the Unicode data
//! of the `regex` crate).

use unicode_normalization::UnicodeNormalization;

/// Format characters and default-ignorable code points, as inclusive ranges in ascending order.
const INVISIBLE: &[(char, char)] = &[
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1343f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
];

/// Whether a character is invisible, or only changes how others are drawn.
pub(crate) fn is_invisible(c: char) -> bool {
    !c.is_ascii() && INVISIBLE.iter().any(|&(first, last)| (first..=last).contains(&c))
}

/// Whether a character reverses or isolates the direction of text, so that code looks different from what runs.
pub(crate) fn is_bidi_control(c: char) -> bool {
    matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// Whether a character has no meaning of its own; some file systems store forbidden ASCII characters as such.
pub(crate) fn is_private_use(c: char) -> bool {
    matches!(c, '\u{e000}'..='\u{f8ff}' | '\u{f0000}'..='\u{ffffd}' | '\u{100000}'..='\u{10fffd}')
}

/// Whether compatibility normalisation turns a character into ASCII that matters in a path: letters, digits, a dot,
/// a slash and their kind. Full-width forms, ligatures, superscripts and typographic dots do that.
pub(crate) fn imitates_ascii(c: char) -> bool {
    !c.is_ascii() && std::iter::once(c).nfkc().any(|n| n.is_ascii_alphanumeric() || " ./\\:~$-_".contains(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_what_unicode_says() {
        let oracle = regex::Regex::new(r"^(?:\p{Cf}|\p{Default_Ignorable_Code_Point}|\p{Zl}|\p{Zp})$").unwrap();
        for c in '\u{80}'..=char::MAX {
            assert_eq!(is_invisible(c), oracle.is_match(c.encode_utf8(&mut [0; 4])), "U+{:04X}", u32::from(c));
        }
    }

    #[test]
    fn imitations_are_told_from_other_scripts() {
        for c in "．ａ／＼：～ﬁ①²\u{3000}\u{a0}".chars() {
            assert!(imitates_ascii(c), "{c}");
        }
        for c in "é中ж한ع（、".chars() {
            assert!(!imitates_ascii(c), "{c}");
        }
    }
}
