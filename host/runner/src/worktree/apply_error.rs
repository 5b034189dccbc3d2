//! Why no commit was made of an approved change.

use super::edit::EditError;
use super::tree_object::TreeError;
use super::{GitError, SignError};

/// Why no commit was made. No ref has changed.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The base is gone.
    #[error("no base commit {commit} in this repository: {source}")]
    NoBase {
        /// The base.
        commit: String,
        /// The reason.
        source: GitError,
    },
    /// An empty difference is no change (invariant 13).
    #[error("the approved change is empty")]
    Empty,
    /// A file and a folder of one name.
    #[error("build the tree: {reason}")]
    Unbuildable {
        /// Which.
        reason: String,
    },
    /// The commit does not hold what was approved, or the base is not what the gate read.
    #[error("the commit differs from the approved change at {path}: nothing was published")]
    NotAsApproved {
        /// The first path that differs, from the repository's root.
        path: String,
    },
    /// git failed.
    #[error("make the commit: {0}")]
    Git(#[from] GitError),
    /// The commit must be signed and is not.
    #[error("sign the commit: {0}")]
    Sign(#[from] SignError),
}

impl From<git2::Error> for ApplyError {
    fn from(error: git2::Error) -> Self {
        Self::Git(error.into())
    }
}

impl From<EditError> for ApplyError {
    fn from(error: EditError) -> Self {
        Self::Unbuildable { reason: error.to_string() }
    }
}

impl From<TreeError> for ApplyError {
    fn from(error: TreeError) -> Self {
        Self::Unbuildable { reason: error.to_string() }
    }
}
