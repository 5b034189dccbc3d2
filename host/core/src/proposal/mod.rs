//! Proposals: a repair as it is saved, shown and judged. One type reads the fields of seeds 003 and 004.
//!
//! A proposal states its change as `unified_diff` or as `changes`; both reach the gate as [`Change`]s. The proposal's
//! text is only a claim: the gate decides on the parsed patch (invariant 3).

mod document;
mod read;
mod write;

pub use read::{MAX_JSON_BYTES, ProposalError};
pub use write::{ApplyStatus, GateStatus, ProposalDocument, Status};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One proposed change, as the gene spelled it. Its paths are not checked yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// A unified diff for one or more files.
    UnifiedDiff(String),
    /// A file's whole new content.
    NewContent {
        /// Path from the workspace root.
        path: String,
        /// The whole new content of the file.
        content: Vec<u8>,
    },
    /// A file to delete.
    Delete {
        /// Path from the workspace root.
        path: String,
    },
}

/// The proposer's own estimate of the risk (seed 004 section 3.2). The gate does not use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RiskLevel {
    /// The proposer sees little risk.
    Low,
    /// The proposer sees some risk.
    Medium,
    /// The proposer expects that it may break something.
    High,
}

/// What a gene, a model or a person proposes: a change, its reason, and the commands that should pass after it.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// `gep-` and 16 hex digits of the content's SHA-256, or the document's own id.
    pub id: String,
    /// What the change does, as one line.
    pub title: String,
    /// What it achieves (003: `rationale`).
    pub objective: String,
    /// The evidence, one line each.
    pub evidence: Vec<String>,
    /// The proposer's own estimate.
    pub risk_level: RiskLevel,
    /// The files that the proposer claims to touch; `None` without a claim (a bare diff).
    pub files_touched: Option<Vec<String>>,
    /// What is changed, as diffs, whole contents and deletions. Together they are one patch.
    pub changes: Vec<Change>,
    /// Commands that should pass after the change.
    pub tests_to_run: Vec<String>,
    /// How a person can undo it.
    pub rollback_plan: String,
    /// Id of the gene that made it.
    pub gene: Option<String>,
    /// Id of the finding it answers.
    pub diagnosis_ref: Option<String>,
    /// The agent it is for (003).
    pub agent: Option<String>,
    /// RFC 3339. gephost writes the time of the newest event that it read, so that two runs give the same bytes.
    pub created_at: Option<String>,
}
