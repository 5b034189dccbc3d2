//! The index of sources: one JSON object a line, the last one of a path counts. What is lost of it is read again.

use std::collections::HashMap;
use std::fs::Metadata;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use gephost_core::observe::{FileSummary, Format, Mark, stored};
use serde::{Deserialize, Serialize};

use crate::durable::{self, Access, Line};

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

/// All entries, by path.
#[derive(Debug)]
pub(super) struct Index {
    path: PathBuf,
    entries: HashMap<String, Entry>,
    lines: usize,
}

impl Index {
    /// Reads the index; empty where there is none. A line that a crash cut is passed over.
    pub(super) fn load(path: &Path) -> io::Result<Self> {
        let mut index = Self { path: path.to_owned(), entries: HashMap::new(), lines: 0 };
        let Some(mut file) = durable::open_to_read(path)? else { return Ok(index) };
        durable::read_lines(&mut file, MAX_LINE_BYTES, |line| {
            index.lines += 1;
            if let Line::Whole(bytes) = line
                && let Ok(entry) = serde_json::from_slice::<Entry>(bytes)
            {
                index.entries.insert(entry.path.clone(), entry);
            }
        })?;
        Ok(index)
    }

    pub(super) fn get(&self, path: &Path) -> Option<&Entry> {
        self.entries.get(&*path.to_string_lossy())
    }

    /// Adds entries. When it returns, they are on disk.
    pub(super) fn append(&mut self, entries: Vec<Entry>) -> io::Result<()> {
        if entries.is_empty() {
            return Ok(());
        }
        let lines = lines(entries.iter())?;
        let mut file = durable::open_to_append(&self.path, Access::Private)?;
        durable::append(&mut file, &self.path, &lines)?;
        self.lines += entries.len();
        self.entries.extend(entries.into_iter().map(|entry| (entry.path.clone(), entry)));
        Ok(())
    }

    /// Writes the index anew where more than half of it is out of date. Logs that are gone are left out.
    pub(super) fn compact(&mut self) -> io::Result<()> {
        if self.lines <= self.entries.len() * 2 + MAX_STALE {
            return Ok(());
        }
        self.entries.retain(|path, _| Path::new(path).exists());
        self.lines = self.entries.len();
        durable::replace(&self.path, &lines(self.entries.values())?, Access::Private)
    }
}

fn lines<'a>(entries: impl Iterator<Item = &'a Entry>) -> io::Result<Vec<u8>> {
    let mut lines = Vec::new();
    for entry in entries {
        serde_json::to_writer(&mut lines, entry)?;
        lines.push(b'\n');
    }
    Ok(lines)
}
