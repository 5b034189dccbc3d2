//! Reads the files of the working tree as they are now. This is the second source of what genes see (`[genes] reads =
//! "checkout"`), and the only one outside a git repository. Every file of the user's project is opened here.
//!
//! Invariants: a path reaches the system only if the host listed it. Nothing outside the folder is opened, no link is
//! followed, no read blocks, and a file that also has a denied name is not shown (`links`). A file that was removed or
//! replaced since the listing is not found. Nothing is cached, so two reads may differ.

mod commit;
mod error;
mod links;
mod list;
mod open;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::sync::Arc;

use gephost_core::path::RepoPath;
use git2::{ObjectType, Oid};
use rustix::fs::Stat;

use crate::sandbox::{ContentError, FileKind, Files, ReadFailure};
use crate::worktree::Project;
pub use error::CheckoutError;
use error::MAX_NAMES;
use links::{Links, Standing, links};
use open::{Root, Unreached};

/// The largest file that is read from a commit or a checkout, in bytes.
pub const MAX_BLOB_BYTES: u64 = 16 << 20;

/// The policy's decision on a path.
pub type IsShown = Arc<dyn Fn(&RepoPath) -> bool + Send + Sync>;

/// The files of a folder, with their present content.
pub struct Checkout {
    root: Root,
    /// The content that git has for a tracked path; `None` outside a repository.
    tracked: BTreeMap<RepoPath, Oid>,
    listed: Vec<(RepoPath, FileKind)>,
    is_shown: IsShown,
    links: Links,
}

impl fmt::Debug for Checkout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkout").field("root", &self.root).field("listed", &self.listed.len()).finish_non_exhaustive()
    }
}

impl Checkout {
    /// What git tracks in a project, as it is in the working tree. Missing files (deleted, or left out by a sparse
    /// checkout), submodules, and names that are not a [`RepoPath`] are not listed.
    pub fn of_project(project: &Project, is_shown: IsShown) -> Result<Self, CheckoutError> {
        let tracked: BTreeMap<RepoPath, Oid> = project.tracked()?.into_iter().collect();
        let root = Root::open(project.root())?;
        let listed = list::present(&root, tracked.keys());
        Ok(Self { root, tracked, listed, is_shown, links: Links::default() })
    }

    /// Every file of a folder outside a repository, except those that `is_shown` hides and names that start with a dot.
    /// At most 100,000 names are read.
    pub fn of_folder(folder: &Path, is_shown: IsShown) -> Result<Self, CheckoutError> {
        let root = Root::open(folder)?;
        let is_shown: IsShown = Arc::new(move |path| !has_dot_name(path) && is_shown(path));
        let listed = list::everything(&root, &*is_shown, MAX_NAMES)?;
        Ok(Self { root, tracked: BTreeMap::new(), listed, is_shown, links: Links::default() })
    }

    /// The files and links, sorted. The policy still decides which of them are shown.
    pub fn list(&self) -> &[(RepoPath, FileKind)] {
        &self.listed
    }

    /// Opens a regular file, if nothing about the file itself forbids showing it.
    fn open(&self, path: &RepoPath) -> Result<(File, Stat), ReadFailure> {
        let (handle, stat) = self.root.file(path.as_str().as_bytes())?;
        Ok((File::from(handle), stat))
    }

    /// Whether a file with several names may be shown under this one.
    fn may_show(&self, path: &RepoPath, stat: &Stat, bytes: impl FnOnce() -> Result<Vec<u8>, ContentError>) -> bool {
        if links(stat) <= 1 {
            return true;
        }
        match self.links.standing(&self.root, &*self.is_shown, stat) {
            Standing::Shown => true,
            Standing::Hidden => false,
            Standing::Unknown => self.tracked.get(path).is_some_and(|tracked| {
                bytes().is_ok_and(|bytes| Oid::hash_object(ObjectType::Blob, &bytes).is_ok_and(|id| id == *tracked))
            }),
        }
    }
}

/// Outside a repository, tracking does not show which files belong to the project. Names that start with a dot are
/// often settings and keys (`.ssh`, `.netrc`), so they count as denied.
fn has_dot_name(path: &RepoPath) -> bool {
    path.as_str().split('/').any(|name| name.starts_with('.'))
}

/// The present bytes of an open file, if there are at most `most`. A file that grows while it is read is refused.
fn bytes(file: &File, size: u64, most: u64) -> Result<Vec<u8>, ContentError> {
    if size > most {
        return Err(ContentError::TooLarge(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size + 1).unwrap_or_default());
    let read = file.take(most + 1).read_to_end(&mut bytes);
    read.map_err(|error| ContentError::Source(refused(error)))?;
    let read = bytes.len() as u64;
    if read > most { Err(ContentError::TooLarge(read)) } else { Ok(bytes) }
}

fn size(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or_default()
}

/// The system's error without the path, which the gene knows.
fn refused(error: io::Error) -> ReadFailure {
    ReadFailure::Failed(format!("cannot be read: {}", error.kind()))
}

impl From<Unreached> for ReadFailure {
    fn from(unreached: Unreached) -> Self {
        match unreached {
            Unreached::Gone => Self::NotFound,
            Unreached::Refused(error) => refused(error),
        }
    }
}

impl Files for Checkout {
    fn size(&self, path: &RepoPath) -> Result<u64, ReadFailure> {
        let (file, stat) = self.open(path)?;
        let size = size(&stat);
        if self.may_show(path, &stat, || bytes(&file, size, MAX_BLOB_BYTES)) {
            Ok(size)
        } else {
            Err(ReadFailure::NotFound)
        }
    }

    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure> {
        self.read_at_most(path, MAX_BLOB_BYTES).map_err(|error| match error {
            ContentError::TooLarge(size) => {
                ReadFailure::Failed(format!("{size} bytes, more than the {MAX_BLOB_BYTES} that are read"))
            }
            ContentError::Source(unread) => unread,
        })
    }

    fn read_at_most(&self, path: &RepoPath, most: u64) -> Result<Arc<[u8]>, ContentError> {
        let (file, stat) = self.open(path).map_err(ContentError::Source)?;
        let size = size(&stat);
        let bytes = bytes(&file, size, most);
        let shown = match &bytes {
            Ok(bytes) => self.may_show(path, &stat, || Ok(bytes.clone())),
            // That a file is too large is only reported if it may be shown.
            Err(_) => self.may_show(path, &stat, || self::bytes(&file, size, MAX_BLOB_BYTES)),
        };
        if shown { bytes.map(Arc::from) } else { Err(ContentError::Source(ReadFailure::NotFound)) }
    }

    fn link_target(&self, path: &RepoPath) -> Result<String, ReadFailure> {
        let handle = self.root.name(path.as_str().as_bytes())?;
        let target = rustix::fs::readlinkat(&handle, c"", Vec::new()).map_err(|_| ReadFailure::NotFound)?;
        // A name that is not UTF-8 is never shown.
        target.into_string().map_err(|_| ReadFailure::NotFound)
    }
}
