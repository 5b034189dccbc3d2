//! The bundled strategy gene that makes the edit which a tool itself asks for: compilers, linters, shells and parsers.
//!
//! It reads the run log and the workspace, and has no other effect. Each family ([`rust`], [`script`], [`go`], [`shell`],
//! [`makefile`], [`data`], [`actions`], [`values`]) reads its tools' messages from an output and gives [`fix::Fix`]es;
//! [`shelf`] finds the files that a log means and leaves alone what no person wrote; [`plan`] orders the candidates. All
//! of these are pure and tested without a host.
//!
//! Logs are not trusted. Most families take only places, names and kinds of fault from a log, and choose the text from
//! their own tables. Where a tool suggests the text itself (rustc, TypeScript, `ESLint`), [`text::is_bounded`] limits it to
//! a few lines without addresses, made of words that the workspace or the language already has, at a place that still
//! holds what the message shows. If more than one edit could be right, the gene proposes nothing.

mod actions;
mod command;
mod data;
mod fix;
mod go;
mod input;
mod json;
mod makefile;
mod plan;
mod rust;
mod script;
mod shelf;
mod shell;
mod source;
#[cfg(test)]
mod tests;
mod text;
mod values;

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

struct RepairFromTools;

impl Gene for RepairFromTools {
    fn propose(diagnosis: Diagnosis) -> Result<Vec<Proposal>, GeneError> {
        let causes: Vec<Cause> = diagnosis
            .findings
            .into_iter()
            .map(|finding| Cause { id: finding.id, events: finding.evidence.iter().map(|line| line.event).collect() })
            .collect();
        let failures = failures(&causes)?;
        let mut files = Files { refused: None };
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
    run_log::for_each(&failed, |event| {
        let list = if evidence.contains(&event.index) { &mut chosen } else { &mut others };
        let output = text::without_colours(event.output);
        list.insert(event.index, Failure { event: event.index, input: event.input.to_owned(), output });
        if others.len() > MAX_OTHERS {
            others.pop_first();
        }
    })?;
    chosen.append(&mut others);
    Ok(chosen.into_values().rev().collect())
}

/// The workspace that the host shows.
struct Files {
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
    fn matching(&mut self, glob: &str) -> Vec<String> {
        let entries = self.accept(workspace::glob(glob, MAX_RESULTS));
        let files = entries.into_iter().filter(|entry| entry.kind == workspace::EntryKind::File);
        files.map(|entry| entry.path).collect()
    }

    fn has_word(&mut self, word: &str, glob: &str) -> bool {
        !self.accept(workspace::search(&format!(r"\b{word}\b"), glob, 1)).is_empty()
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
    let is_small = draft.files.len() == 1 && draft.executable.is_empty();
    let content = |(path, text): (String, String)| Change::NewContent(FileContent { path, content: text.into_bytes() });
    let mode = |path| Change::UnifiedDiff(format!("diff --git a/{path} b/{path}\nold mode 100644\nnew mode 100755\n"));
    Proposal {
        title: draft.title,
        objective: draft.objective,
        evidence: draft.evidence,
        finding: draft.finding,
        risk_level: if is_small { RiskLevel::Low } else { RiskLevel::Medium },
        changes: draft.files.into_iter().map(content).chain(draft.executable.into_iter().map(mode)).collect(),
        tests_to_run: draft.tests,
        rollback_plan: "revert the commit; the change touches only the lines shown and needs no migration".to_owned(),
    }
}

gephost_gene::gene!(RepairFromTools, world: strategy, manifest: "gene.json");
