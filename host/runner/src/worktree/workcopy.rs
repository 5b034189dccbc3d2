//! A private copy of a commit's files to run validation commands in. Owns the folder that such copies live in.
//!
//! A copy has no `.git`, and lies in the user's cache, so nothing that runs in it reaches the repository by name. It goes
//! away when it is dropped; what a killed process left is known by its lock, which the system released, and goes away at
//! the next start. What must stay true: only a copy is removed whose name has the mark of this installation and of this
//! folder, and whose lock was had; a failed open removes nothing.

#![expect(clippy::disallowed_methods, reason = "a work copy is named by path for the commands that run in it")]

use std::ffi::{CString, OsStr};
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use git2::Oid;
use rustix::fs::{Mode, OFlags, mkdirat};

use super::materialise::{MaterialiseError, materialise};
use super::remove::remove_folder;
use super::{GitError, Project};
use crate::durable::{self, Access};
use crate::installation::Installation;
use crate::place::Place;

/// How the folder of each copy begins. Then come the process, for people, chance, and the mark.
const COPY_PREFIX: &str = "work-";
/// How the file ends that is locked while a copy is used. It is beside the copy, where no command reaches it.
const LOCK_SUFFIX: &str = ".lock";
/// Held while a copy is being made or removed.
const LOCK: &str = "lock";

/// Where work copies are made. Belongs to the user alone.
#[derive(Debug, Clone)]
pub struct WorkFolder {
    place: Place,
    installation: Installation,
}

/// The files of one commit, with a private home and temporary folder beside them. Removed on drop.
#[derive(Debug)]
pub struct WorkCopy {
    within: WorkFolder,
    name: String,
    folder: PathBuf,
    project: PathBuf,
    commit: String,
    /// Locked while this value lives.
    _lock: File,
}

/// Why there is no work copy. What was made of it is gone again.
#[derive(Debug, thiserror::Error)]
pub enum WorkCopyError {
    /// A folder or its lock.
    #[error("work folder {}: {source}", path.display())]
    Folder {
        /// Which.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No such commit.
    #[error("no commit {commit} in this repository: {source}")]
    NoCommit {
        /// The commit.
        commit: String,
        /// The reason.
        source: GitError,
    },
    /// The files.
    #[error("write the files of commit {commit}: {source}")]
    Files {
        /// The commit.
        commit: String,
        /// The reason.
        source: MaterialiseError,
    },
}

impl WorkFolder {
    /// Makes the folder if it is missing, and removes the copies of processes that are gone.
    pub fn open(place: &Place, installation: &Installation) -> Result<Self, WorkCopyError> {
        let failed = |source| WorkCopyError::Folder { path: place.path(), source };
        durable::create_folder(place, Access::Private).map_err(failed)?;
        let folder = Self { place: place.clone(), installation: installation.clone() };
        folder.sweep().map_err(failed)?;
        Ok(folder)
    }

    /// Writes out a commit, given by its full hexadecimal id.
    pub fn copy(&self, project: &Project, commit: &str) -> Result<WorkCopy, WorkCopyError> {
        let folder = |source| WorkCopyError::Folder { path: self.place.path(), source };
        let copy = self.empty_copy(project, commit).map_err(folder)?;
        let repository = project.repository();
        let no_commit = |error| WorkCopyError::NoCommit { commit: commit.to_owned(), source: GitError::from(error) };
        let id = Oid::from_str(commit).map_err(no_commit)?;
        let tree = repository.find_commit(id).map_err(no_commit)?.tree_id();
        let files = |source| WorkCopyError::Files { commit: commit.to_owned(), source };
        let odb = repository.odb().map_err(|error| files(error.into()))?;
        let into = self.place.join(&copy.name).join("files").folder().map_err(folder)?;
        materialise(&odb, tree, into.as_fd()).map_err(files)?;
        Ok(copy)
    }

