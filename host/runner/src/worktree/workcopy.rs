//! A private copy of a commit's files to run validation commands in. Owns the folder that such copies live in.
//!
//! A copy has no `.git`, so nothing that runs in it can reach the repository by name. It goes away when it is dropped;
//! what a killed process left is known by its lock, which the system released, and goes away at the next start.

use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, Permissions, TryLockError};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use git2::Oid;

use super::materialise::{MaterialiseError, materialise};
use super::{GitError, Project};

/// How the folder of each copy begins. The rest is the id of the process, for people, and chance.
const COPY_PREFIX: &str = "work-";
/// Held while its folder is being made (in the outer folder) or used (in a copy).
const LOCK: &str = "lock";

/// Where work copies are made. Belongs to the user alone.
#[derive(Debug, Clone)]
pub struct WorkFolder {
    path: PathBuf,
}

/// The files of one commit, with a private home and temporary folder beside them. Removed on drop.
#[derive(Debug)]
pub struct WorkCopy {
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
    /// Makes the folder where it is missing, and removes the copies of processes that are gone.
    pub fn open(path: &Path) -> Result<Self, WorkCopyError> {
        let failed = |source| WorkCopyError::Folder { path: path.to_owned(), source };
        DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
        // A relative path would mean another folder once a command runs elsewhere.
        let folder = Self { path: fs::canonicalize(path).map_err(failed)? };
        folder.sweep().map_err(failed)?;
        Ok(folder)
    }

    /// Writes out a commit, given by its full hexadecimal id.
    pub fn copy(&self, project: &Project, commit: &str) -> Result<WorkCopy, WorkCopyError> {
        let copy = self
            .empty_copy(project, commit)
            .map_err(|source| WorkCopyError::Folder { path: self.path.clone(), source })?;
        let repository = project.repository();
        let no_commit = |error| WorkCopyError::NoCommit { commit: commit.to_owned(), source: GitError::from(error) };
        let id = Oid::from_str(commit).map_err(no_commit)?;
        let tree = repository.find_commit(id).map_err(no_commit)?.tree_id();
        let files = |source| WorkCopyError::Files { commit: commit.to_owned(), source };
        let odb = repository.odb().map_err(|error| files(error.into()))?;
        materialise(&odb, tree, &copy.files()).map_err(files)?;
        Ok(copy)
    }

    fn empty_copy(&self, project: &Project, commit: &str) -> io::Result<WorkCopy> {
        let _making = self.lock()?;
        let folder = tempfile::Builder::new()
            .prefix(&format!("{COPY_PREFIX}{}-", std::process::id()))
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(&self.path)?;
        let lock = File::create(folder.path().join(LOCK))?;
        lock.lock()?;
        // From here on the copy itself removes its folder, with what a command may have left in it.
        let folder = folder.keep();
        let mut copy = WorkCopy { project: PathBuf::new(), commit: commit.to_owned(), folder, _lock: lock };
        for path in [copy.files(), copy.home(), copy.temporary()] {
            DirBuilder::new().mode(0o700).create(path)?;
        }
        copy.project = copy.files();
        copy.project.extend(project.prefix().iter().map(|name| OsStr::from_bytes(name)));
        Ok(copy)
    }

    fn sweep(&self) -> io::Result<()> {
        let _sweeping = self.lock()?;
        for entry in fs::read_dir(&self.path)? {
            let entry = entry?;
            if !entry.file_name().as_bytes().starts_with(COPY_PREFIX.as_bytes()) || !is_our_folder(&entry.path()) {
                continue;
            }
            match File::open(entry.path().join(LOCK)).map(|lock| lock.try_lock()) {
                // Someone works there, or the file system has no locks to tell.
                Ok(Err(TryLockError::WouldBlock | TryLockError::Error(_))) => {}
                // What cannot be removed is in nobody's way: the next start tries again.
                Ok(Ok(())) | Err(_) => drop(remove(&entry.path())),
            }
        }
        Ok(())
    }

