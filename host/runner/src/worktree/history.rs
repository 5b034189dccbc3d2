//! Finds the commit that was checked out at a time, as far as history tells.

use git2::Oid;
use jiff::Timestamp;

use super::{GitError, Project};

/// Most commits that are looked at.
const MAX_COMMITS: usize = 1_000_000;

impl Project {
    /// The newest commit that is no newer than `at`, following first parents from `HEAD`, by committer's time; `None` if there
    /// is none. A clock that went back between two commits makes the answer older, never newer.
    pub fn commit_at(&self, at: Timestamp) -> Result<Option<String>, GitError> {
        let repository = self.repository();
        let mut id: Oid = repository.head()?.peel_to_commit()?.id();
        for _ in 0..MAX_COMMITS {
            let commit = repository.find_commit(id)?;
            if commit.time().seconds() <= at.as_second() {
                return Ok(Some(id.to_string()));
            }
            match commit.parent_id(0) {
                Ok(parent) => id = parent,
                Err(_) => break,
            }
        }
        Ok(None)
    }
}
