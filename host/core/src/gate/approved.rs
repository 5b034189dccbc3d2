//! What the gate hands on: the only thing apply takes (invariants 2 and 3).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::command::ValidationCommand;
use crate::path::RepoPath;

/// The modes that a file of a patch may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileMode {
    /// 100644.
    Regular,
    /// 100755.
    Executable,
    /// 120000.
    Symlink,
}

/// A file's mode and bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobState {
    /// Its mode.
    pub mode: FileMode,
    /// Its bytes; the target for a symlink.
    pub content: Arc<[u8]>,
}

/// One path's way from before to after. A rename is two of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedChange {
    /// Which path.
    pub path: RepoPath,
    /// What the base has there; `None` for a new file.
    pub before: Option<BlobState>,
    /// What shall be there; `None` for a deleted file.
    pub after: Option<BlobState>,
}

/// How far a change reaches (seed 001), without rename detection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct BlastRadius {
    /// Files touched.
    pub files: u64,
    /// Lines added and deleted.
    pub lines: u64,
}

/// A change that passed every layer of the gate. Only `gate::review` makes one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Approved {
    pub(super) proposal_id: String,
    pub(super) base_commit: String,
    pub(super) changes: Vec<ApprovedChange>,
    pub(super) commands: Vec<ValidationCommand>,
    pub(super) blast_radius: BlastRadius,
    pub(super) risk_score: u8,
}

impl Approved {
    /// Id of the proposal.
    pub fn proposal_id(&self) -> &str {
        &self.proposal_id
    }

    /// Full hexadecimal id of the commit that the change was judged against.
    pub fn base_commit(&self) -> &str {
        &self.base_commit
    }

    /// Every path that changes, sorted, none twice, none without a difference.
    pub fn changes(&self) -> &[ApprovedChange] {
        &self.changes
    }

    /// The proposal's own validation commands, in order.
    pub fn commands(&self) -> &[ValidationCommand] {
        &self.commands
    }

    /// How far the change reaches.
    pub fn blast_radius(&self) -> BlastRadius {
        self.blast_radius
    }

    /// The computed risk, 0 to 100.
    pub fn risk_score(&self) -> u8 {
        self.risk_score
    }
}
