//! Why a published change was not taken back.

use gephost_core::digest::AssetError;
use gephost_runner::event_log::LogError;
use gephost_runner::journal::{JournalError, SettleError};
use gephost_runner::registry::RegistryError;
use gephost_runner::worktree::{DropError, GitError, IdentityError, LandError, PublishError, RevertError};

use crate::error::{AppError, ErrorKind};

/// Why a change was not taken back.
#[derive(Debug, thiserror::Error)]
pub enum RollbackFailure {
    /// The branch must stay.
    #[error(transparent)]
    Drop(#[from] DropError),
    /// It has landed where `HEAD` is not.
    #[error(
        "{branch} is in {other} and not in what is checked out: check out a branch that has it, and run the command again"
    )]
    Elsewhere {
        /// The branch.
        branch: String,
        /// The ref that has it.
        other: String,
    },
    /// The commit that undoes it cannot be made.
    #[error("undo {branch}, which has landed: {source}")]
    Revert {
        /// The branch.
        branch: String,
        /// The reason.
        source: RevertError,
    },
    /// Its branch cannot be made.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// What began to land could neither be finished nor undone.
    #[error(transparent)]
    Land(#[from] LandError),
    /// The log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The assets.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// An asset cannot be made.
    #[error("failed to make an asset: {0}")]
    Asset(#[from] AssetError),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The repository.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The config names nobody.
    #[error("`apply.author_name` or `apply.author_email`: {0}")]
    Identity(#[from] IdentityError),
    /// It went wrong, and settling did too.
    #[error("{error}; the next start of gephost finishes or undoes it, since now: {also}")]
    Unsettled {
        /// What went wrong first.
        error: Box<RollbackFailure>,
        /// What went wrong then.
        also: Box<SettleError>,
    },
}

impl From<RollbackFailure> for AppError {
    fn from(failure: RollbackFailure) -> Self {
        let (kind, code) = match &failure {
            RollbackFailure::Drop(DropError::Git { .. } | DropError::Io { .. }) => (ErrorKind::Failed, "rollback"),
            RollbackFailure::Drop(_) | RollbackFailure::Elsewhere { .. } | RollbackFailure::Revert { .. } => {
                (ErrorKind::Conflict, "depended_on")
            }
            RollbackFailure::Publish(PublishError::BaseMoved { .. }) => (ErrorKind::Conflict, "base_moved"),
            RollbackFailure::Identity(_) => (ErrorKind::Usage, "config"),
            _ => (ErrorKind::Failed, "rollback"),
        };
        Self::new(kind, code, failure.to_string())
    }
}
