//! The errors of failing tests: where an output lists them, and which one most of them share.

use crate::call::hash;
use crate::output::cause_line::is_thrown;
use crate::output::line::{normal_hash, without_names};

/// Beginnings of the part of an output that lists failures. What stands above may be from tests that passed.
const LISTS: [&str; 4] = ["= FAILURES =", "= ERRORS =", "\u{23af} Failed Tests ", "Summary of all failing tests"];
/// Different errors that are counted.
const MAX_ERRORS: usize = 64;

/// The part of an output that lists what failed; the whole output if there is no list.
pub(crate) fn failures_of_tests(output: &str) -> &str {
    let mut at = 0;
    for line in output.split_inclusive('\n') {
        let text = line.trim();
        if is_count_of_mocha(text) || LISTS.iter().any(|list| text.contains(list)) {
            return output.get(at + line.len()..).filter(|rest| !rest.trim().is_empty()).unwrap_or(output);
        }
        at += line.len();
    }
    output
}

/// `39 failing`, which mocha prints above its list.
pub(crate) fn is_count_of_mocha(line: &str) -> bool {
    line.strip_suffix(" failing")
        .is_some_and(|count| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The error that most failing tests share, if the output lists several.
pub(crate) fn shared_error(output: &str) -> Option<&str> {
    let mut errors: Vec<(u64, &str, usize)> = Vec::new();
    let mut total = 0;
    for line in failures_of_tests(output).lines().filter_map(error_of_test).filter(|line| line.len() <= 600) {
        total += 1;
        // `'a' != 'b'` and `1 != 2` have nothing in common.
        let key = if says_something(line) { normal_hash(line) } else { hash(0, line.as_bytes()) };
        if let Some((_, _, count)) = errors.iter_mut().find(|(known, _, _)| *known == key) {
            *count += 1;
        } else if errors.len() < MAX_ERRORS {
            errors.push((key, line, 1));
        }
    }
    let (_, line, count) = errors.into_iter().rev().max_by_key(|(_, _, count)| *count)?;
    (count >= 2 && count * 2 > total).then_some(line)
}

/// The class of the first error that a list of failing tests names, without its module: `OperationalError`.
pub(crate) fn class_of_tests(output: &str) -> &str {
    let first = failures_of_tests(output).lines().find_map(error_of_test).unwrap_or_default();
    let head = first.split([':', ' ', '(']).next().unwrap_or_default();
    let class = head.rsplit('.').next().unwrap_or_default();
    Some(class).filter(|name| name.bytes().all(|byte| byte.is_ascii_alphanumeric())).unwrap_or_default()
}

/// Whether an error has words of its own beside the values that it compares.
fn says_something(line: &str) -> bool {
    const COMPARING: [&str; 6] = ["assert", "True", "False", "None", "not", "and"];
    let message = line.split_once(": ").map_or("", |(_, message)| message);
    let bare = without_names(message);
    let mut words = bare.split(|c: char| !c.is_alphabetic()).filter(|word| word.len() > 2);
    message.is_empty() || words.any(|word| !COMPARING.contains(&word))
}

/// The error in a line: alone, behind the `E` of pytest, or behind a test's name in its summary.
fn error_of_test(line: &str) -> Option<&str> {
    let line = line.trim();
    let line = line.strip_prefix("E  ").map_or(line, str::trim_start);
    let in_summary = || {
        let is_summary = line.starts_with("FAILED ") || line.starts_with("ERROR ");
        line.split_once(" - ").map(|(_, error)| error).filter(|error| is_summary && is_thrown(error))
    };
    if is_thrown(line) { Some(line) } else { in_summary() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_passing_tests_print_is_left_out() {
        let output =
            "Error: tested\n  \u{2714} handles errors\n\n  1 passing\n  1 failing\n\n  1) adds:\n     TypeError: no\n";
        assert!(!failures_of_tests(output).contains("tested"));
        assert_eq!(failures_of_tests("all is well"), "all is well");
    }

    #[test]
    fn the_error_of_most_tests_is_found() {
        let output = |errors: &[&str]| format!("  9 failing\n\n{}", errors.join("\n"));
        let chai = "     ReferenceError: chai is not defined";
        let other = "     TypeError: no";
        assert_eq!(shared_error(&output(&[chai, chai, other, chai])), Some("ReferenceError: chai is not defined"));
        assert_eq!(shared_error(&output(&[chai])), None, "one shares nothing");
        assert_eq!(
            shared_error(&output(&[chai, other, "     RangeError: x", other, other, "     EvalError: y", chai])),
            None
        );
        let compared =
            ["AssertionError: '/' != 'http://a/'", "AssertionError: '01:00' != '00:18'", "AssertionError: 1 != 2"];
        assert_eq!(shared_error(&output(&compared)), None, "only values differ");
        let pytest =
            "= FAILURES =\nE   ValueError: no\n= short test summary info =\nFAILED a.py::b - ValueError: no\n1 failed";
        assert_eq!(shared_error(pytest), Some("ValueError: no"));
    }
}
