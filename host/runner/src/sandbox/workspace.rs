//! The files of the base commit that the policy shows.
//!
//! A guest's path is resolved by [`files`](super::files), like a path of `wasi:filesystem`. It never reaches git or the
//! operating system (invariant 7). A gene cannot tell a denied file from a missing one. A link to something that is
//! shown is listed as a link, and read as its target.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gephost_core::path::RepoPath;
use gephost_core::pattern::PathGlob;
use gephost_core::recording::Blob;

use super::bindings::gephost::gene::types::HostError;
use super::bindings::gephost::gene::workspace::{Entry, EntryKind};
use super::files::{Child, Contents, FileId, FileKind, Files, MAX_AHEAD, Names, Tree, Witnessed, walk};
use super::search::MAX_ANSWERS;

/// The result of a listing.
pub(super) type Listed = Result<Vec<Entry>, HostError>;

/// Decides where a gene may create something, for a workspace that does not know the hidden names.
pub(super) trait CreateCheck: Send + Sync {
    /// As [`Workspace::may_create`].
    fn may_create(&self, path: &RepoPath) -> bool;
}

/// The files that genes see.
pub struct Workspace {
    tree: Tree,
    contents: Arc<Contents>,
    is_visible: Arc<dyn Fn(&RepoPath) -> bool + Send + Sync>,
    /// Decides where something can be created, if this workspace cannot.
    elsewhere: Option<Arc<dyn CreateCheck>>,
    /// The paths at which a gene was not allowed to create something, in its own spelling. A replay needs them to
    /// refuse them again.
    refused: Mutex<BTreeSet<RepoPath>>,
    /// The written form of the names.
    written_names: OnceLock<Blob>,
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace").field("contents", &self.contents).finish_non_exhaustive()
    }
}

impl Workspace {
    /// A workspace of the files for which `is_visible` holds. It also decides where new files may be.
    pub fn new(
        files: Arc<dyn Files>,
        list: impl IntoIterator<Item = (RepoPath, FileKind)>,
        is_visible: impl Fn(&RepoPath) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self::over(Arc::new(Contents::new(files, list)), Arc::new(is_visible))
    }

    /// The same files and the bytes read so far, without those that `is_visible` hides.
    #[must_use]
    pub fn narrowed(&self, is_visible: impl Fn(&RepoPath) -> bool + Send + Sync + 'static) -> Self {
        let wider = Arc::clone(&self.is_visible);
        Self::over(Arc::clone(&self.contents), Arc::new(move |path| wider(path) && is_visible(path)))
    }

    fn over(contents: Arc<Contents>, is_visible: Arc<dyn Fn(&RepoPath) -> bool + Send + Sync>) -> Self {
        let tree = Tree::new(&contents, &*is_visible);
        let (refused, written_names) = Default::default();
        Self { tree, contents, is_visible, elsewhere: None, refused, written_names }
    }

    /// A copy of the workspace of another process. All of the listing is shown, and `room` knows the hidden names.
    pub(super) fn copy_of(
        files: Arc<dyn Files>,
        list: impl IntoIterator<Item = (RepoPath, FileKind)>,
        check: Arc<dyn CreateCheck>,
    ) -> Self {
        Self { elsewhere: Some(check), ..Self::new(files, list, |_| true) }
    }

    /// Every file and link that is shown, and the target of each link. A copy is made from this.
    pub(super) fn listing(&self) -> impl Iterator<Item = (&str, FileKind, Option<&str>)> {
        self.shown().map(|(path, id)| (path.as_str(), self.contents.kind(id), self.tree.target(id)))
    }

    /// A file or a link that is shown, by its name in [`Workspace::listing`].
    pub(super) fn listed(&self, path: &str) -> Option<FileId> {
        let shown = self.tree.shown();
        let at = shown.binary_search_by(|id| self.contents.path(*id).as_str().cmp(path)).ok()?;
        shown.get(at).copied()
    }

    /// The names, shown and hidden.
    pub(super) fn tree(&self) -> &Tree {
        &self.tree
    }

    /// The listing and its bytes.
    pub(super) fn contents(&self) -> &Contents {
        &self.contents
    }

    /// Whether a gene may create something at a path: whether it could see a file there. What is there now does not count,
    /// so the answer reveals nothing; the gate refuses a file in the place of something hidden.
    pub(super) fn may_create(&self, path: &RepoPath) -> bool {
        if let Some(check) = &self.elsewhere {
            return check.may_create(path);
        }
        let may = (self.is_visible)(path);
        if !may {
            self.refused.lock().unwrap_or_else(PoisonError::into_inner).insert(path.clone());
        }
        may
    }

    /// Every file and link that is shown, sorted by path.
    pub fn names(&self) -> impl Iterator<Item = (&RepoPath, FileKind)> {
        self.shown().map(|(path, id)| (path, self.contents.kind(id)))
    }

