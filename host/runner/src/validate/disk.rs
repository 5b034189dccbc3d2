//! How much of the disk a command takes: measured while it runs and after it, since the system has no limit for a folder.
//!
//! What must stay true: what the command hides counts too. That is files that it has unlinked and still holds open, and
//! folders whose mode keeps the measuring out.

#![expect(clippy::disallowed_methods, reason = "the folder that a command writes to is named by path")]

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{
    Access, AtFlags, Dir, FileType, Mode, OFlags, accessat, chmod, fstat, fstatvfs, open, openat, statat,
};
use rustix::io::Errno;

use super::open_files::{self, Unlinked};
use crate::monotonic;

/// Bytes that are always kept free on a file system, for the rest of the machine.
const RESERVE: u64 = 256 << 20;
/// The folder is measured this often in any case, unless that takes more than one part in [`SHARE`] of the time.
const AT_LATEST: Duration = Duration::from_secs(1);
const SHARE: u32 = 20;
/// What the system says of a file or a folder that the command removed since it was listed. It takes nothing any more.
const REMOVED: Errno = Errno::NOENT;
/// Deepest nesting of folders. A deeper tree counts as one that fills the disk.
const MAX_DEPTH: usize = 512;
/// Most files and folders.
const MAX_ENTRIES: u64 = 2_000_000;

/// Watches a folder, and the files without a name that the command's processes hold open.
pub(super) struct DiskWatch {
    folder: File,
    /// The device that it lies on.
    device: u64,
    /// Bytes that may be added.
    most: u64,
    /// Bytes at the start.
    began_with: u64,
    /// Free bytes at the start, and when the folder was last measured.
    free_at_start: u64,
    free_when_measured: u64,
    /// When it is measured whatever the free space says.
    due: Instant,
}

impl DiskWatch {
    /// The device of the folder.
    pub(super) fn device(&self) -> u64 {
        self.device
    }

    pub(super) fn start(folder: &Path, most: u64) -> io::Result<Self> {
        let folder = File::open(folder)?;
        let device = folder.metadata()?.dev();
        let free = free(folder.as_fd())?;
        let began_with = Sum::of(&folder, Hidden::Counted).map_or(u64::MAX, |sum| sum.bytes);
        let due = monotonic::now() + AT_LATEST;
        Ok(Self { folder, device, most, began_with, free_at_start: free, free_when_measured: free, due })
    }

    /// Whether the folder has grown beyond its limit, or the disk is almost full and was not at the start. The folder is
    /// measured once a quarter of the allowed space has been used, and from time to time in any case: where other programs
    /// free space, what the command takes does not show in it.
    pub(super) fn is_over(&mut self, unlinked: Unlinked) -> bool {
        let Ok(free) = free(self.folder.as_fd()) else { return false };
        if free < RESERVE && free < self.free_at_start {
            return true;
        }
        let began = monotonic::now();
        if self.free_when_measured.saturating_sub(free) < self.most / 4 && began < self.due {
            self.free_when_measured = self.free_when_measured.max(free);
            return false;
        }
        self.free_when_measured = free;
        let has_grown = self.has_grown(unlinked);
        self.due = monotonic::now() + AT_LATEST.max(began.elapsed() * SHARE);
        has_grown
    }

    /// Whether it holds more than it may, measured now, while processes have these files open. If the command has closed a folder or
    /// the open files of a process to us, or shows a part of a file, the rest shows in the free space of the disk only.
    /// Other programs use that too, so it counts if it alone is over the bound.
    pub(super) fn has_grown(&self, unlinked: Unlinked) -> bool {
        let Some(sum) = Sum::of(&self.folder, Hidden::LeftAlone) else { return true };
        let gone = free(self.folder.as_fd()).map_or(0, |free| self.free_at_start.saturating_sub(free));
        self.is_too_much(sum.bytes.saturating_add(unlinked.bytes))
            || ((sum.hidden || unlinked.hidden || unlinked.in_part) && gone > self.most)
    }

    /// The same after the last process has ended: folders that the command closed to us are opened, measured, and closed
    /// again.
    pub(super) fn has_grown_in_the_end(&self) -> bool {
        Sum::of(&self.folder, Hidden::Counted).is_none_or(|sum| self.is_too_much(sum.bytes))
    }

    fn is_too_much(&self, bytes: u64) -> bool {
        bytes.saturating_sub(self.began_with) > self.most
    }
}

fn free(folder: BorrowedFd<'_>) -> io::Result<u64> {
    let system = fstatvfs(folder)?;
    Ok(system.f_bavail.saturating_mul(system.f_frsize))
}

/// What happens to a folder whose mode keeps us out. It is the command's own, made under our user.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Hidden {
    /// It is reported. While the command runs its modes are its own: a test may rest on them.
    LeftAlone,
    /// It is opened by another mode for the moment.
    Counted,
}

/// What a folder's files take.
#[derive(Default)]
struct Sum {
    entries: u64,
    bytes: u64,
    /// Whether a folder could not be read.
    hidden: bool,
}

impl Sum {
    /// Nothing where the folder is deeper or fuller than a tree may be, or cannot be read at all.
    fn of(folder: &File, closed: Hidden) -> Option<Self> {
        let mut sum = Self::default();
        sum.add(folder.as_fd(), closed, 0).then_some(sum)
    }

