//! The base of a review: the entries of one commit's tree that the change names, as data.

use std::collections::BTreeMap;

use super::BlobState;
use crate::path::RepoPath;

/// What the base commit holds at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BaseEntry {
    /// A file or a symlink, with its bytes.
    Blob(BlobState),
    /// A directory.
    Directory,
    /// A submodule.
    Gitlink,
}

/// A snapshot of the base commit, for the paths of one patch and every directory above them. A path that is not in
/// `entries` does not exist in the commit. More files may be there: programs among them that load a changed text make the
/// gate read that text as code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Base {
    /// Full hexadecimal id of the commit.
    pub commit: String,
    /// What the commit holds, by path.
    pub entries: BTreeMap<RepoPath, BaseEntry>,
    /// Paths of the whole commit that differ from a new path of the patch only in letter case or Unicode form.
    pub case_collisions: Vec<RepoPath>,
    /// Programs of the commit that were not searched for a line that runs a changed text, because they are too many or
    /// too long. The verdict says so.
    pub unsearched: u64,
}
