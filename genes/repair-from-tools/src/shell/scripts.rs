//! Whole scripts: the shell that runs them, their line endings, and their mode.

use std::rc::Rc;

use super::error::{Error, words};
use gephost_gene::failures::Failure;

use crate::fix::{Edit, Fix};
use crate::shelf::{Shelf, has_ending};
use crate::source::Source;

/// Messages of POSIX shells (dash, busybox ash) for syntax that only bash has, and what the named line then contains. Source:
/// the differences that dash's and bash's manuals list.
const BASH_ONLY: &[(&str, &[&str])] = &[
    ("[[: not found", &["[["]),
    ("source: not found", &["source "]),
    ("function: not found", &["function "]),
    ("declare: not found", &["declare "]),
    ("typeset: not found", &["typeset "]),
    ("shopt: not found", &["shopt "]),
    ("pushd: not found", &["pushd "]),
    ("popd: not found", &["popd"]),
    ("let: not found", &["let "]),
    ("mapfile: not found", &["mapfile "]),
    ("readarray: not found", &["readarray "]),
    ("Bad substitution", &["${"]),
    ("bad substitution", &["${"]),
    ("Syntax error: \"(\" unexpected", &["=(", "()", "<(", ">("]),
    ("Syntax error: Bad for loop variable", &["(("]),
    ("Syntax error: redirection unexpected", &["<<<", "<(", ">("]),
    ("Syntax error: \"}\" unexpected", &["}"]),
    ("set: Illegal option -o pipefail", &["pipefail"]),
    ("set: illegal option -o pipefail", &["pipefail"]),
];

/// Runs a script with bash that `sh` cannot run.
pub(super) fn for_bash(error: &Error<'_>, failure: &Failure, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let arithmetic = error.message.ends_with(": not found").then_some(["(("].as_slice());
    let known = BASH_ONLY.iter().find(|(message, _)| error.message == *message);
    let parts = known.map(|(_, parts)| *parts).or(arithmetic)?;
    let source = shelf.open(error.path)?;
    let line = source.line(error.line)?;
    let shows = match known {
        Some(_) => parts.iter().any(|part| line.contains(part)),
        // Of `((a++))`, a POSIX shell runs `a++` in a shell of its own.
        None => error.message.strip_suffix(": not found").is_some_and(|word| line.contains(&["((", word].concat())),
    };
    if !shows && known.is_none() {
        return None;
    }
    // The parser of a POSIX shell only notices `function f {` at its end.
    let is_function =
        || (1..=source.count()).any(|number| source.line(number).is_some_and(|line| line.starts_with("function ")));
    if !shows || (error.message.contains("\"}\"") && !is_function()) {
        shelf.note(&format!("{}:{}: the line does not have what the shell names", source.path, error.line));
        return None;
    }
    if runs_by_name(&source.path, failure) {
        if let Some(fix) = super::posix::fix(error, &source) {
            return Some(fix);
        }
        shelf.note(&format!(
            "{}: the failing command runs this script with sh, whatever its first line says",
            source.path
        ));
        return None;
    }
    let first = source.line(1)?;
    let interpreter = first.strip_prefix("#!")?.trim();
    let new = match interpreter.split_whitespace().collect::<Vec<_>>().as_slice() {
        ["/bin/sh" | "/usr/bin/sh"] | ["/usr/bin/env", "sh"] => "#!/usr/bin/env bash".to_owned(),
        // `env` takes no option of the shell.
        ["/bin/sh" | "/usr/bin/sh", option] if option.starts_with('-') => format!("#!/bin/bash {option}"),
        _ => return None,
    };
    let edit = Edit::replace(source.range(1)?, new);
    let why = "the script uses syntax that only bash has, but its first line names sh";
    let message = format!("{}: {}", error.path, error.message);
    Some(Fix::new(&source, 1, vec![edit], "run the script with bash").because(why, message))
}

