//! Writes the files of a commit into an empty folder, as they are stored. Owns the creation of those files.
//!
//! Every step is taken from an open folder, by one name, without following links and without replacing anything; so a
//! tree that was made to escape (a link and a folder of one name, `..`, `.git`) cannot write outside. Symbolic links
//! are written with the target they have. No attribute, filter or line-end rule is applied.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use git2::{ObjectType, Odb, Oid};
use rustix::fs::{Mode, OFlags, mkdirat, openat, symlinkat};

use super::tree_object::{EntryKind, TreeEntry, TreeError, read_tree};

/// Files and folders, at most.
const MAX_ENTRIES: usize = 1_000_000;
/// Bytes of all files together, at most.
const MAX_TOTAL_BYTES: u64 = 16 << 30;
/// Bytes of one file, at most: it is held in memory while it is written.
const MAX_FILE_BYTES: u64 = 1 << 30;
/// Folders in folders, at most: each is a descriptor while it is filled.
const MAX_DEPTH: usize = 200;

/// Why a commit's files were not all written.
#[derive(Debug, thiserror::Error)]
pub enum MaterialiseError {
    /// A name that no file may have.
    #[error("the commit names {0:?}, which no file may be called: run `git fsck`")]
    Name(String),
    /// A kind of entry that git does not know.
    #[error("{path:?} has the mode {mode:o}, which git does not know: run `git fsck`")]
    Mode {
        /// Its name.
        path: String,
        /// Its mode.
        mode: u32,
    },
    /// Too much.
    #[error("the commit holds more than {0}")]
    TooLarge(&'static str),
    /// A broken or missing object.
    #[error("{0}")]
    Object(String),
    /// The system refused.
    #[error("write {name:?}: {source}")]
    Write {
        /// Its name.
        name: String,
        /// What the system said.
        source: io::Error,
    },
}

impl From<TreeError> for MaterialiseError {
    fn from(error: TreeError) -> Self {
        Self::Object(error.to_string())
    }
}

impl From<git2::Error> for MaterialiseError {
    fn from(error: git2::Error) -> Self {
        Self::Object(error.message().to_owned())
    }
}

/// Fills an existing, empty folder with the files of a tree. Submodules become empty folders, as git leaves them.
pub(super) fn materialise(odb: &Odb<'_>, tree: Oid, into: BorrowedFd<'_>) -> Result<(), MaterialiseError> {
    Writer { odb, entries: 0, bytes: 0 }.fill(into, tree, 0)
}

struct Writer<'a, 'repo> {
    odb: &'a Odb<'repo>,
    entries: usize,
    bytes: u64,
}

impl Writer<'_, '_> {
    fn fill(&mut self, folder: BorrowedFd<'_>, tree: Oid, depth: usize) -> Result<(), MaterialiseError> {
        if depth > MAX_DEPTH {
            return Err(MaterialiseError::TooLarge("200 folders in one another"));
        }
        for entry in read_tree(self.odb, tree)? {
            self.entries += 1;
            if self.entries > MAX_ENTRIES {
                return Err(MaterialiseError::TooLarge("1,000,000 files"));
            }
            self.write(folder, &entry, depth)?;
        }
        Ok(())
    }

    fn write(&mut self, folder: BorrowedFd<'_>, entry: &TreeEntry, depth: usize) -> Result<(), MaterialiseError> {
        let name = entry.name.as_slice();
        if !is_plain_name(name) {
            return Err(MaterialiseError::Name(lossy(name)));
        }
        let failed = |error: rustix::io::Errno| write_error(name, error.into());
        match entry.kind() {
            EntryKind::Directory => {
                let below = new_folder(folder, name).map_err(failed)?;
                self.fill(below.as_fd(), entry.id, depth + 1)
            }
            EntryKind::Gitlink => mkdirat(folder, name, Mode::from_raw_mode(0o777)).map_err(failed),
            EntryKind::Symlink => {
                let target = self.blob(entry.id)?;
                symlinkat(target.as_slice(), folder, name).map_err(failed)
            }
            EntryKind::Regular => self.write_file(folder, name, entry.id, 0o666),
            EntryKind::Executable => self.write_file(folder, name, entry.id, 0o777),
            EntryKind::Unknown => Err(MaterialiseError::Mode { path: lossy(name), mode: entry.mode }),
        }
    }

    /// `mode` is what the user's mask is taken from, as git does.
    fn write_file(&mut self, folder: BorrowedFd<'_>, name: &[u8], id: Oid, mode: u32) -> Result<(), MaterialiseError> {
        let content = self.blob(id)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = openat(folder, name, flags, Mode::from_raw_mode(mode));
        file.map_err(io::Error::from)
            .and_then(|file| File::from(file).write_all(&content))
            .map_err(|source| write_error(name, source))
    }

    fn blob(&mut self, id: Oid) -> Result<Vec<u8>, MaterialiseError> {
        let (size, kind) = self.odb.read_header(id)?;
        if kind != ObjectType::Blob {
            return Err(MaterialiseError::Object(format!("object {id} is a {kind}, and named as a file")));
        }
        let size = size as u64;
        self.bytes = self.bytes.saturating_add(size);
        if size > MAX_FILE_BYTES {
            return Err(MaterialiseError::TooLarge("1 GiB in one file"));
        }
        if self.bytes > MAX_TOTAL_BYTES {
            return Err(MaterialiseError::TooLarge("16 GiB"));
        }
        Ok(self.odb.read(id)?.data().to_vec())
    }
}

fn new_folder(above: BorrowedFd<'_>, name: &[u8]) -> rustix::io::Result<OwnedFd> {
    mkdirat(above, name, Mode::from_raw_mode(0o777))?;
    openat(above, name, OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())
}

fn is_plain_name(name: &[u8]) -> bool {
    !name.contains(&b'/') && !matches!(name, b"" | b"." | b"..") && !name.eq_ignore_ascii_case(b".git")
}

fn write_error(name: &[u8], source: io::Error) -> MaterialiseError {
    MaterialiseError::Write { name: lossy(name), source }
}

fn lossy(name: &[u8]) -> String {
    String::from_utf8_lossy(name).into_owned()
}
