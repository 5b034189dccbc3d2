//! What was tried before.

use serde::{Deserialize, Serialize};

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AttemptOutcome {
    /// Validated and published.
    Success,
    /// Validation failed.
    Failure,
    /// The gate refused it.
    Refused,
}

/// Something that was tried before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Id of the gene.
    pub gene: String,
    /// Signals of that cycle.
    pub signals: Vec<String>,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// Title of the proposal.
    pub title: String,
    /// The reason for that outcome.
    pub reason: String,
    /// The time. Genes do not see it, so it is neither written nor sent to a worker.
    #[serde(skip)]
    pub at: Option<jiff::Timestamp>,
}
