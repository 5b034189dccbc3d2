//! What the user's cache knows of the beginning of a file that only grows.
//!
//! What must stay true: it is used only if the file still begins so, as far as its device, inode and size, its first bytes and
//! those before the end of what is known show; and only if the digest of the cached bytes holds.

use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};

use serde::{Deserialize, Serialize};

use crate::durable::{self, Access};
use crate::place::Place;
use crate::remembered::used;

/// How much of the file's beginning, and of what comes before the end of what is known, shows that it is the same file.
const MARK_BYTES: u64 = 64 << 10;

/// The beginning of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Beginning {
    device: u64,
    inode: u64,
    /// How many bytes.
    pub(super) bytes: u64,
    /// Digest of the first and the last of them, in hexadecimal.
    mark: String,
}

impl Beginning {
    /// The first `bytes` of a file.
    pub(super) fn of(file: &File, bytes: u64) -> io::Result<Self> {
        let found = file.metadata()?;
        Ok(Self { device: found.dev(), inode: found.ino(), bytes, mark: mark(file, bytes)? })
    }

    /// Whether the file begins so.
    pub(super) fn is_of(&self, file: &File) -> io::Result<bool> {
        Ok(file.metadata()?.len() >= self.bytes && Self::of(file, self.bytes)? == *self)
    }
}

/// A digest of the first bytes of a file and of the last ones before `end`.
fn mark(file: &File, end: u64) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    for start in [0, end.saturating_sub(MARK_BYTES)] {
        let length = MARK_BYTES.min(end - start);
        let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
        file.read_exact_at(&mut bytes, start)?;
        hasher.update(&bytes);
    }
    Ok(hasher.finalize().to_hex().to_string())
}

/// The content of a file of the cache, of at most `limit` bytes; `None` if there is none or it is damaged.
pub(super) fn read_cached(place: &Place, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(file) = durable::open_to_read(place)? else { return Ok(None) };
    used(&file);
    let mut bytes = Vec::new();
    if file.take(limit + 1).read_to_end(&mut bytes)? as u64 > limit {
        return Ok(None);
    }
    let Some((digest, content)) = bytes.split_at_checked(blake3::OUT_LEN) else { return Ok(None) };
    if blake3::hash(content).as_bytes() != digest {
        return Ok(None);
    }
    bytes.drain(..blake3::OUT_LEN);
    Ok(Some(bytes))
}

/// Puts a file into the cache, whole.
pub(super) fn write_cached(place: &Place, content: &[u8]) -> io::Result<()> {
    place.parent().create()?;
    durable::replace_with(place, Access::Private, |to| {
        to.write_all(blake3::hash(content).as_bytes())?;
        to.write_all(content)
    })
}
