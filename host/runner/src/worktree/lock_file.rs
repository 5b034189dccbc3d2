//! A lock in git's manner, `PATH.lock`, whose owner can be told afterwards.
//!
//! git's own locks are files that anybody may have made: after a crash nobody can say whose one is. This one is a hard
//! link to a marked file of ours, made in one step, so a lock that is the same file as the marked one is ours. Owns the
//! effect "a file of the git folder is replaced": what the lock holds takes the place of its file, whole.

#![expect(clippy::disallowed_methods, reason = "git locks a file by a path beside it")]

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::{Mark, sync};

/// A lock that is held. Dropped without [`LockFile::commit`], as where something failed, it is gone and its file is as it was.
#[derive(Debug)]
pub(super) struct LockFile {
    target: PathBuf,
    lock: PathBuf,
    marked: PathBuf,
    file: File,
}

impl LockFile {
    /// Takes the lock of `target`, which need not exist; its folder must. `AlreadyExists` where somebody holds it.
    pub(super) fn take(git_dir: &Path, target: &Path, mark: &Mark) -> io::Result<Self> {
        let marked = mark.beside(git_dir, target);
        let mut options = OpenOptions::new();
        let file = options.write(true).create_new(true).mode(0o666).open(&marked)?;
        let held = Self { target: target.to_owned(), lock: lock_of(target), marked, file };
        match fs::metadata(target) {
            // As git gives them to the file that takes another's place.
            Ok(metadata) => held.file.set_permissions(metadata.permissions())?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        fs::hard_link(&held.marked, &held.lock)?;
        Ok(held)
    }

    /// What the file must hold.
    pub(super) fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Puts what was written in the file's place. Afterwards it is on disk and nothing of the lock is left; on an error it
    /// may be in place, and the operation is one that the journal has to settle.
    pub(super) fn commit(self) -> io::Result<()> {
        self.file.sync_all()?;
        fs::rename(&self.lock, &self.target)?;
        sync::sync_folder_of(&self.target)?;
        self.give_back()
    }

    /// Removes the lock, and leaves its file as it is.
    pub(super) fn give_back(self) -> io::Result<()> {
        release(&self.lock, &self.marked)
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        // On the way of another error: what cannot be removed now, the settling of that finds by its mark.
        let _ = release(&self.lock, &self.marked);
    }
}

/// Removes what a killed process left of the lock of `target`, if it was ours.
pub(super) fn release_left(git_dir: &Path, target: &Path, mark: &Mark) -> io::Result<()> {
    release(&lock_of(target), &mark.beside(git_dir, target))
}

/// Afterwards that is on disk, the lock first: without the marked file nobody could say whose it is.
fn release(lock: &Path, marked: &Path) -> io::Result<()> {
    let identity = |path: &Path| fs::symlink_metadata(path).ok().map(|metadata| (metadata.dev(), metadata.ino()));
    let Some(ours) = identity(marked) else { return Ok(()) };
    if identity(lock) == Some(ours) {
        fs::remove_file(lock)?;
        sync::sync_folder_of(lock)?;
    }
    fs::remove_file(marked)?;
    sync::sync_folder_of(marked)
}

fn lock_of(target: &Path) -> PathBuf {
    let mut name = target.as_os_str().to_owned();
    name.push(".lock");
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_committed_lock_replaces_the_file_and_a_dropped_one_leaves_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("index");
        fs::write(&target, "old").expect("our file");
        let mark = Mark::of("x");
        drop(LockFile::take(folder.path(), &target, &mark).expect("a lock"));
        assert_eq!((fs::read(&target).expect("a file"), names(folder.path())), (b"old".to_vec(), vec!["index".into()]));
        let mut lock = LockFile::take(folder.path(), &target, &mark).expect("a lock");
        let second = LockFile::take(folder.path(), &target, &Mark::of("y")).expect_err("it is held");
        assert_eq!(second.kind(), io::ErrorKind::AlreadyExists);
        lock.file().write_all(b"new").expect("written");
        lock.commit().expect("replaced");
        assert_eq!((fs::read(&target).expect("a file"), names(folder.path())), (b"new".to_vec(), vec!["index".into()]));
    }

    #[test]
    fn what_cannot_be_cleaned_away_is_told_and_not_left_silently() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("index");
        let mark = Mark::of("x");
        for in_place in [true, false] {
            let lock = LockFile::take(folder.path(), &target, &mark).expect("a lock");
            let marked = mark.beside(folder.path(), &target);
            fs::remove_file(&marked).expect("our file");
            fs::create_dir(&marked).expect("what is no file cannot be removed as one");
            let ended = if in_place { lock.commit() } else { lock.give_back() };
            assert!(ended.is_err() && target.exists() && marked.exists(), "{in_place}");
            fs::remove_dir(&marked).expect("our folder");
        }
    }

    #[test]
    fn what_a_kill_left_is_released_and_the_lock_of_another_stays() {
        let folder = tempfile::tempdir().expect("a folder");
        let target = folder.path().join("index");
        let mark = Mark::of("x");
        std::mem::forget(LockFile::take(folder.path(), &target, &mark).expect("a lock"));
        assert_eq!(names(folder.path()).len(), 2);
        release_left(folder.path(), &target, &Mark::of("another")).expect("nothing to do");
        assert_eq!(names(folder.path()).len(), 2);
        release_left(folder.path(), &target, &mark).expect("released");
        assert_eq!(names(folder.path()), [""; 0]);
        // Killed before the link, and somebody else took the lock.
        fs::write(mark.beside(folder.path(), &target), "").expect("our file");
        fs::write(folder.path().join("index.lock"), "").expect("their file");
        release_left(folder.path(), &target, &mark).expect("ours is gone");
        assert_eq!(names(folder.path()), ["index.lock"]);
    }
}