    fn empty_copy(&self, project: &Project, commit: &str) -> io::Result<WorkCopy> {
        let _making = self.lock()?;
        let mut random = [0; 8];
        rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty())?;
        let stem = format!("{COPY_PREFIX}{}-{:016x}", std::process::id(), u64::from_ne_bytes(random));
        let name = format!("{stem}-{}", self.mark(&stem)?);
        let lock = durable::open_to_append(&self.place.join(format!("{name}{LOCK_SUFFIX}")), Access::Private)?;
        // A relative path would mean another folder once a command runs elsewhere.
        let folder = fs::canonicalize(self.place.path())?.join(&name);
        let mut copy = WorkCopy {
            within: self.clone(),
            name,
            project: folder.join("files"),
            folder,
            commit: commit.to_owned(),
            _lock: lock,
        };
        // From here on the copy itself removes its folder, with what a command may have left in it.
        let private = Mode::from_raw_mode(0o700);
        mkdirat(self.place.folder()?, copy.name.as_str(), private)?;
        let own = self.place.join(&copy.name).folder()?;
        for part in ["files", "home", "tmp"] {
            mkdirat(&own, part, private)?;
        }
        copy.project.extend(project.prefix().iter().map(|name| OsStr::from_bytes(name)));
        Ok(copy)
    }

    /// The mark in the name of a copy in this folder.
    fn mark(&self, stem: &str) -> io::Result<String> {
        let found = self.place.stat()?;
        Ok(self.installation.mark("work copy", &[&found.st_ino.to_le_bytes(), stem.as_bytes()]))
    }

    fn is_marked(&self, name: &str) -> io::Result<bool> {
        let Some((stem, mark)) = name.rsplit_once('-').filter(|(stem, _)| stem.starts_with(COPY_PREFIX)) else {
            return Ok(false);
        };
        Ok(self.mark(stem)? == mark)
    }

    /// Removes the copies whose locks nobody holds.
    fn sweep(&self) -> io::Result<()> {
        let _sweeping = self.lock()?;
        for entry in self.place.entries()? {
            let Some(name) = entry.name.to_str().and_then(|name| name.strip_suffix(LOCK_SUFFIX)) else { continue };
            if !self.is_marked(name)? {
                continue;
            }
            let place = self.place.join(&entry.name);
            // A lock that cannot be opened, or is held, says that the copy may be in use.
            let Ok(file) = place.open(OFlags::RDWR, Mode::empty()) else { continue };
            match file.try_lock() {
                Err(TryLockError::WouldBlock | TryLockError::Error(_)) => {}
                // What cannot be removed is in nobody's way: the next start tries again.
                Ok(()) => drop(self.remove(name)),
            }
        }
        Ok(())
    }

    /// Removes a copy, then its lock.
    fn remove(&self, name: &str) -> io::Result<()> {
        remove_folder(self.place.folder()?.as_fd(), &CString::new(name)?)?;
        durable::remove(&self.place.join(format!("{name}{LOCK_SUFFIX}"))).map(drop)
    }

    /// Waits until no other process makes or sweeps copies here.
    fn lock(&self) -> io::Result<File> {
        durable::open_to_append(&self.place.join(LOCK), Access::Private)
    }
}

impl WorkCopy {
    /// The project's folder in the copy: where commands run.
    pub fn project(&self) -> &Path {
        &self.project
    }

    /// The commit.
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// An empty folder for `HOME`.
    pub fn home(&self) -> PathBuf {
        self.folder.join("home")
    }

    /// An empty folder for `TMPDIR`.
    pub fn temporary(&self) -> PathBuf {
        self.folder.join("tmp")
    }

    /// The folder that holds all of these, and nothing else that is of use.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for WorkCopy {
    fn drop(&mut self) {
        // A copy that cannot be removed now is removed by the next start's sweep.
        drop(self.within.remove(&self.name));
    }
}

