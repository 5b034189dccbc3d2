//! Writes new objects into the repository's own store. Until then they are in memory: a change that is refused, or that
//! validation does not hold, leaves nothing in `.git`, not even an object that nothing names.

#![expect(clippy::disallowed_methods, reason = "libgit2 names the git folder by path")]

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use git2::{Odb, Oid, Repository};

use super::{GitError, Mark};

/// How much the store in memory comes before those on disk, which libgit2 gives 1 and 2.
const BEFORE_DISK: i32 = 1000;

/// Why objects are not on disk. What was written of them, nothing names.
#[derive(Debug, thiserror::Error)]
pub enum PersistError {
    /// git failed.
    #[error("{0}")]
    Git(#[from] GitError),
    /// The system refused.
    #[error("{}: {source}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl From<git2::Error> for PersistError {
    fn from(error: git2::Error) -> Self {
        Self::Git(error.into())
    }
}

/// Makes every object that is written from here on stay in memory.
pub(super) fn keep_in_memory(repository: &Repository) -> Result<(), git2::Error> {
    repository.odb()?.add_new_mempack_backend(BEFORE_DISK).map(drop)
}

/// Writes objects to disk that are not there yet. Afterwards they survive a power cut. After a crash there may be some
/// that nothing names, which git cleans away in its time, and temporary files that [`remove_left`] finds.
pub(super) fn persist(repository: &Repository, ids: &[Oid], mark: &Mark) -> Result<(), PersistError> {
    let on_disk = Repository::open(repository.path())?;
    let (memory, disk) = (repository.odb()?, on_disk.odb()?);
    let store = repository.commondir().join("objects");
    let mut folders = BTreeSet::from([store.clone()]);
    for (number, &id) in ids.iter().enumerate().filter(|(_, id)| !disk.exists(**id)) {
        let hex = id.to_string();
        let (folder, file) = hex.split_at(2);
        let folder = store.join(folder);
        let temporary = store.join(format!("{}{number}", mark.object_prefix()));
        let bytes = loose(&memory, id)?;
        put(&temporary, &folder, file, &bytes).map_err(|source| PersistError::Io { path: folder.clone(), source })?;
        folders.insert(folder);
    }
    for folder in folders {
        let synced = File::open(&folder).and_then(|open| open.sync_all());
        synced.map_err(|source| PersistError::Io { path: folder, source })?;
    }
    Ok(())
}

/// Removes the temporary objects of an operation that a crash cut.
pub(super) fn remove_left(repository: &Repository, mark: &Mark) -> io::Result<()> {
    for entry in fs::read_dir(repository.commondir().join("objects"))? {
        let entry = entry?;
        if entry.file_name().as_encoded_bytes().starts_with(mark.object_prefix().as_bytes()) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

/// An object as git stores it in a file of its own.
fn loose(odb: &Odb<'_>, id: Oid) -> Result<Vec<u8>, git2::Error> {
    let object = odb.read(id)?;
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    let header = format!("{} {}\0", object.kind().str(), object.len());
    let written = encoder.write_all(header.as_bytes()).and_then(|()| encoder.write_all(object.data()));
    written.and_then(|()| encoder.finish()).map_err(|error| git2::Error::from_str(&error.to_string()))
}

fn put(temporary: &Path, folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    match fs::create_dir(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let written = write_new(temporary, bytes).and_then(|()| fs::rename(temporary, folder.join(name)));
    if written.is_err() {
        let _ = fs::remove_file(temporary);
    }
    written
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o444).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use git2::ObjectType;

    use super::super::scratch::Scratch;
    use super::*;

    #[test]
    fn objects_are_in_memory_first_and_then_what_git_reads() {
        let scratch = Scratch::new();
        let repository = Repository::open(&scratch.root).expect("a repository");
        keep_in_memory(&repository).expect("a store in memory");
        let odb = repository.odb().expect("objects");
        let long = vec![7; 100_000];
        let contents: [&[u8]; 3] = [b"", b"text\n", &long];
        let ids = contents.map(|content| odb.write(ObjectType::Blob, content).expect("a blob"));
        scratch.git_fails(&["cat-file", "-e", &ids[1].to_string()]);
        let mark = Mark::of("x");
        persist(&repository, &ids, &mark).expect("on disk");
        persist(&repository, &ids, &mark).expect("a second time");
        assert_eq!(scratch.git(&["cat-file", "blob", &ids[1].to_string()]), "text");
        scratch.git(&["fsck", "--strict"]);
        let left = scratch.root.join(".git/objects").join(format!("{}7", mark.object_prefix()));
        fs::write(&left, "half").expect("our file");
        remove_left(&repository, &Mark::of("another")).expect("a look");
        assert!(left.exists());
        remove_left(&repository, &mark).expect("a look");
        assert!(!left.exists());
    }

    #[test]
    fn a_store_that_cannot_be_written_is_told_and_left() {
        if rustix::process::geteuid().is_root() {
            return; // No permission stops root; `it/crash` mounts a file system read-only instead.
        }
        let scratch = Scratch::new();
        let repository = Repository::open(&scratch.root).expect("a repository");
        keep_in_memory(&repository).expect("a store in memory");
        let id = repository.odb().expect("objects").write(ObjectType::Blob, b"new").expect("a blob");
        let objects = scratch.root.join(".git/objects");
        fs::set_permissions(&objects, fs::Permissions::from_mode(0o555)).expect("our folder");
        let refused = persist(&repository, &[id], &Mark::of("x"));
        fs::set_permissions(&objects, fs::Permissions::from_mode(0o755)).expect("our folder");
        assert!(matches!(refused, Err(PersistError::Io { .. })), "{refused:?}");
    }
}
