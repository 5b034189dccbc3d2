//! The bundled strategy gene that makes the edit which a tool itself asks for: compilers, linters, shells and parsers.
//!
//! It reads the run log and the workspace, and has no other effect. Each family ([`rust`], [`cargo`], [`script`], [`go`], [`shell`],
//! [`makefile`], [`data`], [`actions`], [`values`]) reads its tools' messages from an output and gives [`fix::Fix`]es;
//! [`shelf`] finds the files that a log means and leaves alone what no person wrote; [`plan`] orders the candidates. All
//! of these are pure and tested without a host.
//!
//! Logs are not trusted. Most families take only places, names and kinds of fault from a log, and choose the text from
//! their own tables. Where a tool suggests the text itself (rustc, TypeScript, `ESLint`), [`text::is_bounded`] limits it to
//! a few lines without addresses, made of words that the workspace or the language already has, at a place that still
//! holds what the message shows. If more than one edit could be right, the gene proposes nothing.

mod actions;
mod cargo;
mod data;
mod fix;
mod go;
mod input;
mod json;
mod makefile;
mod order;
mod paths;
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

use gephost_gene::workspace::{self, Reader};
use gephost_gene::{Change, Diagnosis, FileContent, Gene, GeneError, Proposal, RiskLevel, failures, log};

use input::Workspace;
use plan::Draft;

/// Most results of one glob or search.
const MAX_RESULTS: u32 = 4096;

struct RepairFromTools;

impl Gene for RepairFromTools {
    fn propose(diagnosis: Diagnosis) -> Result<Vec<Proposal>, GeneError> {
        let causes = failures::causes(diagnosis);
        let mut failures = failures::read(&causes, false)?;
        for failure in &mut failures {
            failure.output = text::without_colours(&failure.output);
        }
        let mut files = Files::default();
        let drafts = plan::drafts(&causes, &failures, &mut files);
        files.0.answer(drafts.into_iter().map(proposal).collect())
    }
}

/// The workspace that the host shows.
#[derive(Default)]
struct Files(Reader);

impl Workspace for Files {
    fn matching(&mut self, glob: &str) -> Vec<String> {
        self.0.files(glob, MAX_RESULTS)
    }

    fn has_word(&mut self, word: &str, glob: &str) -> bool {
        !self.0.accept(workspace::search(&format!(r"\b{word}\b"), glob, 1)).is_empty()
    }

    fn read(&mut self, path: &str) -> Option<Vec<u8>> {
        self.0.bytes(path)
    }

    fn is_marked(&mut self, path: &str) -> bool {
        self.0.is_marked(path)
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
