//! The few styles that the output uses. They are taken out where the output is no terminal.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};
use gephost_core::text::without_controls;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD: Style = AnsiColor::Red.on_default();
const NOTE: Style = AnsiColor::Cyan.on_default();

fn styled(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// A heading.
pub(crate) fn bold(text: impl Display) -> String {
    styled(BOLD, text)
}

/// What matters less.
pub(crate) fn dim(text: impl Display) -> String {
    styled(DIM, text)
}

/// Passed, added.
pub(crate) fn good(text: impl Display) -> String {
    styled(GOOD, text)
}

/// Refused, removed.
pub(crate) fn bad(text: impl Display) -> String {
    styled(BAD, text)
}

/// A place in a diff.
pub(crate) fn note(text: impl Display) -> String {
    styled(NOTE, text)
}

/// Text that came from outside, without characters that could drive the terminal, turn around what it shows, or hide.
/// Tabs stay.
pub(crate) fn printable(text: &str) -> String {
    let lines: Vec<_> = text.split('\t').map(without_controls).collect();
    lines.join("\t")
}

/// A number with its thousands apart.
pub(crate) fn grouped(number: impl Display) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_apart() {
        for (number, text) in [(0_u64, "0"), (999, "999"), (1000, "1,000"), (20_000_000_000, "20,000,000,000")] {
            assert_eq!(grouped(number), text);
        }
    }
}
