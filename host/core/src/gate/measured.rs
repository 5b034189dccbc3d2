//! What the layers measure, and what is known of the gene.

use serde::Serialize;

use super::renames::WithRenames;
use crate::blast_radius::BlastRadius;

/// What the layers measured on the way.
#[derive(Debug, Clone, Default)]
pub(super) struct Measured {
    pub(super) blast_radius: BlastRadius,
    pub(super) with_renames: WithRenames,
    pub(super) risk: Risk,
}

/// How a gene's proposals fared before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GeneHistory {
    /// Proposals that were applied and validated.
    pub tries: u32,
    /// Those that held.
    pub successes: u32,
}

/// One addend of the risk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RiskPart {
    /// What it counts.
    pub name: &'static str,
    /// Its points.
    pub points: u8,
    /// Why so many.
    pub why: String,
}

/// The computed risk: from the change and the gene's history, never from the proposal's own word.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Risk {
    /// 0 to 100: the sum of the parts, capped.
    pub score: u8,
    /// The addends that are not 0.
    pub parts: Vec<RiskPart>,
}
