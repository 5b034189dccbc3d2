//! What the user has under way in the checkout, told as notes. Reads only: the index is not refreshed on disk.
//!
//! gephost works from commits, so none of this stops a run; it explains why a gene does not see an edit.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use gephost_core::config::CONFIG_FILE;
use git2::{RepositoryState, Status, StatusOptions};

use super::{GitError, Project};

/// What the user has under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckoutState {
    /// Whether a tracked file differs from `HEAD`, or an untracked one is there that is not ignored. A new `gephost.toml`
    /// does not count: gephost reads it as it is.
    pub dirty: bool,
    /// The operation that was begun and not ended, such as "merge" or "rebase".
    pub operation: Option<String>,
}

impl Project {
    /// Looks at the whole checkout. Takes one `lstat` a tracked file. Submodules count by their commit only.
    pub fn state(&self) -> Result<CheckoutState, GitError> {
        let repository = self.repository();
        let operation = operation_name(repository.state()).map(str::to_owned);
        let mut options = StatusOptions::new();
        options.include_untracked(true).recurse_untracked_dirs(false).include_ignored(false).exclude_submodules(true);
        let index = repository.index()?;
        let statuses = repository.statuses(Some(&mut options))?;
        let dirty = statuses.iter().any(|entry| {
            let left_out_by_sparse_checkout = entry.status() == Status::WT_DELETED
                && index.find_prefix(entry.path_bytes()).ok().and_then(|at| index.get(at)).is_some_and(|found| {
                    found.path == entry.path_bytes()
                        && found.flags_extended & git2::IndexEntryExtendedFlag::SKIP_WORKTREE.bits() != 0
                });
            let is_new_config = entry.status() == Status::WT_NEW
                && Path::new(OsStr::from_bytes(entry.path_bytes())).file_name() == Some(OsStr::new(CONFIG_FILE));
            !left_out_by_sparse_checkout && !is_new_config
        });
        Ok(CheckoutState { dirty, operation })
    }
}

pub(super) fn operation_name(state: RepositoryState) -> Option<&'static str> {
    Some(match state {
        RepositoryState::Clean => return None,
        RepositoryState::Merge => "merge",
        RepositoryState::Revert | RepositoryState::RevertSequence => "revert",
        RepositoryState::CherryPick | RepositoryState::CherryPickSequence => "cherry-pick",
        RepositoryState::Bisect => "bisect",
        RepositoryState::Rebase | RepositoryState::RebaseInteractive | RepositoryState::RebaseMerge => "rebase",
        RepositoryState::ApplyMailbox | RepositoryState::ApplyMailboxOrRebase => "am",
    })
}