#[cfg(test)]
mod tests {
    use std::fs::Permissions;
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};

    use tempfile::TempDir;

    use super::super::scratch::Scratch;
    use super::super::tree_object::{TreeEntry, write_tree};
    use super::*;

    /// The copies in a folder, and their locks.
    fn copies(folder: &TempDir) -> usize {
        let entries = fs::read_dir(folder.path().join("work")).expect("a folder").flatten();
        entries.filter(|entry| entry.file_name().as_bytes().starts_with(COPY_PREFIX.as_bytes())).count()
    }

    fn open(folder: &TempDir) -> WorkFolder {
        let user = Place::own(folder.path());
        WorkFolder::open(&user.join("work"), &Installation::open(&user).expect("a key")).expect("a work folder")
    }

    #[test]
    fn the_files_are_those_of_the_commit_and_nothing_of_git() {
        let scratch = Scratch::new();
        scratch.set_traps();
        let outer = TempDir::new().expect("a temporary folder");
        let work = open(&outer);
        let project = Project::open(&scratch.root.join("sub")).expect("a repository");
        let copy = work.copy(&project, &scratch.head()).expect("a copy");
        assert!(copy.project().ends_with("files/sub"));
        let files = copy.folder().join("files");
        assert_eq!(fs::read(files.join("a.txt")).expect("a file"), b"one\n", "no line ends changed");
        assert_eq!(fs::read_link(files.join("link")).expect("a link"), Path::new("a.txt"));
        let executable = |name: &str| fs::metadata(files.join(name)).expect("a file").mode() & 0o100 != 0;
        assert!(executable("run.sh") && !executable("a.txt"));
        assert!(!files.join(".git").exists() && !scratch.trap_was_sprung());
        assert_eq!(fs::metadata(&copy.folder).expect("a folder").mode() & 0o777, 0o700);
    }

    #[test]
    fn a_dropped_copy_is_gone_even_when_a_command_made_it_read_only() {
        let scratch = Scratch::new();
        let outer = TempDir::new().expect("a temporary folder");
        let work = open(&outer);
        let project = Project::open(&scratch.root).expect("a repository");
        let copy = work.copy(&project, &scratch.head()).expect("a copy");
        std::os::unix::fs::symlink(&scratch.root, copy.home().join("way-out")).expect("a link");
        for folder in ["sub/deep", "sub"] {
            fs::set_permissions(copy.project().join(folder), Permissions::from_mode(0o555)).expect("our folder");
        }
        drop(copy);
        assert_eq!(copies(&outer), 0);
        assert!(scratch.root.join("a.txt").exists(), "links are removed, not followed");
    }

    #[test]
    fn leftovers_go_at_the_next_start_and_live_copies_stay() {
        let scratch = Scratch::new();
        let outer = TempDir::new().expect("a temporary folder");
        let work = open(&outer);
        let project = Project::open(&scratch.root).expect("a repository");
        let live = work.copy(&project, &scratch.head()).expect("a copy");
        let dead = work.copy(&project, &scratch.head()).expect("a copy");
        // As a kill leaves it: nothing is removed, and the lock is released.
        let left = dead.folder().to_owned();
        let WorkCopy { _lock: lock, .. } = &dead;
        lock.unlock().expect("ours");
        std::mem::forget(dead);
        open(&outer);
        assert!(!left.exists() && live.project().join("a.txt").exists());
        assert_eq!(copies(&outer), 2, "the live one and its lock");
    }

    #[test]
    fn only_what_this_installation_marked_is_removed() {
        let scratch = Scratch::new();
        let outer = TempDir::new().expect("a temporary folder");
        let project = Project::open(&scratch.root).expect("a repository");
        let copy = open(&outer).copy(&project, &scratch.head()).expect("a copy");
        let marked = copy.folder().file_name().expect("a name").to_str().expect("UTF-8").to_owned();
        drop(copy);
        let other = TempDir::new().expect("a temporary folder");
        let work = other.path().join("work");
        fs::create_dir(&work).expect("a folder");
        let outside = other.path().join("documents");
        fs::create_dir_all(outside.join("work-plans")).expect("folders");
        // A name of another installation and folder; names that look like ours; a link to what must stay.
        for name in [&marked, "work-1-dead", "work-1-0000000000000000-0000000000000000", "work-"] {
            fs::create_dir(work.join(name)).expect("a folder");
            fs::write(work.join(format!("{name}.lock")), "").expect("a file");
        }
        std::os::unix::fs::symlink(&outside, work.join("work-2-link")).expect("a link");
        fs::write(work.join("work-2-link.lock"), "").expect("a file");
        open(&other);
        assert_eq!(copies(&other), 10);
        assert!(outside.join("work-plans").exists());
    }

    #[test]
    fn a_lock_that_cannot_be_opened_removes_nothing() {
        let scratch = Scratch::new();
        let outer = TempDir::new().expect("a temporary folder");
        let work = open(&outer);
        let copy = work.copy(&Project::open(&scratch.root).expect("a repository"), &scratch.head()).expect("a copy");
        let lock = outer.path().join("work").join(format!("{}.lock", copy.name));
        fs::remove_file(&lock).expect("ours");
        for attempt in 0..2 {
            if attempt == 0 {
                std::os::unix::fs::symlink("nowhere", &lock).expect("a link");
            } else {
                fs::create_dir(&lock).expect("a folder");
            }
            open(&outer);
            assert!(copy.project().join("a.txt").exists());
            fs::remove_file(&lock).or_else(|_| fs::remove_dir(&lock)).expect("ours");
        }
    }

    #[test]
    fn a_link_in_the_folders_place_is_refused() {
        let outer = TempDir::new().expect("a temporary folder");
        let outside = TempDir::new().expect("a temporary folder");
        std::os::unix::fs::symlink(outside.path(), outer.path().join("work")).expect("a link");
        let user = Place::own(outer.path());
        let refused = WorkFolder::open(&user.join("work"), &Installation::open(&user).expect("a key"));
        assert!(refused.is_err());
        assert_eq!(fs::read_dir(outside.path()).expect("a folder").count(), 0);
    }

    #[test]
    fn a_tree_that_would_escape_writes_nothing_outside() {
        let scratch = Scratch::new();
        let repository = git2::Repository::open(&scratch.root).expect("a repository");
        let odb = repository.odb().expect("objects");
        let outside = scratch.outer.path().join("outside");
        fs::create_dir(&outside).expect("a folder");
        let blob = |text: &str| odb.write(git2::ObjectType::Blob, text.as_bytes()).expect("a blob");
        let entry = |mode, name: &str, id| TreeEntry { mode, name: name.as_bytes().to_vec(), id };
        let below = write_tree(&odb, vec![entry(0o100_644, "x", blob("x"))]).expect("a tree");
        let link = blob(outside.to_str().expect("UTF-8"));
        for (name, entries) in [
            ("link, then folder", vec![entry(0o120_000, "d", link), entry(0o040_000, "d", below)]),
            ("link, then file", vec![entry(0o120_000, "d", link), entry(0o100_644, "d", blob("x"))]),
            ("above", vec![entry(0o040_000, "..", below)]),
            ("absolute", vec![entry(0o100_644, outside.join("x").to_str().expect("UTF-8"), blob("x"))]),
            ("git", vec![entry(0o040_000, ".Git", below)]),
            ("unknown mode", vec![entry(0o060_000, "x", blob("x"))]),
        ] {
            let tree = write_tree(&odb, entries).expect("a tree");
            let commit = scratch.git(&["commit-tree", "-m", name, &tree.to_string()]);
            let folder = TempDir::new().expect("a temporary folder");
            let work = open(&folder);
            let refused = work.copy(&Project::open(&scratch.root).expect("a repository"), &commit);
            assert!(matches!(refused, Err(WorkCopyError::Files { .. })), "{name}: {refused:?}");
            assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 0, "{name}");
            assert_eq!(copies(&folder), 0, "{name}: nothing is left of it");
        }
    }
}
