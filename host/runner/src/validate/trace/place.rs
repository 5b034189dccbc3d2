//! Reading and writing in a copy in which untrusted commands run.

#![expect(clippy::disallowed_methods, reason = "the copy's own folders are opened by path before any command runs")]

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, openat, unlinkat};

use crate::beneath;

/// Most files of tracers that are read.
const MAX_FILES: usize = 256;
/// Most bytes of them together.
const MAX_BYTES: u64 = 64 << 20;

/// Opens a folder.
pub(super) fn folder(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// Makes a folder for its owner alone.
pub(super) fn make_folder(path: &Path) -> io::Result<()> {
    std::fs::DirBuilder::new().mode(0o700).create(path)
}

/// Writes a new file in the place of whatever has the name, below a folder and without following links. A command may have
/// put a link there.
pub(super) fn replace(root: BorrowedFd<'_>, path: &str, content: &[u8], is_executable: bool) -> io::Result<()> {
    let (above, name) = beneath::split(path.as_bytes());
    let flags = OFlags::PATH | OFlags::DIRECTORY;
    let parent = if above.is_empty() { None } else { Some(beneath::open(root, above, flags, Mode::empty())?) };
    let parent = parent.as_ref().map_or(root, |folder| folder.as_fd());
    match unlinkat(parent, name, AtFlags::empty()) {
        Ok(()) | Err(rustix::io::Errno::NOENT) => {}
        Err(error) => return Err(error.into()),
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mode = Mode::from_raw_mode(if is_executable { 0o755 } else { 0o644 });
    File::from(openat(parent, name, flags, mode)?).write_all(content)
}

/// The regular files of a folder by name, as far as they are within bounds.
pub(super) fn read_all(folder: BorrowedFd<'_>) -> Vec<(String, Vec<u8>)> {
    let Ok(entries) = Dir::read_from(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.file_type() == FileType::RegularFile)
        .filter_map(|entry| entry.file_name().to_str().ok().map(str::to_owned))
        .take(MAX_FILES)
        .collect();
    names.sort();
    let mut room = MAX_BYTES;
    let mut files = Vec::new();
    for name in names {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(file) = openat(folder, name.as_str(), flags, Mode::empty()).map(File::from) else { continue };
        let mut bytes = Vec::new();
        if file.metadata().is_ok_and(|found| found.is_file()) && file.take(room).read_to_end(&mut bytes).is_ok() {
            room -= bytes.len() as u64;
            files.push((name, bytes));
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn nothing_outside_of_the_folder_is_written() {
        let (outside, inside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(outside.path().join("a.py"), "old").unwrap();
        symlink(outside.path(), inside.path().join("folder")).unwrap();
        symlink(outside.path().join("a.py"), inside.path().join("a.py")).unwrap();
        std::fs::hard_link(outside.path().join("a.py"), inside.path().join("b.py")).unwrap();
        let root = folder(inside.path()).unwrap();
        assert!(replace(root.as_fd(), "folder/a.py", b"new", false).is_err());
        assert!(replace(root.as_fd(), "../a.py", b"new", false).is_err());
        for name in ["a.py", "b.py"] {
            replace(root.as_fd(), name, b"new", false).unwrap();
            assert_eq!(std::fs::read(inside.path().join(name)).unwrap(), b"new");
        }
        assert_eq!(std::fs::read(outside.path().join("a.py")).unwrap(), b"old");
    }
}
