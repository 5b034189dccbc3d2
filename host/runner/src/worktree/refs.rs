//! Changes one ref, by compare-and-swap under git's own lock. Owns every write to `refs/` and `packed-refs`.
//!
//! libgit2 is not asked to: its locks cannot be told from another's after a crash, and it leaves syncing to the system.
//! Values are read through libgit2, under the lock. Before the rename the ref is as it was, after it it is changed.

#![expect(clippy::disallowed_methods, reason = "libgit2 names the git folder by path")]

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::Path;

use git2::{ErrorCode, Oid, Repository};

use super::lock_file::{LockFile, release_left};
use super::{GitError, Identity, Mark, sync};

/// A change of one ref.
#[derive(Debug)]
pub(super) struct Update<'a> {
    /// Its full name.
    pub(super) name: &'a str,
    /// What it must name before; `None` where it must not be there.
    pub(super) old: Option<Oid>,
    /// What it must name.
    pub(super) new: Oid,
    /// Who, for the reflog.
    pub(super) by: &'a Identity,
    /// Why, for the reflog: one line.
    pub(super) why: &'a str,
}

/// Why a ref is as it was.
#[derive(Debug, thiserror::Error)]
pub enum RefError {
    /// It names something else than it should.
    #[error("it is at {}", .actual.map_or("nothing".to_owned(), |id| id.to_string()))]
    Moved {
        /// What it names; `None` where it is not there, or names another ref.
        actual: Option<Oid>,
    },
    /// Another git process is at work on it, or one was killed there.
    #[error("{lock} exists: another git process is working, or one was killed; if none is working, remove that file")]
    Locked {
        /// The lock file.
        lock: String,
    },
    /// git failed.
    #[error("{0}")]
    Git(#[from] GitError),
    /// The system refused.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl From<git2::Error> for RefError {
    fn from(error: git2::Error) -> Self {
        Self::Git(error.into())
    }
}

/// What a ref names; `None` where it is not there, or names another ref.
pub(super) fn current(repository: &Repository, name: &str) -> Result<Option<Oid>, git2::Error> {
    match repository.find_reference(name) {
        Ok(reference) => Ok(reference.target()),
        Err(error) if error.code() == ErrorCode::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// A ref that is locked, with its new value written; all that is left is to put it in place. Dropped, it is as it was.
pub(super) struct Held<'a> {
    repository: &'a Repository,
    update: Update<'a>,
    lock: LockFile,
}

/// Moves or creates a ref. Afterwards it is on disk.
pub(super) fn update(repository: &Repository, update: Update<'_>, mark: &Mark) -> Result<(), RefError> {
    hold(repository, update, mark)?.commit()
}

/// Locks a ref that is where it should be, and makes everything ready to move it.
pub(super) fn hold<'a>(repository: &'a Repository, update: Update<'a>, mark: &Mark) -> Result<Held<'a>, RefError> {
    let common = repository.commondir();
    let path = common.join(update.name);
    // Looked at first, so that what cannot be moved leaves no folder; a packed ref may have none.
    compare(repository, update.name, update.old)?;
    make_folders(common, update.name).map_err(io_error(&path))?;
    let mut lock = lock(common, &path, mark)?;
    compare(repository, update.name, update.old)?;
    lock.file().write_all(format!("{}\n", update.new).as_bytes()).map_err(io_error(&path))?;
    Ok(Held { repository, update, lock })
}

impl Held<'_> {
    /// Moves the ref. Afterwards that is on disk.
    pub(super) fn commit(self) -> Result<(), RefError> {
        let path = self.repository.commondir().join(self.update.name);
        self.lock.commit().map_err(io_error(&path))?;
        // The reflog is a help for people; a ref that moved is not moved back for the want of a line in it.
        let _ = write_reflog(self.repository, &self.update);
        Ok(())
    }
}

/// Deletes a ref that names `old`, its reflog, and the folders that are empty then.
pub(super) fn delete(repository: &Repository, name: &str, old: Oid, mark: &Mark) -> Result<(), RefError> {
    let common = repository.commondir();
    let path = common.join(name);
    let failed = io_error(&path);
    make_folders(common, name).map_err(&failed)?;
    let held = lock(common, &path, mark)?;
    compare(repository, name, Some(old))?;
    // Packed first: while the loose file is there, it is what counts.
    unpack(common, name, mark)?;
    sync::remove_file(&path).and_then(|_| sync::sync_folder_of(&path)).map_err(&failed)?;
    held.give_back().map_err(&failed)?;
    clean_after(common, name).map_err(failed)
}

/// Removes what is of no use once a ref is gone: its reflog, and empty folders on the way to both.
pub(super) fn clean_after(common: &Path, name: &str) -> io::Result<()> {
    let reflog = common.join("logs").join(name);
    sync::remove_file(&reflog)?;
    for (path, top) in [(reflog, common.join("logs/refs/heads")), (common.join(name), common.join("refs/heads"))] {
        let mut folder = path.parent();
        while let Some(empty) = folder.filter(|folder| folder.starts_with(&top) && **folder != top) {
            if fs::remove_dir(empty).is_err() {
                break;
            }
            folder = empty.parent();
        }
    }
    Ok(())
}

/// Releases the locks of a ref that a crash left, where they are ours.
pub(super) fn release_locks(common: &Path, name: &str, mark: &Mark) -> io::Result<()> {
    release_left(common, &common.join(name), mark)?;
    release_left(common, &common.join("packed-refs"), mark)
}

fn compare(repository: &Repository, name: &str, expected: Option<Oid>) -> Result<(), RefError> {
    let there = match repository.find_reference(name) {
        Ok(reference) => Some(reference.target()),
        Err(error) if error.code() == ErrorCode::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    if there == expected.map(Some) { Ok(()) } else { Err(RefError::Moved { actual: there.flatten() }) }
}

fn lock(common: &Path, path: &Path, mark: &Mark) -> Result<LockFile, RefError> {
    LockFile::take(common, path, mark).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => RefError::Locked { lock: format!("{}.lock", path.display()) },
        // Where there is no folder, there is no ref in it.
        io::ErrorKind::NotFound => RefError::Moved { actual: None },
        _ => io_error(path)(error),
    })
}

