//! Before all layers: the changes read, fit the base, change something, and are what the proposal says they are.

use std::collections::BTreeSet;

use super::candidate::{Candidate, Part, ReadError};
use super::resolve::{Resolved, resolve};
use super::{Base, Finding};
use crate::command::ValidationCommand;
use crate::path::RepoPath;
use crate::policy::Policy;

/// Everything the structure tells: the findings, and what the other layers look at where there is something.
pub(super) struct Structure {
    pub(super) findings: Vec<Finding>,
    pub(super) resolved: Option<Resolved>,
    pub(super) commands: Vec<ValidationCommand>,
}

pub(super) fn check(candidate: &Candidate, base: &Base, policy: &Policy) -> Structure {
    let proposal = candidate.proposal();
    let mut findings: Vec<Finding> =
        candidate.parts().iter().filter_map(|part| part.as_ref().err()).map(unreadable).collect();
    let (commands, refused) = commands(&proposal.tests_to_run, policy);
    let mut resolved = None;
    if findings.is_empty() {
        let mut fitting = resolve(candidate.parts().iter().flatten(), base);
        if fitting.wrong.is_empty() {
            findings.extend(empty(&fitting));
        }
        findings.extend(fitting.wrong.iter().cloned());
        findings.append(&mut fitting.moved);
        findings.extend(claims(proposal.files_touched.as_deref(), &fitting));
        resolved = Some(fitting);
    }
    findings.extend(refused);
    Structure { findings, resolved, commands }
}

fn unreadable(error: &ReadError) -> Finding {
    match error {
        ReadError::Diff(error) => {
            let hint = "send a unified diff as `git diff` writes it";
            Finding::reject(error.kind.rule(), error.to_string(), hint).on_line(error.line as u64)
        }
        ReadError::Path { path, .. } => {
            Finding::reject("path-unsafe", error.to_string(), "write a plain path from the repository's root").at(path)
        }
        ReadError::TooMuch { .. } => {
            Finding::reject("proposal-too-large", error.to_string(), "make the change smaller, or split it")
        }
    }
}

fn empty(resolved: &Resolved) -> Option<Finding> {
    let hint = "a proposal without a difference has nothing to apply";
    resolved.changes.is_empty().then(|| Finding::reject("no-change", "the proposal changes nothing", hint))
}

/// Compares what the proposal says it touches with what it does. Nothing claimed is nothing to compare; a claim of
/// nothing is a claim. The source of a copy may be named or not.
fn claims(claimed: Option<&[String]>, resolved: &Resolved) -> Vec<Finding> {
    let Some(claimed) = claimed else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    let mut named = BTreeSet::new();
    for text in claimed {
        match RepoPath::new(text) {
            Ok(path) => {
                named.insert(path);
            }
            Err(reason) => {
                let message = format!("`files_touched` has {text:?}: {reason}");
                findings.push(Finding::reject("claim-path", message, "name files by their plain paths").at(text));
            }
        }
    }
    for path in resolved.touched.difference(&named) {
        let message = format!("`{path}` is changed but not named in `files_touched`");
        findings.push(Finding::reject("claim-missing", message, "name every file that the change touches").at(path));
    }
    for path in named.iter().filter(|path| !resolved.touched.contains(*path) && !resolved.sources.contains(*path)) {
        let message = format!("`files_touched` names `{path}`, which the change does not touch");
        findings.push(Finding::reject("claim-extra", message, "name only the files that the change touches").at(path));
    }
    findings
}

fn commands(texts: &[String], policy: &Policy) -> (Vec<ValidationCommand>, Vec<Finding>) {
    let (mut commands, mut findings) = (Vec::new(), Vec::new());
    for text in texts {
        match ValidationCommand::parse(text, policy.command_rules()) {
            Ok(command) => commands.push(command),
            Err(reason) => {
                let message = format!("validation command {text:?}: {reason}");
                findings.push(Finding::reject("command", message, "see `gephost policy command` for the grammar"));
            }
        }
    }
    (commands, findings)
}

/// Whether the candidate holds anything that could be read.
pub(super) fn named_paths(candidate: &Candidate) -> BTreeSet<RepoPath> {
    candidate.parts().iter().flatten().flat_map(Part::paths).cloned().collect()
}
