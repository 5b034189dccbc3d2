//! Where genes' files come from: the base commit, the checkout, or nowhere.
//!
//! What must stay true: whatever the source, a gene is shown what the policy does not deny and its grant covers, and a
//! proposal is judged against the base commit.

use std::collections::BTreeSet;
use std::sync::Arc;

use gephost_core::gate::{Base, BaseEntry, FileMode, ParsedChange};
use gephost_core::path::RepoPath;
use gephost_core::policy::Policy;
use gephost_runner::checkout::Checkout;
use gephost_runner::sandbox::{FileKind, Files, ReadFailure, Workspace};
use gephost_runner::worktree::{BaseTree, Node};

/// Files, and the list of them.
#[derive(Debug, Clone)]
pub struct Source {
    files: Arc<dyn Files>,
    list: Arc<[(RepoPath, FileKind)]>,
    is_checkout: bool,
}

impl Source {
    /// The files of the base commit.
    pub fn commit(base: &Arc<BaseTree>) -> Self {
        let kind = |node| match node {
            Node::Directory => None,
            Node::Gitlink => Some(FileKind::Other),
            Node::File { mode: FileMode::Symlink, .. } => Some(FileKind::Symlink),
            Node::File { mode: FileMode::Executable, .. } => Some(FileKind::Executable),
            Node::File { mode: FileMode::Regular, .. } => Some(FileKind::File),
        };
        let list = base.entries().filter_map(|(path, node)| Some((path.clone(), kind(node)?))).collect();
        Self { files: Arc::clone(base) as Arc<dyn Files>, list, is_checkout: false }
    }

    /// The files of the working tree, or of a folder without git.
    pub fn checkout(checkout: Checkout) -> Self {
        let list = checkout.list().into();
        Self { files: Arc::new(checkout), list, is_checkout: true }
    }

    /// No files: for genes none of which may read any.
    pub fn nothing() -> Self {
        Self { files: Arc::new(Nothing), list: Arc::new([]), is_checkout: false }
    }

    /// What genes are shown under this policy, before a grant narrows it.
    pub(super) fn workspace(&self, policy: &Policy) -> Workspace {
        let policy = policy.clone();
        Workspace::new(Arc::clone(&self.files), self.list.iter().cloned(), move |path| !policy.denies(path))
    }

    /// The files that a candidate names and that are not in the checkout as they are in the base: edited, added to the
    /// index, or deleted. Empty where genes read the commit.
    pub(super) fn uncommitted(&self, candidate: &ParsedChange, base: &Base) -> BTreeSet<RepoPath> {
        if !self.is_checkout {
            return BTreeSet::new();
        }
        candidate.base_paths().into_iter().filter(|path| self.differs(path, base)).collect()
    }

    fn differs(&self, path: &RepoPath, base: &Base) -> bool {
        let listed = self.list.binary_search_by(|(other, _)| other.cmp(path)).ok();
        let kind = listed.and_then(|at| self.list.get(at)).map(|(_, kind)| *kind);
        let committed = match base.entries.get(path) {
            Some(BaseEntry::Blob(blob)) => Some(blob),
            Some(BaseEntry::Directory | BaseEntry::Gitlink) | None => None,
        };
        match (committed, kind) {
            (Some(blob), Some(FileKind::Symlink)) => blob.mode != FileMode::Symlink,
            (Some(blob), Some(FileKind::File | FileKind::Executable)) => {
                self.files.read(path).map_or(true, |bytes| bytes[..] != blob.content[..])
            }
            (Some(_), Some(FileKind::Other) | None) => true,
            (None, kind) => kind.is_some_and(|kind| kind != FileKind::Other),
        }
    }
}

/// A workspace without files.
#[derive(Debug)]
struct Nothing;

impl Files for Nothing {
    fn size(&self, _path: &RepoPath) -> Result<u64, ReadFailure> {
        Err(ReadFailure::NotFound)
    }

    fn read(&self, _path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure> {
        Err(ReadFailure::NotFound)
    }

    fn link_target(&self, _path: &RepoPath) -> Result<String, ReadFailure> {
        Err(ReadFailure::NotFound)
    }
}
