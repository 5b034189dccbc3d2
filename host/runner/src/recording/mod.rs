//! Recordings: every gene call of a run, kept so that it can be run again, here or on another machine, to the same bytes.
//!
//! Owns the folder of recordings: one document a recording, named by what it holds, and beside them `blobs/`, the bytes
//! that documents name by their SHA-256: components, run logs, files that were read, answers. Recordings share them.
//!
//! What must stay true: a recording holds only what the gene could see, which is redacted already; what is read back is
//! foreign until its digests agree, and nothing of it ever names a file of this machine.
//!
//! | file | what |
//! |---|---|
//! | `document` | the written form |
//! | `listing` | the files in it |
//! | `taken` | a call as a document and blobs |
//! | `store` | the folder, bounded |
//! | `bundle` | a recording as one file |
//! | `replay` | running it again |
//! | `answered` | what it answered, without running it |

mod answered;
mod bundle;
mod document;
mod listing;
mod replay;
mod store;
mod taken;

pub use answered::{content, proposals};
pub use bundle::{BundleError, MAX_BUNDLE_BYTES, pack, unpack};
pub use document::{Function, Recording, RecordingError};
pub use replay::{ReplayError, Replayed, Told, replay};
pub use store::{Keep, Listed, Store, StoreError};
pub use taken::{Taken, Terms};

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use gephost_core::recording::Digest;

/// The largest single blob, in bytes.
const MAX_BLOB_BYTES: u64 = 256 << 20;

/// Where the bytes are that a recording names. What it gives has the digest that was asked for.
pub trait Blobs: fmt::Debug + Send + Sync {
    /// The bytes with this digest.
    fn get(&self, digest: &Digest) -> Result<Arc<[u8]>, BlobError>;
}

/// Bytes that a recording names cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the recording's bytes {digest} {reason}")]
pub struct BlobError {
    /// Which.
    pub digest: Digest,
    /// Why.
    pub reason: String,
}

impl BlobError {
    fn new(digest: &Digest, reason: impl fmt::Display) -> Self {
        Self { digest: *digest, reason: reason.to_string() }
    }
}

/// Blobs in memory, by digest.
#[derive(Debug, Clone, Default)]
struct Loose(BTreeMap<Digest, Arc<[u8]>>);

impl Blobs for Loose {
    fn get(&self, digest: &Digest) -> Result<Arc<[u8]>, BlobError> {
        self.0.get(digest).cloned().ok_or_else(|| BlobError::new(digest, "are not in the bundle"))
    }
}
