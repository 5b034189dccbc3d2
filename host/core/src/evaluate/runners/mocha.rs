//! mocha: a tree of tests, then `  5 passing (10ms)`, `  1 pending`, `  2 failing`.

use super::pieces::{count_and_word, indent, numbered, runs};
use super::script;
use super::suites::Suites;
use crate::evaluate::tally::Tally;
use crate::validation::TestState::{self, Failed, Passed, Skipped};
use crate::validation::{TestCounts, TestEvidence};

/// `mocha`.
pub(super) fn is_named(argv: &[&str]) -> bool {
    runs(argv, "mocha")
}

pub(super) fn read(lines: &[&str]) -> Option<TestEvidence> {
    let mut tally = Tally::default();
    let mut suites = Suites::default();
    // The failures are listed again after the numbers.
    let mut is_over = false;
    for (at, line) in lines.iter().enumerate() {
        if script::is_start(line) {
            tally.begin();
            suites.clear();
            is_over = false;
        } else if is_passing(line) {
            let counts = numbers(&lines[at..]);
            tally.summary(counts);
            is_over = counts.failed > 0;
        } else if line.starts_with("Error: No test files found") {
            tally.summary(TestCounts::default());
        } else if !is_over && line.starts_with("  ") {
            let depth = indent(line);
            match test(&line[depth..]) {
                Some((title, state)) => tally.note(&suites.path(depth, " ", title), state),
                None => suites.open(depth, line.trim()),
            }
        }
    }
    tally.finish()
}

fn is_passing(line: &str) -> bool {
    count_and_word(line).is_some_and(|(_, word)| word.starts_with("passing ("))
}

fn numbers(lines: &[&str]) -> TestCounts {
    let counted = lines.iter().map_while(|line| numbered(line, state));
    counted.fold(TestCounts::default(), TestCounts::plus)
}

fn state(word: &str) -> Option<TestState> {
    match word {
        "failing" => Some(Failed),
        "pending" => Some(Skipped),
        _ => word.starts_with("passing (").then_some(Passed),
    }
}

/// `✔ title (12ms)`, `1) title`, `- title`.
fn test(text: &str) -> Option<(&str, TestState)> {
    let marks = [("✔ ", Passed), ("✓ ", Passed), ("√ ", Passed), ("- ", Skipped)];
    if let Some((rest, state)) = marks.iter().find_map(|(mark, state)| Some((text.strip_prefix(mark)?, *state))) {
        let title = rest.trim_end().strip_suffix("ms)").and_then(|rest| rest.rsplit_once(" (")).map_or(rest, |it| it.0);
        return Some((title.trim_end(), state));
    }
    let (number, title) = text.split_once(") ")?;
    number.parse::<u64>().is_ok().then(|| (title.trim_end(), Failed))
}