/// Takes a ref out of `packed-refs`; every other byte of it stays.
fn unpack(common: &Path, name: &str, mark: &Mark) -> Result<(), RefError> {
    let path = common.join("packed-refs");
    let failed = io_error(&path);
    let mut held = lock(common, &path, mark)?;
    let text = match fs::read(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return held.give_back().map_err(failed),
        Err(error) => return Err(failed(error)),
    };
    let Some(rest) = without(&text, name.as_bytes()) else { return held.give_back().map_err(failed) };
    held.file().write_all(&rest).and_then(|()| held.commit()).map_err(failed)
}

/// A packed-refs file without one ref and the line of what its tag names; `None` where the ref is not in it.
fn without(text: &[u8], name: &[u8]) -> Option<Vec<u8>> {
    let mut rest = Vec::with_capacity(text.len());
    let (mut found, mut skipping) = (false, false);
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        let plain = line.strip_suffix(b"\n").unwrap_or(line);
        skipping = match plain.iter().position(|&byte| byte == b' ').map(|at| plain.split_at(at + 1)) {
            _ if plain.starts_with(b"^") => skipping,
            Some((_, found_name)) if !plain.starts_with(b"#") => found_name == name,
            _ => false,
        };
        found |= skipping;
        if !skipping {
            rest.extend_from_slice(line);
        }
    }
    found.then_some(rest)
}

fn make_folders(common: &Path, name: &str) -> io::Result<()> {
    let mut made = Vec::new();
    let mut folder = common.join(name);
    while folder.pop() && !folder.is_dir() {
        made.push(folder.clone());
    }
    for folder in made.iter().rev() {
        match fs::create_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => sync::sync_folder_of(folder)?,
        }
    }
    Ok(())
}

