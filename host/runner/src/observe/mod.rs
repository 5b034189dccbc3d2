//! Reads agents' logs from files: the effect of `gephost_core::observe`. This is the only file of the runner that opens
//! files by paths that the user gave.
//!
//! Invariants: memory is bounded by [`Limits`] and the longest line, whatever the files contain. A file is read to the
//! length that it had when it was opened, so reading ends even if it grows. Nothing is written.

mod discover;
mod expand;
mod meter;
mod parallel;
mod project_folders;
mod reading;
mod retained;
mod store_copies;

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use gephost_core::observe::{FileSummary, Format, HEAD_BYTES, Shared};
use gephost_core::redact::Redactor;
use gephost_core::run_event::RunEvent;
use jiff::Timestamp;
use schemars::JsonSchema;

pub use discover::{Discovered, Files, discover};

pub(crate) use expand::{folders_of, has_log_name, is_pattern};
pub use meter::Meter;
pub use project_folders::ProjectFolders;

use expand::expand;
pub(crate) use meter::Metered;
use parallel::{Step, read_all};
use reading::Log;
use retained::RetainedEvents;
use store_copies::StoreCopies;

use crate::run_store::RunStore;

/// Bytes that are read at once: enough to recognise a format.
pub(crate) const BUFFER_BYTES: usize = HEAD_BYTES;

/// How many events are kept. Summaries count all of them.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most events. The newest are kept.
    pub max_events: usize,
    /// Most bytes of their texts.
    pub max_text_bytes: usize,
    /// Events before this time are left out. Events without a time are kept.
    pub since: Option<Timestamp>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_events: 200_000, max_text_bytes: 64 * 1024 * 1024, since: None }
    }
}

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, JsonSchema)]
pub struct Unreadable {
    /// Path of the file.
    pub path: String,
    /// The system's error message.
    pub reason: String,
}

/// The result of reading logs.
#[derive(Debug, Default)]
pub struct Observation {
    /// The events, in the order of their files and lines.
    pub events: Vec<RunEvent>,
    /// A summary for each file. Files are sorted by name.
    pub files: Vec<FileSummary>,
    /// Files that could not be read. The others were.
    pub unreadable: Vec<Unreadable>,
    /// Events that were left out because of `max_events` or `max_text_bytes`.
    pub left_out: u64,
    /// The time of the newest event that was read, whatever was left out.
    pub newest: Option<Timestamp>,
}

