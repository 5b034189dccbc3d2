//! Which events the store holds, as far as it was asked.

use std::collections::{HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use gephost_core::observe::MAX_PIECE_BYTES;
use gephost_core::run_event::{RunEvent, from_disk_line};
use rustix::fs::FileType;

use super::list::{RunStoreError, list};
use crate::durable::{self, Line};
use crate::place::Place;

/// Most events that are remembered; then all is forgotten, and read again where it is asked for.
const MAX_EVENTS: usize = 2_000_000;

/// What of the store was asked about, by [`RunEvent::identity`]. A file is read when it is asked about for the first
/// time.
#[derive(Debug, Default)]
pub struct Known {
    /// A file's events.
    files: HashMap<PathBuf, HashSet<u64>>,
    /// A session's events, of all its files: one without a time may be in any.
    sessions: HashMap<PathBuf, HashSet<u64>>,
    events: usize,
}

impl Known {
    /// Adds an event that is about to be appended to a file, given from the store's `root`. Says whether it is new.
    pub(super) fn add(&mut self, root: &Place, path: &Path, event: &RunEvent) -> Result<bool, RunStoreError> {
        if self.events >= MAX_EVENTS {
            *self = Self::default();
        }
        let identity = event.identity();
        let new = if event.timestamp.is_some() {
            self.of_file(root, path)?.insert(identity)
        } else {
            self.of_session(root, path.parent().unwrap_or(Path::new("")))?.insert(identity)
        };
        self.events += usize::from(new);
        Ok(new)
    }

    fn of_file(&mut self, root: &Place, path: &Path) -> Result<&mut HashSet<u64>, RunStoreError> {
        if !self.files.contains_key(path) {
            let held = identities(&root.join(path))?;
            self.events += held.len();
            self.files.insert(path.to_owned(), held);
        }
        Ok(self.files.entry(path.to_owned()).or_default())
    }

    fn of_session(&mut self, root: &Place, folder: &Path) -> Result<&mut HashSet<u64>, RunStoreError> {
        if !self.sessions.contains_key(folder) {
            let mut held = HashSet::new();
            for file in list(&root.join(folder), FileType::is_file)? {
                held.extend(identities(&file)?);
            }
            self.events += held.len();
            self.sessions.insert(folder.to_owned(), held);
        }
        Ok(self.sessions.entry(folder.to_owned()).or_default())
    }
}

/// The events of one file. A line that a crash cut is none, so that its event is appended again.
fn identities(place: &Place) -> Result<HashSet<u64>, RunStoreError> {
    read_identities(place).map_err(RunStoreError::at(place))
}

fn read_identities(place: &Place) -> io::Result<HashSet<u64>> {
    let mut held = HashSet::new();
    let Some(mut file) = durable::open_to_read(place)? else { return Ok(held) };
    let mut number = 0;
    durable::read_lines(&mut file, MAX_PIECE_BYTES, |line| {
        number += 1;
        if let Line::Whole(bytes) | Line::Torn(bytes) = line
            && let Ok(text) = std::str::from_utf8(bytes)
            && let Ok(event) = from_disk_line(text, number)
        {
            held.insert(event.identity());
        }
    })?;
    Ok(held)
}
