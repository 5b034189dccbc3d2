//! How many tests a command ran, read from what its test runner wrote.
//!
//! A runner that the command names is read by its own rules alone. Anything else (`npm test`, a script, `make`) is
//! read by all of them: what runs behind it is known by its output. A new runner is one function and one line in
//! [`RUNNERS`].

mod cargo;
mod go;
mod javascript;
mod python;

use crate::validation::TestCounts;

/// A test runner's way to report.
struct Runner {
    /// Whether the command names it.
    is_named: fn(&[&str]) -> bool,
    /// What lines of its output say: `None` where they are not its own.
    count: fn(&[&str]) -> Option<TestCounts>,
}

const RUNNERS: &[Runner] = &[
    Runner { is_named: python::is_pytest, count: python::pytest },
    Runner { is_named: python::is_unittest, count: python::unittest },
    Runner { is_named: cargo::is_test, count: cargo::libtest },
    Runner { is_named: cargo::is_nextest, count: cargo::nextest },
    Runner { is_named: go::is_test, count: go::test },
    Runner { is_named: javascript::is_node_test, count: javascript::tap },
    Runner { is_named: javascript::is_jest, count: javascript::jest },
    Runner { is_named: javascript::is_vitest, count: javascript::vitest },
    Runner { is_named: javascript::is_bun_test, count: javascript::bun },
    Runner { is_named: javascript::is_mocha, count: javascript::mocha },
    Runner { is_named: |_| false, count: javascript::empty_script },
];

/// The tests that a command ran, skipped included; `None` where its output says nothing of tests. All zero means that
/// a runner said so: it found none. Linear in the length of the output.
pub fn count_tests(argv: &[String], stdout: &str, stderr: &str) -> Option<TestCounts> {
    let argv = program_words(argv);
    let text = without_escapes(stdout, stderr);
    let lines: Vec<&str> = text.lines().collect();
    match RUNNERS.iter().find(|runner| (runner.is_named)(&argv)) {
        Some(runner) => (runner.count)(&lines),
        None => RUNNERS.iter().filter_map(|runner| (runner.count)(&lines)).reduce(TestCounts::plus),
    }
}

/// The words of a command, the program without its folder.
fn program_words(argv: &[String]) -> Vec<&str> {
    let mut words: Vec<&str> = argv.iter().map(String::as_str).collect();
    if let Some(program) = words.first_mut() {
        *program = program.rsplit('/').next().unwrap_or_default();
    }
    words
}

/// Both streams as one text, without terminal colours (`ESC [ … letter`).
fn without_escapes(stdout: &str, stderr: &str) -> String {
    let mut text = String::with_capacity(stdout.len() + stderr.len() + 1);
    for stream in [stdout, "\n", stderr] {
        let mut pieces = stream.split("\u{1b}[");
        text.extend(pieces.next());
        text.extend(pieces.map(|piece| piece.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';')).map(rest));
    }
    text
}

/// A text without its first character.
fn rest(text: &str) -> &str {
    let mut chars = text.chars();
    chars.next();
    chars.as_str()
}

/// A number and the word after it: `12 passed` is `(12, "passed")`.
fn count_and_word(text: &str) -> Option<(u64, &str)> {
    let (number, word) = text.trim().split_once(char::is_whitespace)?;
    Some((number.parse().ok()?, word.trim_start()))
}

/// What is between two texts, from the start of a line.
fn between<'a>(line: &'a str, start: &str, end: &str) -> Option<&'a str> {
    Some(line.strip_prefix(start)?.split_once(end)?.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn check(command: &str, output: &str, expect: Option<(u64, u64, u64)>) {
        let argv: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let expect = expect.map(|(passed, failed, skipped)| TestCounts { passed, failed, skipped });
        assert_eq!(count_tests(&argv, output, ""), expect, "{command}: {output}");
        assert_eq!(count_tests(&argv, "", output), expect, "{command} on standard error: {output}");
    }

    #[test]
    fn colours_do_not_hide_a_count() {
        check("pytest", "\u{1b}[32m\u{1b}[1m2 passed\u{1b}[0m\u{1b}[32m in 0.01s\u{1b}[0m", Some((2, 0, 0)));
        check("pytest", "\u{1b}[31;1m1 failed\u{1b}[0m, 2 passed in 0.01s \u{1b}[", Some((2, 1, 0)));
    }

    #[test]
    fn a_script_is_read_by_what_runs_behind_it() {
        check("npm test", "> jest\n\nTests:       1 failed, 5 passed, 6 total\n", Some((5, 1, 0)));
        check("/usr/bin/npm run check", "# tests 3\n# pass 2\n# fail 0\n# skipped 1\n", Some((2, 0, 1)));
        check(
            "make test",
            "2 passed in 0.01s\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured",
            Some((5, 0, 0)),
        );
        check("npm test", "Error: no test specified\n", Some((0, 0, 0)));
        check("npm run build", "compiled 5 modules\n", None);
    }

    #[test]
    fn a_named_runner_is_read_by_its_own_rules_alone() {
        check("pytest -q", "test result: ok. 3 passed; 0 failed; 0 ignored\n1 passed in 0.01s", Some((1, 0, 0)));
        check("cargo test", "1 passed in 0.01s", None);
    }

    #[test]
    fn a_command_without_words_is_read_by_all() {
        check("", "1 passed in 0.01s", Some((1, 0, 0)));
    }
}
