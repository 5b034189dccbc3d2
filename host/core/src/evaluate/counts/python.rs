//! pytest and unittest.

use super::{between, count_and_word};
use crate::validation::TestCounts;

/// `pytest`, `py.test` or `python -m pytest`.
pub(super) fn is_pytest(argv: &[&str]) -> bool {
    matches!(argv.first(), Some(&("pytest" | "py.test"))) || runs_module(argv, "pytest")
}

/// `python -m unittest`.
pub(super) fn is_unittest(argv: &[&str]) -> bool {
    runs_module(argv, "unittest")
}

/// `python … -m MODULE`, with a version in the program's name or without.
fn runs_module(argv: &[&str], module: &str) -> bool {
    argv.first().is_some_and(|program| program.starts_with("python"))
        && argv.windows(2).any(|pair| matches!(pair, ["-m", name] if *name == module))
}

/// The summary that ends each session: `==== 1 failed, 2 passed in 0.12s ====`, `no tests ran in 0.01s`. What was
/// collected only was not run.
pub(super) fn pytest(lines: &[&str]) -> Option<TestCounts> {
    lines.iter().filter_map(|line| pytest_summary(line)).reduce(TestCounts::plus)
}

fn pytest_summary(line: &str) -> Option<TestCounts> {
    let (parts, time) = line.trim().trim_matches('=').trim().rsplit_once(" in ")?;
    let seconds = time.split_once('s')?.0;
    if seconds.is_empty() || !seconds.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        return None;
    }
    if parts == "no tests ran" || parts == "no tests collected" || parts.contains("collected") {
        return Some(TestCounts::default());
    }
    parts.split(", ").try_fold(TestCounts::default(), |sum, part| Some(sum.plus(pytest_part(part)?)))
}

fn pytest_part(part: &str) -> Option<TestCounts> {
    let none = TestCounts::default();
    let (count, word) = count_and_word(part)?;
    Some(match word {
        "passed" | "xpassed" => TestCounts { passed: count, ..none },
        "failed" | "error" | "errors" => TestCounts { failed: count, ..none },
        "skipped" | "xfailed" => TestCounts { skipped: count, ..none },
        "deselected" | "warning" | "warnings" | "rerun" | "subtests passed" => none,
        _ => return None,
    })
}

/// `Ran 4 tests in 0.001s`, and then `OK` or `FAILED (failures=1, skipped=1)`.
pub(super) fn unittest(lines: &[&str]) -> Option<TestCounts> {
    let starts = lines.iter().enumerate().filter_map(|(at, line)| Some((at, tests_ran(line)?)));
    let sessions = starts.map(|(at, ran)| unittest_session(ran, lines.get(at + 1..).unwrap_or_default()));
    sessions.reduce(TestCounts::plus)
}

fn tests_ran(line: &str) -> Option<u64> {
    let (count, word) = count_and_word(between(line.trim_end(), "Ran ", " in ")?)?;
    matches!(word, "test" | "tests").then_some(count)
}

fn unittest_session(ran: u64, after: &[&str]) -> TestCounts {
    let verdict = after.iter().find(|line| !line.trim().is_empty()).copied().unwrap_or_default();
    let details = verdict.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(inside, _)| inside);
    let number = |name: &str| -> u64 {
        let pairs = details.split(", ").filter_map(|pair| pair.split_once('='));
        pairs.filter(|(key, _)| *key == name).filter_map(|(_, count)| count.parse::<u64>().ok()).sum()
    };
    let failed = number("failures").saturating_add(number("errors")).saturating_add(number("unexpected successes"));
    let skipped = number("skipped").saturating_add(number("expected failures"));
    TestCounts { passed: ran.saturating_sub(failed).saturating_sub(skipped), failed, skipped }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn pytest_summaries() {
        check("pytest", "==== 1 failed, 1 passed, 121 deselected, 1 warning in 0.23s ====", Some((1, 1, 0)));
        check("pytest -q", "11 failed, 2 passed in 0.12s", Some((2, 11, 0)));
        check(
            "python -m pytest",
            "==== 3 passed, 2 skipped, 1 xfailed, 1 xpassed in 75.40s (0:01:15) ====",
            Some((4, 0, 3)),
        );
        check("python3.11 -m pytest tests", "==== 2 errors in 0.10s ====", Some((0, 2, 0)));
        check("py.test", "==== no tests ran in 0.00s ====", Some((0, 0, 0)));
        check("pytest --collect-only -q", "5 tests collected in 0.01s", Some((0, 0, 0)));
        check("pytest", "3/10 tests collected (7 deselected) in 0.01s", Some((0, 0, 0)));
        check("pytest", "==== 5 deselected in 0.01s ====", Some((0, 0, 0)));
    }

    #[test]
    fn prose_is_no_pytest_summary() {
        for line in [
            "Finished 3 passed in review",
            "1 passed in 3 stages",
            "12 apples passed in 1s",
            "passed in 0.1s",
            " in 1s",
        ] {
            check("pytest", line, None);
        }
    }

    #[test]
    fn unittest_summaries() {
        check(
            "python -m unittest",
            "Ran 4 tests in 0.000s\n\nFAILED (failures=1, skipped=1, expected failures=1)\n",
            Some((1, 1, 2)),
        );
        check("python3 -m unittest -v", "Ran 1 test in 0.000s\n\nOK\n", Some((1, 0, 0)));
        check("python -m unittest", "Ran 3 tests in 0.000s\n\nOK (skipped=1)\n", Some((2, 0, 1)));
        check("python -m unittest", "Ran 0 tests in 0.000s\n\nNO TESTS RAN\n", Some((0, 0, 0)));
        check("python -m unittest", "Ran 0 tests in 0.000s\n\nFAILED (errors=1)\n", Some((0, 1, 0)));
        check("python -m unittest", "Ran 2 tests in 0.000s\n\nFAILED (unexpected successes=1)\n", Some((1, 1, 0)));
        check("python manage.py test", "Ran 2 tests in 0.1s\n\nOK\n", Some((2, 0, 0)));
        check("python -m unittest", "Ran 99999999999999999999 tests in 1s\n\nOK\n", None);
        check("python -m unittest", "Ran 7 tests in 1s", Some((7, 0, 0)));
    }
}
