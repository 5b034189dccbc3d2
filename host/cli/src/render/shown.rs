//! The last look at whatever is printed for a person: no character reaches a terminal that could drive it or that nobody
//! sees, wherever it came from.
//!
//! Pages clean the texts that they quote (`printable`). This is for a place that forgets to.

use std::borrow::Cow;

use gephost_core::text::{is_unseen, with_short_words, without_controls};

/// The longest style: `ESC [`, digits and semicolons, `m`.
const MAX_STYLE: usize = 24;

/// A page or a message with U+FFFD for each unseen character, but for ends of lines, tabs and styles.
pub(crate) fn shown(text: &str) -> Cow<'_, str> {
    let is_usual = |c: char| c == '\n' || !is_unseen(c);
    if text.chars().all(is_usual) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\n', '\t', '\u{1b}']) {
        let (before, special) = rest.split_at(at);
        shown.push_str(&without_controls(before));
        let length = if special.starts_with('\u{1b}') { style(special) } else { 1 };
        let (special, after) = special.split_at(length.max(1));
        shown.push_str(if length == 0 { "\u{fffd}" } else { special });
        rest = after;
    }
    shown.push_str(&without_controls(rest));
    Cow::Owned(shown)
}

/// The same for the message of an error, in which long words are shortened too.
pub(crate) fn message(text: &str) -> String {
    shown(&with_short_words(text)).into_owned()
}

/// The length of the style that a text begins with; 0 if it begins with another sequence.
fn style(text: &str) -> usize {
    let Some(parameters) = text.strip_prefix("\u{1b}[") else { return 0 };
    let length = parameters.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').take(MAX_STYLE).count();
    if parameters.as_bytes().get(length) == Some(&b'm') { length + 3 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::style::{bad, bold};

    #[test]
    fn styles_lines_and_tabs_stay_and_nothing_else_that_is_unseen() {
        let page = format!("{}\n\t{}  ü 🧬\n", bold("Gene"), bad("no"));
        assert_eq!(shown(&page), page);
        let text = "a\u{1b}[2Jb\u{1b}]0;title\u{7}c\u{9b}31md\u{202e}e\u{200b}f\u{e0041}g\rh\u{1b}";
        let expected = "a\u{fffd}[2Jb\u{fffd}]0;title\u{fffd}c\u{fffd}31md\u{fffd}e\u{fffd}f\u{fffd}g\u{fffd}h\u{fffd}";
        assert_eq!(shown(text), expected);
        let endless = format!("\u{1b}[{}m", "1;".repeat(40));
        assert!(shown(&endless).starts_with("\u{fffd}[1;"));
    }

    #[test]
    fn a_message_has_no_long_word() {
        let text = message(&format!("no gene {}\u{202e}", "x".repeat(5000)));
        assert!(text.chars().count() < 200 && text.contains('…') && text.ends_with('\u{fffd}'), "{text}");
    }
}
