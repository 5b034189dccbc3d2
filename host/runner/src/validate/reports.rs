//! Reads `JUnit` reports that a command wrote into its work copy. A file counts only if it is new or has changed since
//! the command started, so a committed report proves nothing. No link is followed, and folders, files and bytes are
//! bounded, because the command is not trusted.

#![expect(clippy::disallowed_methods, reason = "the folder that a command writes to is named by path")]

use std::collections::BTreeMap;
use std::ffi::CString;
use std::fs::File;
use std::io::Read as _;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

use gephost_core::evaluate::{MAX_JUNIT_BYTES, read_junit};
use gephost_core::validation::TestEvidence;
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, statat};

/// Deepest nesting of folders: `build/test-results/test/*.xml` and a few more.
const MAX_DEPTH: usize = 8;
/// Most names that are read.
const MAX_ENTRIES: usize = 50_000;
/// Most reports of one command, and most bytes of all of them.
const MAX_REPORTS: usize = 1_000;
const MAX_BYTES: usize = 4 * MAX_JUNIT_BYTES;
/// Folders that contain many files but no reports.
const NOT_SEARCHED: &[&[u8]] = &[b".git", b"node_modules", b".venv", b"venv", b"__pycache__"];

/// Identifies the version of a file: device, number, length, and time of the last change.
type Stamp = (u64, u64, i64, i64, u64);

/// The `.xml` files of a work copy at one moment.
pub(super) struct Reports {
    folder: Option<File>,
    there: BTreeMap<Vec<u8>, Stamp>,
}

impl Reports {
    /// Lists the files before a command runs. If that fails, no report is found later.
    pub(super) fn before(folder: &Path) -> Self {
        let folder = File::open(folder).ok();
        let there = folder.as_ref().map(|folder| Search::of(folder.as_fd()).found).unwrap_or_default();
        Self { folder, there }
    }

    /// What the reports written since then say; `None` if there are none. A file that is not a complete report is
    /// ignored.
    pub(super) fn since(&self) -> Option<TestEvidence> {
        let folder = self.folder.as_ref()?.as_fd();
        let found = Search::of(folder).found;
        let new = found.iter().filter(|(path, stamp)| self.there.get(*path) != Some(stamp));
        let mut room = MAX_BYTES;
        let mut evidence: Option<TestEvidence> = None;
        for (path, _) in new.take(MAX_REPORTS) {
            let Some(bytes) = read(folder, path, room.min(MAX_JUNIT_BYTES)) else { continue };
            room -= bytes.len();
            if let Ok(report) = read_junit(&bytes) {
                evidence = Some(evidence.map_or(report.clone(), |earlier| earlier.plus(report)));
            }
        }
        evidence
    }
}

struct Search {
    entries: usize,
    found: BTreeMap<Vec<u8>, Stamp>,
}

impl Search {
    fn of(folder: BorrowedFd<'_>) -> Self {
        let mut search = Self { entries: 0, found: BTreeMap::new() };
        search.add(folder, &[], 0);
        search
    }

    fn add(&mut self, folder: BorrowedFd<'_>, path: &[u8], depth: usize) {
        let Ok(entries) = Dir::read_from(folder) else { return };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return;
            }
            let below = [path, name.to_bytes()].concat();
            match entry.file_type() {
                FileType::Directory if depth < MAX_DEPTH && !NOT_SEARCHED.contains(&name.to_bytes()) => {
                    if let Some(inner) = open(folder, name, OFlags::DIRECTORY) {
                        self.add(inner.as_fd(), &[&below[..], b"/"].concat(), depth + 1);
                    }
                }
                FileType::RegularFile if name.to_bytes().ends_with(b".xml") => {
                    if let Ok(stat) = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                        let length = u64::try_from(stat.st_size).unwrap_or_default();
                        let changed = i64::try_from(stat.st_mtime_nsec).unwrap_or_default();
                        self.found.insert(below, (stat.st_dev, stat.st_ino, stat.st_mtime, changed, length));
                    }
                }
                _ => {}
            }
        }
    }
}

/// The bytes of a file, if there are not too many. Every folder on the way is opened without following links.
fn read(folder: BorrowedFd<'_>, path: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut parts = path.split(|byte| *byte == b'/').map(|part| CString::new(part).ok());
    let mut place: Option<OwnedFd> = None;
    let mut name = parts.next()??;
    for next in parts {
        place = Some(open(place.as_ref().map_or(folder, AsFd::as_fd), &name, OFlags::DIRECTORY)?);
        name = next?;
    }
    // If the file has been replaced by a pipe, opening it does not block.
    let file = open(place.as_ref().map_or(folder, AsFd::as_fd), &name, OFlags::NONBLOCK)?;
    let file = File::from(file);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(most as u64 + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() <= most).then_some(bytes)
}

fn open(folder: BorrowedFd<'_>, name: &std::ffi::CStr, flags: OFlags) -> Option<OwnedFd> {
    openat(folder, name, OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | flags, Mode::empty()).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    const REPORT: &str = "<testsuite name='T'><testcase name='t'/></testsuite>";

    #[test]
    fn only_what_was_written_since_counts() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("old.xml"), REPORT).unwrap();
        let outside = tempfile::NamedTempFile::with_suffix(".xml").unwrap();
        fs::write(outside.path(), REPORT).unwrap();
        let before = Reports::before(root);
        assert_eq!(before.since(), None);
        fs::create_dir_all(root.join("build/test-results")).unwrap();
        fs::create_dir(root.join("node_modules")).unwrap();
        symlink(outside.path(), root.join("linked.xml")).unwrap();
        symlink("build", root.join("folder")).unwrap();
        for file in ["node_modules/a.xml", "notes.txt"] {
            fs::write(root.join(file), REPORT).unwrap();
        }
        fs::write(root.join("pom.xml"), "<project/>").unwrap();
        assert_eq!(before.since(), None);
        fs::write(root.join("build/test-results/a.xml"), REPORT).unwrap();
        assert_eq!(before.since().expect("a report").counts.passed, 1);
        fs::write(root.join("old.xml"), format!("{REPORT}\n")).unwrap();
        assert_eq!(before.since().expect("reports").counts.passed, 2);
    }

    #[test]
    fn what_is_too_large_or_too_deep_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let before = Reports::before(folder.path());
        let deep = folder.path().join("d/".repeat(MAX_DEPTH + 1));
        fs::create_dir_all(&deep).unwrap();
        fs::write(deep.join("a.xml"), REPORT).unwrap();
        fs::write(folder.path().join("b.xml"), format!("{REPORT}{}", " ".repeat(MAX_JUNIT_BYTES))).unwrap();
        assert_eq!(before.since(), None);
    }
}
