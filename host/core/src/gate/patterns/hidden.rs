//! Characters in added lines that make code look different from what runs.

use super::super::Violation;
use super::super::added::AddedLine;
use crate::path::unicode::{is_bidi_control, is_invisible};
use crate::pattern::lookalike;

const HINT: &str = "write the line without the character, or as an escape";

/// Checks one line. Prose may use direction marks that reverse nothing, and joiners between letters that are not ASCII,
/// because some languages need them.
pub(super) fn check(line: AddedLine<'_>, is_prose: bool) -> Option<Violation> {
    let text = line.text.strip_suffix('\r').unwrap_or(line.text);
    if text.bytes().all(|b| matches!(b, b' '..=b'~' | b'\t' | 0x0b | 0x0c)) {
        return None;
    }
    let mut before = None;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let next = chars.peek().copied();
        if let Some((rule, what)) = judge(c, before, next, is_prose, line.number) {
            let message = format!("{what} U+{:04X} is added", u32::from(c));
            return Some(Violation::reject(rule, message, HINT).on_line(line.number));
        }
        before = Some(c);
    }
    None
}

/// Checks one line for words that mix ASCII letters with lookalikes, because such a name is not the one that it seems
/// to be. If strings cannot be told from code, the violation is only a flag.
pub(super) fn mixed_scripts(line: AddedLine<'_>, is_code: bool) -> Option<Violation> {
    if line.text.is_ascii() {
        return None;
    }
    let words = line.text.split(|c: char| !c.is_alphabetic());
    let odd = words.filter(|word| word.contains(|c: char| c.is_ascii_alphabetic())).flat_map(str::chars);
    let c = odd.into_iter().find(|&c| disguises(c))?;
    let message = format!("a word mixes ASCII letters with U+{:04X}, which looks like one", u32::from(c));
    let hint = "write the word in one script";
    let violation = if is_code { Violation::reject } else { Violation::flag };
    Some(violation("mixed-scripts".to_owned(), message, hint.to_owned()).on_line(line.number))
}

/// Formulas use small Greek letters except omicron, and Turkish uses the dotless i.
fn disguises(c: char) -> bool {
    lookalike(c).is_some() && !matches!(c, 'α'..='ξ' | 'π'..='ω' | 'ı')
}

fn judge(
    c: char,
    before: Option<char>,
    next: Option<char>,
    is_prose: bool,
    line: u64,
) -> Option<(&'static str, &'static str)> {
    if is_bidi_control(c) {
        return Some(("bidi-control", "the direction-changing character"));
    }
    if c.is_control() {
        // Tabs and page breaks are white space; a carriage return inside a line hides the text before it.
        return (!matches!(c, '\t' | '\u{b}' | '\u{c}')).then_some(("control-character", "the control character"));
    }
    if !is_invisible(c) || is_byte_order_mark(c, before, line) {
        return None;
    }
    let beside_ascii = [before, next].into_iter().flatten().any(|other| other.is_ascii_alphanumeric() || other == '_');
    let harmless = match c {
        // Emoji and several scripts need joiners and variation selectors; ASCII never does.
        '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' => {
            before.is_some() && !beside_ascii || is_keycap(c, before, next)
        }
        '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{ad}' => is_prose,
        '\u{600}'..='\u{605}' | '\u{6dd}' | '\u{70f}' | '\u{890}'..='\u{891}' | '\u{8e2}' => true,
        _ => false,
    };
    (!harmless).then_some(("invisible-character", "the invisible character"))
}

/// A mark at the very start of a file says how it is encoded.
fn is_byte_order_mark(c: char, before: Option<char>, line: u64) -> bool {
    c == '\u{feff}' && before.is_none() && line == 1
}

/// A digit, the selector, and the enclosing key: one emoji.
fn is_keycap(c: char, before: Option<char>, next: Option<char>) -> bool {
    c == '\u{fe0f}' && next == Some('\u{20e3}') && before.is_some_and(|b| b.is_ascii_digit() || b == '#' || b == '*')
}
