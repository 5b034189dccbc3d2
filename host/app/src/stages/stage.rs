//! What every stage of a cycle works with, and the terms on which each gene is called.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use gephost_core::config::Config;
use gephost_core::diagnosis::Diagnosis;
use gephost_core::gene::Settings;
use gephost_core::grant::Grant;
use gephost_core::select::Strategy;
use gephost_runner::recording;
use gephost_runner::sandbox::{Budgets, Completions, Gene, Granted, Inputs, NoModel, RunLog, Workspace};
use jiff::Timestamp;
use serde::Serialize;

use super::source::Source;
use crate::gene_call::GeneCall;
use crate::past::Past;
use crate::text_genes::{CarriedText, TextGenes};
use gephost_runner::monotonic;

/// Seed of every gene's randomness: the bytes `gephost1`, the same in every run and for every gene, so that two runs give
/// the same bytes (invariant 9). Nothing secret comes from it: a gene has nothing to keep from anybody.
const SEED: u64 = 0x6765_7068_6f73_7431;

/// What every stage of a cycle works with.
#[derive(Debug, Clone)]
pub struct Stage<'a> {
    /// The project's config, as it counts.
    pub config: &'a Config,
    /// The genes that take part, in order.
    pub genes: &'a [Gene],
    /// Genes that are only text, if there are any.
    pub texts: Option<&'a TextGenes>,
    /// How categories of genes count in a selection.
    pub strategy: Strategy,
    /// Where genes' files come from.
    pub source: Source,
    /// What genes are given; the workspace is the one of those whose grant does not narrow it.
    pub inputs: Inputs,
    /// Signals of the observation, by name.
    pub signals: Vec<String>,
    /// What earlier cycles left.
    pub past: &'a Past,
    /// The events of the operator's recorded commands, by number, with their calls.
    pub recorded: BTreeMap<u64, String>,
    /// Ids of the genes that the request names.
    pub asked: &'a [String],
    /// Calls of each gene to the host that are kept for its author.
    pub traced_calls: u32,
    /// When every call of a gene is to be over, whatever its budget.
    until: Option<Instant>,
    /// The workspaces of genes with a `read` list, by that list.
    narrowed: Arc<Mutex<BTreeMap<Vec<String>, Arc<Workspace>>>>,
}

/// What the diagnosis found, and who was asked.
#[derive(Debug, Clone, Serialize)]
pub struct Diagnosed {
    /// Findings, most important first.
    pub diagnosis: Diagnosis,
    /// How many findings are below the thresholds of `[diagnose]`.
    pub left_out: usize,
    /// The calls of the heuristic genes, in their order.
    pub calls: Vec<GeneCall>,
}

impl<'a> Stage<'a> {
    /// Prepares a cycle over an observation. `now` is the newest event's time, from which genes' clocks start.
    pub fn new(
        config: &'a Config,
        genes: &'a [Gene],
        source: Source,
        run_log: RunLog,
        signals: Vec<String>,
        past: &'a Past,
        now: Timestamp,
    ) -> Self {
        let workspace = Arc::new(source.workspace(&config.policy));
        let inputs = Inputs {
            run_log: Arc::new(run_log),
            workspace,
            history: past.told(&signals).into(),
            coverage: Arc::default(),
            now,
            seed: SEED,
            settings: Arc::default(),
            carried: Arc::default(),
            completions: Arc::new(NoModel),
        };
        let recorded = BTreeMap::new();
        Self {
            config,
            genes,
            texts: None,
            strategy: config.file.select.strategy,
            source,
            inputs,
            signals,
            past,
            recorded,
            asked: &[],
            traced_calls: 0,
            until: None,
            narrowed: Arc::default(),
        }
    }

    /// The same, with the events of the operator's recorded commands.
    #[must_use]
    pub fn with_recorded(self, recorded: BTreeMap<u64, String>) -> Self {
        Self { recorded, ..self }
    }

    /// The same, with genes that are only text.
    #[must_use]
    pub fn with_texts(self, texts: Option<&'a TextGenes>) -> Self {
        Self { texts, ..self }
    }

    /// The same, with categories of genes counting in this way.
    #[must_use]
    pub fn by(self, strategy: Strategy) -> Self {
        Self { strategy, ..self }
    }

    /// The same, with somebody who answers genes' questions to a model.
    #[must_use]
    pub fn asking(mut self, completions: Arc<dyn Completions>) -> Self {
        self.inputs.completions = completions;
        self
    }

    /// The same, with the genes that the request names: they are asked whatever they did before.
    #[must_use]
    pub fn asked_for(self, asked: &'a [String]) -> Self {
        Self { asked, ..self }
    }

    /// The same, with so many calls of each gene to the host kept for its author.
    #[must_use]
    pub fn tracing(self, traced_calls: u32) -> Self {
        Self { traced_calls, ..self }
    }

    /// The same, with no call of a gene going on after `until`.
    #[must_use]
    pub fn until(self, until: Instant) -> Self {
        Self { until: Some(until), ..self }
    }

    /// What a gene is granted, and what it is given under that grant.
    pub(super) fn terms(&self, gene: &Gene) -> Terms {
        let grant = self.config.grants.of(gene.id());
        self.terms_of(gene, grant, self.config.file.settings_of(gene.manifest()))
    }

    /// The same for a text-only gene, which `carrier` carries out.
    pub(super) fn text_terms(&self, carrier: &Gene, text: &CarriedText) -> Terms {
        let grant = self.config.grants.of_text(text.text.id(), text.is_requested);
        self.terms_of(carrier, grant, text.settings())
    }

    fn terms_of(&self, gene: &Gene, grant: Grant, settings: Settings) -> Terms {
        let workspace = self.workspace(&grant);
        let inputs = Inputs { workspace, settings: Arc::new(settings), ..self.inputs.clone() };
        let mut budgets = Budgets { traced_calls: self.traced_calls, ..Budgets::of(grant.budgets()) };
        if let Some(until) = self.until {
            budgets.wall = budgets.wall.min(until.saturating_duration_since(monotonic::now()));
        }
        Terms { inputs, granted: Granted::of(gene.manifest(), &grant), budgets, grant }
    }

    fn workspace(&self, grant: &Grant) -> Arc<Workspace> {
        let Some(read) = grant.read() else { return Arc::clone(&self.inputs.workspace) };
        let mut narrowed = self.narrowed.lock().unwrap_or_else(PoisonError::into_inner);
        let make = || {
            let grant = grant.clone();
            Arc::new(self.inputs.workspace.narrowed(move |path| grant.shows(path)))
        };
        Arc::clone(narrowed.entry(read.to_vec()).or_insert_with(make))
    }
}

/// What one call of a gene is made with.
pub(super) struct Terms {
    pub(super) grant: Grant,
    pub(super) inputs: Inputs,
    pub(super) granted: Granted,
    pub(super) budgets: Budgets,
}

impl Terms {
    /// The same for a recording.
    pub(super) fn made(&self) -> recording::Terms<'_> {
        recording::Terms { inputs: &self.inputs, granted: &self.granted, budgets: &self.budgets }
    }
}
