//! jest: `Tests:       1 failed, 2 skipped, 1 todo, 5 passed, 9 total`, the tree of `--verbose`, and the list of
//! failures.

use super::pieces::{indent, numbered, runs};
use super::script;
use super::suites::Suites;
use crate::evaluate::tally::Tally;
use crate::validation::TestState::{self, Failed, Passed, Skipped};
use crate::validation::{TestCounts, TestEvidence};

/// jest's separator between the titles of suites and tests.
const SEPARATOR: &str = " › ";

/// `jest` itself, or started by `npx` or a similar program.
pub(super) fn is_named(argv: &[&str]) -> bool {
    runs(argv, "jest")
}

/// Output of tests is indented, or comes before the line of their file.
pub(super) fn read(lines: &[&str]) -> Option<TestEvidence> {
    let mut tally = Tally::default();
    let mut suites = Suites::default();
    let (mut file, mut is_tree) = ("", false);
    let mut broken_files = 0;
    for line in lines {
        if script::is_start(line) {
            tally.begin();
            file = "";
        } else if let Some(path) = ["PASS ", "FAIL "].iter().find_map(|word| line.strip_prefix(word)) {
            file = path.split(" (").next().unwrap_or(path).trim();
            is_tree = true;
            suites.clear();
        } else if let Some(parts) = line.strip_prefix("Test Suites: ") {
            broken_files = states(parts).failed;
        } else if let Some(parts) = line.strip_prefix("Tests: ").filter(|parts| parts.contains(" total")) {
            tally.summary(or_broken_files(states(parts), broken_files));
        } else if line.starts_with("No tests found") {
            tally.summary(TestCounts::default());
        } else if line.is_empty() {
            is_tree = false;
        } else if let Some(title) = line.strip_prefix("  ● ").filter(|_| !file.is_empty()) {
            match title {
                "Console" => {}
                "Test suite failed to run" => tally.note(file, Failed),
                title => tally.note(&[file, title].join(SEPARATOR), Failed),
            }
        } else if is_tree {
            let depth = indent(line);
            match test(&line[depth..]) {
                Some((title, state)) => {
                    tally.note(&[file, &suites.path(depth, SEPARATOR, title)].join(SEPARATOR), state);
                }
                None => suites.open(depth, line.trim()),
            }
        }
    }
    tally.finish()
}

/// `✓ title (12 ms)`.
fn test(text: &str) -> Option<(&str, TestState)> {
    let marks = [("✓ ", Passed), ("√ ", Passed), ("✕ ", Failed), ("× ", Failed), ("○ ", Skipped), ("✎ ", Skipped)];
    let (rest, state) = marks.iter().find_map(|(mark, state)| Some((text.strip_prefix(mark)?, *state)))?;
    let rest = rest.trim_end();
    let time = |rest: &'_ str| rest.ends_with(" ms)") || rest.ends_with(" s)");
    let title = if time(rest) { rest.rsplit_once(" (").map_or(rest, |(title, _)| title) } else { rest };
    // `○ skipped title`, `✎ todo title`.
    let word = title.strip_prefix("skipped ").or_else(|| title.strip_prefix("todo ")).filter(|_| state == Skipped);
    Some((word.unwrap_or(title), state))
}

/// If no test ran, the files that could not be loaded count as failures.
pub(super) fn or_broken_files(tests: TestCounts, broken: u64) -> TestCounts {
    let failed = if tests.executed() == 0 { broken } else { tests.failed };
    TestCounts { failed, ..tests }
}

fn states(parts: &str) -> TestCounts {
    let counted = parts.split(',').filter_map(|part| numbered(part, state));
    counted.fold(TestCounts::default(), TestCounts::plus)
}

/// The state that a word of the summary means.
pub(super) fn state(word: &str) -> Option<TestState> {
    match word.split(" (").next().unwrap_or_default() {
        "passed" => Some(Passed),
        "failed" => Some(Failed),
        "skipped" | "todo" | "pending" => Some(Skipped),
        _ => None,
    }
}
