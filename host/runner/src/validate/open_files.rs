//! What the files that processes hold open take, where no folder shows it: files that were unlinked, and files that live in
//! memory. Read from `/proc`, as far as it lets us: processes of a command belong to our user.
//!
//! What must stay true: looking ends in bounded time, however many files there are; and what was not seen is reported.

#![expect(clippy::disallowed_methods, reason = "the kernel lists open files in files")]

use std::collections::BTreeMap;
use std::fs::{self, DirEntry, File, Metadata};
use std::io::{self, BufRead as _, BufReader};
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::tasks;

/// The most open files and mappings that are looked at in all processes together.
const MAX_FILES: usize = 1 << 17;
/// How the kernel names memory that it does not map itself (`memfd_secret`). It does not count its blocks.
const SECRET: &str = "/secretmem";

/// A file by its device and inode, as the kernel writes them.
type FileId = (u64, u64);

/// Bytes that a file takes of its file system.
pub(super) fn allocated(stat: &rustix::fs::Stat) -> u64 {
    u64::try_from(stat.st_blocks).unwrap_or_default().saturating_mul(512)
}

/// What processes hold open without a name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Unlinked {
    /// Bytes, as far as the processes show them.
    pub(super) bytes: u64,
    /// Whether a process does not show its open files, or has more than are looked at. One that runs a program which it may
    /// not read is closed to us, as if it were another user's.
    pub(super) hidden: bool,
    /// Whether a file is mapped that nobody has open. A mapping shows a part of its file, and the rest takes as much.
    pub(super) in_part: bool,
}

/// Files that processes hold open or mapped, and that have no name any more. Each file counts once, however many processes
/// have it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct OpenFiles {
    pub(super) on_disk: Unlinked,
    /// In file systems in memory: `memfd_create`, `/dev/shm`.
    pub(super) in_memory: Unlinked,
}

/// Looks once at the open files of these processes. `work` is the device of the folder that the command writes to.
pub(super) fn look(processes: &[i32], work: u64) -> OpenFiles {
    let mut look = Look { files: BTreeMap::new(), left: MAX_FILES, hidden: false };
    look.at(processes);
    OpenFiles {
        on_disk: look.unlinked(|device| !is_memory(device, work)),
        in_memory: look.unlinked(|device| is_memory(device, work)),
    }
}

/// File systems without a device of their own have the major number 0. But for the one that the command writes to, which
/// may be an overlay or btrfs, they are taken for memory.
fn is_memory(device: u64, work: u64) -> bool {
    device != work && libc::major(device) == 0
}

/// A look at all processes.
struct Look {
    /// Files with their bytes, and whether somebody has them open.
    files: BTreeMap<FileId, (u64, bool)>,
    /// How many files may still be looked at.
    left: usize,
    hidden: bool,
}

impl Look {
    fn at(&mut self, processes: &[i32]) {
        for process in processes {
            for thread in tasks::with_own_files(*process) {
                // One that has ended meanwhile holds nothing.
                let opened = self.opened(&thread);
                self.hidden |= opened.is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
            }
            if let Some(lines) = tasks::first(*process, look_mapped) {
                self.mapped(lines);
            }
        }
    }

    /// What was found on the devices that count.
    fn unlinked(&self, counts: impl Fn(u64) -> bool) -> Unlinked {
        let files = || self.files.iter().filter(|((device, _), _)| counts(*device)).map(|(_, file)| file);
        Unlinked {
            bytes: files().fold(0, |sum, (bytes, _)| sum.saturating_add(*bytes)),
            hidden: self.hidden || self.left == 0,
            in_part: files().any(|(_, is_open)| !is_open),
        }
    }

    fn add(&mut self, file: FileId, bytes: u64, is_open: bool) {
        let (known, was_open) = self.files.entry(file).or_default();
        *known = bytes.max(*known);
        *was_open |= is_open;
    }

    /// Open files without a name, with the bytes that they take.
    fn opened(&mut self, thread: &Path) -> io::Result<()> {
        for entry in fs::read_dir(thread.join("fd"))?.flatten() {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            let found = fs::metadata(entry.path()).ok().filter(Metadata::is_file);
            let found = found.and_then(|file| Some(((file.dev(), file.ino()), taken(&entry, &file)?)));
            if let Some((file, bytes)) = found {
                self.add(file, bytes, true);
            }
        }
        Ok(())
    }

