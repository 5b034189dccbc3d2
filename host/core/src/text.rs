//! Clips texts to a number of characters or bytes.

use std::borrow::Cow;

use crate::path::unicode::is_bidi_control;

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

/// The text with U+FFFD for each character that acts on a terminal or on the direction of text, for names that are made
/// from logs and shown.
pub(crate) fn without_controls(text: &str) -> Cow<'_, str> {
    let acts = |c: char| {
        c.is_control()
            || is_bidi_control(c)
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}' | '\u{2029}')
    };
    if text.contains(acts) { Cow::Owned(text.replace(acts, "\u{fffd}")) } else { Cow::Borrowed(text) }
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
        assert!(matches!(without_controls("wörter 👩‍🚀"), Cow::Borrowed(_)));
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
        }
    }
}
