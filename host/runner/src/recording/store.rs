//! The folder of recordings, bounded by number and by bytes.
//!
//! What must stay true: a document is there whole or not at all, and its blobs were there before it. Nothing here waits
//! for the disk: a recording is evidence and no ledger, digests reveal what a power cut damaged, and the log
//! beside it is the record that counts. Whoever writes holds the folder's lock, so that no blob is swept away between
//! being found and being named.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::sync::Arc;
use std::time::SystemTime;

use cap_std::fs::Metadata;
use gephost_core::recording::Digest;
use jiff::Timestamp;

use super::document::{MAX_DOCUMENT_BYTES, Recording, RecordingError};
use super::listing::Listing;
use super::taken::Taken;
use super::{BlobError, Blobs, MAX_BLOB_BYTES};
use crate::durable::{self, Access};
use crate::place::Place;

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
    folder: Place,
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
    #[error("no recording is named `{0}`: `gephost replay --list` lists all recordings")]
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
    pub fn new(folder: &Place) -> Self {
        Self { folder: folder.clone() }
    }

    /// Writes recordings and gives their names, in order; then takes away what is too much. A recording that is there
    /// already is kept as it is and counts as new.
    pub fn write(&self, taken: &[&Taken], at: Timestamp, keep: Keep) -> Result<Vec<String>, StoreError> {
        if taken.is_empty() || keep.recordings == 0 {
            return Ok(Vec::new());
        }
        durable::create_folder(&self.blobs_folder(), Access::Private).map_err(self.io("create"))?;
        let lock = self.folder.folder().map_err(self.io("open"))?.into_std_file();
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

    fn blobs_folder(&self) -> Place {
        self.folder.join("blobs")
    }

    fn place(&self, id: &str) -> Place {
        self.folder.join(format!("{id}.json"))
    }

    fn document(&self, id: &str) -> Result<Recording, StoreError> {
        let wrong = |source| StoreError::Recording { id: id.to_owned(), source };
        let text = durable::read_text(&self.place(id), MAX_DOCUMENT_BYTES).map_err(self.io("read"))?;
        let text = text.ok_or_else(|| StoreError::Unknown(id.to_owned()))?;
        Recording::from_json(text.as_bytes(), Some(id)).map_err(wrong)
    }

    fn write_one(&self, taken: &Taken, at: Timestamp) -> Result<String, StoreError> {
        let wrong = |source| StoreError::Recording { id: taken.recording.gene.clone(), source };
        let id = taken.recording.id().map_err(wrong)?;
        let place = self.place(&id);
        if let Some(file) = durable::open_to_read(&place).map_err(self.io("open"))? {
            file.set_modified(SystemTime::from(at)).map_err(self.io("touch"))?;
            return Ok(id);
        }
        for (digest, blob) in &taken.blobs {
            let bytes = blob.bytes();
            let place = self.blobs_folder().join(digest.hex());
            // A blob of another length was cut by a crash.
            if place.stat().is_ok_and(|found| u64::try_from(found.st_size) == Ok(bytes.len() as u64)) {
                continue;
            }
            durable::put(&place, bytes).map_err(self.io("write"))?;
        }
        let mut recording = taken.recording.clone();
        recording.measured.at = at.to_string();
        durable::put(&place, &recording.to_json().map_err(wrong)?).map_err(self.io("write"))?;
        Ok(id)
    }

    /// Names and times of the documents, newest first; of the same time, by name.
    fn documents(&self) -> Result<Vec<(SystemTime, String)>, StoreError> {
        let files = self.folder.files().map_err(self.io("read"))?;
        let mut documents: Vec<(SystemTime, String)> = files.into_iter().filter_map(named).collect();
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
        let blobs: BTreeMap<OsString, u64> = sizes(&self.blobs_folder()).map_err(self.io("read"))?.collect();
        let (mut named, mut sum) = (BTreeSet::new(), 0);
        for (kept, (_, id)) in documents.iter().enumerate() {
            let fits = kept < keep.recordings && sum <= keep.bytes;
            let references = if fits || new.contains(id) { self.names(id) } else { None };
            let Some((digests, size)) = references else {
                durable::remove(&self.place(id)).map_err(self.io("remove"))?;
                continue;
            };
            sum += size;
            for digest in digests {
                if named.insert(digest.hex()) {
                    sum += blobs.get(OsStr::new(&digest.hex())).copied().unwrap_or_default();
                }
            }
        }
        self.remove_unnamed(&named)
    }

    /// What a document names, and its own size; `None` for one that cannot be read.
    fn names(&self, id: &str) -> Option<(Vec<Digest>, u64)> {
        let recording = self.document(id).ok()?;
        let size = u64::try_from(self.place(id).stat().ok()?.st_size).ok()?;
        let mut digests = recording.blobs();
        let stored = Stored { folder: self.blobs_folder() };
        let listing = stored.get(&recording.workspace).ok().and_then(|bytes| Listing::from_json(&bytes).ok());
        digests.extend(listing.iter().flat_map(Listing::blobs));
        Some((digests, size))
    }

    fn remove_unnamed(&self, named: &BTreeSet<String>) -> Result<(), StoreError> {
        let blobs = self.blobs_folder();
        for (name, _) in blobs.files().map_err(self.io("read"))? {
            if !name.to_str().is_some_and(|name| named.contains(name)) {
                durable::remove(&blobs.join(name)).map_err(self.io("remove"))?;
            }
        }
        Ok(())
    }

    fn bytes(&self) -> Result<u64, StoreError> {
        let size = |folder: &Place| Ok(sizes(folder).map_err(self.io("read"))?.map(|(_, size)| size).sum::<u64>());
        Ok(size(&self.folder)? + size(&self.blobs_folder())?)
    }

    fn io(&self, doing: &'static str) -> impl Fn(io::Error) -> StoreError {
        let path = self.folder.display().to_string();
        move |source| StoreError::Io { doing, path: path.clone(), source }
    }
}

/// The files of a folder, with their sizes in bytes.
fn sizes(folder: &Place) -> io::Result<impl Iterator<Item = (OsString, u64)>> {
    Ok(folder.files()?.into_iter().map(|(name, found)| (name, found.len())))
}

/// The time and the name of a document; `None` if this is none.
fn named((name, found): (OsString, Metadata)) -> Option<(SystemTime, String)> {
    let id = name.to_str()?.strip_suffix(".json")?;
    let digits = id.strip_prefix("rec_")?;
    let fits = digits.len() == 16 && digits.bytes().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    fits.then_some((found.modified().ok()?.into_std(), id.to_owned()))
}

/// Blobs in the folder.
#[derive(Debug)]
struct Stored {
    folder: Place,
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
