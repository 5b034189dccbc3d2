//! `cargo nextest`: `Summary [ 0.014s] 9 tests run: 8 passed (1 slow), 1 failed, 2 skipped`, and one line per test.

use super::pieces::count_and_word;
use crate::evaluate::tally::Tally;
use crate::validation::TestState::{self, Failed, Passed};
use crate::validation::{TestCounts, TestEvidence};

/// `cargo nextest`.
pub(super) fn is_named(argv: &[&str]) -> bool {
    super::cargo::sub_command(argv) == Some("nextest") || argv.first() == Some(&"cargo-nextest")
}

pub(super) fn read(lines: &[&str]) -> Option<TestEvidence> {
    let mut tally = Tally::default();
    for line in lines {
        if line.trim_start().starts_with("Nextest run ID ") {
            tally.begin();
        } else if let Some(counts) = summary(line) {
            tally.summary(counts);
        } else if let Some((name, state)) = test(line) {
            tally.note(name, state);
        }
    }
    tally.finish()
}

fn summary(line: &str) -> Option<TestCounts> {
    let line = line.trim_start().strip_prefix("Summary [")?;
    let parts = line.split_once("tests run: ").or_else(|| line.split_once("test run: "))?.1;
    let mut counts = TestCounts::default();
    for (count, word) in parts.split(',').filter_map(count_and_word) {
        let state = word.split(" (").next().unwrap_or_default();
        match state {
            "passed" => counts.passed = count,
            "skipped" => counts.skipped = count,
            // `failed`, `exec failed`, `timed out`. An unknown word of a later version does not count as passed either.
            _ => counts.failed = counts.failed.saturating_add(count),
        }
    }
    Some(counts)
}

/// `        PASS [   0.016s] (1/3) package t::ok`. Attempts before the last (`TRY 1 FAIL`) do not count.
fn test(line: &str) -> Option<(&str, TestState)> {
    // nextest aligns its own lines at the twelfth column. Output of tests is indented by four spaces.
    let line = line.strip_prefix("     ")?.trim_start();
    let (word, rest) = line.split_once(" [")?;
    let state = match word {
        "PASS" | "LEAK" => Passed,
        _ if word.starts_with("FLAKY ") => Passed,
        "FAIL" | "TIMEOUT" | "ABORT" | "LEAK-FAIL" | "XFAIL" => Failed,
        _ if word.starts_with("SIG") => Failed,
        _ => return None,
    };
    let rest = rest.split_once(']')?.1.trim_start();
    let name = match rest.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
        Some((place, name)) if place.contains('/') => name,
        _ => rest,
    };
    Some((name, state))
}
