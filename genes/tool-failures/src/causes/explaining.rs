//! The line of an output that explains a failure, and what belongs to its message.

use gephost_gene::run_log::FailureKind;

use crate::call::Call;
use crate::command::shell::Step;
use crate::output::cause_line::{Weight, cause_line, of_setup};
use crate::output::chain;
use crate::output::hooks;
use crate::output::known::MAX_LINE_BYTES;
use crate::output::powershell;
use crate::output::progress::is_progress;
use crate::output::test_errors::failures_of_tests;

/// The line with the greatest weight, and that weight.
pub(super) fn explaining_line<'a>(call: &Call<'a>, steps: &[Step<'_>]) -> (&'a str, Weight) {
    // What PowerShell says of a step of its own is not why tests fail that ran before it.
    let is_known = matches!(call.kind, FailureKind::TestFailure | FailureKind::CompileLint | FailureKind::Traceback);
    let of_block = || powershell::block(call.output).filter(|_| !is_known).map(|block| block.message);
    if let Some(line) = powershell::message(call.output).or_else(of_block) {
        return (line, Weight::Error);
    }
    // What a passing test printed stands above the list of the failures.
    let output = if call.kind == FailureKind::TestFailure { failures_of_tests(call.output) } else { call.output };
    match cause_line(output, call.kind) {
        // Of nested exceptions, the innermost is the cause.
        (line, weight) if line.contains("Exception") && output.contains("\nCaused by: ") => {
            (innermost(output, line), weight)
        }
        _ if let Some(line) = of_setup(output) => (line, Weight::Error),
        (line, weight) if let Some(cause) = listed_cause(output, line) => (cause, weight.max(Weight::Error)),
        // A tool that runs no command says first what is wrong; below may be anything.
        (_, weight) if weight <= Weight::Trouble && steps.is_empty() && !call.exception => {
            first_message(call.output, weight)
        }
        // So does the agent's program; its last sentence is a hint.
        (_, Weight::Text) if call.exception && call.name.is_empty() => first_message(call.output, Weight::Text),
        // What is wrong stands above how the program is used.
        (_, weight)
            if weight <= Weight::Trouble
                && let Some(above) = above_usage(output) =>
        {
            (above, Weight::Error)
        }
        found => found,
    }
}

/// The line above `Usage:`, if there is one.
fn above_usage(output: &str) -> Option<&str> {
    let is_usage = |line: &&str| line.starts_with("Usage:") || line.starts_with("usage:") || line.starts_with("USAGE");
    let lines: Vec<&str> = output.lines().map(str::trim).filter(|line| !line.is_empty()).take(64).collect();
    let at = lines.iter().position(is_usage)?;
    let above = lines.get(at.checked_sub(1)?)?;
    Some(*above).filter(|line| line.len() <= MAX_LINE_BYTES && !line.starts_with("Exit code"))
}

/// The first words of an output that says something, with the weight that its lines have. A warning is no reason to fail.
fn first_message(output: &str, weight: Weight) -> (&str, Weight) {
    let first = first_words(output);
    if first.is_empty() || first.starts_with("warning: ") { ("", Weight::Empty) } else { (first, weight) }
}

/// The first line with a word that is more than progress, if it is not too long for a message.
fn first_words(output: &str) -> &str {
    let has_word = |line: &&str| {
        line.bytes().filter(u8::is_ascii_alphabetic).count() > 2 && !is_progress(line) && !hooks::is_frame(line)
    };
    let first = output.lines().map(str::trim).find(has_word).unwrap_or_default();
    if first.len() > MAX_LINE_BYTES { "" } else { first }
}

