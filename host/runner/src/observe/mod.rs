//! Reading agents' logs from files: the effect half of `gephost_core::observe`. This is the one file of the runner
//! that opens files by paths which the user gave.
//!
//! What must stay true: memory is bounded by [`Limits`] and the longest line, whatever the files; a file is read to
//! the length it had when it was opened, so that one which grows comes to an end; nothing is ever written.

mod discover;
mod expand;
mod kept;
mod meter;
mod stored;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use gephost_core::observe::{FileReader, FileSummary, Format, HEAD_BYTES, Shared, UNKNOWN_FORMAT, recognise};
use gephost_core::redact::Redactor;
use gephost_core::run_event::RunEvent;
use jiff::Timestamp;

pub use discover::{Discovered, discover};

pub(crate) use expand::{folders_of, has_log_name, is_pattern};
pub use meter::Meter;

use expand::expand;
use kept::Kept;
pub(crate) use meter::Metered;
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
    for (index, path) in files.iter().enumerate() {
        let read = read_file(path, index, format, meter, &mut shared, &mut |seen| {
            if let Seen::Event { event, .. } = &seen {
                copies.note(event);
            }
            take(seen);
        });
        match read {
            Ok(summary) => observation.files.push(summary),
            Err(error) => observation.unreadable.push(unreadable(path, &error)),
        }
    }
    for (number, path) in copies.files().iter().enumerate() {
        let mut others = copies.others(path);
        let read = read_file(path, files.len() + number, None, None, &mut shared, &mut |seen| {
            others.take(seen, take);
        });
        match read {
            Ok(summary) => observation.files.extend(others.summary(summary)),
            Err(error) => observation.unreadable.push(unreadable(path, &error)),
        }
    }
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

fn read_file(
    path: &Path,
    index: usize,
    format: Option<&'static Format>,
    meter: Option<&Meter>,
    shared: &mut Shared,
    take: &mut dyn FnMut(Seen<'_>),
) -> io::Result<FileSummary> {
    let file = File::open(path)?;
    let found = file.metadata()?;
    if !found.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    let mut input = BufReader::with_capacity(BUFFER_BYTES, Metered(file.take(found.len()), meter));
    let shown = path.to_string_lossy();
    let head = input.fill_buf()?;
    let Some(format) = format.or_else(|| recognise(head)) else {
        let lines = count_lines(&mut input)?;
        return Ok(FileSummary { path: shown.into_owned(), format: UNKNOWN_FORMAT, lines, ..FileSummary::default() });
    };
    let mut reader = FileReader::new(format, &shown, head);
    let mut sequence = 0;
    let mut sink = |event| {
        take(Seen::Event { path, file: index, sequence, event });
        sequence += 1;
    };
    let result = each_chunk(&mut input, |chunk| reader.feed(chunk, shared, &mut sink));
    let end = reader.finish(shared, &mut sink);
    take(Seen::Ended { file: index, unfinished: &end.unfinished });
    result.map(|()| end.summary)
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
