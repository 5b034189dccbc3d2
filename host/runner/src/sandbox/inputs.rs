//! What a gene is given.

use std::sync::Arc;

use gephost_core::gene::Settings;
use jiff::Timestamp;

use super::attempt::Attempt;
use super::columns::RunLog;
use super::workspace::Workspace;

/// What a gene is given: but for the settings, the same value for every gene of a cycle. Whether it sees a part is the
/// grant's matter.
#[derive(Debug, Clone)]
pub struct Inputs {
    /// What the agent did.
    pub run_log: Arc<RunLog>,
    /// The files of the base commit that the policy shows.
    pub workspace: Arc<Workspace>,
    /// What was tried before.
    pub history: Arc<[Attempt]>,
    /// Where the gene's clock starts.
    pub now: Timestamp,
    /// Seed of the gene's randomness.
    pub seed: u64,
    /// What the operator says to this gene.
    pub settings: Arc<Settings>,
}
