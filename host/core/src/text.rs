//! Texts from outside as they are shown: without characters that act on a terminal or that nobody sees, and clipped to a
//! number of characters or bytes.

use std::borrow::Cow;

use crate::path::unicode;

/// The first `max_chars` characters. If characters are left out, the last one is `…`.
pub fn clip(text: &str, max_chars: usize) -> Cow<'_, str> {
    if text.len() <= max_chars || text.chars().nth(max_chars).is_none() {
        return Cow::Borrowed(text);
    }
    let mut clipped: String = text.chars().take(max_chars.saturating_sub(1)).collect();
    if max_chars > 0 {
        clipped.push('…');
    }
    Cow::Owned(clipped)
}

/// Whether a character acts on a terminal, on lines or on the direction of text, or cannot be seen: the control characters
/// (Unicode: category Cc, with C1), the format characters (Cf), the separators of lines and paragraphs (Zl, Zp) and
/// whatever else Unicode calls ignorable, such as the zero-width characters, the tags and the variation selectors.
pub fn is_unseen(c: char) -> bool {
    c.is_control() || unicode::is_invisible(c)
}

/// The text with U+FFFD for each character that [`is_unseen`], for texts from outside that are shown. A zero-width joiner or
/// a variation selector between or after the pictures of an emoji stays: it is part of what is seen.
pub fn without_controls(text: &str) -> Cow<'_, str> {
    if !text.contains(is_unseen) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let joins = is_picture(before) && (c == '\u{fe0f}' || (c == '\u{200d}' && is_picture(rest.peek().copied())));
        shown.push(if is_unseen(c) && !joins { char::REPLACEMENT_CHARACTER } else { c });
        // A selector belongs to its picture.
        if !(joins && c == '\u{fe0f}') {
            before = Some(c);
        }
    }
    Cow::Owned(shown)
}

/// Whether a character is a picture, or what changes one, so that what joins two of them is seen.
fn is_picture(c: Option<char>) -> bool {
    matches!(
        c,
        Some('\u{2190}'..='\u{21ff}' | '\u{2300}'..='\u{27bf}' | '\u{2900}'..='\u{2bff}' | '\u{1f000}'..='\u{1faff}')
    )
}

/// The longest word of a message, in characters.
const MAX_WORD: usize = 160;
/// What is kept of the end of a longer word, in characters.
const WORD_END: usize = 40;

/// The text with each word of more than 160 characters shortened in its middle: a message that quotes what it was given
/// stays readable, whatever that was.
pub fn with_short_words(text: &str) -> Cow<'_, str> {
    let is_long = |word: &str| word.len() > MAX_WORD && word.chars().nth(MAX_WORD).is_some();
    if text.len() <= MAX_WORD || !text.split(char::is_whitespace).any(is_long) {
        return Cow::Borrowed(text);
    }
    let mut short = String::with_capacity(text.len().min(1 << 12));
    for piece in text.split_inclusive(char::is_whitespace) {
        let word = piece.trim_end_matches(char::is_whitespace);
        if is_long(word) {
            let count = word.chars().count();
            short.extend(word.chars().take(MAX_WORD - WORD_END - 1));
            short.push('…');
            short.extend(word.chars().skip(count - WORD_END));
        } else {
            short.push_str(word);
        }
        short.push_str(piece.get(word.len()..).unwrap_or_default());
    }
    Cow::Owned(short)
}

/// At most `max_bytes` bytes: the first third and the last two thirds of the limit, because errors mostly appear at the
/// end. A line between them gives the number of bytes left out. Clipping a clipped text again with the same limit
/// changes nothing.
pub fn clip_middle(text: &str, max_bytes: usize) -> Cow<'_, str> {
    let Some((head_end, tail_start)) = middle(text, max_bytes) else { return Cow::Borrowed(text) };
    let clipped = joined(text, head_end, tail_start);
    if clipped.len() <= max_bytes {
        return Cow::Owned(clipped);
    }
    // There is no room for the line that replaces the middle.
    Cow::Borrowed(text.get(..text.floor_char_boundary(max_bytes)).unwrap_or_default())
}