/// The last cause that is listed right below the line of an error: behind `Caused by:` on a line of its own, as Rust's programs
/// do it, or as lines that begin with `>`, as Gradle does it.
fn listed_cause<'a>(output: &'a str, line: &str) -> Option<&'a str> {
    let (_, below) = output.split_once(line)?;
    let below = below.trim_start();
    let is_of_gradle = line.starts_with("A problem occurred ") || line.starts_with("Execution failed for task ");
    let causes = match below.strip_prefix("Caused by:\n") {
        None if is_of_gradle && below.starts_with('>') => below,
        listed => listed?,
    };
    let says = |cause: &'a str| {
        let text = cause.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '>' | ':' | ' ')).trim_end();
        let is_said = text.contains(' ') && text.len() <= MAX_LINE_BYTES && cause.starts_with([' ', '>']);
        let is_summary = text.starts_with("Process 'command") || text.starts_with("process didn't exit successfully");
        Some(text).filter(|text| is_said && !text.starts_with(['-', '/']) && !is_summary)
    };
    // What a program printed that cargo ran stands below the causes.
    let is_cause = |cause: &&str| !cause.trim().is_empty() && !cause.trim_start().starts_with("--- std");
    causes.lines().take_while(is_cause).take(16).filter_map(says).last()
}

/// The message of the innermost exception: that of the last `Caused by: ` below the line.
fn innermost<'a>(output: &'a str, line: &'a str) -> &'a str {
    let below = output.split_once(line).map_or(output, |(_, below)| below);
    let causes = below.lines().filter_map(|line| line.trim().strip_prefix("Caused by: "));
    causes.filter(|cause| cause.len() <= MAX_LINE_BYTES).take(16).last().unwrap_or(line)
}

/// The message in a line that holds an answer in JSON: `… - b'{"error": {"message": "no such model"}}'`. Of an answer with a
/// line for each member, it may stand in another line.
pub(super) fn inner_message<'a>(output: &'a str, line: &'a str) -> &'a str {
    // `error` may hold the message itself, or an object that does.
    let message = |text: &'a str| {
        let value = |key: &str| text.split_once(key)?.1.trim_start().strip_prefix('"')?.split('"').next();
        value("\"message\":").or_else(|| value("\"error\":")).filter(|text| text.contains(' '))
    };
    let is_member = line.trim_start().starts_with('"') && line.contains("\":");
    let inside = || line.split_once('{').and_then(|(_, json)| message(json));
    let beside = || if is_member { message(line).or_else(|| message(output)) } else { None };
    inside().or_else(beside).filter(|text| text.len() <= MAX_LINE_BYTES).unwrap_or(line)
}

/// A line with what says why: the line below if it ends in a colon, the causes listed below it, or the rest of its frame.
pub(super) fn with_reason<'a>(output: &'a str, line: &'a str) -> &'a str {
    if let Some(whole) = chain::through_causes(output, line).or_else(|| chain::of_maven(output, line)) {
        return whole;
    }
    let whole = || {
        let at = output.find(line)?;
        let below = output.get(at + line.len()..)?;
        let next = below.lines().map(str::trim).find(|next| !next.is_empty())?;
        // Gradle writes the reason behind `>`.
        let goes_on = line.ends_with(':') || line.starts_with("Could not resolve all ") && next.starts_with("> ");
        if !goes_on {
            return None;
        }
        let end = below.find(next)? + next.len();
        output.get(at..at + line.len() + end).filter(|whole| whole.len() <= MAX_LINE_BYTES)
    };
    whole().unwrap_or(line)
}

/// In place of how many fields of a value are wrong (`4 validation errors for A`), the first of them and the reason, which
/// stand below.
pub(super) fn of_fields<'a>(output: &'a str, line: &'a str) -> &'a str {
    let is_count = |line: &&str| {
        let count =
            line.split_once(" validation error").map(|(before, _)| before.rsplit(' ').next().unwrap_or_default());
        count.is_some_and(|count| !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let fields = || {
        let head = output.lines().find(is_count)?;
        let below = output.get(output.find(head)? + head.len()..)?;
        if !head.contains(line) && !below.contains(line) {
            return None;
        }
        let mut lines = below.lines().filter(|line| !line.trim().is_empty());
        let (field, reason) = (lines.next()?.trim(), lines.next()?);
        let is_field = !field.is_empty() && !field.contains(' ') && reason.starts_with(' ');
        let start = below.find(field).filter(|_| is_field)?;
        let reason_at = start + below.get(start..)?.find(reason)?;
        // What the value was stands in brackets.
        let end = reason_at + reason.find(" [type=").unwrap_or(reason.len());
        below.get(start..end).filter(|both| both.len() <= MAX_LINE_BYTES)
    };
    fields().unwrap_or(line)
}
