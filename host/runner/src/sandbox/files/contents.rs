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

/// How many files a source is asked for at once.
pub(crate) const MAX_AHEAD: usize = 512;

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

    /// The sizes of the first of these files, if each question costs much more than an answer. Otherwise nothing.
    fn sizes_ahead(&self, _paths: &[&RepoPath]) -> Vec<Result<u64, ReadFailure>> {
        Vec::new()
    }

    /// The bytes of the first of these files, as [`Files::read_at_most`] gives them, if several at once cost much less than
    /// one by one. Otherwise nothing.
    fn read_ahead(&self, _paths: &[&RepoPath], _most: u64) -> Vec<Result<Arc<[u8]>, ContentError>> {
        Vec::new()
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
        let read = || self.learned(id, self.files.read_at_most(self.path(id), MAX_FILE_BYTES));
        self.of(id).bytes.get_or_init(read).clone()
    }

    /// Asks for the sizes of these files that are not known yet, if the source answers several questions at once. The
    /// answers are then there for [`Contents::size`].
    pub(crate) fn sizes_ahead(&self, files: impl Iterator<Item = FileId>) {
        let (wanted, paths) =
            self.files_with(files, MAX_AHEAD, |read| read.size.get().is_none() && read.bytes.get().is_none());
        for (id, answer) in wanted.iter().zip(self.files.sizes_ahead(&paths)) {
            let _ = self.of(*id).size.set(answer);
        }
    }

    /// Reads these files, if the source reads several at once faster than one by one. Their bytes are then there for
    /// [`Contents::bytes`]. Whether it does.
    pub(crate) fn read_ahead(&self, files: impl Iterator<Item = FileId>, most: usize) -> bool {
        let (wanted, paths) = self.files_with(files, most, |read| read.bytes.get().is_none());
        let answers = self.files.read_ahead(&paths, MAX_FILE_BYTES);
        let does = !answers.is_empty();
        for (id, answer) in wanted.iter().zip(answers) {
            let _ = self.of(*id).bytes.set(self.learned(*id, answer));
        }
        does
    }

    /// The first of the files of which `wants` asks for something, and their paths.
    fn files_with(
        &self,
        files: impl Iterator<Item = FileId>,
        most: usize,
        wants: impl Fn(&Read) -> bool,
    ) -> (Vec<FileId>, Vec<&RepoPath>) {
        let wanted = files.filter(|id| self.is_file(*id) && wants(self.of(*id))).take(most);
        wanted.map(|id| (id, self.path(id))).unzip()
    }

    fn is_file(&self, id: FileId) -> bool {
        matches!(self.kind(id), FileKind::File | FileKind::Executable)
    }

    /// The content, as it is kept.
    fn learned(&self, id: FileId, answer: Result<Arc<[u8]>, ContentError>) -> Result<Blob, ContentError> {
        if let Err(ContentError::TooLarge(size)) = answer {
            // For a file that is too large to be recorded, the size is recorded. If the size was asked for before, that
            // answer stays.
            let _ = self.of(id).size.set(Ok(size));
        }
        answer.map(Blob::from)
    }
}

/// Reads files before they are needed, from a source that answers several questions at once.
#[derive(Debug)]
pub(crate) struct Ahead {
    /// How many files are asked for next. None once the source turned out to answer one question at a time.
    files: usize,
}

impl Default for Ahead {
    fn default() -> Self {
        // A search may end with its first file.
        Self { files: 8 }
    }
}

