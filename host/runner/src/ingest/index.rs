//! The index of sources: one JSON object a line, the last one of a path counts. What is lost of it is read again.

#![expect(clippy::disallowed_methods, reason = "the user or the config names logs by path")]

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::{File, Metadata};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use gephost_core::observe::{FileSummary, Format, Mark, stored};
use serde::{Deserialize, Serialize};

use crate::durable::{self, Access, Line};
use crate::place::Place;

/// Longest line of the index.
const MAX_LINE_BYTES: usize = 1 << 20;
/// Lines that may be out of date before the index is written anew.
const MAX_STALE: usize = 1000;

/// What the system says of a file: equal if, and only if, nothing was written to it since. The time of the last change
/// of state is nobody's to set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    pub(super) size: u64,
    changed: (i64, i64),
}

impl Stamp {
    pub(super) fn of(found: &Metadata) -> Self {
        let changed = (found.ctime(), found.ctime_nsec());
        Self { device: found.dev(), inode: found.ino(), size: found.len(), changed }
    }

    /// Whether both are of one file, which may have been written to.
    pub(super) fn is_same_file(&self, other: &Self) -> bool {
        (self.device, self.inode) == (other.device, other.inode)
    }
}

/// How far a log was read.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) path: String,
    pub(super) stamp: Stamp,
    /// Name of its format, or `unknown`.
    pub(super) format: String,
    /// A hash of how the file began, and one of what stood before the mark: both stay in a file that has only grown.
    pub(super) ends: (u64, u64),
    /// Where to go on; nothing where the format is read as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) mark: Option<Mark>,
    /// The numbers of all that is in it.
    #[serde(with = "stored")]
    pub(super) shown: FileSummary,
}

impl Entry {
    pub(super) fn is_unchanged(&self, stamp: &Stamp, format: Option<&Format>) -> bool {
        self.stamp == *stamp && format.is_none_or(|format| format.name == self.format)
    }
}

/// Where each path's newest entry stands. The entries themselves are read when they are asked for: of hundreds of
/// thousands of logs only the paths are in memory.
#[derive(Debug)]
pub(super) struct Index {
    place: Place,
    file: Option<File>,
    spans: HashMap<Box<str>, Span>,
    lines: usize,
}

/// Where a line stands, without its end.
#[derive(Debug, Clone, Copy)]
struct Span {
    start: u64,
    length: u32,
}

/// What of a line is read at first.
#[derive(Deserialize)]
struct Named<'a> {
    #[serde(borrow)]
    path: Cow<'a, str>,
}

impl Index {
    /// Reads the index; empty where there is none. A line that a crash cut is passed over.
    pub(super) fn load(place: &Place) -> io::Result<Self> {
        let mut index = Self { place: place.clone(), file: None, spans: HashMap::new(), lines: 0 };
        let Some(mut file) = durable::open_to_read(place)? else { return Ok(index) };
        durable::read_lines_at(&mut file, MAX_LINE_BYTES, |start, line| {
            index.lines += 1;
            if let Line::Whole(bytes) = line
                && let Ok(Named { path }) = serde_json::from_slice(bytes)
            {
                index.put(&path, start, bytes.len());
            }
        })?;
        index.file = Some(file);
        Ok(index)
    }

    fn put(&mut self, path: &str, start: u64, length: usize) {
        // A line has at most `MAX_LINE_BYTES`.
        let span = Span { start, length: u32::try_from(length).unwrap_or_default() };
        match self.spans.get_mut(path) {
            Some(known) => *known = span,
            None => drop(self.spans.insert(Box::from(path), span)),
        }
    }

    /// The newest entry of a path. `None` where there is none, or it cannot be read: then the log is read anew.
    pub(super) fn get(&self, path: &Path) -> Option<Entry> {
        let span = self.spans.get(&*path.to_string_lossy())?;
        serde_json::from_slice(&self.line(*span).ok()?).ok()
    }

    fn line(&self, span: Span) -> io::Result<Vec<u8>> {
        let mut line = vec![0; span.length as usize];
        let file = self.file.as_ref().ok_or(io::ErrorKind::NotFound)?;
        file.read_exact_at(&mut line, span.start)?;
        Ok(line)
    }

    /// Adds entries. When it returns, they are on disk.
    pub(super) fn append(&mut self, entries: &[Entry]) -> io::Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let (mut lines, mut spans) = (Vec::new(), Vec::new());
        for entry in entries {
            let start = lines.len();
            serde_json::to_writer(&mut lines, entry)?;
            spans.push((entry.path.as_str(), start as u64, lines.len() - start));
            lines.push(b'\n');
        }
        let mut file = durable::open_to_append(&self.place, Access::Private)?;
        durable::append(&mut file, &self.place, &lines)?;
        let first = file.metadata()?.len() - lines.len() as u64;
        for (path, start, length) in spans {
            self.put(path, first + start, length);
        }
        self.lines += entries.len();
        if self.file.is_none() {
            self.file = durable::open_to_read(&self.place)?;
        }
        Ok(())
    }

    /// Writes the index anew where more than half of it is out of date. Logs that are gone are left out.
    pub(super) fn compact(mut self) -> io::Result<()> {
        if self.lines <= self.spans.len() * 2 + MAX_STALE {
            return Ok(());
        }
        self.spans.retain(|path, _| Path::new(&**path).exists());
        let mut spans: Vec<Span> = self.spans.values().copied().collect();
        spans.sort_unstable_by_key(|span| span.start);
        durable::replace_with(&self.place, Access::Private, |to| {
            spans.iter().try_for_each(|span| {
                to.write_all(&self.line(*span)?)?;
                to.write_all(b"\n")
            })
        })
    }
}
