//! Reads agents' logs from files: the effect of `gephost_core::observe`. This is the only file of the runner that opens
//! files by paths that the user gave.
//!
//! Invariants: memory is bounded by [`Limits`] and the longest line, whatever the files contain. A file is read to the
//! length that it had when it was opened, so reading ends even if it grows. Nothing is written.

#![expect(clippy::disallowed_methods, reason = "the user or the config names logs by path")]

mod discover;
mod error;
mod expand;
mod item;
mod limits;
mod meter;
mod parallel;
mod project_folders;
mod reading;
mod retained;
mod store_copies;

use std::collections::HashMap;
use std::io::{self, BufRead};
use std::path::PathBuf;

use gephost_core::observe::{FileSummary, Format, Shared};
use gephost_core::redact::Redactor;
use gephost_core::run_event::RunEvent;
use jiff::Timestamp;

pub use discover::{Discovered, Files, discover};

pub(crate) use error::unreadable;
pub use error::{ObserveError, Unreadable};
pub(crate) use expand::{folders_of, is_log, is_pattern};
pub use meter::Meter;
pub use project_folders::ProjectFolders;

use expand::expand;
pub use item::LogItem;
pub use limits::Limits;
pub(crate) use meter::Metered;
use parallel::{Step, read_all};
pub(crate) use reading::BUFFER_BYTES;
use reading::Log;
use retained::RetainedEvents;
use store_copies::StoreCopies;

use crate::run_store::RunStore;

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
    /// For each file with events, the position of its first event in `events` and its path; ascending.
    pub origins: Vec<(usize, String)>,
    /// The time of the newest event that was read, whatever was left out.
    pub newest: Option<Timestamp>,
}

impl Observation {
    /// The path of the file that the event at this position is from.
    pub fn origin(&self, event: usize) -> Option<&str> {
        let at = self.origins.partition_point(|(first, _)| *first <= event);
        self.origins.get(at.checked_sub(1)?).map(|(_, path)| path.as_str())
    }
}

/// Reads logs: files, folders (every file below them that is a log by its name, or a text that starts like a session) and patterns (`logs/**/*.jsonl`). A
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
    let mut names: Vec<(usize, String)> = Vec::new();
    let mut newest = None;
    let mut observation = observe_each(paths, store, format, redactor, meter, &mut |item| match item {
        LogItem::Event { path, file, sequence, event } => {
            newest = newest.max(event.timestamp);
            if names.last().is_none_or(|(known, _)| *known != file) {
                names.push((file, path.to_string_lossy().into_owned()));
            }
            kept.add(file, sequence, event);
        }
        LogItem::Ended { file, unfinished } => kept.set_unfinished(file, unfinished),
    })?;
    observation.left_out = kept.prune();
    observation.newest = newest;
    let (events, starts) = kept.into_events();
    observation.events = events;
    let names: HashMap<usize, String> = names.into_iter().collect();
    let name = |file: usize| names.get(&file).cloned();
    observation.origins = starts.into_iter().filter_map(|(first, file)| Some((first, name(file)?))).collect();
    Ok(observation)
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
    /// Whether a person named them for this one use. A folder without a log is then listed among what cannot be read; in a
    /// config, it may be one in which no agent has worked yet.
    pub named: bool,
}

impl LogPaths {
    /// These, wherever they lie.
    pub fn anywhere(paths: Vec<PathBuf>) -> Self {
        Self { paths, ..Self::default() }
    }

    /// Those that a person named, wherever they lie.
    pub fn named(paths: Vec<PathBuf>) -> Self {
        Self { paths, named: true, ..Self::default() }
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
            match expand(path, self.named, &mut files, failed) {
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
