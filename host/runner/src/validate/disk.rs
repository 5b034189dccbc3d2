//! How much of the disk a command takes: measured while it runs, since the system has no limit for a folder.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, fstatvfs, openat, statat};

/// Time between two looks at the free space, which cost next to nothing.
const PAUSE: Duration = Duration::from_millis(100);
/// Space that a file system keeps in any case, in bytes: what the rest of the machine needs to go on.
const RESERVE: u64 = 256 << 20;
/// Folders in folders, at most: a deeper tree counts as one that fills the disk.
const MAX_DEPTH: usize = 512;
/// Files and folders, at most.
const MAX_ENTRIES: u64 = 2_000_000;

/// Watches a folder.
pub(super) struct DiskWatch {
    folder: File,
    /// Bytes that may be added.
    most: u64,
    /// Bytes at the beginning.
    began_with: u64,
    /// What was free at the beginning, and when the folder was measured last.
    free_at_start: u64,
    free_when_measured: u64,
    looked: Instant,
}

impl DiskWatch {
    pub(super) fn start(folder: &Path, most: u64) -> std::io::Result<Self> {
        let folder = File::open(folder)?;
        let free = free(folder.as_fd())?;
        let began_with = measure(folder.as_fd()).unwrap_or(u64::MAX);
        Ok(Self { folder, most, began_with, free_at_start: free, free_when_measured: free, looked: Instant::now() })
    }

    /// Whether the folder has grown by more than it may, or the disk is nearly full and was not at the beginning. The
    /// folder is measured only after as much as a quarter of the room has gone.
    pub(super) fn is_over(&mut self) -> bool {
        if self.looked.elapsed() < PAUSE {
            return false;
        }
        self.looked = Instant::now();
        let Ok(free) = free(self.folder.as_fd()) else { return false };
        if free < RESERVE && free < self.free_at_start {
            return true;
        }
        if self.free_when_measured.saturating_sub(free) < self.most / 4 {
            self.free_when_measured = self.free_when_measured.max(free);
            return false;
        }
        self.free_when_measured = free;
        self.has_grown()
    }

    /// Whether it holds more than it may, measured now.
    pub(super) fn has_grown(&self) -> bool {
        measure(self.folder.as_fd()).is_none_or(|bytes| bytes.saturating_sub(self.began_with) > self.most)
    }
}

fn free(folder: BorrowedFd<'_>) -> std::io::Result<u64> {
    let system = fstatvfs(folder)?;
    Ok(system.f_bavail.saturating_mul(system.f_frsize))
}

/// The bytes that a folder's files take, or nothing where it is deeper or fuller than a tree may be.
fn measure(folder: BorrowedFd<'_>) -> Option<u64> {
    let mut sum = Sum::default();
    sum.add(folder, 0).then_some(sum.bytes)
}

#[derive(Default)]
struct Sum {
    entries: u64,
    bytes: u64,
}

impl Sum {
    /// False where a bound was met. What cannot be opened is the command's own, and holds what was counted before.
    fn add(&mut self, folder: BorrowedFd<'_>, depth: usize) -> bool {
        if depth > MAX_DEPTH || self.entries > MAX_ENTRIES {
            return false;
        }
        let Ok(entries) = Dir::read_from(folder) else { return true };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            self.entries += 1;
            let Ok(stat) = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
            let blocks = u64::try_from(stat.st_blocks).unwrap_or_default();
            self.bytes = self.bytes.saturating_add(blocks.saturating_mul(512));
            if FileType::from_raw_mode(stat.st_mode) != FileType::Directory {
                continue;
            }
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let below = openat(folder, name, flags, Mode::empty());
            if below.is_ok_and(|below| !self.add(below.as_fd(), depth + 1)) {
                return false;
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_is_told_from_what_was_there() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("before"), vec![1; 3 << 20]).expect("a file");
        let watch = DiskWatch::start(folder.path(), 1 << 20).expect("a watch");
        assert!(!watch.has_grown());
        std::fs::create_dir(folder.path().join("sub")).expect("a folder");
        std::fs::write(folder.path().join("sub/after"), vec![1; 2 << 20]).expect("a file");
        assert!(watch.has_grown());
    }
}
