//! `bun test`: one line per test, then ` 124 pass`, ` 1 fail`, ` 2 skip`, and `Ran 127 tests across 3 files.`

use super::pieces::{between, count_and_word, numbered};
use crate::evaluate::tally::Tally;
use crate::validation::TestState::{self, Failed, Passed, Skipped};
use crate::validation::{TestCounts, TestEvidence};

/// `bun test`.
pub(super) fn is_named(argv: &[&str]) -> bool {
    matches!(argv, ["bun", "test", ..])
}

pub(super) fn read(lines: &[&str]) -> Option<TestEvidence> {
    let mut tally = Tally::default();
    let mut file = "";
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with("bun test v") {
            tally.begin();
        } else if between(line, "Ran ", " across ").and_then(count_and_word).is_some() {
            tally.summary(numbers(&lines[..at]));
        } else if let Some(path) = line.strip_suffix(':').filter(|path| path.contains('.') && !path.contains(' ')) {
            file = path;
        } else if let Some((title, state)) = test(line) {
            let name = if file.is_empty() { title.to_owned() } else { format!("{file} > {title}") };
            tally.note(&name, state);
        }
    }
    tally.finish()
}

/// The numbers directly above the last line.
fn numbers(above: &[&str]) -> TestCounts {
    let is_number = |line: &&&str| {
        count_and_word(line).is_some_and(|(_, word)| word.starts_with("expect() ")) || numbered(line, state).is_some()
    };
    let block = above.iter().rev().take_while(is_number);
    block.filter_map(|line| numbered(line, state)).fold(TestCounts::default(), TestCounts::plus)
}

fn state(word: &str) -> Option<TestState> {
    match word {
        "pass" => Some(Passed),
        "fail" | "error" | "errors" => Some(Failed),
        "skip" | "todo" => Some(Skipped),
        _ => None,
    }
}

/// `(fail) suite > title [0.02ms]`.
fn test(line: &str) -> Option<(&str, TestState)> {
    let marks = [
        ("(pass) ", Passed),
        ("(fail) ", Failed),
        ("(skip) ", Skipped),
        ("(todo) ", Skipped),
        ("✓ ", Passed),
        ("✗ ", Failed),
    ];
    let (rest, state) = marks.iter().find_map(|(mark, state)| Some((line.strip_prefix(mark)?, *state)))?;
    let title = match rest.rsplit_once(" [") {
        Some((title, time)) if time.trim_end().ends_with("s]") => title,
        _ => rest,
    };
    Some((title.trim_end(), state))
}
