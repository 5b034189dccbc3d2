//! Cleans every text that a guest sends to a person's terminal.

/// The longest log line that is kept, in characters.
const MAX_LINE: usize = 2000;

/// A guest's text as one line without control characters, clipped. Doing it twice changes nothing: the host does it again
/// with what a worker sends.
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

/// Characters that change how others are shown: bidi controls, joiners and the byte order mark.
fn is_format(c: char) -> bool {
    matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
}
