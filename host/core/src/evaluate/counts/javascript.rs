//! `node --test` and TAP, jest, vitest, bun, mocha, and npm's script that is none.

use super::{between, count_and_word};
use crate::validation::TestCounts;

/// `node --test …`.
pub(super) fn is_node_test(argv: &[&str]) -> bool {
    argv.first() == Some(&"node") && argv.contains(&"--test")
}

/// `jest`, itself or by `npx` and its kind.
pub(super) fn is_jest(argv: &[&str]) -> bool {
    runs(argv, "jest")
}

/// `vitest`.
pub(super) fn is_vitest(argv: &[&str]) -> bool {
    runs(argv, "vitest")
}

/// `mocha`.
pub(super) fn is_mocha(argv: &[&str]) -> bool {
    runs(argv, "mocha")
}

/// `bun test`.
pub(super) fn is_bun_test(argv: &[&str]) -> bool {
    matches!(argv, ["bun", "test", ..])
}

fn runs(argv: &[&str], tool: &str) -> bool {
    match argv {
        [program, ..] if *program == tool => true,
        ["npx" | "yarn" | "pnpm" | "bunx", rest @ ..] => rest.iter().find(|word| !word.starts_with('-')) == Some(&tool),
        _ => false,
    }
}

/// The block that ends each run: `# tests 3`, `# pass 1`, `# fail 1` …, or the same behind `ℹ`.
pub(super) fn tap(lines: &[&str]) -> Option<TestCounts> {
    let starts = lines.iter().enumerate().filter(|(_, line)| matches!(tap_line(line), Some(("tests", _))));
    starts.map(|(at, _)| tap_block(lines.get(at + 1..).unwrap_or_default())).reduce(TestCounts::plus)
}

fn tap_block(lines: &[&str]) -> TestCounts {
    let mut counts = TestCounts::default();
    for (word, count) in lines.iter().copied().map_while(tap_line) {
        match word {
            "pass" => counts.passed = count,
            "fail" | "cancelled" => counts.failed = counts.failed.saturating_add(count),
            "skipped" | "skip" | "todo" => counts.skipped = counts.skipped.saturating_add(count),
            "tests" => break,
            _ => {}
        }
    }
    counts
}

fn tap_line(line: &str) -> Option<(&str, u64)> {
    let line = line.strip_prefix("# ").or_else(|| line.strip_prefix("ℹ "))?;
    let (word, count) = line.trim_end().split_once(' ')?;
    Some((word, count.trim_start().parse().ok()?))
}

/// `Tests:       1 failed, 2 skipped, 1 todo, 5 passed, 9 total`. A suite that could not be run at all fails too.
pub(super) fn jest(lines: &[&str]) -> Option<TestCounts> {
    let none_found = lines.iter().any(|line| line.starts_with("No tests found")).then(TestCounts::default);
    let summed = |name: &str| {
        let found = lines.iter().filter_map(|line| line.trim_start().strip_prefix(name));
        found.filter(|parts| parts.contains(" total")).map(|parts| states(parts, ',')).reduce(TestCounts::plus)
    };
    let tests = summed("Tests:").map(|tests| or_broken_files(tests, summed("Test Suites:")));
    tests.or(none_found)
}

/// ` Tests  1 failed | 5 passed | 1 skipped (7)`.
pub(super) fn vitest(lines: &[&str]) -> Option<TestCounts> {
    let none_found = lines.iter().any(|line| line.starts_with("No test files found")).then(TestCounts::default);
    let summed = |name: &str| {
        let found = lines.iter().filter_map(|line| line.trim_start().strip_prefix(name));
        found.filter(|parts| is_vitest_summary(parts)).map(|parts| states(parts, '|')).reduce(TestCounts::plus)
    };
    let tests = summed("Tests  ").map(|tests| or_broken_files(tests, summed("Test Files  ")));
    tests.or(none_found)
}

fn is_vitest_summary(parts: &str) -> bool {
    let parts = parts.trim();
    parts == "no tests" || (parts.ends_with(')') && parts.contains(" ("))
}

/// Where no test ran, the files that could not be loaded are what failed.
fn or_broken_files(tests: TestCounts, files: Option<TestCounts>) -> TestCounts {
    let broken = files.map_or(0, |files| files.failed);
    let failed = if tests.executed() == 0 { broken } else { tests.failed };
    TestCounts { failed, ..tests }
}

fn states(parts: &str, separator: char) -> TestCounts {
    let mut counts = TestCounts::default();
    for (count, word) in parts.split(separator).filter_map(count_and_word) {
        match word.split(" (").next().unwrap_or_default() {
            "passed" => counts.passed = count,
            "failed" => counts.failed = count,
            "skipped" | "todo" | "pending" => counts.skipped = counts.skipped.saturating_add(count),
            _ => {}
        }
    }
    counts
}

