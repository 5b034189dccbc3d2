//! `cargo test` (libtest) and `cargo nextest`.

use super::count_and_word;
use crate::validation::TestCounts;

/// `cargo test` and its alias, behind a toolchain's name or not.
pub(super) fn is_test(argv: &[&str]) -> bool {
    matches!(sub_command(argv), Some("test" | "t"))
}

/// `cargo nextest`.
pub(super) fn is_nextest(argv: &[&str]) -> bool {
    sub_command(argv) == Some("nextest") || argv.first() == Some(&"cargo-nextest")
}

/// The first word after `cargo` that is no `+toolchain` and no option.
fn sub_command<'a>(argv: &[&'a str]) -> Option<&'a str> {
    let (program, rest) = argv.split_first()?;
    let mut words = rest.iter().filter(|word| !word.starts_with(['+', '-']));
    (*program == "cargo").then(|| words.next().copied()).flatten()
}

/// One line for each test binary: `test result: ok. 9 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; …`.
pub(super) fn libtest(lines: &[&str]) -> Option<TestCounts> {
    lines.iter().filter_map(|line| libtest_result(line)).reduce(TestCounts::plus)
}

fn libtest_result(line: &str) -> Option<TestCounts> {
    let (_, parts) = line.strip_prefix("test result: ")?.split_once(". ")?;
    let mut counts = TestCounts::default();
    for (count, word) in parts.split(';').filter_map(count_and_word) {
        match word {
            "passed" => counts.passed = count,
            "failed" => counts.failed = count,
            "ignored" => counts.skipped = count,
            _ => {}
        }
    }
    Some(counts)
}

/// `Summary [ 0.014s] 9 tests run: 8 passed (1 slow), 1 failed, 2 skipped`.
pub(super) fn nextest(lines: &[&str]) -> Option<TestCounts> {
    lines.iter().filter_map(|line| nextest_summary(line)).reduce(TestCounts::plus)
}

fn nextest_summary(line: &str) -> Option<TestCounts> {
    let line = line.trim_start().strip_prefix("Summary [")?;
    let parts = line.split_once("tests run: ").or_else(|| line.split_once("test run: "))?.1;
    let mut counts = TestCounts::default();
    for (count, word) in parts.split(',').filter_map(count_and_word) {
        let state = word.split(" (").next().unwrap_or_default();
        match state {
            "passed" => counts.passed = count,
            "skipped" => counts.skipped = count,
            // `failed`, `exec failed`, `timed out`: a word of a later version is no pass either.
            _ => counts.failed = counts.failed.saturating_add(count),
        }
    }
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn libtest_results_add_up_over_binaries() {
        let one = "test result: ok. 9 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s\n";
        let two = "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 3 filtered out; finished in 0.01s\n";
        check("cargo test", one, Some((9, 0, 1)));
        check("cargo +nightly --locked test", &format!("running 10 tests\n{one}noise\n{two}"), Some((10, 2, 1)));
        check("cargo test --no-run", "    Finished `test` profile\n", None);
        check("cargo t", "test result: ok. 0 passed; 0 failed; 0 ignored; 0 measured", Some((0, 0, 0)));
    }

    #[test]
    fn nextest_summaries() {
        let check = |output, expect| check("cargo nextest run", output, expect);
        check("     Summary [   0.014s] 9 tests run: 8 passed (1 slow), 1 failed, 2 skipped", Some((8, 1, 2)));
        check("     Summary [   0.014s] 1 test run: 1 passed, 0 skipped", Some((1, 0, 0)));
        check(
            "     Summary [   1.0s] 5/9 tests run: 2 passed, 1 failed, 1 exec failed, 1 timed out, 0 skipped",
            Some((2, 3, 0)),
        );
        check("     Summary [   0.000s] 0 tests run: 0 passed, 0 skipped", Some((0, 0, 0)));
    }
}
