//! Helper functions for several runners: parts of lines, and the runner in the words of a command.

use crate::evaluate::tally;
use crate::validation::{TestCounts, TestState};

/// A number and the word after it: `12 passed` is `(12, "passed")`.
pub(super) fn count_and_word(text: &str) -> Option<(u64, &str)> {
    let (number, word) = text.trim().split_once(char::is_whitespace)?;
    Some((number.parse().ok()?, word.trim_start()))
}

/// The text between `start`, which begins the line, and `end`.
pub(super) fn between<'a>(line: &'a str, start: &str, end: &str) -> Option<&'a str> {
    Some(line.strip_prefix(start)?.split_once(end)?.0)
}

/// Indentation of a line, in spaces.
pub(super) fn indent(line: &str) -> usize {
    line.len() - line.trim_start_matches(' ').len()
}

/// Whether a command runs `tool`: itself, or through `npx` or a similar program.
pub(super) fn runs(argv: &[&str], tool: &str) -> bool {
    match argv {
        [program, ..] if *program == tool => true,
        ["npx" | "yarn" | "pnpm" | "bunx", rest @ ..] => rest.iter().find(|word| !word.starts_with('-')) == Some(&tool),
        _ => false,
    }
}

/// The count in a line that has a number and a word for a state.
pub(super) fn numbered(line: &str, state_of: fn(&str) -> Option<TestState>) -> Option<TestCounts> {
    let (count, word) = count_and_word(line)?;
    let one = tally::one(state_of(word)?);
    let times = |number: u64| number.saturating_mul(count);
    Some(TestCounts { passed: times(one.passed), failed: times(one.failed), skipped: times(one.skipped) })
}
