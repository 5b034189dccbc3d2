//! What an agent's own test script says at its end, whatever code it ends with: `Test Result: FAILED`, `✗ Test 1 failed: x`,
//! `Passed: 3, Failed: 1`.

use std::sync::LazyLock;

use regex::Regex;

use super::own_errors::{bare_name_of, name_of};

/// Marks of failure and success that stand in front of a line.
const BAD: &str = "[✗✘✖❌×⨯]";
const GOOD: &str = "[✓✔✅√]";
/// Words in the name of a script or program that tests.
const TESTS: [&str; 9] = ["test", "tests", "check", "checks", "verify", "validate", "spec", "smoke", "selftest"];
/// Words in the name of a script that shows a fault that is known.
const SHOWS_A_FAULT: [&str; 8] = ["bug", "bugs", "demo", "exploit", "issue", "poc", "repro", "reproduce"];
/// Most lines from the end that are read.
const MAX_LINES: usize = 400;

/// A verdict over all: `Test Result: FAILED`, `=== RESULT: FAIL ===`, `Overall status: ❌ FAILED (2 errors)`, `TESTS FAILED!`.
static OVERALL: LazyLock<Regex> = LazyLock::new(|| {
    let label = r"(?:(?:[\w ]{0,30} )?(?:results?|verdict|outcome|overall)|(?:tests?|overall|final|suite) status)";
    let subject = r"(?:(?:some|all|the|\d+ of \d+|\d+) )?(?:\w+ ){0,2}(?:tests?|checks?|verification|validation)";
    expression(&format!(
        r"(?i)^[\s=*#>-]{{0,8}}(?:{label} *[:=-]+ *(?:{BAD}|{GOOD})? *(?P<a>fail|pass|succe)(?:ed|ure|ss|eded)?(?:$|[^\w])|(?:{BAD}|{GOOD})? *{subject} (?P<b>failed|passed)[.! ]*[=*]{{0,8}}$)"
    ))
});

/// A test that failed: `✗ Test 1 failed: x`, `[FAIL] name`, `FAIL: name`.
static ONE: LazyLock<Regex> = LazyLock::new(|| {
    expression(&format!(
        r"(?i)^\s{{0,8}}(?:{BAD} *(?:test|check|case)\b[^\n]{{0,80}} failed\b|(?:{BAD} *)?\[fail(?:ed)?\] \S|(?:{BAD} *)?(?-i:FAIL(?:ED|URE)?)(?:: | {{2,8}})\S)"
    ))
});

/// A number of tests that failed: `Passed: 3, Failed: 1`, `Results: 3/5 passed`.
static COUNT: LazyLock<Regex> = LazyLock::new(|| {
    expression(
        r"(?i)(?:^|[^\w])fail(?:ed|ures?)(?: tests?)?\s*[:=]\s*(?P<failed>\d+)(?:$|[^\w.])|(?P<passed>\d+) ?/ ?(?P<of>\d+) (?:tests? |checks? )?passed",
    )
});

fn expression(text: &str) -> Regex {
    Regex::new(text).expect("the expression compiles, as the tests show")
}

/// Whether the one program that a line runs is a script or a program of the agent's own, and says that tests failed.
pub(super) fn is_failure(words: &[String], text: &str) -> bool {
    let Some(name) = own_program(words) else { return false };
    let has_part = |parts: &[&str]| {
        let mut words = name.split(|c: char| !c.is_ascii_alphanumeric());
        words.any(|word| parts.iter().any(|part| word.eq_ignore_ascii_case(part)))
    };
    if has_part(&SHOWS_A_FAULT) {
        return false;
    }
    let lines: Vec<&str> = text.lines().rev().take(MAX_LINES).filter(|line| !is_expected(line)).collect();
    if let Some(failed) = lines.iter().find_map(|line| overall(line)) {
        return failed;
    }
    let tests = has_part(&TESTS);
    lines.iter().any(|line| ONE.is_match(line) && (tests || line.to_lowercase().contains("test")))
        || tests && lines.iter().find_map(|line| count(line)).unwrap_or_default()
}

