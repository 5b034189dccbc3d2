//! The approved change: the only input that apply accepts (invariants 2 and 3).

use crate::blast_radius::BlastRadius;
use crate::command::ValidationCommand;
use crate::path::RepoPath;
use crate::tree::BlobState;
use crate::validation::WeakenedTest;

/// One path before and after the change. A rename is two of these.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovedChange {
    /// The path of the file, from the repository's root.
    pub path: RepoPath,
    /// The file in the base; `None` for a new file.
    pub before: Option<BlobState>,
    /// The file after the change; `None` for a deleted file.
    pub after: Option<BlobState>,
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
    pub(super) weakened: Vec<WeakenedTest>,
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

    /// Every path that changes, sorted. No path appears twice, and each one differs.
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

    /// The tests that check less after the change, in the order of its files. That they pass shows nothing.
    pub fn weakened(&self) -> &[WeakenedTest] {
        &self.weakened
    }
}
