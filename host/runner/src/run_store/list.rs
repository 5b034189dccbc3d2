//! Lists a folder of the store, and says why something in it failed.

use std::io;

use rustix::fs::FileType;

use crate::place::Place;

/// Why events could not be stored.
#[derive(Debug, thiserror::Error)]
#[error("store run events at {path}: {source}")]
pub struct RunStoreError {
    path: String,
    source: io::Error,
}

impl RunStoreError {
    pub(super) fn at(place: &Place) -> impl FnOnce(io::Error) -> Self {
        move |source| Self { path: place.display().to_string(), source }
    }
}

/// What lies in a folder and is of a kind, sorted; nothing if there is no folder.
pub(super) fn list(folder: &Place, is_wanted: fn(FileType) -> bool) -> Result<Vec<Place>, RunStoreError> {
    let entries = folder.entries().map_err(RunStoreError::at(folder))?;
    Ok(entries.iter().filter(|entry| is_wanted(entry.kind)).map(|entry| folder.join(&entry.name)).collect())
}
