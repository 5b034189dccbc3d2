//! Why a folder cannot be read.

use std::io;

use crate::worktree::GitError;

/// Most names that are read in a folder without git.
pub(super) const MAX_NAMES: usize = 100_000;

/// Why a folder cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CheckoutError {
    /// The folder cannot be opened.
    #[error("cannot open the project's folder: {0}")]
    Folder(#[from] io::Error),
    /// The tracked files cannot be determined: the index is broken, or libgit2 cannot read it (sparse or split).
    #[error("cannot list the files that git tracks: {0}; `reads = \"commit\"` in `[genes]` needs no index")]
    Index(#[from] GitError),
    /// A folder without git has too many names.
    #[error(
        "this folder is in no git repository and has more than {} files and folders: name a smaller one with -C",
        MAX_NAMES
    )]
    TooManyFiles,
}
