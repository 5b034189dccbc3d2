//! vitest: ` Tests  1 failed | 5 passed | 1 skipped (7)`, the lines of its verbose report, and the list of failures.

use super::pieces::{numbered, runs};
use super::{jest, script};
use crate::evaluate::tally::Tally;
use crate::validation::TestState::{self, Failed, Passed, Skipped};
use crate::validation::{NamedTests, TestCounts, TestEvidence};

/// `vitest`.
pub(super) fn is_named(argv: &[&str]) -> bool {
    runs(argv, "vitest")
}

pub(super) fn read(lines: &[&str]) -> Option<TestEvidence> {
    let mut tally = Tally::default();
    let mut broken_files = 0;
    for line in lines {
        let text = line.trim_start();
        if script::is_start(line) || text.starts_with("RUN  v") {
            tally.begin();
        } else if let Some(parts) = text.strip_prefix("Test Files  ").filter(|parts| is_summary(parts)) {
            broken_files = states(parts).failed;
        } else if let Some(parts) = text.strip_prefix("Tests  ").filter(|parts| is_summary(parts)) {
            tally.summary(jest::or_broken_files(states(parts), broken_files));
        } else if line.starts_with("No test files found") {
            tally.summary(TestCounts::default());
        } else if let Some((name, state)) = test(text) {
            tally.note(name, state);
        }
    }
    tally.finish()
}

/// Reads the failures that vitest prints to the other stream.
pub(super) fn failures(lines: &[&str], names: &mut NamedTests) {
    let failed = lines.iter().filter_map(|line| test(line.trim_start())).filter(|(_, state)| *state == Failed);
    failed.for_each(|(name, state)| names.note(name, state));
}

fn is_summary(parts: &str) -> bool {
    let parts = parts.trim();
    parts == "no tests" || (parts.ends_with(')') && parts.contains(" ("))
}

fn states(parts: &str) -> TestCounts {
    let counted = parts.split('|').filter_map(|part| numbered(part, jest::state));
    counted.fold(TestCounts::default(), TestCounts::plus)
}

/// `✓ a.test.js > suite > title 2ms`, `FAIL  a.test.js > suite > title`, `FAIL  b.test.js [ b.test.js ]`.
fn test(text: &str) -> Option<(&str, TestState)> {
    let marks = [("✓ ", Passed), ("√ ", Passed), ("× ", Failed), ("↓ ", Skipped), ("□ ", Skipped), ("FAIL  ", Failed)];
    let (rest, state) = marks.iter().find_map(|(mark, state)| Some((text.strip_prefix(mark)?, *state)))?;
    let rest = rest.trim_end();
    if let Some((file, _)) = rest.split_once(" [ ").filter(|(file, rest)| rest.strip_suffix(" ]") == Some(*file)) {
        return Some((file, state));
    }
    let (file, _) = rest.split_once(" > ")?;
    let time = rest.rsplit_once(' ').filter(|(_, time)| {
        let number = time.strip_suffix("ms").or_else(|| time.strip_suffix('s'));
        number.is_some_and(|number| number.parse::<f64>().is_ok())
    });
    file.contains('.').then(|| (time.map_or(rest, |(name, _)| name.trim_end()), state))
}
