//! `cargo test` (libtest): for each test binary `running 3 tests`, one line per test, and `test result: …`.

use super::pieces::count_and_word;
use crate::evaluate::tally::Tally;
use crate::validation::TestState::{self, Failed, Passed, Skipped};
use crate::validation::{TestCounts, TestEvidence};

/// `cargo test` and its alias, with or without a toolchain.
pub(super) fn is_named(argv: &[&str]) -> bool {
    matches!(sub_command(argv), Some("test" | "t"))
}

/// The first word after `cargo` that is neither `+toolchain` nor an option.
pub(super) fn sub_command<'a>(argv: &[&'a str]) -> Option<&'a str> {
    let (program, rest) = argv.split_first()?;
    let mut words = rest.iter().filter(|word| !word.starts_with(['+', '-']));
    (*program == "cargo").then(|| words.next().copied()).flatten()
}

/// A result counts if it matches the binary's own start: the sum is the announced number of tests. Similar lines that a
/// test prints, or that come from another binary it runs, are between the two.
pub(super) fn read(lines: &[&str]) -> Option<TestEvidence> {
    let mut tally = Tally::default();
    let mut announced: Vec<u64> = Vec::new();
    let mut open = None;
    let mut lists_failures = false;
    for line in lines {
        if let Some(count) = beginning(line) {
            announced.push(count);
            lists_failures = false;
        } else if let Some((total, counts)) = result(line) {
            let own = announced.iter().rposition(|count| *count == total);
            if let Some(own) = own {
                announced.truncate(own);
            }
            if own == Some(0) {
                tally.summary(counts);
                tally.begin();
            }
        } else if *line == "failures:" {
            lists_failures = true;
        } else if let Some(name) = line.strip_prefix("    ").filter(|name| lists_failures && is_name(name)) {
            tally.note(own_name(name), Failed);
        } else if announced.len() == 1 {
            let (name, state) = test_line(line);
            open = name.or(open);
            if let (Some(name), Some(state)) = (open, state) {
                tally.note(name, state);
                open = None;
            }
        }
    }
    tally.finish()
}

/// `running 3 tests`.
fn beginning(line: &str) -> Option<u64> {
    let (count, word) = count_and_word(line.strip_prefix("running ")?)?;
    matches!(word, "test" | "tests").then_some(count)
}

/// `test result: ok. 9 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; …`, with the number of tests that ran
/// or were ignored.
fn result(line: &str) -> Option<(u64, TestCounts)> {
    let (_, parts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let (mut counts, mut total) = (TestCounts::default(), 0_u64);
    for (count, word) in parts.split(';').filter_map(count_and_word) {
        match word {
            "passed" => counts.passed = count,
            "failed" => counts.failed = count,
            "ignored" => counts.skipped = count,
            "measured" => counts.passed = counts.passed.saturating_add(count),
            _ => continue,
        }
        total = total.saturating_add(count);
    }
    Some((total, counts))
}

/// `test a::b ... ok`. If the test printed something, the word is on a line of its own.
fn test_line(line: &str) -> (Option<&str>, Option<TestState>) {
    let test = line.strip_prefix("test ").and_then(|rest| rest.split_once(" ... "));
    let (name, word) = test.map_or((None, line.trim_end()), |(name, word)| (Some(own_name(name)), word.trim_end()));
    let state = match word {
        "ok" => Some(Passed),
        "FAILED" => Some(Failed),
        "ignored" => Some(Skipped),
        _ if name.is_some() && word.starts_with("ignored, ") => Some(Skipped),
        _ if name.is_some() && word.starts_with("bench: ") => Some(Passed),
        _ => None,
    };
    (name, state)
}

fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(' ') && (!text.contains(' ') || text.contains(" - "))
}

/// Removes notes after a test's name, and the line number of a documentation test, which changes.
fn own_name(name: &str) -> &str {
    let name = name.strip_suffix(" - should panic").unwrap_or(name);
    name.split_once(" (line ").map_or(name, |(name, _)| name.trim_end_matches(" -"))
}
