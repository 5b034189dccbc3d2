//! What the layers measure, and the gene's history.

use schemars::JsonSchema;
use serde::Serialize;

use super::renames::WithRenames;
use crate::blast_radius::BlastRadius;
use crate::validation::WeakenedTest;

/// What the layers measured so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Measured {
    pub(super) blast_radius: BlastRadius,
    pub(super) with_renames: WithRenames,
    pub(super) risk: Risk,
    /// The tests that check less after the change.
    pub(super) weakened: Vec<WeakenedTest>,
    /// How many violations are flagged that say that a test is weakened.
    pub(super) weakening: usize,
}

/// The outcome of a gene's earlier proposals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GeneHistory {
    /// Proposals that were applied and validated.
    pub tries: u32,
    /// Those whose validation succeeded.
    pub successes: u32,
}

/// One addend of the risk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RiskPart {
    /// The name of what it counts.
    pub name: &'static str,
    /// How much it adds to the risk, in points of 100.
    pub points: u8,
    /// The reason for the points.
    pub why: String,
}

/// The risk, computed from the change and the gene's history, never from the proposal's own claim.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Risk {
    /// 0 to 100: the sum of the parts, capped.
    pub score: u8,
    /// The addends that are not 0.
    pub parts: Vec<RiskPart>,
}
