//! Cleans texts of guests before they are shown in a terminal.

use gephost_core::recording::MAX_TARGET;

/// Longest text that is kept, in characters.
pub(super) const MAX_LINE: usize = 2000;

/// A guest's text as one line without control characters, clipped. Applying it twice changes nothing: the host applies
/// it again to what a worker sends.
pub(super) fn printable(text: &str) -> String {
    // Most texts are paths.
    if text.len() <= MAX_LINE && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.trim_end().to_owned();
    }
    let visible = |c: char| if c.is_control() || is_format(c) { ' ' } else { c };
    let mut line: String = text.chars().take(MAX_LINE).map(visible).collect();
    line.truncate(line.trim_end().len());
    line
}

/// A guest's text like that, in at most [`MAX_TARGET`] bytes.
pub(super) fn clip(target: &str) -> String {
    let end = target.floor_char_boundary(MAX_TARGET);
    printable(target.get(..end).unwrap_or_default())
}

/// Characters that change how other characters are shown: bidirectional controls, joiners and the byte order mark.
fn is_format(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
