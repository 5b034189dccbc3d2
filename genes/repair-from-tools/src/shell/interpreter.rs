//! The first line of a script: an interpreter that is not where the line says, and a byte order mark before it.

use gephost_gene::failures::Failure;

use super::error::{Error, words};
use super::scripts::{is_script_name, program_not_found};
use crate::fix::{Edit, Fix};
use crate::shelf::Shelf;
use crate::source::Source;

/// Interpreters that have another name where they are called otherwise.
const NAMES: [(&str, &str); 2] = [("python", "python3"), ("nodejs", "node")];
/// Interpreters that `env` may look for.
const KNOWN: [&str; 8] = ["bash", "ksh", "node", "perl", "python", "python3", "ruby", "zsh"];

/// Names an interpreter that is there.
pub(super) fn missing(line: &str, failure: &Failure, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let by_env = line.contains("env: ") && (line.contains("No such file") || line.contains("not found"));
    let unfound = program_not_found(line);
    let by_path = ["bad interpreter", "cannot execute: required file not found"].iter().any(|it| line.contains(it));
    if !by_env && !by_path && unfound.is_none() {
        return None;
    }
    let named = unfound.into_iter().chain(line.split(": ").chain(words(&failure.input)).filter(|_| unfound.is_none()));
    let named = named.filter(|word| word.contains(['/', '.']) && !word.contains(' '));
    let (source, new) = named.take(16).find_map(|name| {
        let source = is_script_name(name).then(|| shelf.open(name)).flatten()?;
        let new = first_line(&source, by_env.then_some(line))?;
        Some((source, new))
    })?;
    let edit = Edit::replace(source.range(1)?, new.as_str());
    let what = format!("run the script with `{new}`");
    Some(
        Fix::new(&source, 1, vec![edit], what)
            .because("the interpreter in the script's first line is not there", line.trim()),
    )
}

/// The first line with another interpreter. `line` is what `env` says if it does not find the name.
fn first_line(source: &Source, line: Option<&str>) -> Option<String> {
    let rest = source.line(1)?.strip_prefix("#!")?.trim();
    let (program, options) = rest.split_once(' ').unwrap_or((rest, ""));
    let (folder, name) = program.rsplit_once('/')?;
    if let Some(line) = line {
        let said = line.split_once("env: ")?.1.split(": ").next()?.trim_matches(['\'', '`', '\u{2018}', '\u{2019}']);
        let name = Some(options).filter(|options| name == "env" && *options == said)?;
        let is_minor = name.strip_prefix("python3.").is_some_and(|rest| rest.parse::<u8>().is_ok());
        let other = NAMES.iter().find(|(old, _)| *old == name).map(|(_, new)| *new);
        return other.or(is_minor.then_some("python3")).map(|name| format!("#!/usr/bin/env {name}"));
    }
    // A carriage return is part of the name, and another repair.
    let name = NAMES.iter().find(|(old, _)| *old == name).map_or(name, |(_, new)| new);
    let is_usual = folder == "/bin" || folder == "/usr/bin" && program.ends_with(name);
    if source.text.lines().next() != source.text.split('\n').next() || is_usual {
        return None;
    }
    match (name, options) {
        ("sh" | "bash", options) if options.starts_with('-') => Some(format!("#!/bin/{name} {options}")),
        ("sh", "") => Some("#!/bin/sh".to_owned()),
        (_, "") if KNOWN.contains(&name) => Some(format!("#!/usr/bin/env {name}")),
        _ => None,
    }
}

/// Removes the byte order mark that the shell reads as a part of the first line.
pub(super) fn marked(error: &Error<'_>, shelf: &mut Shelf<'_>) -> Option<Fix> {
    let shown = error.message.starts_with("\u{feff}#!") || error.message.starts_with("$'\\357\\273\\277#!");
    let source = shelf.open(error.path).filter(|source| shown && source.text.starts_with("\u{feff}#!"))?;
    let edit = Edit::replace(0..'\u{feff}'.len_utf8(), "");
    let why = "the shell reads the mark as a part of the first line";
    Some(
        Fix::new(&source, 1, vec![edit], "remove the byte order mark")
            .because(why, error.message.trim_start_matches('\u{feff}')),
    )
}
