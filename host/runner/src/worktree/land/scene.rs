//! Everything that a landing works with, and the steps that it takes.

#![expect(clippy::disallowed_methods, reason = "libgit2 names the index by path")]

use std::fs::FileTimes;
use std::io::{self, Write as _};
use std::path::PathBuf;

use git2::{Index, Oid, Repository};

use super::super::Mark;
use super::super::difference::{Leaf, difference};
use super::super::lock_file::LockFile;
use super::super::refs::{Held, RefError};
use super::error::{LandError, io, refused};
use super::files::{Checkout, Content, Exchange};
use super::index;
use super::path::as_path;

/// A branch that is to move forward, and the commits between which it moves, by their full hexadecimal ids.
#[derive(Debug, Clone, Copy)]
pub struct Forward<'a> {
    /// Its name, without `refs/heads/`.
    pub into: &'a str,
    /// Where it is.
    pub from: &'a str,
    /// Where it must be: a descendant of `from`.
    pub to: &'a str,
}

/// One file that a landing changes, with its contents.
pub(super) struct Step {
    pub(super) path: Vec<u8>,
    pub(super) before: Option<Leaf>,
    pub(super) after: Option<Leaf>,
    pub(super) old: Option<Content>,
    pub(super) new: Option<Content>,
}

/// Everything that a landing works with.
pub(super) struct Scene<'a> {
    pub(super) repository: &'a Repository,
    pub(super) forward: Forward<'a>,
    pub(super) mark: &'a Mark,
    pub(super) from: Oid,
    pub(super) to: Oid,
    pub(super) index: PathBuf,
    pub(super) checkout: Checkout<'a>,
    pub(super) steps: Vec<Step>,
}

impl<'a> Scene<'a> {
    pub(super) fn open(repository: &'a Repository, forward: Forward<'a>, mark: &'a Mark) -> Result<Self, LandError> {
        let (from, to) = (Oid::from_str(forward.from)?, Oid::from_str(forward.to)?);
        let odb = repository.odb()?;
        let [before, after] = [from, to].map(|id| repository.find_commit(id).map(|commit| commit.tree_id()));
        let mut steps = Vec::new();
        for (path, (before, after)) in difference(&odb, before?, after?)? {
            let (old, new) = (Content::read(&odb, before)?, Content::read(&odb, after)?);
            steps.push(Step { path, before, after, old, new });
        }
        let keeps_modes = repository.config()?.get_bool("core.filemode").unwrap_or(true);
        let root = repository.workdir().unwrap_or(repository.path());
        let checkout = Checkout::open(root, mark, keeps_modes)
            .map_err(|source| LandError::Io { path: root.display().to_string(), source })?;
        let index = repository.path().join("index");
        Ok(Self { repository, forward, mark, from, to, index, checkout, steps })
    }

    pub(super) fn ref_name(&self) -> String {
        format!("refs/heads/{}", self.forward.into)
    }

    pub(super) fn lock_index(&self) -> Result<LockFile, LandError> {
        LockFile::take(self.repository.path(), &self.index, self.mark).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => LandError::Locked { lock: format!("{}.lock", self.index.display()) },
            _ => io(&self.index)(error),
        })
    }

    pub(super) fn carry_out(&self, mut lock: LockFile, held: Held<'_>) -> Result<(), LandError> {
        for step in &self.steps {
            self.exchange(step, step.old.as_ref(), step.new.as_ref())?;
        }
        self.write_index(&mut lock)?;
        lock.commit().map_err(io(&self.index))?;
        held.commit().map_err(self.ref_failed())
    }

    pub(super) fn exchange(&self, step: &Step, from: Option<&Content>, to: Option<&Content>) -> Result<(), LandError> {
        match self.checkout.exchange(&step.path, from, to).map_err(io(as_path(&step.path)))? {
            Exchange::Done => Ok(()),
            Exchange::Refused => Err(refused(&step.path, "another program changed it just now")),
        }
    }

    /// Writes the next index into its lock. It keeps the old one's time: git looks into files that are not
    /// older than the index, which is how it finds an edit within one tick of the clock.
    pub(super) fn write_index(&self, lock: &mut LockFile) -> Result<(), LandError> {
        let mut changes = Vec::new();
        for step in &self.steps {
            let stat = self.checkout.stat(&step.path).map_err(io(as_path(&step.path)))?;
            changes.push(index::Change { path: &step.path, to: step.after.zip(stat) });
        }
        let failed = io(&self.index);
        let bytes = index::rewritten(self.repository.path(), &self.index, self.mark, &changes).map_err(&failed)?;
        let written = self.index.metadata().and_then(|old| {
            lock.file().write_all(&bytes)?;
            lock.file().set_times(FileTimes::new().set_modified(old.modified()?))
        });
        written.map_err(failed)
    }

    pub(super) fn ref_failed(&self) -> impl Fn(RefError) -> LandError + use<> {
        let into = self.forward.into.to_owned();
        move |source| LandError::Ref { into: into.clone(), source }
    }
}

/// What the index has at a path, where that is a file without conflicts.
pub(super) fn entry_at(index: &Index, path: &[u8]) -> Option<Leaf> {
    index.get_path(as_path(path), 0).map(|entry| (entry.mode, entry.id))
}
