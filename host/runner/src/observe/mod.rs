//! Reading agents' logs from files: the effect half of `gephost_core::observe`. This is the one file of the runner
//! that opens files by paths which the user gave.
//!
//! What must stay true: memory is bounded by [`Limits`] and the longest line, whatever the files; a file is read to
//! the length it had when it was opened, so that one which grows comes to an end; nothing is ever written.

mod ahead;
mod discover;
mod expand;
mod kept;
mod meter;
mod reading;
mod stored;

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use gephost_core::observe::{FileSummary, Format, HEAD_BYTES, Shared};
use gephost_core::redact::Redactor;
use gephost_core::run_event::RunEvent;
use jiff::Timestamp;

pub use discover::{Discovered, discover};

pub(crate) use expand::{folders_of, has_log_name, is_pattern};
pub use meter::Meter;

use ahead::{Step, read_all};
use expand::expand;
use kept::Kept;
pub(crate) use meter::Metered;
use reading::Log;
use stored::Copies;

use crate::run_store::RunStore;

/// Bytes read at once: as many as are looked at to recognise a format.
pub(crate) const BUFFER_BYTES: usize = HEAD_BYTES;

/// How much is kept of what was read. Summaries count all of it.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Most events; the newest are kept.
    pub max_events: usize,
    /// Most bytes of their texts.
    pub max_text_bytes: usize,
    /// Events before this are left out; events without a time are not.
    pub since: Option<Timestamp>,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_events: 200_000, max_text_bytes: 64 * 1024 * 1024, since: None }
    }
}

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Unreadable {
    /// Which.
    pub path: String,
    /// What the system said.
    pub reason: String,
}

/// What was read.
#[derive(Debug, Default)]
pub struct Observation {
    /// Files in the order of their names, events in the order of their file.
    pub events: Vec<RunEvent>,
    /// One summary a file, in the same order.
    pub files: Vec<FileSummary>,
    /// Files that could not be read; the others were.
    pub unreadable: Vec<Unreadable>,
    /// Events that were left out for `max_events` or `max_text_bytes`.
    pub left_out: u64,
}

/// Why nothing was read at all.
#[derive(Debug, thiserror::Error)]
pub enum ObserveError {
    /// Nothing there.
    #[error("no log at {0}: name a file, a folder or a pattern that exists")]
    NotFound(String),
    /// A store that cannot be listed.
    #[error(transparent)]
    Store(#[from] crate::run_store::RunStoreError),
    /// A pattern that is none.
    #[error("bad pattern {pattern}: {reason}")]
    Pattern {
        /// As it was given.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// Reads logs: files, folders (the files in them that have a log's name, at any depth) and patterns
/// (`logs/**/*.jsonl`). A session that stands in several files counts once. With `format` every file is taken to be of
/// it. Every text passes `redactor`. Of `store`, what the logs no longer hold is read too. `meter` counts what is read.
///
/// Reads only. An error means that a path or pattern names nothing; a file that fails while it is read is listed in
/// [`Observation::unreadable`] with what was read of it kept.
pub fn observe(
    paths: &[PathBuf],
    store: Option<&RunStore>,
    format: Option<&'static Format>,
    limits: Limits,
    redactor: Redactor,
    meter: Option<&Meter>,
) -> Result<Observation, ObserveError> {
    let mut kept = Kept::new(limits);
    let mut observation = observe_each(paths, store, format, redactor, meter, &mut |seen| match seen {
        Seen::Event { file, sequence, event, .. } => kept.add(file, sequence, event),
        Seen::Ended { file, unfinished } => kept.set_unfinished(file, unfinished),
    })?;
    observation.left_out = kept.prune();
    observation.events = kept.into_events();
    Ok(observation)
}

/// What reading hands on, file by file.
pub enum Seen<'a> {
    /// The next event of a file.
    Event {
        /// Where the file is.
        path: &'a Path,
        /// Which file it is, counted from 0.
        file: usize,
        /// Which event of the file, from 0.
        sequence: u64,
        /// The event.
        event: RunEvent,
    },
    /// A file has ended.
    Ended {
        /// Which file.
        file: usize,
        /// Its starts that no end came for, by their sequence, sorted: their outcome is `Unfinished`.
        unfinished: &'a [u64],
    },
}

/// As [`observe`], with each event handed on as it is read and none kept.
pub fn observe_each(
    paths: &[PathBuf],
    store: Option<&RunStore>,
    format: Option<&'static Format>,
    redactor: Redactor,
    meter: Option<&Meter>,
    take: &mut dyn FnMut(Seen<'_>),
) -> Result<Observation, ObserveError> {
    let mut observation = Observation::default();
    let files = files_of(paths, &mut observation.unreadable)?;
    if let Some(meter) = meter {
        meter.expect(&files);
    }
    let mut copies = store.map(|store| Copies::of(store, &files)).transpose()?.unwrap_or_default();
    let mut shared = Shared::new(redactor);
    let logs: Vec<_> = files.iter().map(|path| Log { path, place: None, format, meter }).collect();
    read_all(&logs, 0, &mut shared, &mut |path, step| match step {
        Step::Seen(seen) => {
            if let Seen::Event { event, .. } = &seen {
                copies.note(event);
            }
            take(seen);
        }
        Step::Over(Ok(summary)) => observation.files.push(summary),
        Step::Over(Err(error)) => observation.unreadable.push(unreadable(path, &error)),
    });
    let logs: Vec<_> = copies
        .files()
        .iter()
        .map(|(path, place)| Log { path, place: Some(place), format: None, meter: None })
        .collect();
    let mut others = None;
    read_all(&logs, files.len(), &mut shared, &mut |path, step| match step {
        Step::Seen(seen) => others.get_or_insert_with(|| copies.others(path)).take(seen, take),
        Step::Over(Ok(summary)) => observation.files.extend(others.take().and_then(|others| others.summary(summary))),
        Step::Over(Err(error)) => {
            others = None;
            observation.unreadable.push(unreadable(path, &error));
        }
    });
    Ok(observation)
}

/// The files that paths name, sorted, each once.
pub(crate) fn files_of(paths: &[PathBuf], failed: &mut Vec<Unreadable>) -> Result<Vec<PathBuf>, ObserveError> {
    let mut files = Vec::new();
    for path in paths {
        expand(path, &mut files, failed)?;
    }
    files.sort();
    files.dedup();
    Ok(files)
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
