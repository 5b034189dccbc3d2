//! unittest: `Ran 4 tests in 0.001s` and the verdict after it, the lines of `-v`, and the headers of failures.

use super::pieces::{between, count_and_word};
use crate::evaluate::tally::Tally;
use crate::validation::TestState::{self, Failed, Passed, Skipped};
use crate::validation::{TestCounts, TestEvidence};

/// Prefix of a module that the loader could not import.
const NOT_LOADED: &str = "unittest.loader._FailedTest.";

/// `python -m unittest`.
pub(super) fn is_named(argv: &[&str]) -> bool {
    runs_module(argv, "unittest")
}

/// Whether a command is `python … -m MODULE`, with or without a version in the program's name.
pub(super) fn runs_module(argv: &[&str], module: &str) -> bool {
    argv.first().is_some_and(|program| program.starts_with("python"))
        && argv.windows(2).any(|pair| matches!(pair, ["-m", name] if *name == module))
}

pub(super) fn read(lines: &[&str]) -> Option<TestEvidence> {
    let mut tally = Tally::default();
    let mut open: Option<String> = None;
    for (at, line) in lines.iter().enumerate() {
        if let Some(ran) = tests_ran(line) {
            tally.summary(session(ran, lines.get(at + 1..).unwrap_or_default()));
            continue;
        }
        if let Some(id) = failure(line).filter(|_| is_rule(lines, at)) {
            tally.note(&id, Failed);
            continue;
        }
        if let Some(id) = test_id(line) {
            open = Some(id);
        }
        if let (Some(id), Some(state)) = (&open, result(line)) {
            tally.note(id, state);
            open = None;
        }
    }
    tally.finish()
}

/// Whether the line above is a rule of `=`, so that this line is a header.
fn is_rule(lines: &[&str], at: usize) -> bool {
    let above = at.checked_sub(1).and_then(|above| lines.get(above));
    above.is_some_and(|line| line.len() >= 70 && line.bytes().all(|byte| byte == b'='))
}

/// `FAIL: test_a (tests.test_x.T.test_a)`.
fn failure(line: &str) -> Option<String> {
    let heads = ["FAIL: ", "ERROR: ", "UNEXPECTED SUCCESS: "];
    test_id(heads.iter().find_map(|head| line.strip_prefix(head))?)
}

/// The dotted name in `test_a (tests.test_x.T.test_a)`, before Python 3.11 `test_a (tests.test_x.T)`. For a failure of
/// a whole class or module, its own name.
fn test_id(text: &str) -> Option<String> {
    let (name, rest) = text.trim_start().split_once(" (")?;
    let (place, _) = rest.split_once(')')?;
    let is_dotted = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "._<>".contains(c));
    if !is_dotted(name) || !is_dotted(place) || place.starts_with('.') {
        return None;
    }
    if matches!(name, "setUpClass" | "tearDownClass" | "setUpModule" | "tearDownModule") {
        return Some(place.to_owned());
    }
    let is_whole = place.strip_suffix(name).is_some_and(|class| class.ends_with('.'));
    let id = if is_whole { place.to_owned() } else { format!("{place}.{name}") };
    Some(id.strip_prefix(NOT_LOADED).map(str::to_owned).unwrap_or(id))
}

/// The word that ends a test's line. If the test printed something, the word is on a line of its own.
fn result(line: &str) -> Option<TestState> {
    let line = line.trim_end();
    let word = line.rsplit_once(" ... ").map_or(line, |(_, word)| word);
    match word {
        "ok" => Some(Passed),
        "FAIL" | "ERROR" | "unexpected success" => Some(Failed),
        "expected failure" => Some(Skipped),
        _ if word.starts_with("skipped ") => Some(Skipped),
        _ => None,
    }
}

fn tests_ran(line: &str) -> Option<u64> {
    let (count, word) = count_and_word(between(line.trim_end(), "Ran ", " in ")?)?;
    matches!(word, "test" | "tests").then_some(count)
}

/// The counts in the verdict after the number: `OK`, `FAILED (failures=1, skipped=1)`.
fn session(ran: u64, after: &[&str]) -> TestCounts {
    let verdict = after.iter().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
    let details = verdict.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(inside, _)| inside);
    let number = |name: &str| -> u64 {
        let pairs = details.split(", ").filter_map(|pair| pair.split_once('='));
        pairs
            .filter(|(key, _)| *key == name)
            .filter_map(|(_, count)| count.parse::<u64>().ok())
            .fold(0, u64::saturating_add)
    };
    let failed = number("failures").saturating_add(number("errors")).saturating_add(number("unexpected successes"));
    let skipped = number("skipped").saturating_add(number("expected failures"));
    TestCounts { passed: ran.saturating_sub(failed).saturating_sub(skipped), failed, skipped }
}