    /// Mapped files without a name. A mapping can outlive the descriptor.
    fn mapped(&mut self, maps: BufReader<File>) {
        for line in maps.split(b'\n').map_while(Result::ok) {
            if self.left == 0 {
                break;
            }
            self.left -= 1;
            if let Some((file, bytes)) = mapping(&String::from_utf8_lossy(&line)) {
                self.add(file, bytes, false);
            }
        }
    }
}

/// The mappings of a thread; none if it has ended.
fn look_mapped(thread: &Path) -> Option<BufReader<File>> {
    let mut maps = BufReader::new(File::open(thread.join("maps")).ok()?);
    maps.fill_buf().is_ok_and(|text| !text.is_empty()).then_some(maps)
}

/// The bytes that an open file takes, if no folder shows it.
fn taken(entry: &DirEntry, file: &Metadata) -> Option<u64> {
    if file.nlink() == 0 {
        return Some(file.blocks().saturating_mul(512));
    }
    let may_be_secret = file.blocks() == 0 && file.len() > 0 && libc::major(file.dev()) == 0;
    let is_secret = may_be_secret && fs::read_link(entry.path()).is_ok_and(|name| is_secret(&name));
    is_secret.then_some(file.len())
}

fn is_secret(name: &Path) -> bool {
    name.to_str().is_some_and(|name| name.split(' ').next() == Some(SECRET))
}

/// A line of `maps` about a file without a name: `from-to mode offset major:minor inode path (deleted)`.
fn mapping(line: &str) -> Option<(FileId, u64)> {
    let mut fields = line.strip_suffix(" (deleted)")?.split_ascii_whitespace();
    let (from, to) = fields.next()?.split_once('-')?;
    let (major, minor) = fields.nth(2)?.split_once(':')?;
    let inode = fields.next()?.parse().ok().filter(|inode| *inode != 0)?;
    let hexadecimal = |digits: &str| u64::from_str_radix(digits, 16).ok();
    let device = libc::makedev(u32::from_str_radix(major, 16).ok()?, u32::from_str_radix(minor, 16).ok()?);
    Some(((device, inode), hexadecimal(to)?.saturating_sub(hexadecimal(from)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_mappings_of_deleted_files_count() {
        let line = "7f0000000000-7f0000200000 rw-s 00000000 00:01 1026 /memfd:x (deleted)";
        assert_eq!(mapping(line), Some(((libc::makedev(0, 1), 1026), 2 << 20)));
        assert_eq!(mapping("7f0000000000-7f0000200000 r-xp 00000000 fe:00 1026 /usr/lib/libc.so.6"), None);
        assert_eq!(mapping("7f0000000000-7f0000200000 rw-p 00000000 00:00 0 "), None);
        assert_eq!(mapping(" (deleted)"), None);
    }

    #[test]
    fn a_file_in_memory_counts_as_memory_and_once() {
        let file = rustix::fs::memfd_create(c"counted", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
        rustix::io::write(&file, &vec![1; 3 << 20]).unwrap();
        let other = rustix::io::dup(&file).unwrap();
        let mut sleeper = std::process::Command::new("sleep").arg("60").stdin(file).stdout(other).spawn().unwrap();
        let id = i32::try_from(sleeper.id()).unwrap();
        // A disk, and no file system in memory: one of those may have any number below this.
        let work = libc::makedev(254, 0);
        let counted = look(&[id, id], work);
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
        assert_eq!((counted.in_memory.bytes, counted.on_disk), (3 << 20, Unlinked::default()));
        assert!(!counted.in_memory.hidden);
    }

    #[test]
    fn one_look_tells_disk_from_memory() {
        let memory = rustix::fs::memfd_create(c"counted", rustix::fs::MemfdFlags::CLOEXEC).unwrap();
        rustix::io::write(&memory, &vec![1; 3 << 20]).unwrap();
        let mut disk = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut disk, &vec![1; 2 << 20]).unwrap();
        let work = disk.metadata().unwrap().dev();
        let mut sleeper = std::process::Command::new("sleep").arg("60").stdin(memory).stdout(disk).spawn().unwrap();
        let found = look(&[i32::try_from(sleeper.id()).unwrap()], work);
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
        assert_eq!((found.in_memory.bytes, found.on_disk.bytes), (3 << 20, 2 << 20));
    }
}
