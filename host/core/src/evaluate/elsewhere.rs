//! Whether a command cannot run where it is validated: it ends in another way than where the operator ran it, because a
//! program, a package or the network is missing. What such a run shows says nothing about the change.
//!
//! It is decided on the base. What must stay true: a command that passes with the change, or that fails there in another
//! way than on the base, was run; and a lack that the recorded run had too is the failure itself.

use crate::signal::{error_signature, normalise_signature};
use crate::text::without_controls;
use crate::validation::{CommandRun, RunResult};

/// The exit codes of shells, and of what imitates them, for a program that cannot be run and one that is not there.
const NOT_RUN: &[i32] = &[126, 127];

/// Most characters of a line that is shown.
const MAX_LINE_CHARS: usize = 240;
/// Most bytes of a line that are searched.
const MAX_SEARCHED: usize = 4096;

/// What tools print if something outside of the project's own files is missing: the tools, the text before the name, and
/// the text after it. Without a text after it, the line itself is the reason. A name of a file (`./x`, `/x`) is the
/// project's own.
const MISSING: &[(&str, &str, Option<&str>)] = &[
    ("python", "No module named '", Some("'")),
    ("python", "No module named ", None),
    ("node", "Cannot find module '", Some("'")),
    ("node", "Cannot find package '", Some("'")),
    ("typescript", "Cannot find type definition file for '", Some("'")),
    ("cargo", "error: no matching package named `", Some("`")),
    ("cargo", "you may be in offline mode", None),
    ("cargo", "attempting to make an HTTP request, but --offline was specified", None),
    ("go", "module lookup disabled by GOPROXY=off", None),
    ("go", "cannot find module providing package ", None),
    ("npm", "npm error code ENOTCACHED", None),
    ("npm", "npm ERR! code ENOTCACHED", None),
    ("pnpm", "ERR_PNPM_NO_OFFLINE", None),
    ("bundler", "Could not find gem '", Some("'")),
    ("bundler", "in locally installed gems", None),
    ("bundler", "bundler: command not found: ", None),
    ("gradle", "No cached version of ", None),
    ("gradle", "available for offline mode", None),
    ("maven", " in offline mode and the artifact ", None),
    ("resolver", "Temporary failure in name resolution", None),
    ("resolver", "Could not resolve host: ", None),
    ("node", "getaddrinfo EAI_AGAIN", None),
    ("node", "getaddrinfo ENOTFOUND", None),
    ("kernel", "Network is unreachable", None),
];

/// Why a command cannot run where it was validated; `None` if it can.
pub(super) fn cannot_run(run: &CommandRun) -> Option<String> {
    let before = run.before.as_ref()?;
    let after = &run.after;
    let ended_alike = (before.exit, before.timed_out, before.over) == (after.exit, after.timed_out, after.over);
    if !ended_alike || before.timed_out || before.over.is_some() || before.passed() || after.passed() {
        return None;
    }
    let Some(code) = before.exit else { return first_line(&before.stderr) };
    let now = error_line(before);
    let said = run.recorded.as_ref().and_then(|recorded| recorded.error.as_deref());
    let recorded = run.recorded.as_ref().map(|recorded| recorded.exit_code);
    let is_same = |other: Option<&str>| now.as_deref().map(normalise_signature) == other.map(normalise_signature);
    let is_the_recorded = recorded == Some(code) && said.is_some() && is_same(said);
    if is_the_recorded || !is_same(error_line(after).as_deref()) {
        return None;
    }
    let lack = missing(before).filter(|lack| missing(after).as_ref() == Some(lack));
    if let Some(lack) = lack.filter(|lack| !said.is_some_and(|said| said.contains(lack.as_str()))) {
        return Some(lack);
    }
    let line = now.map(|line| format!(": {line}")).unwrap_or_default();
    match recorded {
        Some(then) if then != code => Some(format!(
            "it ended with {then} when it was recorded, and ends with {code} here without the change{line}"
        )),
        None if NOT_RUN.contains(&code) => Some(format!("it ends with {code}, without the change too{line}")),
        _ => None,
    }
}

/// The line that names the error of a failed run, else the last line that it printed; `None` if it printed nothing.
pub fn error_line(result: &RunResult) -> Option<String> {
    let named = signature(&result.stderr).or_else(|| signature(&result.stdout));
    let line = match &named {
        Some(signature) => signature.strip_prefix("errsig:").unwrap_or(signature),
        None => last_line(&result.stderr).or_else(|| last_line(&result.stdout))?,
    };
    // pytest's mark of an error.
    Some(shown(line.strip_prefix("E ").unwrap_or(line)))
}

/// What a runner prints before or after the error itself: the tool, how such a line begins, and how it ends.
const LABELS: &[(&str, &str, &str)] = &[
    ("unittest", "ERROR: ", ")"),
    ("unittest", "FAIL: ", ""),
    ("unittest", "ImportError: Failed to import test module", ""),
    ("pytest", "ERROR ", ""),
    ("pytest", "FAILED ", ""),
    ("go", "--- FAIL: ", ""),
    ("cargo", "error: test failed, to rerun pass ", ""),
    ("cargo", "error: could not compile ", ""),
    ("npm", "npm ERR! ", ""),
    ("npm", "npm error ", ""),
    ("make", "make: ***", ""),
];

/// The line that names the error, which is no label if there is a better one.
fn signature(text: &str) -> Option<String> {
    let is_label = |line: &str| LABELS.iter().any(|(_, start, end)| line.starts_with(start) && line.ends_with(end));
    let lines: Vec<&str> = text.lines().filter(|line| !is_label(line.trim())).collect();
    error_signature(&lines.join("\n")).or_else(|| error_signature(text))
}

