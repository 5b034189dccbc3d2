//! The folder of recordings, bounded by number and by bytes.
//!
//! What must stay true: a document is there whole or not at all, and its blobs were there before it. Nothing here waits
//! for the disk: a recording is evidence and no ledger, what a power cut damages is told by its digests, and the log
//! beside it is the record that counts. Whoever writes holds the folder's lock, so that no blob is swept away between
//! being found and being named.

use std::collections::BTreeSet;
use std::fs::{self, DirEntry, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use gephost_core::recording::Digest;
use jiff::Timestamp;

use super::document::{MAX_DOCUMENT_BYTES, Recording, RecordingError};
use super::listing::Listing;
use super::taken::Taken;
use super::{BlobError, Blobs, MAX_BLOB_BYTES};
use crate::durable::{self, Access};

/// How much is kept. The oldest go first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keep {
    /// The most recordings; 0 keeps none and writes none.
    pub recordings: usize,
    /// The most bytes of the folder, once it is over the number of recordings or these.
    pub bytes: u64,
}

/// The folder.
#[derive(Debug, Clone)]
pub struct Store {
    folder: PathBuf,
}

/// A recording in the folder.
#[derive(Debug)]
pub struct Listed {
    /// Its name.
    pub id: String,
    /// The document, or why it cannot be read.
    pub recording: Result<Recording, String>,
}

/// Why the folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The system.
    #[error("failed to {doing} {path}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// With what.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// No recording has this name.
    #[error("no recording is named `{0}`: `gephost replay --list` shows those that are kept")]
    Unknown(String),
    /// More than one has it.
    #[error("`{0}` is the beginning of more than one recording's name: give more of it")]
    Ambiguous(String),
    /// The document.
    #[error("recording {id}: {source}")]
    Recording {
        /// Its name.
        id: String,
        /// What is wrong.
        source: RecordingError,
    },
}

impl Store {
    /// The folder. Touches nothing.
    pub fn new(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Writes recordings and gives their names, in order; then takes away what is too much. A recording that is there
    /// already is kept as it is and counts as new.
    pub fn write(&self, taken: &[&Taken], at: Timestamp, keep: Keep) -> Result<Vec<String>, StoreError> {
        if taken.is_empty() || keep.recordings == 0 {
            return Ok(Vec::new());
        }
        let blobs = self.blobs_folder();
        durable::refuse_link(&self.folder).map_err(self.io("open"))?;
        durable::create_folder(&blobs, Access::Private).map_err(self.io("create"))?;
        durable::refuse_link(&blobs).map_err(self.io("open"))?;
        let lock = File::open(&self.folder).map_err(self.io("open"))?;
        lock.lock().map_err(self.io("lock"))?;
        let ids = taken.iter().map(|taken| self.write_one(taken, at)).collect::<Result<Vec<_>, _>>()?;
        self.sweep(keep, &ids)?;
        Ok(ids)
    }

    /// Every recording, newest first.
    pub fn list(&self) -> Result<Vec<Listed>, StoreError> {
        let named = self.documents()?.into_iter().map(|(_, id)| id);
        Ok(named.map(|id| Listed { recording: self.document(&id).map_err(|error| error.to_string()), id }).collect())
    }

    /// The recording with this name, or with the only name that begins so.
    pub fn read(&self, name: &str) -> Result<(Recording, Arc<dyn Blobs>), StoreError> {
        let mut matching = self.documents()?.into_iter().map(|(_, id)| id).filter(|id| id.starts_with(name));
        let id = match (matching.next(), matching.next()) {
            (Some(id), None) => id,
            (Some(_), Some(_)) => return Err(StoreError::Ambiguous(name.to_owned())),
            (None, _) => return Err(StoreError::Unknown(name.chars().take(80).collect())),
        };
        Ok((self.document(&id)?, Arc::new(Stored { folder: self.blobs_folder() })))
    }

    fn blobs_folder(&self) -> PathBuf {
        self.folder.join("blobs")
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    fn document(&self, id: &str) -> Result<Recording, StoreError> {
        let wrong = |source| StoreError::Recording { id: id.to_owned(), source };
        let text = durable::read_text(&self.path(id), MAX_DOCUMENT_BYTES).map_err(self.io("read"))?;
        let text = text.ok_or_else(|| StoreError::Unknown(id.to_owned()))?;
        Recording::from_json(text.as_bytes(), Some(id)).map_err(wrong)
    }

    fn write_one(&self, taken: &Taken, at: Timestamp) -> Result<String, StoreError> {
        let wrong = |source| StoreError::Recording { id: taken.recording.gene.clone(), source };
        let id = taken.recording.id().map_err(wrong)?;
        let path = self.path(&id);
        if path.is_file() {
            let file = File::options().append(true).open(&path).map_err(self.io("open"))?;
            file.set_modified(SystemTime::from(at)).map_err(self.io("touch"))?;
            return Ok(id);
        }
        for (digest, bytes) in &taken.blobs {
            let path = self.blobs_folder().join(digest.hex());
            // A blob of another length was cut by a crash.
            if fs::symlink_metadata(&path).is_ok_and(|found| found.is_file() && found.len() == bytes.len() as u64) {
                continue;
            }
            put(&path, bytes).map_err(self.io("write"))?;
        }
        let mut recording = taken.recording.clone();
        recording.measured.at = at.to_string();
        put(&path, &recording.to_json().map_err(wrong)?).map_err(self.io("write"))?;
        Ok(id)
    }

    /// Names and times of the documents, newest first; of the same time, by name.
    fn documents(&self) -> Result<Vec<(SystemTime, String)>, StoreError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(self.io("read")(error)),
        };
        let mut documents: Vec<(SystemTime, String)> = entries.filter_map(|entry| named(&entry.ok()?)).collect();
        documents.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        Ok(documents)
    }

