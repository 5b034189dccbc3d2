//! Opens files below one folder, and never outside it.
//!
//! The folder is opened once. Every open starts from that handle and follows no link, neither in the middle nor at the
//! end: with `openat2` if the kernel has it, else component by component. The opened file is checked through its own
//! handle, so that check and use concern the same file. Invariant: whatever is swapped concurrently (a file or
//! directory for a link, a file for a pipe), the result is the file with that name below the folder, or an error. It is
//! never another file, and opening never blocks.

#![expect(
    clippy::disallowed_methods,
    reason = "the folder of the project is opened here, and everything else below its handle"
)]

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, Stat, fstat, openat};
use rustix::io::Errno;

use crate::beneath::{self, split};

/// Opening a pipe or a device without a peer must not block, and a terminal must not become the host's own.
const NEVER_WAIT: OFlags = OFlags::NONBLOCK.union(OFlags::NOCTTY);

/// An open folder.
#[derive(Debug)]
pub(super) struct Root {
    handle: OwnedFd,
}

/// Why a file could not be opened.
#[derive(Debug)]
pub(super) enum Unreached {
    /// There is no such regular file or directory, or there is a link on the way.
    Gone,
    /// It exists, but the system refuses to open it.
    Refused(io::Error),
}

impl From<Errno> for Unreached {
    fn from(errno: Errno) -> Self {
        match errno {
            Errno::NOENT
            | Errno::NOTDIR
            | Errno::ISDIR
            | Errno::LOOP
            | Errno::XDEV
            | Errno::NXIO
            | Errno::NODEV
            | Errno::NAMETOOLONG
            | Errno::STALE => Self::Gone,
            other => Self::Refused(other.into()),
        }
    }
}

impl Root {
    /// Opens the folder from which everything else is reached.
    pub(super) fn open(folder: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { handle: rustix::fs::open(folder, flags, Mode::empty())? })
    }

    /// Opens a regular file for reading, and returns its metadata. Anything else at that path is [`Unreached::Gone`].
    pub(super) fn file(&self, path: &[u8]) -> Result<(OwnedFd, Stat), Unreached> {
        let handle = self.reach(path, OFlags::RDONLY | NEVER_WAIT)?;
        let stat = fstat(&handle)?;
        if FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile {
            Ok((handle, stat))
        } else {
            Err(Unreached::Gone)
        }
    }

    /// Opens a directory, to list it or to start from it. The empty path is the root.
    pub(super) fn directory(&self, path: &[u8]) -> Result<OwnedFd, Unreached> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        if path.is_empty() {
            return Ok(openat(&self.handle, c".", flags | OFlags::CLOEXEC, Mode::empty())?);
        }
        self.reach(path, flags)
    }

    /// Identifies whatever is at the path, even a link, without opening it for reading.
    pub(super) fn name(&self, path: &[u8]) -> Result<OwnedFd, Unreached> {
        // `openat2` without links also refuses a link at the end, so only its parent is opened that way.
        let (above, last) = split(path);
        let directory = self.directory(above)?;
        Ok(openat(&directory, last, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?)
    }

    fn reach(&self, path: &[u8], flags: OFlags) -> Result<OwnedFd, Unreached> {
        Ok(beneath::open(self.handle.as_fd(), path, flags, Mode::empty())?)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    fn both(folder: &Path, path: &[u8]) -> [bool; 2] {
        let root = Root::open(folder).expect("a folder");
        let plain = |handle: OwnedFd| FileType::from_raw_mode(fstat(handle).expect("a handle").st_mode).is_file();
        let slow = beneath::by_component(
            root.handle.as_fd(),
            path,
            OFlags::RDONLY | NEVER_WAIT | OFlags::NOFOLLOW,
            Mode::empty(),
        );
        [root.file(path).is_ok(), slow.is_ok_and(plain)]
    }

    #[test]
    fn both_ways_reach_the_same_plain_files_and_nothing_else() {
        let outer = tempfile::tempdir().expect("a temporary folder");
        let folder = outer.path().join("project");
        fs::create_dir_all(folder.join("dir/deep")).expect("folders");
        fs::write(outer.path().join("outside"), "x").expect("a file");
        fs::write(folder.join("dir/deep/file"), "x").expect("a file");
        symlink("dir/deep/file", folder.join("link")).expect("a link");
        symlink("dir", folder.join("linked")).expect("a link");
        symlink(outer.path(), folder.join("out")).expect("a link");
        rustix::fs::mknodat(rustix::fs::CWD, folder.join("pipe"), FileType::Fifo, 0o600.into(), 0).expect("a pipe");
        let _listening = std::os::unix::net::UnixListener::bind(folder.join("socket")).expect("a socket");
        for (path, reached) in [
            ("dir/deep/file", true),
            ("link", false),
            ("linked/deep/file", false),
            ("out/outside", false),
            ("../outside", false),
            ("dir/../dir/deep/file", false),
            ("dir/deep", false),
            ("pipe", false),
            ("socket", false),
            ("none", false),
            ("dir/deep/file/below", false),
            ("", false),
        ] {
            let found = both(&folder, path.as_bytes());
            // To the kernel, `..` that stays below the root is no escape, but it is not a valid path here.
            if !path.contains("/../") {
                assert_eq!(found[0], reached, "openat2 {path:?}");
            }
            assert_eq!(found[1], reached, "by component {path:?}");
        }
    }
}
