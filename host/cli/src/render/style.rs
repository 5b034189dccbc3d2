//! The few styles that the output uses. They are taken out where the output is no terminal.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

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

/// Text that came from outside, without characters that could drive the terminal.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() && c != '\t' { '\u{fffd}' } else { c }).collect()
}
