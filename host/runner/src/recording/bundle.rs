//! A recording as one file, to be carried to another machine.
//!
//! A first line, then one piece after the other: a line `sha256:<hex> <bytes>`, the bytes, a line end. The first piece is
//! the document, the others are what it names, sorted by digest; the line `end` closes it. The same recording gives the
//! same file. There are no names in it, so unpacking touches nothing: it gives bytes by digest, in memory.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gephost_core::recording::Digest;

use super::document::{MAX_DOCUMENT_BYTES, Recording, RecordingError};
use super::listing::Listing;
use super::{BlobError, Blobs, Loose};

/// The largest bundle, in bytes: a recording at its bound, with room.
pub const MAX_BUNDLE_BYTES: u64 = 512 << 20;
const FIRST: &[u8] = b"gephost recording bundle 1\n";
const LAST: &[u8] = b"end\n";
/// The longest line before a piece: a digest, a space, a number.
const MAX_HEADER: usize = 100;

/// Why a bundle cannot be made or read.
#[derive(Debug, thiserror::Error)]
pub enum BundleError {
    /// Another kind of file.
    #[error("it is not a recording bundle: it does not begin with the line `gephost recording bundle 1`")]
    Foreign,
    /// It ends too early, or a piece's length is wrong.
    #[error("it is cut off or damaged at byte {0}: copy it again")]
    Torn(usize),
    /// A piece is not what it says.
    #[error("the piece at byte {at} is not {stated}: the bundle was damaged or edited")]
    Mismatch {
        /// Where.
        at: usize,
        /// What it says.
        stated: Digest,
    },
    /// Something follows the end.
    #[error("{0} bytes follow its end: the bundle was edited")]
    Rest(usize),
    /// The document in it.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// A blob is missing.
    #[error(transparent)]
    Blob(#[from] BlobError),
}

/// Everything that a recording names, and the recording, as one file.
pub fn pack(recording: &Recording, blobs: &dyn Blobs) -> Result<Vec<u8>, BundleError> {
    let mut bytes = FIRST.to_vec();
    let document = recording.to_json()?;
    piece(&mut bytes, &Digest::of(&document), &document);
    let listing = Listing::from_json(&blobs.get(&recording.workspace)?)?;
    let named: BTreeSet<Digest> = recording.blobs().into_iter().chain(listing.blobs()).collect();
    for digest in &named {
        piece(&mut bytes, digest, &blobs.get(digest)?);
    }
    bytes.extend_from_slice(LAST);
    Ok(bytes)
}

fn piece(out: &mut Vec<u8>, digest: &Digest, content: &[u8]) {
    out.extend_from_slice(format!("{digest} {}\n", content.len()).as_bytes());
    out.extend_from_slice(content);
    out.push(b'\n');
}

/// Reads a bundle: foreign bytes, of which every piece is compared with its digest.
pub fn unpack(bytes: &[u8]) -> Result<(Recording, Arc<dyn Blobs>), BundleError> {
    let mut reader = Reader { bytes, at: FIRST.len() };
    if !bytes.starts_with(FIRST) {
        return Err(BundleError::Foreign);
    }
    let (_, document) = reader.piece()?;
    if document.len() as u64 > MAX_DOCUMENT_BYTES {
        return Err(RecordingError::Malformed(format!("it has more than {MAX_DOCUMENT_BYTES} bytes")).into());
    }
    let recording = Recording::from_json(document, None)?;
    let mut blobs = BTreeMap::new();
    while !reader.is_at_end() {
        let (digest, content) = reader.piece()?;
        blobs.insert(digest, Arc::from(content));
    }
    let rest = bytes.len() - reader.at - LAST.len();
    if rest > 0 {
        return Err(BundleError::Rest(rest));
    }
    Ok((recording, Arc::new(Loose(blobs))))
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn is_at_end(&self) -> bool {
        self.bytes.get(self.at..).is_some_and(|rest| rest.starts_with(LAST))
    }

    /// The next piece, verified.
    fn piece(&mut self) -> Result<(Digest, &'a [u8]), BundleError> {
        let start = self.at;
        let torn = || BundleError::Torn(start);
        let rest = self.bytes.get(start..).unwrap_or_default();
        let line_end = rest.iter().take(MAX_HEADER).position(|byte| *byte == b'\n').ok_or_else(torn)?;
        let line = rest.get(..line_end).and_then(|line| std::str::from_utf8(line).ok()).ok_or_else(torn)?;
        let (digest, length) = line.split_once(' ').ok_or_else(torn)?;
        let digest: Digest = digest.parse().map_err(|_| torn())?;
        let length: usize = length.parse().map_err(|_| torn())?;
        let begin = line_end + 1;
        let end = begin.checked_add(length).ok_or_else(torn)?;
        let content = rest.get(begin..end).ok_or_else(torn)?;
        if rest.get(end) != Some(&b'\n') {
            return Err(torn());
        }
        if Digest::of(content) != digest {
            return Err(BundleError::Mismatch { at: start, stated: digest });
        }
        self.at = start + end + 1;
        Ok((digest, content))
    }
}
