//! Lands a published commit: the checked-out branch moves forward to it, with the files of the checkout and the index.
//!
//! It is done only where it touches nothing that a person has not committed; else everything stays, and the reason is
//! said. No hook, filter or line-end rule runs, so a file that git would convert is refused too.
//!
//! Order, and what is true when it stops in between: everything is looked at ([`check_landable`]), before the journal says
//! that it begins; the locks of the index and of the branch are taken and everything is looked at again under them; the
//! files are exchanged; the index takes its place; the branch moves, which is a rename. Until the index is in place
//! [`settle_landed`] undoes, from there on it finishes. git itself refuses to work while its index is locked.

mod check;
mod conversion;
mod files;
mod index;
#[cfg(test)]
mod tests;

use std::ffi::OsStr;
use std::fs::FileTimes;
use std::io::{self, Write as _};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use git2::{Index, Oid, Repository};

use super::difference::{Leaf, difference};
use super::lock_file::{LockFile, release_left};
use super::refs::{Held, RefError, Update, current, hold, release_locks};
use super::tree_object::TreeError;
use super::{GitError, Identity, Mark, Project};
use check::check;
use files::{Checkout, Content, Exchange, Stands};

/// What the reflog says.
const WHY: &str = "gephost: land";

/// A branch that is to move forward, and the commits between which it moves, by their full hexadecimal ids.
#[derive(Debug, Clone, Copy)]
pub struct Forward<'a> {
    /// Its name, without `refs/heads/`.
    pub into: &'a str,
    /// Where it is.
    pub from: &'a str,
    /// Where it shall be: a descendant of `from`.
    pub to: &'a str,
}