/// Start and end of the part to leave out; `None` if the text fits.
pub(crate) fn middle(text: &str, max_bytes: usize) -> Option<(usize, usize)> {
    const MARKER_ROOM: usize = 48;
    if text.len() <= max_bytes {
        return None;
    }
    let room = max_bytes.saturating_sub(MARKER_ROOM);
    let head_end = text.floor_char_boundary(room / 3);
    Some((head_end, text.ceil_char_boundary(text.len().saturating_sub(room - room / 3))))
}

/// The text with the part between the two offsets replaced by a line that gives its length.
pub(crate) fn joined(text: &str, head_end: usize, tail_start: usize) -> String {
    let (head, tail) = (text.get(..head_end).unwrap_or_default(), text.get(tail_start..).unwrap_or_default());
    let missing = tail_start.saturating_sub(head_end);
    format!("{head}\n[… {missing} bytes left out …]\n{tail}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_acts_on_a_terminal_is_replaced() {
        assert_eq!(
            without_controls("a\u{1b}b\u{7f}\u{9b}\u{202e}\u{2066}\u{200f}c\n"),
            "a\u{fffd}b\u{fffd}\u{fffd}\u{fffd}\u{fffd}\u{fffd}c\u{fffd}"
        );
        assert!(matches!(without_controls("wörter 中 ü 🧬"), Cow::Borrowed(_)));
    }

    #[test]
    fn what_nobody_sees_is_replaced_and_an_emoji_stays_whole() {
        for c in "\u{200b}\u{200c}\u{200d}\u{2060}\u{feff}\u{ad}\u{61c}\u{85}\u{9b}\u{2028}\u{3164}\u{e0041}\u{e0101}\u{fe0f}".chars() {
            assert_eq!(without_controls(&format!("a{c}b")), "a\u{fffd}b", "U+{:04X}", u32::from(c));
        }
        for whole in ["👩\u{200d}🚀", "⚠\u{fe0f} mind", "❤\u{fe0f}\u{200d}🔥"] {
            assert_eq!(without_controls(whole), whole);
        }
        assert_eq!(without_controls("🚀\u{200d}x"), "🚀\u{fffd}x", "it joins nothing");
        assert_eq!(without_controls("🚀\u{fe0f}\u{fe0f}"), "🚀\u{fe0f}\u{fe0f}");
    }

    #[test]
    fn only_long_words_are_shortened() {
        let path = format!("/{}", "x".repeat(158));
        let fine = format!("failed to read {path}: no\n such file ");
        assert!(matches!(with_short_words(&fine), Cow::Borrowed(_)));
        let long = format!("no gene `{}end` here,  look", "ü".repeat(100_000));
        let short = with_short_words(&long).into_owned();
        assert!(short.starts_with("no gene `üü") && short.ends_with("üend` here,  look"), "{short}");
        assert_eq!(short.split(' ').map(|word| word.chars().count()).max(), Some(160));
    }

    #[test]
    fn clips_by_characters() {
        assert_eq!(clip("äöü", 3), "äöü");
        assert_eq!(clip("äöüß", 3), "äö…");
        assert_eq!(clip("ab", 0), "");
    }

    #[test]
    fn a_tracebacks_last_lines_survive() {
        let text = format!("Traceback\n{}\nImportError: no", "  File x\n".repeat(10_000));
        let clipped = clip_middle(&text, 1024);
        assert!(clipped.len() <= 1024 && clipped.starts_with("Traceback") && clipped.ends_with("ImportError: no"));
        assert!(clipped.contains("bytes left out"));
    }

    proptest! {
        #[test]
        fn clipping_keeps_its_limits(text in "\\PC{0,200}", most in 0usize..200) {
            prop_assert!(clip_middle(&text, most).len() <= most);
            prop_assert!(clip(&text, most).chars().count() <= most);
            let once = clip(&text, most);
            prop_assert_eq!(&clip(&once, most), &once);
            let short = with_short_words(&text);
            prop_assert_eq!(&with_short_words(&short), &short);
        }

        #[test]
        fn nothing_unseen_is_shown_but_between_pictures(text in "[a\u{200d}\u{fe0f}\u{202e}🚀❤\u{9b}]{0,12}") {
            let shown = without_controls(&text);
            let is_wrong = |c: char| is_unseen(c) && !matches!(c, '\u{200d}' | '\u{fe0f}');
            prop_assert!(!shown.contains(is_wrong));
            prop_assert_eq!(&without_controls(&shown), &shown);
        }
    }
}
