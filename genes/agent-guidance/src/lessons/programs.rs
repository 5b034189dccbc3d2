//! Programs that are not there, and what serves instead.

use gephost_gene::run_log::Difference;

use super::commands;
use super::material::{Material, failed};
use crate::input::{Entry, Workspace};
use crate::lesson::{Lesson, Topic, corrected, most_frequent};
use crate::log::{Failure, Finding};
use crate::word::{is_program, words};

/// Words that start the program behind them.
const STARTERS: [&[&str]; 16] = [
    &["uv", "run"],
    &["poetry", "run"],
    &["pdm", "run"],
    &["pipenv", "run"],
    &["hatch", "run"],
    &["python", "-m"],
    &["python3", "-m"],
    &["uvx"],
    &["npx"],
    &["bunx"],
    &["pnpm", "exec"],
    &["yarn"],
    &["npm", "exec"],
    &["bundle", "exec"],
    &["mise", "exec"],
    &["composer", "exec"],
];

/// Folders of an environment, from whose programs a line may choose. Git ignores them, so the workspace does not show them.
const ENVIRONMENTS: [&str; 5] =
    [".venv/bin/", "venv/bin/", "./.venv/bin/", "node_modules/.bin/", "./node_modules/.bin/"];

/// Package managers and the files that they lock dependencies in, as their documentation names them.
const LOCK_FILES: [(&str, &[&str]); 5] = [
    ("bun", &["bun.lock", "bun.lockb"]),
    ("pnpm", &["pnpm-lock.yaml"]),
    ("yarn", &["yarn.lock"]),
    ("npm", &["package-lock.json", "npm-shrinkwrap.json"]),
    ("uv", &["uv.lock"]),
];

/// Programs of other systems, and what serves on this one. The failures show that they are missing.
const ABSENT: [(&str, &str); 3] = [
    ("timeout", "`timeout` is not installed here: set the time limit of the tool itself, or leave it out."),
    ("gtimeout", "`gtimeout` is not installed here: set the time limit of the tool itself, or leave it out."),
    ("apt-get", "`apt-get` does not exist on this machine: ask the user to install what is missing."),
];

pub(super) fn lessons(
    finding: &Finding,
    failures: &[&Failure],
    material: &Material<'_>,
    workspace: &mut impl Workspace,
) -> Vec<Lesson> {
    let by_hand = replaced(finding, failures, material)
        .or_else(|| by_lock_file(finding, failures, workspace))
        .or_else(|| absent(finding, failures));
    match by_hand {
        Some(lesson) => vec![lesson],
        None => commands::instead(finding, failures, material, workspace).into_iter().collect(),
    }
}

/// Another program did the work next.
fn replaced(finding: &Finding, failures: &[&Failure], material: &Material<'_>) -> Option<Lesson> {
    let pair = |failure: &Failure| {
        let (before, after) = corrected(material.log, failure, Difference::Program)?;
        let (before, after) = exchanged(finding, &before, &after).unwrap_or((before, after));
        (before != after && is_replacement(&before, &after)).then_some((before, after))
    };
    let ((before, after), corrected) = most_frequent(failures, pair)?;
    // One correction may have had another reason.
    if corrected.len() < 2 {
        return None;
    }
    let text = match finding.kind.as_str() {
        "missing_program" => format!("Use `{after}`; `{before}` is not installed here."),
        "missing_module" => {
            format!("Use `{after}` in place of `{before}`, which lacks the project's dependencies here.")
        }
        "wrapped_command" | "unwrapped_command" => format!("Use `{after}`; `{before}` fails here."),
        _ => format!("Use `{after}` in place of `{before}`, which has another version here."),
    };
    let because = format!(
        "{}, and `{after}` worked next {} times",
        failed(failures, "call failed", "calls failed"),
        corrected.len()
    );
    Some(Lesson::of(&finding.id, failures, text, Topic::Names(vec![before, after]), because))
}

/// The missing program and the one in its place, if the calls differ in nothing else: `python -m build` and
/// `python3 -m build`. What the program runs is then no part of the lesson.
fn exchanged(finding: &Finding, before: &str, after: &str) -> Option<(String, String)> {
    let ((missing, rest), (found, other)) = (before.split_once(' ')?, after.split_once(' ')?);
    let is_missing = finding.kind == "missing_program" && finding.values.iter().any(|name| name == missing);
    (is_missing && rest == other).then(|| (missing.to_owned(), found.to_owned()))
}

/// Whether a line may recommend this exchange: both sides are programs that a line may name, maybe behind a starter or in
/// an environment. That they do the same work, the host has seen.
fn is_replacement(before: &str, after: &str) -> bool {
    started(before).is_some() && started(after).is_some()
}

/// The program that a command starts, if nothing else is in it.
fn started(command: &str) -> Option<&str> {
    let words = words(command);
    let rest = STARTERS.iter().find_map(|starter| words.strip_prefix(*starter)).filter(|rest| !rest.is_empty());
    let [program] = rest.unwrap_or(&words) else { return None };
    let bare = ENVIRONMENTS.iter().find_map(|folder| program.strip_prefix(folder)).unwrap_or(program);
    is_program(bare).then_some(bare)
}

/// The repository's lock file is that of another package manager than the one that is missing.
fn by_lock_file(finding: &Finding, failures: &[&Failure], workspace: &mut impl Workspace) -> Option<Lesson> {
    let missing = the_missing(finding)?;
    let (missing, _) = LOCK_FILES.iter().find(|(manager, _)| manager == missing)?;
    let mut here = LOCK_FILES.iter().filter_map(|(manager, files)| {
        let file = files.iter().find(|file| matches!(workspace.entry(file), Some(Entry::File { .. })))?;
        Some((*manager, *file))
    });
    let (manager, file) = here.next().filter(|(manager, _)| manager != missing)?;
    // Two lock files say nothing.
    if here.next().is_some() {
        return None;
    }
    let text = format!("Use `{manager}`, not `{missing}`: the repository has `{file}`.");
    let because = failed(failures, "call found no such program", "calls found no such program");
    let names = vec![manager.to_owned(), (*missing).to_owned()];
    Some(Lesson::of(&finding.id, failures, text, Topic::Names(names), because))
}

/// The program that is missing, if all failures of the finding are about one.
fn the_missing(finding: &Finding) -> Option<&String> {
    let [missing] = finding.values.as_slice() else { return None };
    (finding.kind == "missing_program").then_some(missing)
}

fn absent(finding: &Finding, failures: &[&Failure]) -> Option<Lesson> {
    let missing = the_missing(finding)?;
    let (name, text) = ABSENT.iter().find(|(name, _)| name == missing)?;
    let because = failed(failures, "call found no such program", "calls found no such program");
    Some(Lesson::of(&finding.id, failures, *text, Topic::Names(vec![(*name).to_owned()]), because))
}
