//! The line of an output that has a sentence of the table, and explains the failure best.

use gephost_gene::run_log::FailureKind;

use crate::call::{Call, is_editor};
use crate::cause::Cause;
use crate::command::shell::has_pipe;
use crate::output::cause_line::{is_diagnostic, is_head_of_panic, is_named_anyhow, is_summary, is_thrown};
use crate::output::line::{is_cause, untagged};
use crate::output::names;
use crate::output::sentences::{self, Match};

/// Longer lines are data or minified code, and no message.
pub(crate) const MAX_LINE_BYTES: usize = 600;
/// Lines at the start and at the end of an output in which a known sentence is looked for.
pub(crate) const SEARCHED_LINES: usize = 200;

/// The line with a known sentence that explains the failure best.
pub(crate) fn known<'a>(call: &Call<'a>) -> Option<(&'a str, Match<'a>)> {
    let is_raised = call.output.contains("Traceback (most recent call last)");
    let count = if call.output.len() < 8192 { 0 } else { call.output.lines().count() };
    let near = |at: usize| at < SEARCHED_LINES || at + SEARCHED_LINES >= count;
    // What was printed before an exception did not end the program, unless the exception is about what a pipe brought.
    let raised_at = if is_raised && !has_pipe(call.input) { raised_at(call.output) } else { 0 };
    let mut best: Option<(u8, &str, Match<'a>)> = None;
    let mut unreachable = None;
    for (at, line) in call.output.lines().enumerate() {
        let line = if at == 0 { refusal(line) } else { line };
        if line.len() < 4
            || line.len() > MAX_LINE_BYTES
            || !near(at)
            || (is_content(line) && call.kind != FailureKind::CompileLint)
            || is_warning_of_npm(line)
            || is_identifier(line)
        {
            continue;
        }
        let Some(found) = sentences::find(line).filter(|found| fits(found.cause, call, line)) else { continue };
        // A program that shows files needs no header.
        let is_shown = found.cause == Cause::Error && line.contains(": No such file") && is_of_search(line, call.input);
        let found = if is_shown { Match { cause: Cause::Path, ..found } } else { found };
        if at < raised_at && found.cause.is_general() {
            continue;
        }
        // A message that begins with a program's or an error's name is its own; elsewhere it may be quoted.
        let level = u8::from(!found.cause.is_general()) * 4
            + u8::from(begins_as_message(line) && !is_summary(line)) * 2
            + u8::from(
                !found.name.is_empty() || is_of_sudo(line) || found.cause.is_general() && names::path(line).is_some(),
            );
        if found.cause == Cause::Network && unreachable.is_none() {
            unreachable = Some((line.trim(), found));
        }
        let is_better = best.as_ref().is_none_or(|(known, _, _)| level > *known || (level == *known && is_raised));
        if is_better {
            best = Some((level, line.trim(), found));
        }
    }
    let best = best.map(|(_, line, found)| (line, found));
    // pip says that it finds no package if it reaches no registry, and git that it could not read.
    let follows = |(line, _): (&str, Match<'_>)| {
        ["o matching distribution found", "ould not read from remote repository"]
            .iter()
            .any(|words| line.contains(words))
    };
    unreachable.filter(|_| best.is_some_and(follows)).or(best)
}

/// The line with the header of the traceback with which an output ends; 0 if it ends in another way.
fn raised_at(output: &str) -> usize {
    let mut header = None;
    let mut is_below = false;
    for (at, line) in output.lines().enumerate() {
        if line.starts_with("Traceback (most recent call last)") {
            (header, is_below) = (header.filter(|_| is_below).or(Some(at)), true);
        } else if is_below && !line.is_empty() && !line.starts_with([' ', '\t']) && !is_raised(line) {
            is_below = false;
        }
    }
    header.filter(|_| is_below).unwrap_or_default()
}

/// Whether a line is the exception below a traceback, or stands between two of them.
fn is_raised(line: &str) -> bool {
    is_named_anyhow(line)
        || is_thrown(line)
        || line.ends_with("another exception occurred:")
        || line.ends_with("following exception:")
}

/// What Claude Code says in front of its advice how to go on without a tool that is not allowed, which makes the line long.
fn refusal(line: &str) -> &str {
    let says = line.split_once(" IMPORTANT: ").filter(|(said, _)| said.starts_with("Permission to use "));
    says.map_or(line, |(said, _)| said)
}

/// npm warns of many packages before it says why it failed.
fn is_warning_of_npm(line: &str) -> bool {
    ["npm warn ", "npm WARN "].iter().any(|words| line.starts_with(words))
}

/// Whether `sudo` says the line, behind which the rest of a command is of no account.
fn is_of_sudo(line: &str) -> bool {
    line.trim_start().starts_with("sudo: ")
}

/// Whether a line says that a file does not exist and cannot say which: an error of the system that Rust shows as a value, or the
/// last of several causes.
fn names_no_path(line: &str) -> bool {
    line.contains("Os { code: ") || is_cause(line) && names::path(line).is_none()
}

/// Whether the cause can be that of a failure of this kind. Outputs of tests and compilers quote messages of all sorts.
fn fits(cause: Cause, call: &Call<'_>, line: &str) -> bool {
    if cause == Cause::Path && names_no_path(line) {
        return false;
    }
    match call.kind {
        FailureKind::EditMismatch => cause.is_about_edits(),
        FailureKind::TestFailure => {
            matches!(
                cause,
                Cause::NoTests | Cause::Versions | Cause::Memory | Cause::Disk | Cause::Script | Cause::Program
            ) && begins_as_message(line)
        }
        FailureKind::CompileLint => {
            matches!(
                cause,
                Cause::Versions
                    | Cause::Memory
                    | Cause::Disk
                    | Cause::Script
                    | Cause::OptionRefused
                    | Cause::Program
                    | Cause::Module
            ) || cause == Cause::Shell && is_of_shell(line)
                || cause == Cause::Error && names::rules(call.output).is_empty()
                || cause == Cause::Path && is_of_search(line, call.input)
        }
        // What already exists is a row, which the line above tells better.
        _ if cause == Cause::Exists && line.trim_start().starts_with("DETAIL:") => false,
        FailureKind::Traceback => is_thrown(line) || begins_as_message(line) || is_message_of_panic(call.output, line),
        // A program may itself wait in vain for a server.
        FailureKind::Timeout => {
            matches!(cause, Cause::Timeout | Cause::Overload)
                || cause == Cause::Network && !call.output.contains("ommand timed out")
        }
        _ => (!cause.is_about_edits() || is_editor(call.name)) && (cause != Cause::Path || is_about_path(line)),
    }
}

/// Whether a program says the line that the command runs and that searches or shows files, which no compiler does.
fn is_of_search(line: &str, input: &str) -> bool {
    let Some((program, _)) = line.trim_start().split_once(": ") else { return false };
    let program = program.rsplit('/').next().unwrap_or(program);
    ["rg", "grep", "fd", "find", "sed", "cat", "ls", "head", "tail", "wc", "nl"].contains(&program)
        && names::names_word(input, program)
}

/// Whether a compiler that does not find a module reports other problems, too.
pub(crate) fn is_one_of_many_problems(call: &Call<'_>, cause: Cause) -> bool {
    cause == Cause::Module && call.kind == FailureKind::CompileLint && names::rules(call.output).len() > 1
}

/// Whether a line that something does not exist can be about a file: `Class "A" does not exist` is not.
fn is_about_path(line: &str) -> bool {
    const OTHERS: [&str; 13] = [
        "name '", "lass ", "ethod ", "unction ", "roperty ", "olumn ", "elation ", "atabase ", "ndex ", "ole ", "ser ",
        "able ", "chema ",
    ];
    let Some((before, _)) = line.split_once("oes not exist") else { return true };
    let subject = before.rsplit(": ").next().unwrap_or(before);
    subject.contains('/') || !OTHERS.iter().any(|other| subject.contains(other))
}

/// Whether a shell says the line.
fn is_of_shell(line: &str) -> bool {
    let head = line.trim_start().split(':').next().unwrap_or_default();
    matches!(head.rsplit('/').next(), Some("bash" | "zsh" | "sh" | "dash"))
}

/// Whether the line is the message of a panic, which Rust prints below the place.
fn is_message_of_panic(output: &str, line: &str) -> bool {
    output
        .split_once(line)
        .is_some_and(|(before, _)| before.trim_end().lines().next_back().is_some_and(is_head_of_panic))
}

/// A line of a file or of a difference that was shown, and no message: `12→text`, `a.go:3: text`, `+text`.
fn is_content(line: &str) -> bool {
    let text = line.trim_start();
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let numbered = digits > 0
        && text.get(digits..).is_some_and(|rest| rest.starts_with(['\u{2192}', '\u{2502}', '\t', ':', '-', '|']));
    let is_code = ["throw ", "raise ", "return ", "const ", "let "].iter().any(|word| text.starts_with(word));
    let is_changed = is_code || line.starts_with('+') || line.starts_with("- ") || line.starts_with("@@");
    let is_of_go = text.contains("o required module provides package ");
    numbered || is_changed || (is_diagnostic(text) && !text.contains("rror") && !is_of_go)
}

/// Whether a line begins as a message of a program does: `error: …`, `git: …`, `/bin/sh: 1: …`, `[tag] error …`.
fn begins_as_message(line: &str) -> bool {
    let text = untagged(line);
    let head = text.split_whitespace().next().unwrap_or_default();
    let named = head.ends_with(':') && head.len() > 2;
    let lower = text.get(..text.floor_char_boundary(24)).unwrap_or_default().to_ascii_lowercase();
    named
        || ["error", "fatal", "npm err", "err_", "failed", "usage", "exception", "panic"]
            .iter()
            .any(|word| lower.contains(word))
}

/// Whether PowerShell identifies an error: `+ FullyQualifiedErrorId : UnauthorizedAccess`. An identifier is no sentence.
fn is_identifier(line: &str) -> bool {
    line.trim_start().starts_with("+ FullyQualifiedErrorId ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_printed_before_an_exception_did_not_end_the_program() {
        let raised = "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n";
        let cause = |input: &str, output: &str| {
            let call = Call { kind: FailureKind::Traceback, input, output, ..Call::FAILED };
            known(&call).map(|(_, found)| found.cause)
        };
        for noise in [
            "python3: error: couldn't create cache file '/tmp/x' (errno=Operation not permitted)",
            "mktemp: cannot create /tmp/a: Permission denied",
            "cat: a.cfg: No such file or directory",
            "fontconfig: /etc/fonts: No such file or directory",
            "warn: connection to 10.0.0.1: Connection refused",
            "cp: b.txt: Operation not permitted",
        ] {
            let error = format!("{noise}\n{raised}re.error: missing )");
            assert_eq!(cause("python a.py", &error), None, "{noise}");
            assert_eq!(cause("python -c 'a|b'", &error), None, "{noise}");
            assert!(cause("cat x | python a.py", &error).is_some(), "a pipe: {noise}");
            let after = format!("{raised}KeyError: 'a'\n{noise}");
            assert!(cause("python a.py; cat x", &after).is_some(), "behind: {noise}");
        }
        let own = format!("{raised}FileNotFoundError: [Errno 2] No such file or directory: 'a'");
        assert_eq!(cause("python a.py", &own), Some(Cause::Path));
        let twice = format!(
            "cat: b: No such file or directory\n{raised}KeyError: 'a'\n\nDuring handling of the above exception, another exception occurred:\n\n{raised}ValueError: b"
        );
        assert_eq!(cause("python a.py", &twice), None);
        let missing = format!("bash: jq: command not found\n{raised}ValueError: empty");
        assert_eq!(cause("python a.py", &missing), Some(Cause::Program));
    }

    #[test]
    fn an_error_of_the_system_may_name_no_path() {
        for (line, expected) in [
            (
                "thread 'main' panicked at 'x: Os { code: 2, kind: NotFound, message: \"No such file or directory\" }'",
                true,
            ),
            ("  Caused by: No such file or directory (os error 2)", true),
            ("╰─▶ No such file or directory", true),
            ("  Caused by: failed to read `/w/a.toml`: No such file or directory", false),
            ("cat: a.txt: No such file or directory", false),
            ("error: No such file or directory", false),
        ] {
            assert_eq!(names_no_path(line), expected, "{line}");
        }
    }
}
