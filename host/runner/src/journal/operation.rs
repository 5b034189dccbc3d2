//! What a journal file says. A written form: a member is added, never changed or removed; the version says what a reader
//! must know.

use gephost_core::event_log::{AppliedAssets, EntryBody, Tried};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::registry::AssetDocuments;
use crate::worktree::{Forward, Mark};

/// The version of the form.
const FORMAT: u64 = 1;

/// One operation, as far as it came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperationFile {
    v: u64,
    /// When it began, RFC 3339.
    pub at: String,
    /// How what it leaves in a git folder is known.
    pub mark: Mark,
    /// What it does.
    pub operation: Operation,
}

/// What an operation does, and how far it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Operation {
    /// Approved candidates are made and validated, and the best of them is published.
    Cycle {
        /// Id of the cycle.
        cycle: String,
        /// Ids of the proposals, best first.
        candidates: Vec<String>,
        /// There once the validations have ended and what follows is decided.
        publishing: Option<Box<Publishing>>,
    },
    /// A published change is taken back.
    Rollback(Box<Rollback>),
}

/// A published change that is taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rollback {
    /// Id of the proposal.
    pub proposal: String,
    /// The published branch.
    pub branch: String,
    /// Full hexadecimal id of its commit.
    pub commit: String,
    /// Why.
    pub reason: String,
    /// What it left in the assets.
    pub assets: AppliedAssets,
    /// The event that says so, for the assets.
    pub event: Option<Map<String, Value>>,
    /// The commit that undoes it, where it had landed; without it the branch is dropped.
    pub revert: Option<Revert>,
}

/// How a cycle ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Publishing {
    /// What is published; absent where nothing held.
    pub winner: Option<Winner>,
    /// What becomes of each candidate.
    pub tried: Vec<Tried>,
    /// What the assets must hold.
    pub assets: AssetDocuments,
}

/// What a cycle publishes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Winner {
    /// Id of the proposal.
    pub proposal: String,
    /// Its branch, before a number is put to its name.
    pub branch: String,
    /// Full hexadecimal id of its commit.
    pub commit: String,
    /// What the log must say of it, with the branch as it was meant.
    pub applied: EntryBody,
    /// The branch that is moved forward afterwards, once that begins.
    pub landing: Option<Landing>,
}

/// The commit that undoes a landed change.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revert {
    /// Its branch, before a number is put to its name.
    pub branch: String,
    /// Its full hexadecimal id.
    pub commit: String,
    /// The branch that is moved forward afterwards, once that begins.
    pub landing: Option<Landing>,
}

/// A branch that is moved forward, with the working tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Landing {
    /// Its name, without `refs/heads/`.
    pub into: String,
    /// Full hexadecimal id of the commit where it is.
    pub from: String,
    /// Full hexadecimal id of the commit where it must be.
    pub to: String,
}

impl Landing {
    /// The same for the repository.
    pub fn forward(&self) -> Forward<'_> {
        Forward { into: &self.into, from: &self.from, to: &self.to }
    }
}

impl OperationFile {
    pub(super) fn new(at: Timestamp, mark: Mark, operation: Operation) -> Self {
        Self { v: FORMAT, at: at.to_string(), mark, operation }
    }

    /// What is wrong with a file that was read.
    pub(super) fn check(&self) -> Result<(), String> {
        match self.v {
            FORMAT => Ok(()),
            later => Err(format!("it has form {later}, and this version of gephost knows form {FORMAT}")),
        }
    }

    /// One line for a person.
    pub fn describe(&self) -> String {
        let what = match &self.operation {
            Operation::Cycle { cycle, publishing: None, .. } => format!("cycle {cycle}, not yet validated"),
            Operation::Cycle { cycle, publishing: Some(publishing), .. } => match &publishing.winner {
                Some(Winner { branch, landing: Some(landing), .. }) => {
                    format!("cycle {cycle}, landing {branch} in {}", landing.into)
                }
                Some(winner) => format!("cycle {cycle}, publishing {}", winner.branch),
                None => format!("cycle {cycle}, in which nothing held"),
            },
            Operation::Rollback(rollback) => format!("rollback of {}", rollback.branch),
        };
        format!("{what}, begun at {}", self.at)
    }
}

impl Operation {
    /// What its file is called: a cycle at a time has its id, and one rollback a proposal.
    pub(super) fn name(&self) -> &str {
        match self {
            Self::Cycle { cycle, .. } => cycle,
            Self::Rollback(rollback) => &rollback.proposal,
        }
    }
}
