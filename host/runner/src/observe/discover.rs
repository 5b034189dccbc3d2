//! What is in the places where agents keep their logs: how many files, how large. No file is opened.

use std::fs;
use std::path::PathBuf;

use gephost_core::observe::Place;
use jiff::Timestamp;

use super::expand::expand;

/// What lies in a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovered {
    /// Which place.
    pub place: Place,
    /// The files in it that have a log's name.
    pub files: usize,
    /// Their bytes together.
    pub bytes: u64,
    /// When the newest of them was changed.
    pub newest: Option<Timestamp>,
}

/// Those of the places that hold logs, in their order. What cannot be listed counts as not there.
pub fn discover(places: Vec<Place>) -> Vec<Discovered> {
    places.into_iter().filter_map(look).collect()
}

fn look(place: Place) -> Option<Discovered> {
    let mut files: Vec<PathBuf> = Vec::new();
    expand(&place.path, &mut files, &mut Vec::new()).ok()?;
    let (mut bytes, mut newest) = (0, None);
    for found in files.iter().filter_map(|file| fs::metadata(file).ok()) {
        bytes += found.len();
        newest = newest.max(found.modified().ok().and_then(|time| Timestamp::try_from(time).ok()));
    }
    (!files.is_empty()).then_some(Discovered { place, files: files.len(), bytes, newest })
}
