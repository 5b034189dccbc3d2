//! What a recorded call of `propose` answered, and the files that it knew, without running it again.

use std::sync::Arc;

use gephost_core::path::RepoPath;
use gephost_core::proposal::Proposal;
use serde_json::value::RawValue;

use super::document::{Recording, RecordingError};
use super::listing::{Known, Listing};
use super::replay::ReplayError;
use super::{Blobs, Function};

/// The candidates that a recorded call answered with, best first; none if it asked for findings or failed.
pub fn proposals(recording: &Recording, blobs: &dyn Blobs) -> Result<Vec<Proposal>, ReplayError> {
    if recording.function != Function::Propose || recording.result.outcome != "answered" {
        return Ok(Vec::new());
    }
    let malformed = |error: &dyn std::fmt::Display| RecordingError::Malformed(format!("its answer: {error}"));
    let answer = blobs.get(&recording.result.answer)?;
    let texts: Vec<&RawValue> = serde_json::from_slice(&answer).map_err(|error| malformed(&error))?;
    let read = |text: &RawValue| Proposal::from_json(text.get()).map_err(|error| malformed(&error).into());
    texts.into_iter().map(read).collect()
}

/// What a recorded call knew of a file: its content, or `None` if the call saw that there is none or never read it.
pub fn content(recording: &Recording, blobs: &dyn Blobs, path: &RepoPath) -> Result<Option<Arc<[u8]>>, ReplayError> {
    let listing = Listing::from_json(&blobs.get(&recording.workspace)?)?;
    match listing.asked.get(path.as_str()).and_then(|asked| asked.content.as_ref()) {
        Some(Known::Is(digest)) => Ok(Some(blobs.get(digest)?)),
        _ => Ok(None),
    }
}