impl Ahead {
    /// Reads the first of these files and some behind it, unless the first is known.
    pub(crate) fn read(&mut self, contents: &Contents, files: &[FileId]) {
        if self.files == 0
            || files.first().is_none_or(|id| !contents.is_file(*id) || contents.of(*id).bytes.get().is_some())
        {
            return;
        }
        let does = contents.read_ahead(files.iter().copied(), self.files);
        self.files = if does { (self.files * 2).min(MAX_AHEAD) } else { 0 };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    /// A source that says how often it was asked, and answers three questions at once, or one.
    #[derive(Debug)]
    struct Far {
        at_once: usize,
        asked: AtomicUsize,
    }

    fn content(path: &RepoPath) -> Result<Arc<[u8]>, ContentError> {
        match path.as_str() {
            "gone" => Err(ContentError::Source(ReadFailure::NotFound)),
            "large" => Err(ContentError::TooLarge(7 << 20)),
            path => Ok(Arc::from(path.as_bytes())),
        }
    }

    impl Far {
        fn count(&self) {
            self.asked.fetch_add(1, Ordering::Relaxed);
        }
    }

    impl Files for Far {
        fn size(&self, path: &RepoPath) -> Result<u64, ReadFailure> {
            self.count();
            Ok(path.as_str().len() as u64)
        }

        fn read(&self, _path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure> {
            Err(ReadFailure::Failed("read with a limit".to_owned()))
        }

        fn read_at_most(&self, path: &RepoPath, _most: u64) -> Result<Arc<[u8]>, ContentError> {
            self.count();
            content(path)
        }

        fn sizes_ahead(&self, paths: &[&RepoPath]) -> Vec<Result<u64, ReadFailure>> {
            self.count();
            paths.iter().take(self.at_once).map(|path| Ok(path.as_str().len() as u64)).collect()
        }

        fn read_ahead(&self, paths: &[&RepoPath], _most: u64) -> Vec<Result<Arc<[u8]>, ContentError>> {
            self.count();
            paths.iter().take(self.at_once).map(|path| content(path)).collect()
        }

        fn link_target(&self, _path: &RepoPath) -> Result<String, ReadFailure> {
            Ok("a".to_owned())
        }
    }

    fn far(at_once: usize) -> (Arc<Far>, Contents) {
        let far = Arc::new(Far { at_once, asked: AtomicUsize::new(0) });
        let kind = |name| if name == "link" { FileKind::Symlink } else { FileKind::File };
        let listing = ["a", "b", "c", "d", "e", "gone", "large", "link"].map(|name| (name, kind(name)));
        let listing = listing.map(|(name, kind)| (RepoPath::new(name).unwrap(), kind));
        let contents = Contents::new(Arc::clone(&far) as Arc<dyn Files>, listing);
        (far, contents)
    }

    #[test]
    fn several_files_are_read_with_one_question_and_say_the_same() {
        for at_once in [0, 1, 3, 100] {
            let (far, contents) = far(at_once);
            let ids: Vec<FileId> = contents.listing().map(|(id, ..)| id).collect();
            let mut ahead = Ahead::default();
            for (at, id) in ids.iter().enumerate() {
                ahead.read(&contents, &ids[at..]);
                let expected = content(contents.path(*id));
                assert_eq!(contents.bytes(*id).map(|blob| blob.shared()), expected, "{at_once} {id:?}");
            }
            // Seven files, and a link that nobody reads ahead; a source that has no answers is asked for some once.
            let expected = match at_once {
                0 => 1 + 8,
                1 => 7 + 1,
                3 => 3 + 1,
                _ => 1 + 1,
            };
            assert_eq!(far.asked.load(Ordering::Relaxed), expected, "{at_once}");
            assert_eq!(contents.size(ids[6]), Ok(7 << 20), "of what is too large, the size is known");
        }
    }

    #[test]
    fn several_sizes_are_asked_for_with_one_question() {
        let (far, contents) = far(100);
        let ids: Vec<FileId> = contents.listing().map(|(id, ..)| id).collect();
        contents.sizes_ahead(ids.iter().copied());
        let sizes: Vec<_> = ids.iter().take(7).map(|id| contents.size(*id).unwrap()).collect();
        assert_eq!((sizes, far.asked.load(Ordering::Relaxed)), (vec![1, 1, 1, 1, 1, 4, 5], 1));
    }
}
