//! Why a branch was not moved.

use std::io;
use std::path::{Path, PathBuf};

use super::super::GitError;
use super::super::refs::RefError;
use super::super::tree_object::TreeError;

/// Why the branch was not moved. Everything is as it was, but for [`LandError::HalfWay`].
#[derive(Debug, thiserror::Error)]
pub enum LandError {
    /// `HEAD` names a commit and no branch.
    #[error("no branch is checked out")]
    Detached,
    /// The branch is not where it was.
    #[error("{into} is no longer checked out at {from}")]
    Moved {
        /// The branch.
        into: String,
        /// Where it should be.
        from: String,
    },
    /// An operation of git was begun and not ended.
    #[error("a {0} is in progress")]
    InProgress(&'static str),
    /// Another checkout has the same branch.
    #[error("{} has {into} checked out too", checkout.display())]
    CheckedOutTwice {
        /// The branch.
        into: String,
        /// The other checkout.
        checkout: PathBuf,
    },
    /// Paths of the index have conflicts.
    #[error("the index has conflicts that are not resolved")]
    Unmerged,
    /// A file that must not be touched.
    #[error("{path}: {why}")]
    Path {
        /// From the repository's root.
        path: String,
        /// Why not.
        why: &'static str,
    },
    /// Another git process is at work on the index, or one was killed there.
    #[error("{lock} exists: another git process is working, or one was killed; if none is working, remove that file")]
    Locked {
        /// The lock file.
        lock: String,
    },
    /// The branch cannot be written.
    #[error("move {into}: {source}")]
    Ref {
        /// The branch.
        into: String,
        /// The reason.
        source: RefError,
    },
    /// It went wrong when files had been exchanged: [`settle_landed`](super::settle_landed) undoes or finishes it.
    #[error(transparent)]
    HalfWay(Box<LandError>),
    /// git failed.
    #[error("{0}")]
    Git(#[from] GitError),
    /// A broken tree.
    #[error("{0}")]
    Tree(String),
    /// The system refused.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl From<git2::Error> for LandError {
    fn from(error: git2::Error) -> Self {
        Self::Git(error.into())
    }
}

impl From<TreeError> for LandError {
    fn from(error: TreeError) -> Self {
        Self::Tree(error.to_string())
    }
}

pub(super) fn io(path: &Path) -> impl Fn(io::Error) -> LandError + use<> {
    let path = path.display().to_string();
    move |source| LandError::Io { path: path.clone(), source }
}

pub(super) fn refused(path: &[u8], why: &'static str) -> LandError {
    LandError::Path { path: String::from_utf8_lossy(path).into_owned(), why }
}