    /// Waits until no other process makes or sweeps copies here.
    fn lock(&self) -> io::Result<File> {
        let lock = File::options().create(true).truncate(false).write(true).open(self.path.join(LOCK))?;
        lock.lock()?;
        Ok(lock)
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

    /// The root of the repository's files.
    fn files(&self) -> PathBuf {
        self.folder.join("files")
    }
}

impl Drop for WorkCopy {
    fn drop(&mut self) {
        // A copy that cannot be removed now is removed by the next start's sweep.
        drop(remove(&self.folder));
    }
}

fn is_our_folder(path: &Path) -> bool {
    fs::symlink_metadata(path)
        .is_ok_and(|metadata| metadata.is_dir() && metadata.uid() == rustix::process::geteuid().as_raw())
}

fn remove(folder: &Path) -> io::Result<()> {
    if fs::remove_dir_all(folder).is_ok() {
        return Ok(());
    }
    make_folders_writable(folder);
    fs::remove_dir_all(folder)
}

/// A read-only folder keeps its files. Links are not followed.
fn make_folders_writable(folder: &Path) {
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        let _ = fs::set_permissions(&folder, Permissions::from_mode(0o700));
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        waiting.extend(
            entries
                .flatten()
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| entry.path()),
        );
    }
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::super::scratch::Scratch;
    use super::super::tree_object::{TreeEntry, write_tree};
    use super::*;

    fn copies(folder: &Path) -> usize {
        let entries = fs::read_dir(folder).expect("a folder").flatten();
        entries.filter(|entry| entry.file_name().as_bytes().starts_with(COPY_PREFIX.as_bytes())).count()
    }

    #[test]
    fn the_files_are_those_of_the_commit_and_nothing_of_git() {
        let scratch = Scratch::new();
        scratch.set_traps();
        let outer = TempDir::new().expect("a temporary folder");
        let work = WorkFolder::open(outer.path()).expect("a work folder");
        let project = Project::open(&scratch.root.join("sub")).expect("a repository");
        let copy = work.copy(&project, &scratch.head()).expect("a copy");
        assert!(copy.project().ends_with("files/sub"));
        let files = copy.files();
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
        let work = WorkFolder::open(outer.path()).expect("a work folder");
        let project = Project::open(&scratch.root).expect("a repository");
        let copy = work.copy(&project, &scratch.head()).expect("a copy");
        std::os::unix::fs::symlink(&scratch.root, copy.home().join("way-out")).expect("a link");
        for folder in ["sub/deep", "sub"] {
            fs::set_permissions(copy.project().join(folder), Permissions::from_mode(0o555)).expect("our folder");
        }
        drop(copy);
        assert_eq!(copies(outer.path()), 0);
        assert!(scratch.root.join("a.txt").exists(), "links are removed, not followed");
    }

    #[test]
    fn leftovers_go_at_the_next_start_and_live_copies_stay() {
        let scratch = Scratch::new();
        let outer = TempDir::new().expect("a temporary folder");
        let work = WorkFolder::open(outer.path()).expect("a work folder");
        let project = Project::open(&scratch.root).expect("a repository");
        let live = work.copy(&project, &scratch.head()).expect("a copy");
        fs::create_dir_all(outer.path().join("work-1-dead/files")).expect("a folder");
        fs::write(outer.path().join("work-1-dead/lock"), "").expect("a file");
        fs::create_dir(outer.path().join("work-2-unfinished")).expect("a folder");
        fs::create_dir(outer.path().join("other")).expect("a folder");
        WorkFolder::open(outer.path()).expect("a work folder");
        assert_eq!(copies(outer.path()), 1);
        assert!(live.project().join("a.txt").exists() && outer.path().join("other").exists());
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
            let work = WorkFolder::open(folder.path()).expect("a work folder");
            let refused = work.copy(&Project::open(&scratch.root).expect("a repository"), &commit);
            assert!(matches!(refused, Err(WorkCopyError::Files { .. })), "{name}: {refused:?}");
            assert_eq!(fs::read_dir(&outside).expect("a folder").count(), 0, "{name}");
            assert_eq!(copies(folder.path()), 0, "{name}: nothing is left of it");
        }
    }
}
