//! What a gene is given.

use std::sync::Arc;

use gephost_core::gene::Settings;
use jiff::Timestamp;

use super::attempt::Attempt;
use super::columns::RunLog;
use super::completions::Completions;
use super::executed::Coverage;
use super::workspace::Workspace;

/// What a gene is given. Except for the settings and what it carries, this is the same for every gene of a cycle. The grant decides which
/// parts a gene sees.
#[derive(Debug, Clone)]
pub struct Inputs {
    /// The actions of the agent.
    pub run_log: Arc<RunLog>,
    /// The files of the base commit that the policy shows.
    pub workspace: Arc<Workspace>,
    /// What was tried before.
    pub history: Arc<[Attempt]>,
    /// Which lines the failing command executes.
    pub coverage: Arc<Coverage>,
    /// The time at which the clock of the gene starts.
    pub now: Timestamp,
    /// Seed of the gene's randomness.
    pub seed: u64,
    /// The settings of this gene.
    pub settings: Arc<Settings>,
    /// What its component carries for its standard input. A [`Gene`](super::Gene) fills it in; before, it is empty.
    pub carried: Arc<[u8]>,
    /// Who answers its questions to a model.
    pub completions: Arc<dyn Completions>,
}