    /// Takes away the oldest recordings over the bounds, then the blobs that nothing names any more. Those of this run
    /// stay, whatever their size.
    fn sweep(&self, keep: Keep, new: &[String]) -> Result<(), StoreError> {
        let documents = self.documents()?;
        let bytes = self.bytes()?;
        if documents.len() <= keep.recordings && bytes <= keep.bytes {
            return Ok(());
        }
        let (mut named, mut sum) = (BTreeSet::new(), 0);
        for (kept, (_, id)) in documents.iter().enumerate() {
            let fits = kept < keep.recordings && sum <= keep.bytes;
            let references = if fits || new.contains(id) { self.names(id) } else { None };
            let Some((digests, size)) = references else {
                fs::remove_file(self.path(id)).map_err(self.io("remove"))?;
                continue;
            };
            sum += size;
            for digest in digests {
                if named.insert(digest.hex()) {
                    sum += fs::metadata(self.blobs_folder().join(digest.hex())).map_or(0, |found| found.len());
                }
            }
        }
        self.remove_unnamed(&named)
    }

    /// What a document names, and its own size; `None` for one that cannot be read.
    fn names(&self, id: &str) -> Option<(Vec<Digest>, u64)> {
        let recording = self.document(id).ok()?;
        let size = fs::metadata(self.path(id)).ok()?.len();
        let mut digests = recording.blobs();
        let stored = Stored { folder: self.blobs_folder() };
        let listing = stored.get(&recording.workspace).ok().and_then(|bytes| Listing::from_json(&bytes).ok());
        digests.extend(listing.iter().flat_map(Listing::blobs));
        Some((digests, size))
    }

    fn remove_unnamed(&self, named: &BTreeSet<String>) -> Result<(), StoreError> {
        for entry in fs::read_dir(self.blobs_folder()).map_err(self.io("read"))?.flatten() {
            if !entry.file_name().to_str().is_some_and(|name| named.contains(name)) {
                fs::remove_file(entry.path()).map_err(self.io("remove"))?;
            }
        }
        Ok(())
    }

    fn bytes(&self) -> Result<u64, StoreError> {
        let size = |folder: &Path| -> Result<u64, StoreError> {
            let entries = fs::read_dir(folder).map_err(self.io("read"))?.flatten();
            Ok(entries.filter_map(|entry| entry.metadata().ok()).filter(fs::Metadata::is_file).map(|m| m.len()).sum())
        };
        Ok(size(&self.folder)? + size(&self.blobs_folder())?)
    }

    fn io(&self, doing: &'static str) -> impl Fn(io::Error) -> StoreError {
        let path = self.folder.display().to_string();
        move |source| StoreError::Io { doing, path: path.clone(), source }
    }
}

/// The name of a document, where this is one.
fn named(entry: &DirEntry) -> Option<(SystemTime, String)> {
    let name = entry.file_name();
    let id = name.to_str()?.strip_suffix(".json")?;
    let digits = id.strip_prefix("rec_")?;
    let metadata = entry.metadata().ok().filter(fs::Metadata::is_file)?;
    let fits = digits.len() == 16 && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    fits.then_some((metadata.modified().ok()?, id.to_owned()))
}

/// Puts a file where it belongs, whole: for every other process it is there with its whole content or not at all.
fn put(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = tempfile::Builder::new().prefix(".writing-").tempfile_in(durable::folder_of(path))?;
    file.write_all(bytes)?;
    file.persist(path)?;
    Ok(())
}

/// Blobs in the folder.
#[derive(Debug)]
struct Stored {
    folder: PathBuf,
}

impl Blobs for Stored {
    fn get(&self, digest: &Digest) -> Result<Arc<[u8]>, BlobError> {
        let wrong = |reason: String| BlobError::new(digest, reason);
        let file = durable::open_to_read(&self.folder.join(digest.hex()))
            .map_err(|error| wrong(format!("cannot be read: {error}")))?
            .ok_or_else(|| wrong("are no longer kept".to_owned()))?;
        let mut bytes = Vec::new();
        file.take(MAX_BLOB_BYTES + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| wrong(format!("cannot be read: {error}")))?;
        if bytes.len() as u64 > MAX_BLOB_BYTES || Digest::of(&bytes) != *digest {
            return Err(wrong("are damaged or were edited".to_owned()));
        }
        Ok(bytes.into())
    }
}
