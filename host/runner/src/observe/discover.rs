//! Counts the files in the folders where agents keep their logs, and their sizes. No file is opened.

#![expect(clippy::disallowed_methods, reason = "agents keep their logs at known paths")]

use std::fs;
use std::path::PathBuf;

use gephost_core::observe::LogLocation;
use jiff::Timestamp;

use super::expand::expand;

/// The logs in one location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Discovered {
    /// The location.
    pub location: LogLocation,
    /// Number of files in it that are named like logs.
    pub files: usize,
    /// Their total size in bytes.
    pub bytes: u64,
    /// When the most recent of them was modified.
    pub newest: Option<Timestamp>,
}

/// The locations that hold logs, in the given order. A location that cannot be listed counts as empty.
pub fn discover(locations: Vec<LogLocation>) -> Vec<Discovered> {
    locations.into_iter().filter_map(count).collect()
}

fn count(location: LogLocation) -> Option<Discovered> {
    let mut files: Vec<PathBuf> = Vec::new();
    expand(&location.path, &mut files, &mut Vec::new()).ok()?;
    let (mut bytes, mut newest) = (0, None);
    for found in files.iter().filter_map(|file| fs::metadata(file).ok()) {
        bytes += found.len();
        newest = newest.max(found.modified().ok().and_then(|time| Timestamp::try_from(time).ok()));
    }
    (!files.is_empty()).then_some(Discovered { location, files: files.len(), bytes, newest })
}
