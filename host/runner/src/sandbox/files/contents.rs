//! Where the bytes of a workspace come from, and the bytes that were read: each once, the same for all genes of a cycle.

use std::fmt;
use std::sync::{Arc, OnceLock};

use gephost_core::path::RepoPath;
use gephost_core::recording::Blob;
use serde::{Deserialize, Serialize};

use crate::sandbox::Unread;
use crate::sandbox::bindings::gephost::gene::types::HostError;

/// The largest file that a gene may read, in bytes.
pub(crate) const MAX_FILE_BYTES: u64 = 4 << 20;

/// Where the bytes of a workspace come from. It is asked only for paths of the listing, which are the host's own names.
pub trait Files: fmt::Debug + Send + Sync {
    /// The size of a file in bytes, before it is read.
    fn size(&self, path: &RepoPath) -> Result<u64, Unread>;

    /// The bytes of a file.
    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, Unread>;

    /// The bytes of a file that has at most `most`. A source that can look at the size on the way to the bytes spares
    /// itself the second look here.
    fn read_at_most(&self, path: &RepoPath, most: u64) -> Result<Arc<[u8]>, ContentError> {
        let size = self.size(path).map_err(ContentError::Source)?;
        if size > most {
            return Err(ContentError::TooLarge(size));
        }
        self.read(path).map_err(ContentError::Source)
    }

    /// The path that a symbolic link holds, as it is stored.
    fn link_target(&self, path: &RepoPath) -> Result<String, Unread>;
}

/// What stands at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// A file.
    File,
    /// A file that may be run.
    Executable,
    /// A symbolic link. Shown where it leads to something shown.
    Symlink,
    /// Something that is never shown, but takes its name: a submodule, a device.
    Other,
}

/// One path of a listing, by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FileId(pub(super) u32);

/// Why a file has no bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContentError {
    /// It has more bytes than a gene may read of a file: this many.
    TooLarge(u64),
    /// The source has none.
    Source(Unread),
}

impl From<ContentError> for HostError {
    fn from(error: ContentError) -> Self {
        match error {
            ContentError::Source(unread) => unread.into(),
            ContentError::TooLarge(_) => Self::Failed(error.to_string()),
        }
    }
}

impl fmt::Display for ContentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge(size) => write!(f, "{size} bytes, and the limit is {MAX_FILE_BYTES}"),
            Self::Source(unread) => unread.fmt(f),
        }
    }
}

/// What is known of a file because somebody asked: a recording holds it, so that a replay needs no repository.
#[derive(Debug, Clone, Default)]
pub struct Witnessed {
    /// Its size in bytes, or why there is none.
    pub size: Option<Result<u64, Unread>>,
    /// Its bytes, or why they cannot be read.
    pub content: Option<Result<Blob, Unread>>,
    /// Where a link leads.
    pub target: Option<Result<String, Unread>>,
}

/// A listing and what was read of it.
#[derive(Debug)]
pub(crate) struct Contents {
    files: Arc<dyn Files>,
    listing: Vec<(RepoPath, FileKind)>,
    read: Vec<Read>,
}

#[derive(Debug, Default)]
struct Read {
    size: OnceLock<Result<u64, Unread>>,
    bytes: OnceLock<Result<Blob, ContentError>>,
    target: OnceLock<Result<String, Unread>>,
}

impl Contents {
    /// Sorts the listing. A path that is named twice counts once, as its first kind.
    pub(crate) fn new(files: Arc<dyn Files>, listing: impl IntoIterator<Item = (RepoPath, FileKind)>) -> Self {
        let mut listing: Vec<_> = listing.into_iter().collect();
        listing.sort_by(|a, b| a.0.cmp(&b.0));
        listing.dedup_by(|a, b| a.0 == b.0);
        // More than four billion paths do not fit into memory; were there so many, the last ones would not be shown.
        listing.truncate(u32::MAX as usize);
        let read = listing.iter().map(|_| Read::default()).collect();
        Self { files, listing, read }
    }

    /// Every path, sorted, with its position.
    pub(crate) fn listing(&self) -> impl Iterator<Item = (FileId, &RepoPath, FileKind)> {
        (0..).map(FileId).zip(&self.listing).map(|(id, (path, kind))| (id, path, *kind))
    }

    fn at(&self, id: FileId) -> &(RepoPath, FileKind) {
        self.listing.get(id.0 as usize).expect("an id is a position in the listing that it was made from")
    }

    pub(crate) fn path(&self, id: FileId) -> &RepoPath {
        &self.at(id).0
    }

    pub(crate) fn kind(&self, id: FileId) -> FileKind {
        self.at(id).1
    }

    /// Where a link leads. Asked once, as its bytes are: the tree needs it, and so does every recording.
    pub(crate) fn link_target(&self, id: FileId) -> Result<String, Unread> {
        self.of(id).target.get_or_init(|| self.files.link_target(self.path(id))).clone()
    }

    /// What was asked of a file so far; `None` where that is nothing.
    pub(crate) fn witnessed(&self, id: FileId) -> Option<Witnessed> {
        let read = self.of(id);
        let content = read.bytes.get().cloned().and_then(|bytes| match bytes {
            Ok(bytes) => Some(Ok(bytes)),
            Err(ContentError::Source(unread)) => Some(Err(unread)),
            // Its size says so.
            Err(ContentError::TooLarge(_)) => None,
        });
        let target = (self.kind(id) == FileKind::Symlink).then(|| self.link_target(id));
        let size = match (&content, read.size.get()) {
            (Some(Ok(bytes)), _) => Some(Ok(bytes.bytes().len() as u64)),
            (_, asked) => asked.cloned(),
        };
        let is_known = size.is_some() || content.is_some() || target.is_some();
        is_known.then_some(Witnessed { size, content, target })
    }

    fn of(&self, id: FileId) -> &Read {
        self.read.get(id.0 as usize).expect("as many as the listing has")
    }

    /// The size of a file in bytes.
    pub(crate) fn size(&self, id: FileId) -> Result<u64, Unread> {
        let read = self.of(id);
        if let Some(Ok(bytes)) = read.bytes.get() {
            return Ok(bytes.bytes().len() as u64);
        }
        read.size.get_or_init(|| self.files.size(self.path(id))).clone()
    }

    /// The whole content of a file.
    pub(crate) fn bytes(&self, id: FileId) -> Result<Blob, ContentError> {
        let read = || {
            let bytes = self.files.read_at_most(self.path(id), MAX_FILE_BYTES);
            if let Err(ContentError::TooLarge(size)) = bytes {
                // What is too large to be recorded is told by its size. Where it was asked for before, it stays.
                let _ = self.of(id).size.set(Ok(size));
            }
            bytes.map(Blob::from)
        };
        self.of(id).bytes.get_or_init(read).clone()
    }
}
