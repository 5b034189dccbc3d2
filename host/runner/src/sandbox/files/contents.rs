//! The source of the bytes of a workspace, and a cache: each file is read once, so all genes of a cycle see the same
//! bytes.

use std::fmt;
use std::sync::{Arc, OnceLock};

use gephost_core::path::RepoPath;
use gephost_core::recording::Blob;
use serde::{Deserialize, Serialize};

use crate::sandbox::ReadFailure;
use crate::sandbox::bindings::gephost::gene::types::HostError;

/// Largest file that a gene may read, in bytes.
pub(crate) const MAX_FILE_BYTES: u64 = 4 << 20;

/// The source of the bytes of a workspace. It is asked only for paths of the listing, which the host made.
pub trait Files: fmt::Debug + Send + Sync {
    /// The size of a file in bytes, without reading it.
    fn size(&self, path: &RepoPath) -> Result<u64, ReadFailure>;

    /// The bytes of a file.
    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure>;

    /// The bytes of a file, if it has at most `most`. A source that learns the size when it opens the file can avoid a
    /// second look.
    fn read_at_most(&self, path: &RepoPath, most: u64) -> Result<Arc<[u8]>, ContentError> {
        let size = self.size(path).map_err(ContentError::Source)?;
        if size > most {
            return Err(ContentError::TooLarge(size));
        }
        self.read(path).map_err(ContentError::Source)
    }

    /// The text of a symbolic link, as it is stored.
    fn link_target(&self, path: &RepoPath) -> Result<String, ReadFailure>;
}

/// The kind of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// A file.
    File,
    /// An executable file.
    Executable,
    /// A symbolic link. It is shown if its target is shown.
    Symlink,
    /// Something that is never shown but occupies its name: a submodule or a device.
    Other,
}

/// A path of a listing, by its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct FileId(pub(super) u32);

/// Why a file has no bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContentError {
    /// It has more bytes than a gene may read: this many.
    TooLarge(u64),
    /// The source cannot read it.
    Source(ReadFailure),
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
            Self::TooLarge(size) => write!(f, "{size} bytes, but the limit is {MAX_FILE_BYTES}"),
            Self::Source(unread) => unread.fmt(f),
        }
    }
}

/// What is known of a file because a gene asked. A recording stores it, so a replay needs no repository.
#[derive(Debug, Clone, Default)]
pub struct Witnessed {
    /// Its size in bytes, or why it is unknown.
    pub size: Option<Result<u64, ReadFailure>>,
    /// Its bytes, or why they cannot be read.
    pub content: Option<Result<Blob, ReadFailure>>,
    /// Where a link leads.
    pub target: Option<Result<String, ReadFailure>>,
}

/// A listing, and what was read of it.
#[derive(Debug)]
pub(crate) struct Contents {
    files: Arc<dyn Files>,
    listing: Vec<(RepoPath, FileKind)>,
    read: Vec<Read>,
}

#[derive(Debug, Default)]
struct Read {
    size: OnceLock<Result<u64, ReadFailure>>,
    bytes: OnceLock<Result<Blob, ContentError>>,
    target: OnceLock<Result<String, ReadFailure>>,
}

impl Contents {
    /// Sorts the listing. A path that occurs twice counts once, with its first kind.
    pub(crate) fn new(files: Arc<dyn Files>, listing: impl IntoIterator<Item = (RepoPath, FileKind)>) -> Self {
        let mut listing: Vec<_> = listing.into_iter().collect();
        listing.sort_by(|a, b| a.0.cmp(&b.0));
        listing.dedup_by(|a, b| a.0 == b.0);
        // Four billion paths do not fit into memory. If there were more, the last ones would not be shown.
        listing.truncate(u32::MAX as usize);
        let read = listing.iter().map(|_| Read::default()).collect();
        Self { files, listing, read }
    }

    /// Every path with its position, sorted.
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

    /// The target of a link. It is asked for once, like the bytes, because the tree and every recording need it.
    pub(crate) fn link_target(&self, id: FileId) -> Result<String, ReadFailure> {
        self.of(id).target.get_or_init(|| self.files.link_target(self.path(id))).clone()
    }

    /// What was asked about a file so far. `None` if nothing was.
    pub(crate) fn witnessed(&self, id: FileId) -> Option<Witnessed> {
        let read = self.of(id);
        let content = read.bytes.get().cloned().and_then(|bytes| match bytes {
            Ok(bytes) => Some(Ok(bytes)),
            Err(ContentError::Source(unread)) => Some(Err(unread)),
            // The size tells that.
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
    pub(crate) fn size(&self, id: FileId) -> Result<u64, ReadFailure> {
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
                // For a file that is too large to be recorded, the size is recorded. If the size was asked for before,
                // that answer stays.
                let _ = self.of(id).size.set(Ok(size));
            }
            bytes.map(Blob::from)
        };
        self.of(id).bytes.get_or_init(read).clone()
    }
}