/// What is missing, as the tool says it.
fn missing(result: &RunResult) -> Option<String> {
    lines(result).find_map(|line| {
        MISSING.iter().find_map(|(_, before, after)| {
            let at = line.find(before)?;
            let rest = line.get(at + before.len()..)?;
            match after {
                None => Some(shown(line)),
                Some(after) => {
                    let name =
                        rest.split(after).next().filter(|name| !name.starts_with(['.', '/']) && !name.is_empty())?;
                    Some(shown(&format!("{before}{name}{after}")))
                }
            }
        })
    })
}

fn lines(result: &RunResult) -> impl Iterator<Item = &str> {
    let all = result.stderr.lines().chain(result.stdout.lines());
    all.map(|line| line.get(..line.floor_char_boundary(MAX_SEARCHED)).unwrap_or(line))
}

fn first_line(text: &str) -> Option<String> {
    text.lines().find(|line| !line.trim().is_empty()).map(shown)
}

fn last_line(text: &str) -> Option<&str> {
    text.lines().rev().find(|line| !line.trim().is_empty())
}

fn shown(line: &str) -> String {
    without_controls(line.trim()).chars().take(MAX_LINE_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::RecordedRun;

    fn ended(exit: i32, stderr: &str) -> RunResult {
        RunResult { exit: Some(exit), stderr: stderr.to_owned(), ..RunResult::default() }
    }

    fn reason(recorded: Option<(i32, &str)>, before: RunResult, after: RunResult) -> Option<String> {
        let recorded = recorded.map(|(exit_code, error)| RecordedRun {
            exit_code,
            error: (!error.is_empty()).then(|| error.to_owned()),
            folder: None,
            environment: None,
            timeout_s: None,
        });
        let text = "pytest".to_owned();
        cannot_run(&CommandRun { text, before: Some(before), after, weakened: Vec::new(), recorded })
    }

    #[test]
    fn a_lack_that_the_recorded_run_did_not_have_is_no_verdict_on_the_change() {
        const ASSERTION: &str = "AssertionError: assert 1 == 2";
        let table = [
            (None, 1, "/usr/bin/python3: No module named pytest", true),
            (Some((1, ASSERTION)), 1, "/usr/bin/python3: No module named pytest", true),
            (Some((1, ASSERTION)), 1, "ModuleNotFoundError: No module named 'requests'", true),
            (
                Some((1, "ModuleNotFoundError: No module named 'requests'")),
                1,
                "ModuleNotFoundError: No module named 'requests'",
                false,
            ),
            (Some((1, "")), 127, "sh: 1: jest: not found", true),
            (Some((127, "sh: 1: jest: not found")), 127, "sh: 1: jest: not found", false),
            (None, 127, "sh: 1: jest: not found", true),
            (None, 1, "Error: Cannot find module 'left-pad'", true),
            (None, 1, "Error: Cannot find module './own'", false),
            (None, 1, "Error: Cannot find module '/work/own.js'", false),
            (Some((1, ASSERTION)), 1, ASSERTION, false),
            (Some((1, ASSERTION)), 2, "ERROR: file or directory not found: tests", true),
            (None, 2, "ERROR: file or directory not found: tests", false),
            (None, 101, "error: no matching package named `serde` found", true),
        ];
        for (recorded, code, stderr, expect) in table {
            let found = reason(recorded, ended(code, stderr), ended(code, stderr));
            assert_eq!(found.is_some(), expect, "{recorded:?} {stderr}: {found:?}");
        }
    }

    #[test]
    fn what_the_change_changed_was_run() {
        let lacks = || ended(127, "sh: 1: jest: not found");
        assert_eq!(reason(None, lacks(), ended(1, "1 failing")), None);
        assert_eq!(reason(None, lacks(), ended(0, "")), None);
        assert_eq!(reason(Some((1, "")), ended(0, ""), ended(0, "")), None, "it passes on the base");
        assert_eq!(reason(Some((1, "")), ended(2, "Error: one"), ended(2, "Error: two")), None);
        assert_eq!(reason(None, RunResult { timed_out: true, ..ended(1, "") }, ended(1, "")), None);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let none = || RunResult { stderr: "program \"pytest\" not found".to_owned(), ..RunResult::default() };
        assert_eq!(reason(None, none(), none()).as_deref(), Some("program \"pytest\" not found"));
        assert_eq!(reason(None, RunResult::default(), RunResult::default()), None, "an interrupt says nothing");
    }

    #[test]
    fn the_line_that_names_the_error_is_found_in_both_streams() {
        let result = RunResult { stdout: "E   ValueError: bad\nshort\n".to_owned(), ..RunResult::default() };
        assert_eq!(error_line(&result).as_deref(), Some("ValueError: bad"));
        assert_eq!(error_line(&ended(1, "no luck\n\n")).as_deref(), Some("no luck"));
        let unittest = "ERROR: test_own (unittest.loader._FailedTest.test_own)\nImportError: Failed to import test module: \
                        test_own\nModuleNotFoundError: No module named 'dep'\n\nFAILED (errors=1)\n";
        assert_eq!(error_line(&ended(1, unittest)).as_deref(), Some("ModuleNotFoundError: No module named 'dep'"));
        assert_eq!(
            error_line(&ended(1, "ERROR: test_own (x)")).as_deref(),
            Some("ERROR: test_own (x)"),
            "nothing better"
        );
        assert_eq!(error_line(&RunResult::default()), None);
    }
}
