//! pytest: the summary at the end of each session (`==== 1 failed, 2 passed in 0.12s ====`), the lines of `-v`, and the
//! short test summary of `-r`.

use super::pieces::count_and_word;
use crate::evaluate::tally::Tally;
use crate::validation::TestState::{self, Failed, Passed, Skipped};
use crate::validation::{TestCounts, TestEvidence};

/// The words before or after a test's id, and the states that they mean.
const WORDS: &[(&str, TestState)] = &[
    ("PASSED", Passed),
    ("FAILED", Failed),
    ("ERROR", Failed),
    ("SKIPPED", Skipped),
    ("XFAIL", Skipped),
    ("XPASS", Passed),
    ("SUBFAILED", Failed),
];

/// `pytest`, `py.test` or `python -m pytest`.
pub(super) fn is_named(argv: &[&str]) -> bool {
    matches!(argv.first(), Some(&("pytest" | "py.test"))) || super::unittest::runs_module(argv, "pytest")
}

pub(super) fn read(lines: &[&str]) -> Option<TestEvidence> {
    let mut tally = Tally::of_names();
    let (mut has_header, mut is_captured, mut is_short_summary) = (false, false, false);
    for line in lines {
        if let Some(title) = title(line) {
            let summary = summary(title, false);
            is_short_summary = title == "short test summary info";
            is_captured = summary.is_none() && !is_short_summary;
            if title == "test session starts" {
                tally.begin();
                (has_header, is_captured) = (true, false);
            }
            if let Some(counts) = summary {
                tally.summary(counts);
            }
        } else if let Some(counts) = summary(line.trim(), true).filter(|_| !has_header) {
            tally.summary(counts);
        } else if is_short_summary {
            if let Some((name, state)) = short_summary(line) {
                tally.note(name, state);
            }
        } else if let Some((name, state)) = progress(line).filter(|_| !is_captured) {
            tally.note(name, state);
        }
    }
    tally.finish()
}

/// `==== title ====`.
fn title(line: &str) -> Option<&str> {
    let inside = line.trim_end().strip_prefix("==")?.strip_suffix("==")?;
    Some(inside.trim_matches('=').trim()).filter(|title| !title.is_empty())
}

/// The counts in a summary. Tests that were only collected were not run. If the line has no `=` around it (`is_bare`),
/// every part must be known.
fn summary(text: &str, is_bare: bool) -> Option<TestCounts> {
    let (parts, time) = text.rsplit_once(" in ")?;
    let unit = time.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    // Before 5.0: `in 0.12 seconds`. After a minute: `in 75.40s (0:01:15)`.
    let is_time = unit.len() < time.len() && (unit == "s" || unit.starts_with("s (") || unit == " seconds");
    if !is_time {
        return None;
    }
    if parts == "no tests ran" || parts.contains("collected") {
        return Some(TestCounts::default());
    }
    let counted: Vec<_> = parts.split(", ").map(part).collect();
    let known = counted.iter().flatten().count();
    let is_summary = known == counted.len() || (!is_bare && known > 0);
    is_summary.then(|| counted.into_iter().flatten().fold(TestCounts::default(), TestCounts::plus))
}

fn part(part: &str) -> Option<TestCounts> {
    let none = TestCounts::default();
    let (count, word) = count_and_word(part)?;
    Some(match word {
        "passed" | "xpassed" => TestCounts { passed: count, ..none },
        "failed" | "error" | "errors" | "subtests failed" => TestCounts { failed: count, ..none },
        "skipped" | "xfailed" => TestCounts { skipped: count, ..none },
        "deselected" | "warning" | "warnings" | "rerun" | "reruns" | "subtests passed" | "subtests skipped" => none,
        _ => return None,
    })
}

/// `FAILED tests/test_a.py::test_x[a - b] - assert 1 == 2`, `ERROR tests/test_b.py - ImportError: …`.
fn short_summary(line: &str) -> Option<(&str, TestState)> {
    let (word, rest) = line.split_once(' ')?;
    // `SUBFAILED[message]`, `SUBFAILED(i=1)`.
    let word = word.split(['[', '(']).next().unwrap_or_default();
    let (_, state) = WORDS.iter().find(|(known, _)| *known == word)?;
    // Skipped tests are identified by their position in the file: `SKIPPED [1] test_a.py:4: reason`.
    let is_id =
        rest.contains("::") || rest.split(" - ").next().and_then(|file| file.trim().strip_suffix(".py")).is_some();
    is_id.then(|| (without_message(rest), *state))
}

/// The id before ` - message`. A parameter in brackets may contain such a dash too.
fn without_message(rest: &str) -> &str {
    let is_balanced = |id: &str| id.matches('[').count() == id.matches(']').count();
    let ends = || rest.match_indices(" - ").take(16).map(|(at, _)| &rest[..at]);
    ends()
        .find(|id| is_balanced(id))
        .or_else(|| ends().next().filter(|_| !is_balanced(rest)))
        .unwrap_or(rest)
        .trim_end()
}

/// `tests/test_a.py::test_x PASSED    [ 50%]`, and `[gw0] [ 50%] PASSED tests/test_a.py::test_x` of xdist.
fn progress(line: &str) -> Option<(&str, TestState)> {
    let line = line.trim_end();
    if let Some(rest) = line.strip_prefix("[gw") {
        let (word, name) = rest.split_once("%] ")?.1.split_once(' ')?;
        let state = WORDS.iter().find(|(known, _)| *known == word)?.1;
        return name.contains("::").then_some((name, state));
    }
    let line = match line.rsplit_once('[') {
        Some((before, percent)) if percent.ends_with("%]") => before.trim_end(),
        _ => line,
    };
    WORDS.iter().find_map(|(word, state)| {
        let (name, rest) = at_word(line, word)?;
        let ends = rest.is_empty() || (rest.starts_with(" (") && rest.ends_with(')'));
        (ends && name.contains("::") && !name.contains(": ")).then_some((name, *state))
    })
}

/// The text before and after a word.
fn at_word<'a>(line: &'a str, word: &str) -> Option<(&'a str, &'a str)> {
    let at = line.find(word).filter(|at| line[..*at].ends_with(' '))?;
    Some((line[..at].trim_end(), &line[at + word.len()..]))
}