    /// The result of `write`, which is called once.
    pub(crate) fn written_names<E>(&self, write: impl FnOnce(&Self) -> Result<Vec<u8>, E>) -> Result<Blob, E> {
        if let Some(written) = self.written_names.get() {
            return Ok(written.clone());
        }
        let written = Blob::from(write(self)?);
        Ok(self.written_names.get_or_init(|| written).clone())
    }

    /// The files and links that a gene asked about, and what it learned.
    pub fn witnessed(&self) -> impl Iterator<Item = (&RepoPath, Witnessed)> {
        self.shown().filter_map(|(path, id)| Some((path, self.contents.witnessed(id)?)))
    }

    /// The paths at which a gene was not allowed to create something.
    pub fn refused(&self) -> Vec<RepoPath> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner).iter().cloned().collect()
    }

    /// What a path leads to, after following links. If it leads nowhere, the error says nothing else.
    fn resolve(&self, path: &str) -> Result<Child<<&Tree as Names>::Directory, FileId>, HostError> {
        let place = walk(&mut &self.tree, Tree::ROOT, path, true).map_err(|_| HostError::NotFound)?;
        place.found.ok_or(HostError::NotFound)
    }

    /// The whole content of a shown file. It is read once, so all genes of a cycle see the same bytes.
    pub(super) fn content(&self, path: &str) -> Result<Blob, HostError> {
        match self.resolve(path)? {
            Child::File(file) => self.bytes(file),
            // A link at the end was followed.
            Child::Directory(_) | Child::Link(..) => Err(HostError::NotFound),
        }
    }

    fn bytes(&self, file: FileId) -> Result<Blob, HostError> {
        self.contents.bytes(file).map_err(HostError::from)
    }

    /// The entries of a directory. Their paths begin with the directory as the guest spelled it. An error of `in_time`
    /// ends it.
    pub(super) fn list(
        &self,
        directory: &str,
        mut in_time: impl FnMut() -> wasmtime::Result<()>,
    ) -> wasmtime::Result<Listed> {
        let id = match self.resolve(if directory.is_empty() { "." } else { directory }) {
            Ok(Child::Directory(id)) => id,
            Ok(_) => return Ok(Err(HostError::NotFound)),
            Err(error) => return Ok(Err(error)),
        };
        let prefix = if directory.is_empty() { String::new() } else { format!("{directory}/") };
        let entries = self.tree.children_after(id, None).map(|(name, child)| {
            in_time()?;
            let (kind, size) = match child {
                Child::Directory(_) => (EntryKind::Directory, 0),
                Child::File(file) => (EntryKind::File, self.size(file)),
                Child::Link(..) => (EntryKind::Symlink, 0),
            };
            Ok(Entry { path: format!("{prefix}{name}"), kind, size })
        });
        entries.collect::<wasmtime::Result<_>>().map(Ok)
    }

    pub(super) fn glob(
        &self,
        matcher: &PathGlob,
        limit: u32,
        mut in_time: impl FnMut() -> wasmtime::Result<()>,
    ) -> wasmtime::Result<Vec<Entry>> {
        let limit = limit.min(MAX_ANSWERS) as usize;
        let found = self.matching(matcher, limit, &mut in_time)?;
        let mut entries = Vec::with_capacity(found.len());
        for some in found.chunks(MAX_AHEAD) {
            self.contents.sizes_ahead(some.iter().copied());
            for &file in some {
                in_time()?;
                let (kind, size) = match self.contents.kind(file) {
                    FileKind::Symlink => (EntryKind::Symlink, 0),
                    _ => (EntryKind::File, self.size(file)),
                };
                entries.push(Entry { path: self.contents.path(file).as_str().to_owned(), kind, size });
            }
        }
        Ok(entries)
    }

    /// The files and links that are shown and match, sorted by path, at most `limit`.
    pub(super) fn matching(
        &self,
        matcher: &PathGlob,
        limit: usize,
        mut in_time: impl FnMut() -> wasmtime::Result<()>,
    ) -> wasmtime::Result<Vec<FileId>> {
        let mut found = Vec::new();
        for (path, file) in self.shown() {
            if found.len() == limit {
                break;
            }
            in_time()?;
            if matcher.is_match(path.as_str()) {
                found.push(file);
            }
        }
        Ok(found)
    }

    /// Every file and link that is shown, sorted by path.
    pub(super) fn shown(&self) -> impl Iterator<Item = (&RepoPath, FileId)> {
        self.tree.shown().iter().map(|&file| (self.contents.path(file), file))
    }

    /// The size of a file. It is 0 if its source cannot tell; reading the file gives the reason.
    fn size(&self, file: FileId) -> u64 {
        self.contents.size(file).unwrap_or_default()
    }
}
