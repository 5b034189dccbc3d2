//! The bundled strategy gene: it repairs the source line that an error in the run log points at.
//!
//! It reads the run log and the workspace, and has no other effect. [`fault`] reads an error from an output, [`locate`]
//! finds the source line, [`repair`] chooses and makes the edit, [`site`] connects these three, and [`plan`] orders the
//! candidates. [`cargo`] handles errors in a package that cargo fetched: it changes the project's requirement of that
//! package; [`packages`] does the same for Python and npm. All of these are pure and tested without a host. If more than one edit could be right, the gene proposes
//! nothing, because a wrong patch is worse than none.

mod cargo;
mod command;
mod edit;
mod fault;
mod input;
mod locate;
mod node;
mod packages;
mod plan;
mod python;
mod repair;
mod site;
mod skip;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use gephost_gene::run_log::{self, EventKind, Filter, Outcome};
use gephost_gene::{Change, Diagnosis, FileContent, Gene, GeneError, HostError, Proposal, RiskLevel, log, workspace};

use input::{Failure, Workspace};
use plan::{Cause, Draft};

/// Failing events that are read in addition to the evidence of findings: the newest.
const MAX_OTHERS: usize = 64;
/// Most events that are read because they are evidence of a finding.
const MAX_EVIDENCE: usize = 256;
/// Most results of one glob or search.
const MAX_RESULTS: u32 = 4096;

struct RepairFromErrors;

impl Gene for RepairFromErrors {
    fn propose(diagnosis: Diagnosis) -> Result<Vec<Proposal>, GeneError> {
        let causes: Vec<Cause> = diagnosis
            .findings
            .into_iter()
            .map(|finding| Cause { id: finding.id, events: finding.evidence.iter().map(|line| line.event).collect() })
            .collect();
        let failures = failures(&causes)?;
        let mut files = Files { names: BTreeMap::new(), refused: None };
        let drafts = plan::drafts(&causes, &failures, &mut files);
        match files.refused {
            Some(error) if drafts.is_empty() => Err(error.into()),
            _ => Ok(drafts.into_iter().map(proposal).collect()),
        }
    }
}

/// The failing events that are evidence of a finding, and the newest of the others, newest first.
fn failures(causes: &[Cause]) -> Result<Vec<Failure>, HostError> {
    let evidence: BTreeSet<u64> =
        causes.iter().flat_map(|cause| cause.events.iter().copied()).take(MAX_EVIDENCE).collect();
    let mut chosen: BTreeMap<u64, Failure> = BTreeMap::new();
    let mut others: BTreeMap<u64, Failure> = BTreeMap::new();
    let failed = Filter { kinds: vec![EventKind::ToolEnd], outcomes: vec![Outcome::Failure], ..run_log::everything() };
    let raised = Filter { kinds: vec![EventKind::Exception], ..run_log::everything() };
    for filter in [failed, raised] {
        run_log::for_each(&filter, |event| {
            let list = if evidence.contains(&event.index) { &mut chosen } else { &mut others };
            let (input, output) = (event.input.to_owned(), event.output.to_owned());
            list.insert(event.index, Failure { event: event.index, input, output });
            if others.len() > MAX_OTHERS {
                others.pop_first();
            }
        })?;
    }
    chosen.append(&mut others);
    Ok(chosen.into_values().rev().collect())
}

/// The workspace that the host shows.
struct Files {
    /// Results of earlier lookups, because many frames name the same files.
    names: BTreeMap<String, Vec<String>>,
    /// The first refusal, which becomes the gene's error if it has nothing to propose.
    refused: Option<HostError>,
}

impl Files {
    /// The result, or nothing if the host refused.
    fn accept<T: Default>(&mut self, result: Result<T, HostError>) -> T {
        result.unwrap_or_else(|error| {
            if !matches!(error, HostError::NotFound) {
                self.refused.get_or_insert(error);
            }
            T::default()
        })
    }
}

impl Workspace for Files {
    fn named(&mut self, name: &str) -> Vec<String> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let entries = self.accept(workspace::glob(&format!("**/{name}"), MAX_RESULTS));
        let files = entries.into_iter().filter(|entry| entry.kind == workspace::EntryKind::File);
        let paths: Vec<String> = files.map(|entry| entry.path).collect();
        self.names.insert(name.to_owned(), paths.clone());
        paths
    }

    fn containing(&mut self, word: &str, globs: &[&str]) -> Vec<String> {
        let mut paths = BTreeSet::new();
        for glob in globs {
            let found = self.accept(workspace::search(&format!(r"\b{word}\b"), glob, MAX_RESULTS));
            paths.extend(found.into_iter().map(|found| found.path));
        }
        paths.into_iter().collect()
    }

    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        let result = workspace::read(&[path.to_owned()]).pop().unwrap_or(Err(HostError::NotFound));
        self.accept(result.map(Some))
    }

    fn note(&mut self, line: &str) {
        log::info(line);
    }
}

fn proposal(draft: Draft) -> Proposal {
    let change = |(path, content)| Change::NewContent(FileContent { path, content });
    Proposal {
        title: draft.title,
        objective: draft.objective,
        evidence: draft.evidence,
        finding: draft.finding,
        risk_level: if draft.is_plain && draft.files.len() == 1 { RiskLevel::Low } else { RiskLevel::Medium },
        changes: draft.files.into_iter().map(change).collect(),
        tests_to_run: draft.tests,
        rollback_plan: "revert the commit; the change touches only the lines shown and needs no migration".to_owned(),
    }
}

gephost_gene::gene!(RepairFromErrors, world: strategy, manifest: "gene.json");
