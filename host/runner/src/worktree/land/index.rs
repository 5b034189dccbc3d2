//! The index of a checkout with a few entries changed. Owns the making of the new file's bytes, not its place.
//!
//! libgit2 parses and writes the form, on a copy that carries the operation's mark: its own lock would have no owner.
//! The copy has no repository, so that libgit2 neither looks at the checkout nor refreshes an entry. Caches of git that
//! libgit2 does not know (untracked files, fsmonitor) are left out of it, which git makes anew.

#![expect(clippy::disallowed_methods, reason = "libgit2 reads and writes an index by path")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use git2::{Index, IndexEntry, IndexTime, Oid};
use rustix::fs::Stat;

use super::super::difference::Leaf;
use super::super::{Mark, sync};
use super::path::as_path;

/// What an entry becomes.
pub(super) struct Change<'a> {
    pub(super) path: &'a [u8],
    /// The leaf with what the system says of its file; nothing where the entry goes.
    pub(super) to: Option<(Leaf, Stat)>,
}

/// The bytes of the index with these entries changed.
pub(super) fn rewritten(git_dir: &Path, index: &Path, mark: &Mark, changes: &[Change<'_>]) -> io::Result<Vec<u8>> {
    let copy = copy_of(git_dir, mark);
    let made = fs::copy(index, &copy).and_then(|_| change(&copy, changes).map_err(io::Error::other));
    let bytes = made.and_then(|()| fs::read(&copy));
    remove_left(git_dir, mark)?;
    bytes
}

/// Removes the copy that a killed [`rewritten`] left. Afterwards that is on disk.
pub(super) fn remove_left(git_dir: &Path, mark: &Mark) -> io::Result<()> {
    let copy = copy_of(git_dir, mark);
    let mut lock = copy.clone().into_os_string();
    lock.push(".lock");
    let mut is_changed = sync::remove_file(&copy)?;
    is_changed |= sync::remove_file(Path::new(&lock))?;
    if is_changed { sync::sync_folder_of(&copy) } else { Ok(()) }
}

fn copy_of(git_dir: &Path, mark: &Mark) -> PathBuf {
    mark.beside(git_dir, Path::new("index that shall come"))
}

fn change(copy: &Path, changes: &[Change<'_>]) -> Result<(), git2::Error> {
    let mut index = Index::open(copy)?;
    for change in changes {
        match &change.to {
            Some((leaf, stat)) => index.add(&entry(change.path, *leaf, stat))?,
            None => index.remove(as_path(change.path), 0)?,
        }
    }
    index.write()
}

/// git keeps the lowest 32 bits of each number.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "as git does it")]
fn entry(path: &[u8], (mode, id): (u32, Oid), stat: &Stat) -> IndexEntry {
    IndexEntry {
        ctime: IndexTime::new(stat.st_ctime as i32, stat.st_ctime_nsec as u32),
        mtime: IndexTime::new(stat.st_mtime as i32, stat.st_mtime_nsec as u32),
        dev: stat.st_dev as u32,
        ino: stat.st_ino as u32,
        mode,
        uid: stat.st_uid,
        gid: stat.st_gid,
        file_size: stat.st_size as u32,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.to_vec(),
    }
}