/// Why the branch was not moved. Everything is as it was, but for [`LandError::HalfWay`].
#[derive(Debug, thiserror::Error)]
pub enum LandError {
    /// `HEAD` names a commit and no branch.
    #[error("no branch is checked out")]
    Detached,
    /// The branch is not where it was.
    #[error("{into} is no longer checked out at {from}")]
    Moved {
        /// The branch.
        into: String,
        /// Where it should be.
        from: String,
    },
    /// An operation of git was begun and not ended.
    #[error("a {0} is in progress")]
    InProgress(&'static str),
    /// Another checkout has the same branch.
    #[error("{} has {into} checked out too", checkout.display())]
    CheckedOutTwice {
        /// The branch.
        into: String,
        /// The other checkout.
        checkout: PathBuf,
    },
    /// Paths of the index have conflicts.
    #[error("the index has conflicts that are not resolved")]
    Unmerged,
    /// A file that must not be touched.
    #[error("{path}: {why}")]
    Path {
        /// From the repository's root.
        path: String,
        /// Why not.
        why: &'static str,
    },
    /// Another git process is at work on the index, or one was killed there.
    #[error("{lock} is there, so another git process is at work; where none is, one was killed: remove that file")]
    Locked {
        /// The lock file.
        lock: String,
    },
    /// The branch cannot be written.
    #[error("move {into}: {source}")]
    Ref {
        /// The branch.
        into: String,
        /// The reason.
        source: RefError,
    },
    /// It went wrong when files had been exchanged: [`settle_landed`] undoes or finishes it.
    #[error(transparent)]
    HalfWay(Box<LandError>),
    /// git failed.
    #[error("{0}")]
    Git(#[from] GitError),
    /// A broken tree.
    #[error("{0}")]
    Tree(String),
    /// The system refused.
    #[error("{path}: {source}")]
    Io {
        /// Which file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl From<git2::Error> for LandError {
    fn from(error: git2::Error) -> Self {
        Self::Git(error.into())
    }
}

impl From<TreeError> for LandError {
    fn from(error: TreeError) -> Self {
        Self::Tree(error.to_string())
    }
}

/// One file that a landing changes, with its contents.
struct Step {
    path: Vec<u8>,
    before: Option<Leaf>,
    after: Option<Leaf>,
    old: Option<Content>,
    new: Option<Content>,
}

/// The branch that a landing would move: the one that is checked out.
pub fn landing_branch(project: &Project) -> Result<String, LandError> {
    project.head()?.branch.ok_or(LandError::Detached)
}

/// Whether [`land`] would touch nothing that is not committed. Changes nothing.
pub fn check_landable(project: &Project, forward: Forward<'_>, mark: &Mark) -> Result<(), LandError> {
    let repository = project.repository();
    let scene = Scene::open(&repository, forward, mark)?;
    check(&scene, &Index::open(&scene.index)?)
}

/// Moves the branch, the index and the files forward. Afterwards all of it is on disk.
pub fn land(project: &Project, forward: Forward<'_>, by: &Identity, mark: &Mark) -> Result<(), LandError> {
    let repository = project.repository();
    let scene = Scene::open(&repository, forward, mark)?;
    let name = scene.ref_name();
    let lock = scene.lock_index()?;
    check(&scene, &Index::open(&scene.index)?)?;
    let update = Update { name: &name, old: Some(scene.from), new: scene.to, by, why: WHY };
    let held = hold(&repository, update, mark).map_err(scene.ref_failed())?;
    scene.carry_out(lock, held).map_err(|error| LandError::HalfWay(Box::new(error)))
}

/// Cleans away what a killed [`land`] left, and says whether the branch has moved: finished where the index was in place,
/// else undone. May be asked any number of times. What a person changed since then stays.
pub fn settle_landed(project: &Project, forward: Forward<'_>, by: &Identity, mark: &Mark) -> Result<bool, LandError> {
    let repository = project.repository();
    let scene = Scene::open(&repository, forward, mark)?;
    let name = scene.ref_name();
    index::remove_left(repository.path(), mark).map_err(io(repository.path()))?;
    release_left(repository.path(), &scene.index, mark).map_err(io(&scene.index))?;
    release_locks(repository.commondir(), &name, mark).map_err(io(Path::new(&name)))?;
    for step in &scene.steps {
        let recovered = scene.checkout.recover(&step.path, [step.old.as_ref(), step.new.as_ref()]);
        recovered.map_err(io(as_path(&step.path)))?;
    }
    let at = current(&repository, &name)?;
    if at.is_some_and(|at| at == scene.to || repository.graph_descendant_of(at, scene.to).unwrap_or(false)) {
        return Ok(true);
    }
    let index = Index::open(&scene.index)?;
    let has = |step: &Step, leaf| entry_at(&index, &step.path) == leaf;
    if at == Some(scene.from) && scene.steps.iter().all(|step| has(step, step.after)) {
        let update = Update { name: &name, old: at, new: scene.to, by, why: WHY };
        hold(&repository, update, mark).and_then(Held::commit).map_err(scene.ref_failed())?;
        return Ok(true);
    }
    for step in scene.steps.iter().rev().filter(|step| has(step, step.before)) {
        let stands = scene.checkout.stands(&step.path, step.new.as_ref());
        if stands.map_err(io(as_path(&step.path)))? == Stands::AsExpected {
            scene.exchange(step, step.new.as_ref(), step.old.as_ref())?;
        }
    }
    Ok(false)
}

/// Everything that a landing works with.
struct Scene<'a> {
    repository: &'a Repository,
    forward: Forward<'a>,
    mark: &'a Mark,
    from: Oid,
    to: Oid,
    index: PathBuf,
    checkout: Checkout<'a>,
    steps: Vec<Step>,
}

impl<'a> Scene<'a> {
    fn open(repository: &'a Repository, forward: Forward<'a>, mark: &'a Mark) -> Result<Self, LandError> {
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

    fn ref_name(&self) -> String {
        format!("refs/heads/{}", self.forward.into)
    }

    fn lock_index(&self) -> Result<LockFile, LandError> {
        LockFile::take(self.repository.path(), &self.index, self.mark).map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => LandError::Locked { lock: format!("{}.lock", self.index.display()) },
            _ => io(&self.index)(error),
        })
    }

    fn carry_out(&self, mut lock: LockFile, held: Held<'_>) -> Result<(), LandError> {
        for step in &self.steps {
            self.exchange(step, step.old.as_ref(), step.new.as_ref())?;
        }
        self.write_index(&mut lock)?;
        lock.commit().map_err(io(&self.index))?;
        held.commit().map_err(self.ref_failed())
    }

    fn exchange(&self, step: &Step, from: Option<&Content>, to: Option<&Content>) -> Result<(), LandError> {
        match self.checkout.exchange(&step.path, from, to).map_err(io(as_path(&step.path)))? {
            Exchange::Done => Ok(()),
            Exchange::Refused => Err(refused(&step.path, "somebody changed it just now")),
        }
    }

    /// Writes what the index shall be into its lock. It keeps the old one's time: git looks into files that are not
    /// older than the index, which is how it finds an edit within one tick of the clock.
    fn write_index(&self, lock: &mut LockFile) -> Result<(), LandError> {
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

    fn ref_failed(&self) -> impl Fn(RefError) -> LandError + use<> {
        let into = self.forward.into.to_owned();
        move |source| LandError::Ref { into: into.clone(), source }
    }
}

fn io(path: &Path) -> impl Fn(io::Error) -> LandError + use<> {
    let path = path.display().to_string();
    move |source| LandError::Io { path: path.clone(), source }
}

fn refused(path: &[u8], why: &'static str) -> LandError {
    LandError::Path { path: String::from_utf8_lossy(path).into_owned(), why }
}

/// What the index has at a path, where that is a file without conflicts.
fn entry_at(index: &Index, path: &[u8]) -> Option<Leaf> {
    index.get_path(as_path(path), 0).map(|entry| (entry.mode, entry.id))
}

fn as_path(path: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(path))
}
