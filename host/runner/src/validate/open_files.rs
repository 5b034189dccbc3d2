//! What the files that processes hold open take, where no folder shows it: files that were unlinked, and files that live in
//! memory. Read from `/proc`, as far as it lets us: processes of a command belong to our user.

#![expect(clippy::disallowed_methods, reason = "the kernel lists open files in files")]

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;

/// The most open files and mappings that are looked at in one process.
const MAX_FILES: usize = 65_536;

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
    /// Whether a process does not show its open files. One that runs a program which it may not read is closed to us, as
    /// if it were another user's.
    pub(super) hidden: bool,
}

/// Files on disks that these processes hold open or mapped, and that have no name any more. Each file counts once,
/// however many processes have it. `work` is the device of the folder that the command writes to.
pub(super) fn unlinked_on_disk(processes: &[i32], work: u64) -> Unlinked {
    unlinked(processes, |device| !is_memory(device, work))
}

/// The same for file systems in memory: `memfd_create`, `/dev/shm`.
pub(super) fn unlinked_in_memory(processes: &[i32], work: u64) -> Unlinked {
    unlinked(processes, |device| is_memory(device, work))
}

/// File systems without a device of their own have the major number 0. But for the one that the command writes to, which
/// may be an overlay or btrfs, they are taken for memory.
fn is_memory(device: u64, work: u64) -> bool {
    device != work && libc::major(device) == 0
}

fn unlinked(processes: &[i32], counts: impl Fn(u64) -> bool) -> Unlinked {
    let mut files: BTreeMap<FileId, u64> = BTreeMap::new();
    let mut hidden = false;
    for process in processes {
        let opened = open(*process);
        // One that has ended meanwhile holds nothing.
        hidden |= opened.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::PermissionDenied);
        let found = opened.unwrap_or_default().into_iter().chain(mapped(*process));
        for (file, bytes) in found.filter(|((device, _), _)| counts(*device)) {
            let known = files.entry(file).or_default();
            *known = bytes.max(*known);
        }
    }
    Unlinked { bytes: files.values().fold(0, |sum, bytes| sum.saturating_add(*bytes)), hidden }
}

/// Open files without a name, with the bytes that they take.
fn open(process: i32) -> io::Result<Vec<(FileId, u64)>> {
    let descriptors = fs::read_dir(format!("/proc/{process}/fd"))?;
    let file = |entry: fs::DirEntry| {
        let file = fs::metadata(entry.path()).ok().filter(|file| file.is_file() && file.nlink() == 0)?;
        Some(((file.dev(), file.ino()), file.blocks().saturating_mul(512)))
    };
    Ok(descriptors.take(MAX_FILES).flatten().filter_map(file).collect())
}

/// Mapped files without a name: `from-to mode offset major:minor inode path (deleted)`. A mapping can outlive the
/// descriptor.
fn mapped(process: i32) -> Vec<(FileId, u64)> {
    let text = fs::read(format!("/proc/{process}/maps")).unwrap_or_default();
    String::from_utf8_lossy(&text).lines().take(MAX_FILES).filter_map(mapping).collect()
}

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
        let counted = unlinked_in_memory(&[id, id], work);
        let on_disk = unlinked_on_disk(&[id], work);
        sleeper.kill().unwrap();
        sleeper.wait().unwrap();
        assert_eq!((counted.bytes, on_disk), (3 << 20, Unlinked::default()));
        assert!(!counted.hidden);
    }
}
