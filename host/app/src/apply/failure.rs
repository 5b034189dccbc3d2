//! Why a cycle published nothing, for a reason that is not the change's.

use gephost_core::digest::AssetError;
use gephost_runner::event_log::LogError;
use gephost_runner::journal::{JournalError, SettleError, Settled};
use gephost_runner::registry::RegistryError;
use gephost_runner::worktree::{ApplyError, IdentityError, LandError, PublishError, RefError, WorkCopyError};

use crate::error::{AppError, ErrorKind};
use crate::stops::StopSign;

/// Why nothing was published, for a reason that is not the change's.
#[derive(Debug, thiserror::Error)]
pub enum ApplyFailure {
    /// The log cannot be written, so nothing else was.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The assets cannot be written.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// An asset cannot be made.
    #[error("failed to make an asset: {0}")]
    Asset(#[from] AssetError),
    /// The commit cannot be made.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// The branch cannot be made.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// It is published, and what began to land could neither be finished nor undone.
    #[error(transparent)]
    Land(#[from] LandError),
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// It went wrong when the branch was there already; the rest was done then.
    #[error("{error}; then {}", settled.outcome)]
    Settled {
        /// What went wrong.
        error: Box<ApplyFailure>,
        /// How it was settled.
        settled: Settled,
    },
    /// It went wrong, and settling did too.
    #[error("{error}; the next start of gephost finishes or undoes it, since now: {also}")]
    Unsettled {
        /// What went wrong first.
        error: Box<ApplyFailure>,
        /// What went wrong then.
        also: Box<SettleError>,
    },
    /// A work copy cannot be made.
    #[error(transparent)]
    WorkCopy(#[from] WorkCopyError),
    /// The config names nobody.
    #[error("`apply.author_name` or `apply.author_email`: {0}")]
    Identity(#[from] IdentityError),
    /// Somebody or something stopped it.
    #[error(transparent)]
    Stopped(#[from] StopSign),
}

impl ApplyFailure {
    /// Whether somebody stopped it, and nothing failed.
    pub fn is_stop(&self) -> bool {
        matches!(self, Self::Stopped(_))
    }
}

impl From<ApplyFailure> for AppError {
    fn from(failure: ApplyFailure) -> Self {
        let (kind, code) = failure.kind();
        let error = Self::new(kind, code, failure.to_string());
        let hint = match &failure {
            ApplyFailure::Stopped(sign) => sign.hint(),
            _ => None,
        };
        match hint {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

impl ApplyFailure {
    /// The kind and the code of the error.
    fn kind(&self) -> (ErrorKind, &'static str) {
        match self {
            Self::Stopped(sign) => sign.kind(),
            Self::Identity(_) => (ErrorKind::Usage, "config"),
            Self::Publish(PublishError::BaseMoved { .. }) => (ErrorKind::Conflict, "base_moved"),
            Self::Land(_) => (ErrorKind::Failed, "land"),
            Self::Publish(
                PublishError::InTheWay { .. }
                | PublishError::Taken { .. }
                | PublishError::Ref { source: RefError::Locked { .. }, .. },
            ) => (ErrorKind::Conflict, "publish"),
            Self::Settled { error, .. } | Self::Unsettled { error, .. } => error.kind(),
            _ => (ErrorKind::Failed, "apply"),
        }
    }
}
