//! The files of a commit, as genes read them.

use std::sync::Arc;

use gephost_core::path::{MAX_PATH_BYTES, RepoPath};

use super::MAX_BLOB_BYTES;
use crate::sandbox::{ContentError, Files, ReadFailure};
use crate::worktree::{BaseTree, ReadError};

impl Files for BaseTree {
    fn size(&self, path: &RepoPath) -> Result<u64, ReadFailure> {
        Self::size(self, path).map_err(|error| ReadFailure::Failed(error.to_string()))
    }

    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure> {
        Self::read(self, path, MAX_BLOB_BYTES).map_err(|error| ReadFailure::Failed(error.to_string()))
    }

    fn read_at_most(&self, path: &RepoPath, most: u64) -> Result<Arc<[u8]>, ContentError> {
        Self::read(self, path, most).map_err(|error| match error {
            ReadError::TooLarge { size, .. } => ContentError::TooLarge(size),
            other => ContentError::Source(ReadFailure::Failed(other.to_string())),
        })
    }

    fn link_target(&self, path: &RepoPath) -> Result<String, ReadFailure> {
        // The text of a link is its blob.
        let target = Self::read(self, path, MAX_PATH_BYTES as u64).map_err(|_| ReadFailure::NotFound)?;
        String::from_utf8(target.to_vec()).map_err(|_| ReadFailure::NotFound)
    }
}
