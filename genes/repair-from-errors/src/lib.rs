//! The bundled strategy gene: it repairs the source line that an error in the run log points at.
//!
//! It reads the run log and the workspace, and has no other effect. [`fault`] reads an error from an output, [`locate`]
//! finds the source line, [`repair`] chooses and makes the edit, [`site`] connects these three, and [`plan`] orders the
//! candidates. [`packages`] changes what a project of Python or npm requires.
//! All of these are pure and tested without a host. If more than one edit could be right, the gene proposes nothing, because a
//! wrong patch is worse than none.

mod edit;
mod fault;
mod input;
mod locate;
mod node;
mod packages;
mod plan;
mod port;
mod python;
mod repair;
mod site;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use gephost_gene::workspace::{self, Reader};
use gephost_gene::{Change, Diagnosis, FileContent, Gene, GeneError, Proposal, RiskLevel, failures, log};

use input::Workspace;
use plan::Draft;

/// Most results of one glob or search.
const MAX_RESULTS: u32 = 4096;

struct RepairFromErrors;

impl Gene for RepairFromErrors {
    fn propose(diagnosis: Diagnosis) -> Result<Vec<Proposal>, GeneError> {
        let causes = failures::causes(diagnosis);
        let failures = failures::read(&causes, true)?;
        let mut files = Files::default();
        let drafts = plan::drafts(&causes, &failures, &mut files);
        files.reader.answer(drafts.into_iter().map(proposal).collect())
    }
}

/// The workspace that the host shows.
#[derive(Default)]
struct Files {
    reader: Reader,
    /// Results of earlier lookups, because many frames name the same files.
    names: BTreeMap<String, Vec<String>>,
}

impl Workspace for Files {
    fn named(&mut self, name: &str) -> Vec<String> {
        if let Some(known) = self.names.get(name) {
            return known.clone();
        }
        let paths = self.reader.files(&format!("**/{name}"), MAX_RESULTS);
        self.names.insert(name.to_owned(), paths.clone());
        paths
    }

    fn containing(&mut self, word: &str, globs: &[&str]) -> Vec<String> {
        let mut paths = BTreeSet::new();
        for glob in globs {
            let found = self.reader.accept(workspace::search(&format!(r"\b{word}\b"), glob, MAX_RESULTS));
            paths.extend(found.into_iter().map(|found| found.path));
        }
        paths.into_iter().collect()
    }

    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        self.reader.bytes(path)
    }

    fn is_marked(&mut self, path: &str) -> bool {
        self.reader.is_marked(path)
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
