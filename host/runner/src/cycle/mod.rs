//! One cycle, stage by stage: diagnose, select, propose and gate here; validate, publish and record in [`publish`].
//!
//! Owns no effect of its own: it calls the sandbox, the repository, processes and stores in order. Up to the verdict
//! nothing outside memory changes.

mod diagnose;
mod propose;
pub mod publish;

use std::sync::Arc;

use gephost_core::capsule::Capsule;
use gephost_core::config::Config;
use gephost_core::diagnosis::Diagnosis;
use gephost_core::evolution_event::EvolutionEvent;
use gephost_core::gate::Verdict;
use gephost_core::proposal::Proposal;
use gephost_core::select::Selection;
use jiff::Timestamp;
use serde::Serialize;

use crate::sandbox::{
    Attempt, Budgets, CallError, FileKind, Files, Gene, Granted, Inputs, LogLine, RunLog, Usage, Workspace,
};
pub use propose::{gate, gene_history};

use crate::worktree::{BaseTree, ReadError};

/// Seed of every gene's randomness: the same in every run, so that two runs give the same bytes (invariant 9).
const SEED: u64 = 0x6765_7068_6f73_7431;

/// What every stage of a cycle works with.
#[derive(Debug)]
pub struct Stage<'a> {
    /// The operator's config.
    pub config: &'a Config,
    /// The genes that take part, in order.
    pub genes: &'a [Gene],
    /// The commit that everything is judged against.
    pub base: Arc<BaseTree>,
    /// What genes are given.
    pub inputs: Inputs,
    /// Signals of the observation, by name.
    pub signals: Vec<String>,
    /// What earlier cycles left.
    pub past: &'a Past,
}

/// What earlier cycles left in the assets folder.
#[derive(Debug, Default)]
pub struct Past {
    /// Capsules.
    pub capsules: Vec<Capsule>,
    /// Events, oldest first.
    pub events: Vec<EvolutionEvent>,
    /// The same for genes, with what the log says the gate refused.
    pub attempts: Vec<Attempt>,
}

/// One call of a gene, for the report.
#[derive(Debug, Clone, Serialize)]
pub struct GeneCall {
    /// The gene's id.
    pub gene: String,
    /// `diagnose` or `propose`.
    pub function: &'static str,
    /// Why it has no answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// What it used.
    pub usage: Usage,
    /// What it wrote.
    pub log: Vec<LogLine>,
    /// The error itself, for the exit code.
    #[serde(skip)]
    pub failure: Option<CallError>,
}

/// What the diagnosis found, and who was asked.
#[derive(Debug, Clone, Serialize)]
pub struct Diagnosed {
    /// Findings, most important first.
    pub diagnosis: Diagnosis,
    /// The calls.
    pub calls: Vec<GeneCall>,
}

/// A candidate and the gate's word on it.
#[derive(Debug)]
pub struct Judged {
    /// What the gene proposed.
    pub proposal: Proposal,
    /// What the gate said.
    pub verdict: Verdict,
}

/// What the selected genes proposed.
#[derive(Debug)]
pub struct Proposed {
    /// Who was asked, and why.
    pub selection: Selection,
    /// Candidates of the first gene that had any, in its order.
    pub candidates: Vec<Judged>,
    /// The calls.
    pub calls: Vec<GeneCall>,
}

impl<'a> Stage<'a> {
    /// Prepares a cycle over an observation. `now` is the newest event's time, from which genes' clocks start.
    pub fn new(
        config: &'a Config,
        genes: &'a [Gene],
        base: Arc<BaseTree>,
        run_log: RunLog,
        signals: Vec<String>,
        past: &'a Past,
        now: Timestamp,
    ) -> Self {
        let workspace = Arc::new(workspace(&base, config));
        let inputs =
            Inputs { run_log: Arc::new(run_log), workspace, history: past.attempts.clone().into(), now, seed: SEED };
        Self { config, genes, base, inputs, signals, past }
    }

    fn granted(&self, gene: &Gene) -> Granted {
        let requested: Vec<_> = gene.manifest().capabilities.iter().copied().collect();
        Granted::new(&requested, &self.config.file.genes.grant)
    }

    fn budgets(&self) -> Budgets {
        let table = &self.config.file.budgets;
        Budgets {
            wall: std::time::Duration::from_millis(table.wall_ms),
            fuel: table.fuel,
            memory: table.memory_mib << 20,
            output: table.output_mib << 20,
            host_calls: table.host_calls,
            ..Budgets::default()
        }
    }
}

/// The files of the base commit that the policy does not deny.
fn workspace(base: &Arc<BaseTree>, config: &Config) -> Workspace {
    let files: Arc<dyn Files> = Arc::clone(base) as Arc<dyn Files>;
    let list = base.files().map(|(path, mode)| {
        let kind = match mode {
            gephost_core::gate::FileMode::Symlink => FileKind::Symlink,
            _ => FileKind::File,
        };
        (path.clone(), kind)
    });
    Workspace::new(files, list, |path| !config.policy.denies(path))
}

/// The largest file that is read from a commit, in bytes.
pub(crate) const MAX_BLOB_BYTES: u64 = 16 << 20;

impl Files for BaseTree {
    fn size(&self, path: &gephost_core::path::RepoPath) -> Result<u64, String> {
        Self::size(self, path).map_err(|error: ReadError| error.to_string())
    }

    fn read(&self, path: &gephost_core::path::RepoPath) -> Result<Arc<[u8]>, String> {
        Self::read(self, path, MAX_BLOB_BYTES).map_err(|error| error.to_string())
    }
}
