//! Clipping of texts to a number of characters or bytes.

use std::borrow::Cow;

/// The first `max_chars` characters; where any are left out, the last of them is `…`.
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

/// At most `max_bytes` bytes: the first third and the last two, since what went wrong mostly stands at the end, with a
/// line between them that says how much is missing. A text that was clipped before keeps to its limit.
pub fn clip_middle(text: &str, max_bytes: usize) -> Cow<'_, str> {
    let Some((head_end, tail_start)) = middle(text, max_bytes) else { return Cow::Borrowed(text) };
    let clipped = joined(text, head_end, tail_start);
    if clipped.len() <= max_bytes {
        return Cow::Owned(clipped);
    }
    // Too little room for a marker at all.
    Cow::Borrowed(text.get(..text.floor_char_boundary(max_bytes)).unwrap_or_default())
}

/// Where the middle that is left out begins and ends; `None` where nothing has to be.
pub(crate) fn middle(text: &str, max_bytes: usize) -> Option<(usize, usize)> {
    const MARKER_ROOM: usize = 48;
    if text.len() <= max_bytes {
        return None;
    }
    let room = max_bytes.saturating_sub(MARKER_ROOM);
    let head_end = text.floor_char_boundary(room / 3);
    Some((head_end, text.ceil_char_boundary(text.len().saturating_sub(room - room / 3))))
}

/// The text without what lies between, which a line tells of.
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