    /// False where a bound was met.
    fn add(&mut self, folder: BorrowedFd<'_>, closed: Hidden, depth: usize) -> bool {
        if depth > MAX_DEPTH || self.entries > MAX_ENTRIES {
            return false;
        }
        let entries = match Dir::read_from(folder) {
            Ok(entries) => entries,
            Err(error) => return error == REMOVED,
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            self.entries += 1;
            let stat = match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(stat) => stat,
                // A folder that may be listed and not entered hides what its entries take.
                Err(error) => {
                    self.hidden |= error != REMOVED;
                    continue;
                }
            };
            self.bytes = self.bytes.saturating_add(open_files::allocated(&stat));
            let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
            if is_folder && !self.add_below(folder, name, closed, depth) {
                return false;
            }
        }
        true
    }

    fn add_below(&mut self, folder: BorrowedFd<'_>, name: &CStr, closed: Hidden, depth: usize) -> bool {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let below = openat(folder, name, flags | OFlags::RDONLY, Mode::empty())
            .and_then(|below| accessat(&below, c".", Access::EXEC_OK, AtFlags::EACCESS).map(|()| below));
        match (below, closed) {
            (Ok(below), _) => self.add(below.as_fd(), closed, depth + 1),
            (Err(REMOVED), _) => true,
            (Err(_), Hidden::LeftAlone) => {
                self.hidden = true;
                true
            }
            (Err(_), Hidden::Counted) => match Unlocked::open(folder, name) {
                Ok(unlocked) => self.add(unlocked.folder.as_fd(), closed, depth + 1),
                Err(error) => error == REMOVED,
            },
        }
    }
}

/// A folder whose mode lets us in while this value lives.
struct Unlocked {
    folder: OwnedFd,
    /// The name of the folder by a descriptor that needs no right to it.
    path: PathBuf,
    _at: OwnedFd,
    mode: Mode,
}

impl Unlocked {
    fn open(parent: BorrowedFd<'_>, name: &CStr) -> rustix::io::Result<Self> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let at = openat(parent, name, flags | OFlags::PATH, Mode::empty())?;
        let mode = Mode::from_raw_mode(fstat(&at)?.st_mode);
        let path = PathBuf::from(format!("/proc/self/fd/{}", at.as_raw_fd()));
        chmod(&path, mode | Mode::RWXU)?;
        match open(&path, OFlags::DIRECTORY | OFlags::CLOEXEC | OFlags::RDONLY, Mode::empty()) {
            Ok(folder) => Ok(Self { folder, path, _at: at, mode }),
            Err(error) => chmod(&path, mode).and(Err(error)),
        }
    }
}

impl Drop for Unlocked {
    fn drop(&mut self) {
        // A mode that stays too wide in a work copy harms nobody.
        let _ = chmod(&self.path, self.mode);
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
        assert!(!watch.has_grown(Unlinked::default()));
        std::fs::create_dir(folder.path().join("sub")).expect("a folder");
        std::fs::write(folder.path().join("sub/after"), vec![1; 2 << 20]).expect("a file");
        assert!(watch.has_grown(Unlinked::default()));
    }

    #[test]
    fn what_others_free_on_the_disk_does_not_hide_what_the_command_takes() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut watch = DiskWatch::start(folder.path(), 1 << 20).expect("a watch");
        std::fs::write(folder.path().join("big"), vec![1; 3 << 20]).expect("a file");
        // As if others had freed more than the file took.
        watch.free_when_measured = 0;
        watch.free_at_start = 0;
        watch.due = monotonic::now() + Duration::from_hours(1);
        assert!(!watch.is_over(Unlinked::default()), "nothing says that anything was taken");
        watch.due = monotonic::now();
        assert!(watch.is_over(Unlinked::default()));
        assert!(watch.due > monotonic::now(), "a measurement is not repeated at once");
    }

    #[test]
    fn folders_that_come_and_go_are_neither_too_much_nor_hidden() {
        let folder = tempfile::tempdir().expect("a folder");
        let stop = std::sync::atomic::AtomicBool::new(false);
        let measured = |_| {
            let opened = File::open(folder.path()).expect("the folder");
            Sum::of(&opened, Hidden::LeftAlone).map(|sum| sum.hidden)
        };
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    let deep = folder.path().join("a/b/c");
                    std::fs::create_dir_all(&deep).expect("folders");
                    std::fs::write(deep.join("file"), "text").expect("a file");
                    std::fs::remove_dir_all(folder.path().join("a")).expect("no folders");
                }
            });
            let wrong = (0..20_000).map(measured).find(|sum| *sum != Some(false));
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            assert_eq!(wrong, None);
        });
    }

    #[test]
    fn a_file_that_was_unlinked_counts_while_it_is_open() {
        let folder = tempfile::tempdir().expect("a folder");
        let watch = DiskWatch::start(folder.path(), 1 << 20).expect("a watch");
        let own = i32::try_from(std::process::id()).expect("a process number");
        let mut file = tempfile::tempfile_in(folder.path()).expect("a file without a name");
        std::io::Write::write_all(&mut file, &vec![1; 3 << 20]).expect("space");
        assert!(watch.has_grown(open_files::look(&[own], watch.device()).on_disk));
        assert!(!watch.has_grown_in_the_end(), "nothing of it is left in the folder");
    }

    #[test]
    fn a_folder_that_is_closed_to_us_counts_in_the_end_and_stays_closed() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let watch = DiskWatch::start(folder.path(), 1 << 20).expect("a watch");
        let closed = folder.path().join("closed");
        std::fs::create_dir(&closed).expect("a folder");
        std::fs::write(closed.join("big"), vec![1; 2 << 20]).expect("a file");
        for mode in [0o000, 0o400, 0o200, 0o100] {
            std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(mode)).expect("a mode");
            assert!(watch.has_grown_in_the_end(), "{mode:o}");
            let now = std::fs::metadata(&closed).expect("the folder").permissions().mode();
            assert_eq!(now & 0o777, mode);
        }
        std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).expect("a mode");
    }
}
