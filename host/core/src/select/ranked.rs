//! What a selection says of one gene.

use schemars::JsonSchema;
use serde::Serialize;

use super::memory::Memory;

/// A gene that matches.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Ranked {
    /// Its id.
    pub gene: String,
    /// The value that it is ranked by.
    pub score: f64,
    /// The patterns that match, in the gene's order.
    pub patterns: Vec<String>,
    /// The share of its patterns that match, from 0 to 1: the match quality of [`crate::evaluate::confidence`].
    pub match_quality: f64,
    /// Id of the capsule that raised it most.
    pub capsule: Option<String>,
    /// What that capsule adds to the number of patterns; 0 without one. The score is (number of patterns + this) × (0.5 +
    /// probability from memory) × `strategy_weight`.
    pub capsule_weight: f64,
    /// Its category, such as `repair`.
    pub category: String,
    /// What the strategy multiplies scores of this category by.
    pub strategy_weight: f64,
    /// Whether it was received from elsewhere. Such a gene comes after all others, and is carried out only if the operator
    /// names it.
    pub is_received: bool,
    /// Whether it runs the failing command many times. Such a gene comes after all others.
    pub searches: bool,
    /// Its past with similar signals.
    pub memory: Memory,
}

/// A gene that matches, but failed too often with such signals.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Banned {
    /// Its id.
    pub gene: String,
    /// Its past with similar signals.
    pub memory: Memory,
}