/// Adds a line to the reflog of the ref, and to that of `HEAD` where it names the ref, as git does.
fn write_reflog(repository: &Repository, update: &Update<'_>) -> io::Result<()> {
    let all = repository.config().and_then(|config| config.get_string("core.logallrefupdates"));
    let all = !all.is_ok_and(|value| ["false", "no", "off", "0"].contains(&value.to_lowercase().as_str()));
    let line = format!(
        "{} {} {}\t{}\n",
        update.old.unwrap_or(Oid::ZERO_SHA1),
        update.new,
        update.by.reflog_form(),
        update.why
    );
    let mut logs = vec![repository.commondir().join("logs").join(update.name)];
    let head = repository.find_reference("HEAD").ok();
    if head.as_ref().and_then(git2::Reference::symbolic_target_bytes) == Some(update.name.as_bytes()) {
        logs.push(repository.path().join("logs/HEAD"));
    }
    for log in logs.iter().filter(|log| all || log.exists()) {
        fs::create_dir_all(log.parent().unwrap_or(log))?;
        OpenOptions::new().append(true).create(true).open(log)?.write_all(line.as_bytes())?;
    }
    Ok(())
}

fn io_error(path: &Path) -> impl Fn(io::Error) -> RefError + use<> {
    let path = path.display().to_string();
    move |source| RefError::Io { path: path.clone(), source }
}

#[cfg(test)]
mod tests {
    use super::super::scratch::{Scratch, identity};
    use super::*;

    fn change(repository: &Repository, name: &str, old: Option<Oid>, new: Oid) -> Result<(), RefError> {
        update(repository, Update { name, old, new, by: &identity(), why: "gephost: test" }, &Mark::of("x"))
    }

    #[test]
    fn a_ref_moves_only_from_where_it_should_be() {
        let scratch = Scratch::new();
        let first = Oid::from_str(&scratch.head()).expect("an id");
        let second = Oid::from_str(&scratch.commit("second")).expect("an id");
        let repository = Repository::open(&scratch.root).expect("a repository");
        let name = "refs/heads/evo/x";
        assert!(matches!(change(&repository, name, Some(first), second), Err(RefError::Moved { actual: None })));
        change(&repository, name, None, first).expect("created");
        assert!(matches!(change(&repository, name, None, first), Err(RefError::Moved { .. })));
        assert!(matches!(change(&repository, name, Some(second), first), Err(RefError::Moved { .. })));
        change(&repository, name, Some(first), second).expect("moved");
        assert_eq!(scratch.git(&["rev-parse", "evo/x"]), second.to_string());
        assert_eq!(scratch.git(&["reflog", "show", "--format=%gs", "evo/x"]), "gephost: test\ngephost: test");
        scratch.git(&["symbolic-ref", "refs/heads/evo/link", "refs/heads/evo/x"]);
        let refused = change(&repository, "refs/heads/evo/link", Some(second), first);
        assert!(matches!(refused, Err(RefError::Moved { actual: None })), "a ref that names a ref is not ours");
    }

    #[test]
    fn a_held_lock_is_named() {
        let scratch = Scratch::new();
        scratch.write(".git/refs/heads/main.lock", "");
        let repository = Repository::open(&scratch.root).expect("a repository");
        let head = Oid::from_str(&scratch.head()).expect("an id");
        let refused = change(&repository, "refs/heads/main", Some(head), head).expect_err("it is held").to_string();
        assert!(refused.contains("refs/heads/main.lock exists"), "{refused}");
    }

    #[test]
    fn one_ref_leaves_packed_refs_and_the_others_stay() {
        let text =
            b"# pack-refs with: peeled fully-peeled sorted \n11 refs/heads/a\n22 refs/heads/ab\n^33\n44 refs/tags/z\n";
        let rest = |name: &[u8]| without(text, name).map(|rest| String::from_utf8(rest).expect("text"));
        assert_eq!(rest(b"refs/heads/b"), None);
        assert_eq!(rest(b"with:"), None);
        let expected = "# pack-refs with: peeled fully-peeled sorted \n11 refs/heads/a\n44 refs/tags/z\n";
        assert_eq!(rest(b"refs/heads/ab").as_deref(), Some(expected));
        assert!(rest(b"refs/heads/a").expect("it is there").contains("22 refs/heads/ab\n^33\n"));
    }
}