/// Why nothing was read.
#[derive(Debug, thiserror::Error)]
pub enum ObserveError {
    /// The path does not exist.
    #[error("no log at {0}: give a file, a folder or a pattern that exists")]
    NotFound(String),
    /// The run store cannot be listed.
    #[error(transparent)]
    Store(#[from] crate::run_store::RunStoreError),
    /// The pattern is invalid.
    #[error("invalid pattern {pattern}: {reason}")]
    Pattern {
        /// The pattern as given.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Reads logs: files, folders (every file below them that is named like a log) and patterns (`logs/**/*.jsonl`). A
/// session that is in several files counts once. If `format` is given, every file is read as that format. `redactor`
/// redacts every text. Events of `store` that the logs no longer contain are read too. `meter` counts the bytes.
///
/// This only reads. An error means that a path or pattern matches nothing. A file that fails while it is read is listed
/// in [`Observation::unreadable`]; the events read before the failure are kept.
pub fn observe(
    paths: &LogPaths,
    store: Option<&RunStore>,
    format: Option<&'static Format>,
    limits: Limits,
    redactor: Redactor,
    meter: Option<&Meter>,
) -> Result<Observation, ObserveError> {
    let mut kept = RetainedEvents::new(limits);
    let mut newest = None;
    let mut observation = observe_each(paths, store, format, redactor, meter, &mut |item| match item {
        LogItem::Event { file, sequence, event, .. } => {
            newest = newest.max(event.timestamp);
            kept.add(file, sequence, event);
        }
        LogItem::Ended { file, unfinished } => kept.set_unfinished(file, unfinished),
    })?;
    observation.left_out = kept.prune();
    observation.newest = newest;
    observation.events = kept.into_events();
    Ok(observation)
}

/// What reading passes on, file by file.
pub enum LogItem<'a> {
    /// The next event of a file.
    Event {
        /// Path of the file.
        path: &'a Path,
        /// Index of the file, from 0.
        file: usize,
        /// Index of the event in its file, from 0.
        sequence: u64,
        /// The event.
        event: RunEvent,
    },
    /// A file has ended.
    Ended {
        /// Index of the file.
        file: usize,
        /// Indexes of its starts without an end, sorted. Their outcome is `Unfinished`.
        unfinished: &'a [u64],
    },
}

/// As [`observe`], but passes on each event as it is read and keeps none.
pub fn observe_each(
    paths: &LogPaths,
    store: Option<&RunStore>,
    format: Option<&'static Format>,
    redactor: Redactor,
    meter: Option<&Meter>,
    take: &mut dyn FnMut(LogItem<'_>),
) -> Result<Observation, ObserveError> {
    let mut observation = Observation::default();
    let files = paths.files(false, &mut observation.unreadable)?;
    if let Some(meter) = meter {
        meter.expect(&files);
    }
    let mut copies = store.map(|store| StoreCopies::of(store, &files)).transpose()?.unwrap_or_default();
    let mut shared = Shared::new(redactor);
    let logs: Vec<_> = files.iter().map(|path| Log { path, place: None, format, meter }).collect();
    read_all(&logs, 0, &mut shared, &mut |path, step| match step {
        Step::Item(item) => {
            if let LogItem::Event { event, .. } = &item {
                copies.add_log_event(event);
            }
            take(item);
        }
        Step::Finished(Ok(summary)) => observation.files.push(summary),
        Step::Finished(Err(error)) => observation.unreadable.push(unreadable(path, &error)),
    });
    let logs: Vec<_> = copies
        .files()
        .iter()
        .map(|(path, place)| Log { path, place: Some(place), format: None, meter: None })
        .collect();
    let mut store_only = None;
    read_all(&logs, files.len(), &mut shared, &mut |path, step| match step {
        Step::Item(item) => store_only.get_or_insert_with(|| copies.store_only(path)).take(item, take),
        Step::Finished(Ok(summary)) => {
            observation.files.extend(store_only.take().and_then(|store_only| store_only.summary(summary)));
        }
        Step::Finished(Err(error)) => {
            store_only = None;
            observation.unreadable.push(unreadable(path, &error));
        }
    });
    Ok(observation)
}

/// Which logs are read.
#[derive(Debug, Clone, Default)]
pub struct LogPaths {
    /// Files, folders and patterns.
    pub paths: Vec<PathBuf>,
    /// Only files in this folder are read, wherever links lead; `None` bounds nothing. A canonical path.
    pub within: Option<PathBuf>,
}

impl LogPaths {
    /// These, wherever they lie.
    pub fn anywhere(paths: Vec<PathBuf>) -> Self {
        Self { paths, within: None }
    }

    /// The files that the paths mean, sorted and without duplicates. A path that names nothing is passed over if
    /// `absent_is_empty`. A file out of bounds is listed in `failed`.
    pub(crate) fn files(
        &self,
        absent_is_empty: bool,
        failed: &mut Vec<Unreadable>,
    ) -> Result<Vec<PathBuf>, ObserveError> {
        let mut files = Vec::new();
        for path in &self.paths {
            match expand(path, &mut files, failed) {
                Err(ObserveError::NotFound(_)) if absent_is_empty => {}
                expanded => expanded?,
            }
        }
        files.sort();
        files.dedup();
        if let Some(folder) = &self.within {
            // What cannot be resolved cannot be read either, and the reader says why.
            let is_outside =
                |file: &mut PathBuf| file.canonicalize().is_ok_and(|resolved| !resolved.starts_with(folder));
            failed.extend(files.extract_if(.., is_outside).map(|file| Unreadable {
                path: file.to_string_lossy().into_owned(),
                reason:
                    "it leads outside of the project, and you have not trusted gephost.toml: gephost trust".to_owned(),
            }));
        }
        Ok(files)
    }
}

pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Unreadable {
    Unreadable { path: path.to_string_lossy().into_owned(), reason: error.to_string() }
}

pub(crate) fn count_lines(input: &mut impl BufRead) -> io::Result<u64> {
    let mut lines = 0;
    each_chunk(input, |chunk| lines += memchr::memchr_iter(b'\n', chunk).count() as u64)?;
    Ok(lines)
}

pub(crate) fn each_chunk(input: &mut impl BufRead, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    loop {
        let chunk = input.fill_buf()?;
        if chunk.is_empty() {
            return Ok(());
        }
        take(chunk);
        let used = chunk.len();
        input.consume(used);
    }
}

#[cfg(test)]
mod tests;
