//! From agents' logs into the run store: only what is new since the last time.
//!
//! The index of sources (`sources.jsonl`) says how far each log was read. A log whose size, times and place on
//! disk are as they were is not opened. One that has grown is read on from there; one that was rewritten, cut or
//! replaced is read from its beginning, and what the store holds already is passed over.
//!
//! What must stay true: events are on disk before the index says that they were read. A crash in between has them read
//! again, and [`RunStore::append_new`] knows them. One process at a time ingests into a store.

#![expect(clippy::disallowed_methods, reason = "the user or the config names logs by path")]

mod index;
mod options;
mod source;

use std::io;
use std::path::{Path, PathBuf};

use gephost_core::observe::{FileSummary, Shared};
use gephost_core::redact::Redactor;
use gephost_core::run_event::RunEvent;

use crate::durable::{self, Access};
use crate::observe::{LogPaths, ObserveError, Unreadable, unreadable};
use crate::place::Place;
use crate::run_store::{Known, RunStore, RunStoreError};
use index::Index;
pub use options::Options;

/// The most events, and bytes of their texts, that wait for being appended.
const BATCH_EVENTS: usize = 16_384;
const BATCH_BYTES: usize = 16 << 20;
/// The most sources that wait for their line in the index.
const BATCH_SOURCES: usize = 4096;
/// The most logs that are reported one by one.
const MAX_LISTED: usize = 10_000;

/// What became of the logs.
#[derive(Debug, Default)]
pub struct Ingested {
    /// Logs that were new or had changed, in the order of their names, each with the numbers of all that is in it. At
    /// most ten thousand.
    pub read: Vec<FileSummary>,
    /// How many more there were.
    pub more: u64,
    /// The numbers of those, together.
    pub more_summary: FileSummary,
    /// How many had not changed, and their numbers together.
    pub unchanged: u64,
    /// The numbers of those.
    pub unchanged_summary: FileSummary,
    /// Events that the store did not hold.
    pub stored: u64,
    /// Logs that could not be read; the others were.
    pub unreadable: Vec<Unreadable>,
}

/// Why nothing, or not all, was ingested. What was appended before stays.
#[derive(Debug, thiserror::Error)]
pub enum IngestError {
    /// A path that names nothing.
    #[error(transparent)]
    Observe(#[from] ObserveError),
    /// The store.
    #[error(transparent)]
    Store(#[from] RunStoreError),
    /// The index of sources, or the lock.
    #[error("write {path}: {source}")]
    Index {
        /// Which file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

/// Reads what is new in logs (paths as for [`crate::observe::observe`]) and appends it to the store in a state folder,
/// which is there. Files in that folder are no logs: they are the store. Waits while another process does the same.
pub fn ingest(
    state_folder: &Place,
    paths: &LogPaths,
    options: &Options<'_>,
    redactor: Redactor,
) -> Result<Ingested, IngestError> {
    let mut ingested = Ingested::default();
    let mut files = paths.files(options.absent_is_empty, &mut ingested.unreadable)?;
    leave_out_own(&mut files, &state_folder.path());
    if let Some(meter) = options.meter {
        meter.expect(&files);
    }
    let lock = state_folder.join("sources.lock");
    let _lock = durable::open_to_append(&lock, Access::Private).map_err(|source| IngestError::at(&lock, source))?;
    let index_place = state_folder.join("sources.jsonl");
    let mut index = Index::load(&index_place).map_err(|source| IngestError::at(&index_place, source))?;
    let store = RunStore::new(state_folder);
    let mut shared = Shared::new(redactor);
    let mut batch = Batch::new(&store, options);
    let mut entries = Vec::new();
    for path in &files {
        let earlier = index.get(path);
        let found = source::stamp(path).and_then(|stamp| match &earlier {
            Some(entry) if entry.is_unchanged(&stamp, options.format) => Ok(None),
            _ => source::read(path, earlier.as_ref(), options, &mut shared, &mut |event| batch.push(event)).map(Some),
        });
        match (found, earlier) {
            (Ok(Some((summary, entry))), _) => {
                if ingested.read.len() < MAX_LISTED {
                    ingested.read.push(summary);
                } else {
                    ingested.more += 1;
                    ingested.more_summary.add(&summary);
                }
                entries.push(entry);
            }
            (Ok(None), Some(entry)) => {
                ingested.unchanged += 1;
                if let Some(meter) = options.meter {
                    meter.add(entry.stamp.size);
                }
                ingested.unchanged_summary.add(&entry.shown);
            }
            (Ok(None), None) => {}
            (Err(error), _) => ingested.unreadable.push(unreadable(path, &error)),
        }
        batch.check()?;
        if entries.len() >= BATCH_SOURCES {
            batch.flush()?;
            index.append(&entries).map_err(|source| IngestError::at(&index_place, source))?;
            entries.clear();
        }
    }
    batch.flush()?;
    index.append(&entries).and_then(|()| index.compact()).map_err(|source| IngestError::at(&index_place, source))?;
    ingested.stored = batch.stored;
    Ok(ingested)
}

/// Takes out what lies in the state folder, by whatever way it was named. Files of one folder stand together.
fn leave_out_own(files: &mut Vec<PathBuf>, state_folder: &Path) {
    let real = |folder: &Path| folder.canonicalize().unwrap_or_else(|_| folder.to_path_buf());
    let state_folder = real(state_folder);
    let mut known: Option<(PathBuf, bool)> = None;
    files.retain(|file| {
        let folder = file.parent().unwrap_or(Path::new(""));
        match &known {
            Some((last, is_own)) if last == folder => !is_own,
            _ => {
                let is_own = real(folder).starts_with(&state_folder);
                known = Some((folder.to_path_buf(), is_own));
                !is_own
            }
        }
    });
}

impl IngestError {
    fn at(place: &Place, source: io::Error) -> Self {
        Self::Index { path: place.display().to_string(), source }
    }
}

/// Events that wait for being appended.
struct Batch<'a> {
    store: &'a RunStore,
    options: &'a Options<'a>,
    known: Known,
    events: Vec<RunEvent>,
    bytes: usize,
    stored: u64,
    failed: Option<RunStoreError>,
}

impl<'a> Batch<'a> {
    fn new(store: &'a RunStore, options: &'a Options<'a>) -> Self {
        Self { store, options, known: Known::default(), events: Vec::new(), bytes: 0, stored: 0, failed: None }
    }

    /// Takes an event. A failure is kept for [`Batch::check`]: readers have no use for one.
    fn push(&mut self, event: RunEvent) {
        if self.failed.is_some() || self.is_past(&event) {
            return;
        }
        self.bytes += [&event.input, &event.output].into_iter().flatten().map(String::len).sum::<usize>();
        self.events.push(event);
        if self.events.len() >= BATCH_EVENTS || self.bytes >= BATCH_BYTES {
            self.failed = self.flush().err();
        }
    }

    fn is_past(&self, event: &RunEvent) -> bool {
        let first = self.options.first_day;
        first.is_some_and(|first| *self.store.day_of(event, self.options.now) < *first)
    }

    fn check(&mut self) -> Result<(), RunStoreError> {
        self.failed.take().map_or(Ok(()), Err)
    }

    fn flush(&mut self) -> Result<(), RunStoreError> {
        self.check()?;
        let Options { now, log_max_chars, .. } = *self.options;
        self.stored += self.store.append_new(&mut self.known, &self.events, now, log_max_chars)?;
        self.events.clear();
        self.bytes = 0;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
