//! The layer `structure`: the change is readable, fits the base, makes a difference, and is what the proposal claims.

use std::collections::BTreeSet;

use super::assumed;
use super::layer::Layer;
use super::parsed_change::ReadError;
use super::resolve::Resolved;
use super::review::Review;
use super::violation::Violation;
use crate::command::MAX_COMMANDS;
use crate::path::RepoPath;

pub(super) const LAYER: Layer = Layer {
    name: "structure",
    purpose: "The change reads as one patch that fits the base, and the claims about it are true.",
    check,
};

#[expect(clippy::unnecessary_wraps, reason = "every layer has this signature")]
fn check(review: &mut Review<'_>) -> Option<Vec<Violation>> {
    let unreadable = review.parsed.parts().iter().filter_map(|part| part.as_ref().err()).map(unreadable);
    let mut violations: Vec<Violation> = unreadable.collect();
    if let Some(resolved) = &review.resolved {
        if resolved.wrong.is_empty() {
            violations.extend(empty(resolved));
        }
        violations.extend(resolved.wrong.iter().chain(&resolved.moved).cloned());
        violations.extend(claims(review.parsed.proposal().files_touched.as_deref(), resolved));
    }
    violations.extend(refused_commands(review));
    violations.extend(too_many_commands(review.parsed.proposal().tests_to_run.len()));
    violations.extend(review.base.is_assumed().then(assumed::notice));
    Some(violations)
}

fn unreadable(error: &ReadError) -> Violation {
    match error {
        ReadError::Diff(error) => {
            let hint = "send a unified diff as `git diff` writes it";
            Violation::reject(error.kind.rule(), error.kind.to_string(), hint).on_line(error.line as u64)
        }
        ReadError::Path { path, reason } => {
            let hint = "write a plain path from the repository's root";
            Violation::reject("path-unsafe", reason.to_string(), hint).at(path)
        }
        ReadError::TooMuch { .. } => {
            Violation::reject("proposal-too-large", error.to_string(), "make the change smaller, or split it")
        }
    }
}

fn empty(resolved: &Resolved) -> Option<Violation> {
    let hint = "propose a change that makes a difference";
    resolved.changes.is_empty().then(|| Violation::reject("no-change", "the proposal changes nothing", hint))
}

/// Compares the files that the proposal claims to touch with those that it touches. A proposal without a claim is not
/// compared; an empty claim is one. The claim may name the source of a copy or not.
fn claims(claimed: Option<&[String]>, resolved: &Resolved) -> Vec<Violation> {
    let Some(claimed) = claimed else {
        return Vec::new();
    };
    let mut violations = Vec::new();
    let mut named = BTreeSet::new();
    for text in claimed {
        match RepoPath::new(text) {
            Ok(path) => {
                named.insert(path);
            }
            Err(reason) => {
                let message = format!("`files_touched` names an unusable path: {reason}");
                violations.push(
                    Violation::reject("claim-path", message, "write plain paths from the repository's root").at(text),
                );
            }
        }
    }
    for path in resolved.touched.difference(&named) {
        let message = "changed, but not named in `files_touched`";
        violations
            .push(Violation::reject("claim-missing", message, "name every file that the change touches").at(path));
    }
    for path in named.iter().filter(|path| !resolved.touched.contains(*path) && !resolved.sources.contains(*path)) {
        let message = "named in `files_touched`, but the change does not touch it";
        violations
            .push(Violation::reject("claim-extra", message, "name only the files that the change touches").at(path));
    }
    violations
}

fn too_many_commands(count: usize) -> Option<Violation> {
    let message = format!("the proposal names {count} validation commands; at most {MAX_COMMANDS} are allowed");
    let hint = "name the commands that show that the change holds";
    (count > MAX_COMMANDS).then(|| Violation::reject("too-many-commands", message, hint))
}

fn refused_commands(review: &Review<'_>) -> Vec<Violation> {
    let commands = review.parsed.proposal().tests_to_run.iter().zip(&review.commands);
    let refused = commands.filter_map(|(text, command)| Some((text, command.as_ref().err()?)));
    let violation = |(text, reason): (&String, _)| {
        let message = format!("validation command {text:?}: {reason}");
        Violation::reject("command", message, "see `gephost policy command` for the grammar")
    };
    refused.map(violation).collect()
}