/// What the words run, if it is the agent's own: a script of an interpreter, a program by its path, or a text for it.
fn own_program(words: &[String]) -> Option<&str> {
    const INTERPRETERS: [&str; 13] =
        ["python", "python3", "py", "node", "ruby", "perl", "php", "deno", "bun", "bash", "sh", "tsx", "ts-node"];
    let (program, rest) = words.split_first()?;
    let name = bare_name_of(program);
    if INTERPRETERS.contains(&name) {
        let script = rest.iter().find(|word| !word.starts_with('-') && *word != "run");
        let is_module = rest.first().is_some_and(|word| word == "-m");
        return (!is_module).then(|| script.map_or("", |script| name_of(script)));
    }
    let is_script = [".sh", ".py", ".js", ".mjs", ".ts", ".rb", ".ps1"].iter().any(|end| name.ends_with(end));
    (is_script || program.starts_with("./")).then_some(name)
}

/// Whether a line says that a failure is what was wanted.
fn is_expected(line: &str) -> bool {
    ["as expected", "(expected", "expected failure", "expected to fail", "should fail"]
        .iter()
        .any(|said| line.contains(said))
}

/// What a line says of all tests: whether they failed.
fn overall(line: &str) -> Option<bool> {
    let found = OVERALL.captures(line)?;
    let said = found.name("a").or_else(|| found.name("b"))?;
    Some(said.as_str().to_lowercase().starts_with("fail"))
}

/// What the numbers in a line say: whether a test failed.
fn count(line: &str) -> Option<bool> {
    let found = COUNT.captures(line)?;
    let number = |name: &str| found.name(name).and_then(|number| number.as_str().parse::<u64>().ok());
    match (number("failed"), number("passed"), number("of")) {
        (Some(failed), ..) => Some(failed > 0),
        (None, Some(passed), Some(of)) => Some(passed < of),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fails(line: &str, text: &str) -> bool {
        is_failure(&line.split(' ').map(str::to_owned).collect::<Vec<_>>(), text)
    }

    #[test]
    fn scripts_that_say_that_tests_failed() {
        for (line, text) in [
            ("python3", "STDOUT:\n\n\nTest Result: FAILED ✗ (exit code: 1)"),
            ("node test-a.js", "Running tests...\n✗ Test 1 failed: f is not a function\n\n✗ Test 2 failed: x"),
            ("python a.py", "Error: __new__() missing 1 argument\nTest failed!"),
            ("./run_tests.sh", "[PASS] a\n[FAIL] b\n"),
            ("bash verify.sh", "FAIL: a is missing"),
            ("./test/run_tests.sh", "FAIL  test_limits__1  (compiler error)"),
            ("./ai/test.py a", "=====\nRESULT: FAIL\n====="),
            ("node smoke.mjs", "Passed: 3, Failed: 1"),
            ("python check_all.py", "Results: 3/5 passed"),
            ("ruby spec.rb", "4 / 6 checks passed"),
            ("tsx e2e.ts", "Overall: ❌ FAILED"),
            ("./a.out", "Overall status: FAILED (2 errors)"),
            ("deno run a.ts", "✗ Test login failed with 500"),
            ("python3 test_a.py", "Some tests failed."),
            ("bun a.ts", "=== TESTS FAILED ==="),
        ] {
            assert!(fails(line, text), "{line}: {text}");
        }
    }

    #[test]
    fn scripts_that_say_nothing_of_the_kind() {
        for (line, text) in [
            ("node test-a.js", "✗ Test 1 failed: x\nretry\nAll tests passed!"),
            ("python test_a.py", "Test Result: PASSED"),
            ("./report.sh", "FAIL  12 of 30 builds in May"),
            ("./run_tests.sh", "[PASS] a\n[FAIL] b (expected failure)\nOverall: PASSED"),
            ("node test-a.js", "Passed: 3, Failed: 0"),
            ("python check.py", "5/5 passed"),
            ("python reproduce_issue.py", "FAILURE: LEVEL_TAGS not updated\nTest failed!"),
            ("python test_issue.py", "Test failed!"),
            ("python import_rows.py", "Rows: 100, failed: 2"),
            ("python ci_report.py", "FAIL: build 12 of main"),
            ("python -m pytest", "Test Result: FAILED"),
            ("cat a.log", "Test Result: FAILED"),
            ("kubectl logs a", "✗ Test 1 failed: x"),
            ("python stats.py", "the test failed often in May"),
            ("python test.py", "Testing that a bad login failed as expected: ok"),
            ("node a.js", "status: failed-over to b"),
            ("node a.js", "{\"status\": \"failed\"}"),
            ("", ""),
        ] {
            assert!(!fails(line, text), "{line}: {text}");
        }
    }
}