/// ` 124 pass`, ` 1 fail`, ` 2 skip`, and then `Ran 127 tests across 3 files.`
pub(super) fn bun(lines: &[&str]) -> Option<TestCounts> {
    let is_end = |line: &&&str| between(line, "Ran ", " across ").and_then(count_and_word).is_some();
    lines.iter().find(is_end)?;
    Some(counted_lines(lines, |word| match word {
        "pass" => Some(State::Passed),
        "fail" | "error" | "errors" => Some(State::Failed),
        "skip" | "todo" => Some(State::Skipped),
        _ => None,
    }))
}

/// `  5 passing (10ms)`, `  1 pending`, `  2 failing`.
pub(super) fn mocha(lines: &[&str]) -> Option<TestCounts> {
    let is_passing = |line: &&str| count_and_word(line).is_some_and(|(_, word)| word.starts_with("passing ("));
    let none_found = lines.iter().any(|line| line.starts_with("Error: No test files found"));
    if !lines.iter().any(is_passing) {
        return none_found.then(TestCounts::default);
    }
    Some(counted_lines(lines, |word| match word {
        "failing" => Some(State::Failed),
        "pending" => Some(State::Skipped),
        _ if word.starts_with("passing (") => Some(State::Passed),
        _ => None,
    }))
}

/// What a line with a number counts.
enum State {
    Passed,
    Failed,
    Skipped,
}

/// Adds up the lines that are a number and a word that `state_of` knows.
fn counted_lines(lines: &[&str], state_of: fn(&str) -> Option<State>) -> TestCounts {
    let none = TestCounts::default();
    let counted = lines.iter().filter_map(|line| {
        let (count, word) = count_and_word(line)?;
        Some(match state_of(word)? {
            State::Passed => TestCounts { passed: count, ..none },
            State::Failed => TestCounts { failed: count, ..none },
            State::Skipped => TestCounts { skipped: count, ..none },
        })
    });
    counted.fold(none, TestCounts::plus)
}

/// The script that `npm init` writes: a failure that says that there are no tests.
pub(super) fn empty_script(lines: &[&str]) -> Option<TestCounts> {
    lines.contains(&"Error: no test specified").then(TestCounts::default)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn node_and_tap_blocks() {
        let block = |mark: &str| {
            format!(
                "{mark} tests 6\n{mark} suites 1\n{mark} pass 2\n{mark} fail 1\n{mark} cancelled 1\n{mark} skipped 1\n{mark} todo 1\n{mark} duration_ms 69.5\n"
            )
        };
        check("node --test", &block("#"), Some((2, 2, 2)));
        check("node --test a.test.js", &block("ℹ"), Some((2, 2, 2)));
        check("npm test", &format!("{}{}", block("#"), block("#")), Some((4, 4, 4)));
        check("npm test", "1..3\n# tests 3\n# pass  2\n# fail  1\n", Some((2, 1, 0)));
        check("node --test", "# tests 0\n# suites 0\n# pass 0\n# fail 0\n", Some((0, 0, 0)));
        check("node --test", "# Subtest: tests\nok 1\n", None);
    }

    #[test]
    fn jest_summaries() {
        let suites = |line: &str| format!("Test Suites: 1 failed, 1 total\n{line}\nSnapshots:   0 total\nTime: 1 s\n");
        check("jest", &suites("Tests:       1 failed, 2 skipped, 1 todo, 5 passed, 9 total"), Some((5, 1, 3)));
        check("npx jest --ci", &suites("Tests:       0 total"), Some((0, 1, 0)));
        check("yarn jest", "No tests found, exiting with code 1\n", Some((0, 0, 0)));
        check("npm test", "Tests: see the manual\n", None);
    }

    #[test]
    fn vitest_summaries() {
        let files = " Test Files  1 failed | 1 passed (2)\n";
        check("vitest run", &format!("{files}      Tests  1 failed | 5 passed | 1 skipped (7)\n"), Some((5, 1, 1)));
        check("npx vitest run", &format!("{files}      Tests  no tests\n"), Some((0, 1, 0)));
        check("npx vitest", "No test files found, exiting with code 1\n", Some((0, 0, 0)));
        check("npm test", " Test Files  1 passed (1)\n      Tests  3 passed (3)\n", Some((3, 0, 0)));
    }

    #[test]
    fn bun_and_mocha_summaries() {
        let bun = " 124 pass\n 1 fail\n 2 skip\n 214 expect() calls\nRan 127 tests across 3 files. [662.00ms]\n";
        check("bun test", bun, Some((124, 1, 2)));
        check("npm test", bun, Some((124, 1, 2)));
        check("bun test", " 124 pass\n", None);
        check("mocha", "  5 passing (10ms)\n  1 pending\n  2 failing\n", Some((5, 2, 1)));
        check("npm test", "  0 passing (1ms)\n", Some((0, 0, 0)));
        check("npx mocha", "Error: No test files found: \"test\"\n", Some((0, 0, 0)));
    }
}
