//! Removes a folder with all that commands left in it.
//!
//! What must stay true: it works in bounded memory and with few descriptors, however deep the folders are; no link is
//! followed; a folder's mode keeps nothing. So folders are not walked down: what lies two folders deep is moved up, and a
//! removal that is cut short leaves everything below the same name.

#![expect(clippy::disallowed_methods, reason = "a folder that is open has a name below /proc")]

use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, AsRawFd as _, BorrowedFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, Mode, OFlags, RenameFlags, openat, renameat_with, unlinkat};
use rustix::io::Errno;

/// Most names that are read before they are removed.
const BATCH: usize = 4096;
/// Most names that are removed: far more than a work copy may have. A command that still writes meets it.
const MAX_NAMES: usize = 1 << 24;

/// Removes the folder of this name. A missing one is fine.
pub(super) fn remove_folder(parent: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
    let top = match open(parent, name) {
        Ok(top) => top,
        Err(Errno::NOENT) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let mut removal = Removal { top: top.as_fd(), moved: 0, left: MAX_NAMES };
    loop {
        let names = names(top.as_fd())?;
        if names.is_empty() {
            break;
        }
        for name in names {
            removal.remove(&name)?;
        }
    }
    Ok(unlinkat(parent, name, AtFlags::REMOVEDIR)?)
}

struct Removal<'a> {
    top: BorrowedFd<'a>,
    /// How many folders were moved up: their new names are numbers.
    moved: u64,
    left: usize,
}

impl Removal<'_> {
    /// Removes a name in the topmost folder, and moves the folders below it up.
    fn remove(&mut self, name: &CStr) -> io::Result<()> {
        if self.removed(self.top, name)? {
            return Ok(());
        }
        let below = open(self.top, name)?;
        loop {
            let names = names(below.as_fd())?;
            if names.is_empty() {
                break;
            }
            for name in names {
                if !self.removed(below.as_fd(), &name)? {
                    self.move_up(below.as_fd(), &name)?;
                }
            }
        }
        Ok(unlinkat(self.top, name, AtFlags::REMOVEDIR)?)
    }

    /// Removes what is no folder, or an empty one. Returns whether it is gone.
    fn removed(&mut self, folder: BorrowedFd<'_>, name: &CStr) -> io::Result<bool> {
        self.left = self.left.checked_sub(1).ok_or_else(|| io::Error::other("it holds too many files"))?;
        match unlinkat(folder, name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => return Ok(true),
            // Which of them is up to the file system.
            Err(Errno::ISDIR | Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
        match unlinkat(folder, name, AtFlags::REMOVEDIR) {
            Ok(()) | Err(Errno::NOENT) => Ok(true),
            Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    fn move_up(&mut self, folder: BorrowedFd<'_>, name: &CStr) -> io::Result<()> {
        // A folder that may not be written to cannot be moved.
        drop(open(folder, name)?);
        loop {
            self.moved += 1;
            let number = CString::new(format!(".removed-{}", self.moved)).map_err(io::Error::other)?;
            match renameat_with(folder, name, self.top, &number, RenameFlags::NOREPLACE) {
                Err(Errno::EXIST) => {}
                moved => return Ok(moved?),
            }
        }
    }
}

/// Opens a folder, and gives it a mode that lets us remove what is in it.
fn open(parent: BorrowedFd<'_>, name: &CStr) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = openat(parent, name, flags | OFlags::PATH, Mode::empty())?;
    // By this name the kernel changes the very folder that was opened, whatever has its name now.
    rustix::fs::chmod(format!("/proc/self/fd/{}", folder.as_raw_fd()), Mode::RWXU)?;
    openat(&folder, c".", flags | OFlags::RDONLY, Mode::empty())
}

/// Some of the names in a folder; none if it is empty.
fn names(folder: BorrowedFd<'_>) -> io::Result<Vec<CString>> {
    let entries = Dir::read_from(folder)?;
    let own = |name: &CStr| matches!(name.to_bytes(), b"." | b"..");
    let names = entries.map(|entry| entry.map(|entry| entry.file_name().to_owned()));
    Ok(names.filter(|name| !name.as_ref().is_ok_and(|name| own(name))).take(BATCH).collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    use super::*;

    fn remove(parent: &Path, name: &str) -> io::Result<()> {
        let parent = fs::File::open(parent).unwrap();
        remove_folder(parent.as_fd(), &CString::new(name).unwrap())
    }

    #[test]
    fn folders_of_any_depth_and_mode_are_removed_and_what_links_name_stays() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        fs::write(root.join("kept"), "kept").unwrap();
        fs::create_dir(root.join("kept-folder")).unwrap();
        fs::write(root.join("kept-folder/file"), "kept").unwrap();
        fs::create_dir_all(root.join("copy/a/b/c")).unwrap();
        fs::create_dir_all(root.join("copy/.removed-1/x/y/z")).unwrap();
        for number in 0..2 * BATCH {
            fs::write(root.join(format!("copy/a/{number}")), "").unwrap();
        }
        symlink(root.join("kept-folder"), root.join("copy/a/b/link")).unwrap();
        symlink(root.join("kept"), root.join("copy/link")).unwrap();
        for (name, mode) in [("copy/a/b/c", 0o000), ("copy/a/b", 0o555), ("copy/a", 0o000), ("copy", 0o500)] {
            fs::set_permissions(root.join(name), Permissions::from_mode(mode)).unwrap();
        }
        // Deeper than a process commonly has descriptors.
        let mut here: OwnedFd = fs::File::open(root).unwrap().into();
        rustix::fs::mkdirat(&here, c"deep", Mode::RWXU).unwrap();
        here = open(here.as_fd(), c"deep").unwrap();
        for _ in 0..2_000 {
            rustix::fs::mkdirat(&here, c"d", Mode::RWXU).unwrap();
            here = open(here.as_fd(), c"d").unwrap();
        }
        for name in ["copy", "deep", "missing"] {
            remove(root, name).unwrap();
        }
        let mut left: Vec<_> = fs::read_dir(root).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["kept", "kept-folder"]);
        assert_eq!(fs::read_to_string(root.join("kept-folder/file")).unwrap(), "kept");
        for name in ["kept", "link"] {
            symlink(root.join("kept-folder"), root.join("link")).ok();
            assert!(remove(root, name).is_err(), "{name} is no folder");
        }
        assert!(root.join("kept-folder/file").exists() && root.join("kept").exists());
    }
}