/// Whether the failing command itself runs a script with `sh`.
fn runs_by_name(path: &str, failure: &Failure) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let all: Vec<&str> = words(&failure.input).collect();
    let shells = ["sh", "/bin/sh", "dash", "/bin/dash", "ash"];
    all.iter().enumerate().any(|(at, word)| {
        let after = all.iter().skip(at + 1).find(|word| !word.starts_with('-'));
        shells.contains(word) && after.is_some_and(|script| script.rsplit('/').next() == Some(name))
    })
}

/// Removes the carriage returns of a script that a shell or the kernel stumbles over.
pub(super) fn carriage_returns(line: &str, failure: &Failure, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let parts = line.split(": ").map(|part| part.strip_prefix("line ").unwrap_or(part));
    let marked = line.contains("\\r'") || line.contains("^M: bad interpreter") || line.contains("\\r\u{2019}");
    let unclear = line.contains("cannot execute: required file not found")
        || line.ends_with(": not found\r")
        || program_not_found(line).is_some();
    let is_env = line.contains("env: ") && (line.contains("No such file") || line.contains("not found"));
    if !(marked || unclear || is_env && line.contains('\r')) {
        return None;
    }
    let mut names: Vec<&str> = parts.take(3).filter(|part| !part.contains([' ', '\'']) && part.contains('.')).collect();
    // `env` names the interpreter, and no script.
    names.extend(words(&failure.input).filter(|word| word.contains(['.', '/']) && !word.starts_with('-')));
    names.truncate(16);
    let source = names.into_iter().find_map(|name| {
        let source = is_script_name(name).then(|| shelf.open(name)).flatten()?;
        let is_script = source.text.starts_with("#!") || has_ending(&source.path, &["sh"]);
        (is_script && source.text.contains("\r\n")).then_some(source)
    })?;
    if unclear
        && !source
            .text
            .lines()
            .next()
            .is_some_and(|_| source.text.split('\n').next().is_some_and(|first| first.ends_with('\r')))
    {
        return None;
    }
    let edits: Vec<Edit> = source.text.match_indices("\r\n").map(|(at, _)| Edit::replace(at..at + 1, "")).collect();
    let first = source.number_at(edits.first()?.start);
    let why = "a carriage return at the end of a line is part of the word before it";
    Some(Fix::new(&source, first, edits, "end the script's lines with a line feed only").because(why, line.trim_end()))
}

/// The path of a program that a POSIX shell does not find although it may be there: `sh: 1: ./run.sh: not found`.
pub(super) fn program_not_found(line: &str) -> Option<&str> {
    line.strip_suffix(": not found")?.rsplit(": ").next().filter(|path| path.contains('/'))
}

pub(super) fn is_script_name(name: &str) -> bool {
    !name.contains(['$', '*', '\\', '<', '>']) && name.len() <= 300
}

/// Makes a script executable that was started by its path.
pub(super) fn not_executable(line: &str, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let path = line.trim_end().strip_suffix(": Permission denied")?.rsplit(' ').next()?;
    // Only a path that is run has these forms; `cat: ./x: Permission denied` names the program that reads it.
    let runner = line.split(": ").next().unwrap_or_default();
    let runs = ["bash", "sh", "/bin/sh", "/bin/bash", "make", "zsh", "dash", "-bash"].contains(&runner)
        || runner.starts_with("make[")
        || has_ending(runner, &["sh"])
        || runner == path;
    if !runs || !path.contains('/') || !is_script_name(path) {
        return None;
    }
    let source: Rc<Source> = shelf.open(path)?;
    if !source.text.starts_with("#!") || source.text.lines().next().is_some_and(|first| first.ends_with('\r')) {
        return None;
    }
    let mut fix = Fix::new(&source, 1, Vec::new(), "make the script executable")
        .because("the script has an interpreter in its first line and is run by its path", line.trim());
    fix.executable = true;
    Some(fix)
}
