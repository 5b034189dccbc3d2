//! `go test`, with `-v` or without.

use crate::validation::TestCounts;

/// `go test`.
pub(super) fn is_test(argv: &[&str]) -> bool {
    matches!(argv, ["go", "test", ..])
}

/// With `-v` each test has its line (`--- PASS: TestX (0.00s)`). Without it only failing tests are named, so there
/// the packages are counted: otherwise a repair of three tests of one package would look like fewer tests.
pub(super) fn test(lines: &[&str]) -> Option<TestCounts> {
    let is_verbose = lines.iter().any(|line| line.starts_with("=== RUN "));
    let counts = if is_verbose { verbose_line } else { package_line };
    lines.iter().filter_map(|line| counts(line)).reduce(TestCounts::plus)
}

fn verbose_line(line: &str) -> Option<TestCounts> {
    let none = TestCounts::default();
    let (state, _) = line.trim_start().strip_prefix("--- ")?.split_once(": ")?;
    match state {
        "PASS" => Some(TestCounts { passed: 1, ..none }),
        "FAIL" => Some(TestCounts { failed: 1, ..none }),
        "SKIP" => Some(TestCounts { skipped: 1, ..none }),
        _ => None,
    }
}

fn package_line(line: &str) -> Option<TestCounts> {
    let none = TestCounts::default();
    let (state, rest) = line.split_once('\t')?;
    match state.trim_end() {
        "ok" if rest.contains("[no tests to run]") => Some(none),
        "ok" => Some(TestCounts { passed: 1, ..none }),
        "FAIL" => Some(TestCounts { failed: 1, ..none }),
        "?" if rest.contains("[no test files]") => Some(none),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;

    #[test]
    fn packages_are_counted_where_tests_are_not_named() {
        let output = "--- FAIL: TestA (0.00s)\n    a_test.go:5: no\n--- FAIL: TestB (0.00s)\nFAIL\nFAIL\tx/a\t0.003s\n\
                      ok  \tx/b\t(cached)\nok  \tx/c\t0.1s [no tests to run]\n?   \tx/d\t[no test files]\nFAIL\n";
        check("go test ./...", output, Some((1, 1, 0)));
        check("go test ./...", "FAIL\tx/a [build failed]\n", Some((0, 1, 0)));
        check("go test ./...", "?   \tx/d\t[no test files]\n", Some((0, 0, 0)));
        check("go vet ./...", "nothing here\n", None);
    }

    #[test]
    fn tests_are_counted_where_they_are_named() {
        let output = "=== RUN   TestA\n=== RUN   TestA/sub\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/sub (0.00s)\n\
                      === RUN   TestB\n--- SKIP: TestB (0.00s)\n=== RUN   TestC\n--- FAIL: TestC (0.00s)\nFAIL\nFAIL\tx\t0.1s\n";
        check("go test -v", output, Some((2, 1, 1)));
    }
}
