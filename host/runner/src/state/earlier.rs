//! What a gephost before 0.2 left in the project's `.gephost`: it is moved to the user's state folder, once.
//!
//! What must stay true: it is moved only if this user's head vouches for the log in it and git tracks none of it, so that
//! nobody else can have written it. Everything is copied under another name, synced, and then renamed; only what was
//! copied is removed from the project. A crash leaves the old place whole, or the new one.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::PathBuf;

use gephost_core::digest::sha256_hex;
use jiff::Timestamp;

use super::folder::{PROJECT_FOLDER, StateFolder};
use super::project_file;
use crate::durable::{self, Access};
use crate::event_log::EventLog;
use crate::instance::{Instance, InstanceError};
use crate::place::Place;
use crate::worktree::is_tracked;

/// What was state, and is moved.
const NAMES: [&str; 7] = ["log.jsonl", "runs", "recordings", "exchanges", "proposals", "journal", "sources.jsonl"];
/// Folders in folders, at most: recordings have one for their blobs.
const MAX_DEPTH: usize = 3;

/// What an earlier gephost left in a project.
#[derive(Debug)]
pub struct Earlier<'a> {
    state: &'a StateFolder,
    folder: Place,
    head: Place,
}

/// What became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Moved {
    /// There is nothing to move.
    Nothing,
    /// It was moved.
    All {
        /// From where.
        from: PathBuf,
        /// To where.
        to: PathBuf,
    },
    /// It stays where it is, and counts for nothing.
    LeftAlone {
        /// Where it is.
        folder: PathBuf,
        /// Why.
        reason: String,
    },
}

/// Why it cannot be moved now.
#[derive(Debug, thiserror::Error)]
pub enum EarlierError {
    /// The system.
    #[error("failed to move the state of an earlier gephost from {}: {source}", path.display())]
    Io {
        /// From where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An earlier gephost is at work with it.
    #[error(transparent)]
    Busy(#[from] InstanceError),
}

impl<'a> Earlier<'a> {
    /// In the project of this state. Touches nothing.
    pub fn of(state: &'a StateFolder) -> Self {
        let root = state.project().path();
        let head = format!("heads/{}", sha256_hex(root.as_os_str().as_encoded_bytes()));
        Self { state, folder: state.project().join(PROJECT_FOLDER), head: state.user().state.join(head) }
    }

    /// Moves it, unless the project has a state in its new place already.
    pub fn settle(&self, now: Timestamp) -> Result<Moved, EarlierError> {
        // A place that cannot be looked at is reported by whoever uses it.
        if self.state.root().exists().unwrap_or(true) {
            return Ok(Moved::Nothing);
        }
        let left = match self.names() {
            Ok(names) if names.is_empty() => return Ok(Moved::Nothing),
            Ok(names) => names,
            Err(error) => return Ok(self.left_alone(error.to_string())),
        };
        if let Err(reason) = self.vouched() {
            return Ok(self.left_alone(reason));
        }
        let projects = self.state.root().parent();
        let moving = durable::create_folder(&projects, Access::Private)
            .and_then(|()| durable::open_to_append(&projects.join(".moving.lock"), Access::Private));
        let _moving = moving.map_err(|error| self.failed(error))?;
        if self.state.root().exists().map_err(|error| self.failed(error))? {
            return Ok(Moved::Nothing);
        }
        let _held = match Instance::take(&self.folder.join("lock"), "move of its state", now) {
            Err(InstanceError::Io { source, .. }) if source.kind() == io::ErrorKind::ReadOnlyFilesystem => None,
            held => Some(held?),
        };
        let mut copied = Vec::new();
        match self.copy(&left, now, &mut copied) {
            Ok(()) => {}
            Err(Refused::Content(reason)) => return Ok(self.left_alone(reason)),
            Err(Refused::Io(error)) => return Err(self.failed(error)),
        }
        self.remove(&copied);
        Ok(Moved::All { from: self.folder.path(), to: self.state.root().path() })
    }

    /// What of it is there.
    fn names(&self) -> io::Result<Vec<&'static str>> {
        let mut found = Vec::new();
        for name in NAMES {
            if self.folder.join(name).exists()? {
                found.push(name);
            }
        }
        Ok(found)
    }

    /// Whether this user's head vouches for the log, and nobody else can have written what is beside it.
    fn vouched(&self) -> Result<(), String> {
        match is_tracked(&self.state.project().path(), PROJECT_FOLDER, &NAMES) {
            Ok(false) => {}
            Ok(true) => return Err("git tracks files in it, so whoever wrote the repository may have made it".into()),
            Err(error) => return Err(error.to_string()),
        }
        let log = EventLog::new(&self.folder.join("log.jsonl"), &self.head);
        let verification = log.verify().map_err(|error| error.to_string())?;
        match verification.fault {
            Some(fault) => Err(format!("its log cannot be trusted: {fault}")),
            None if verification.head.entries == 0 => Err("no log of yours vouches for it".to_owned()),
            None => Ok(()),
        }
    }

    fn copy(&self, names: &[&str], now: Timestamp, copied: &mut Vec<Place>) -> Result<(), Refused> {
        let projects = self.state.root().parent();
        let staging = projects.join(format!(".moving-{}", self.state.id()));
        let folder = projects.folder()?;
        self.remove_left(&staging)?;
        durable::create_folder(&staging, Access::Private)?;
        let result = self.copy_into(&staging, names, now, copied);
        if result.is_ok() {
            folder.rename(staging.name(), &folder, self.state.id())?;
            durable::sync_folder(&projects)?;
        } else {
            let _ = folder.remove_dir_all(staging.name());
        }
        result
    }

    /// Removes what a process left that was killed while it copied.
    fn remove_left(&self, staging: &Place) -> io::Result<()> {
        let folder = staging.parent().folder()?;
        let is_marked = project_file::is_marked(staging, self.state.user(), self.state.id())?;
        // Without a mark only an empty folder goes.
        let removed = if is_marked { folder.remove_dir_all(staging.name()) } else { folder.remove_dir(staging.name()) };
        match removed {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }

    fn copy_into(
        &self,
        staging: &Place,
        names: &[&str],
        now: Timestamp,
        copied: &mut Vec<Place>,
    ) -> Result<(), Refused> {
        project_file::write(staging, self.state.user(), self.state.id(), self.state.identity(), now)?;
        for name in names {
            copy(&self.folder.join(name), &staging.join(name), MAX_DEPTH, copied)?;
        }
        copy(&self.head, &staging.join(self.state.head().name()), 0, copied)?;
        durable::sync_folder(staging)?;
        Ok(())
    }

    /// Removes what was copied: files first, then the folders that are empty then. What cannot be removed stays, and
    /// counts for nothing.
    fn remove(&self, copied: &[Place]) {
        for place in copied {
            let _ = durable::remove(place);
        }
        for name in ["recordings/blobs", "recordings", "exchanges", "proposals", "journal", "runs"] {
            let place = self.folder.join(name);
            if name == "runs" {
                for session in place.entries().unwrap_or_default() {
                    remove_if_empty(&place.join(&session.name));
                }
            }
            remove_if_empty(&place);
        }
        for name in ["sources.lock", "lock"] {
            let _ = durable::remove(&self.folder.join(name));
        }
    }

    fn left_alone(&self, reason: String) -> Moved {
        Moved::LeftAlone { folder: self.folder.path(), reason }
    }

    fn failed(&self, source: io::Error) -> EarlierError {
        EarlierError::Io { path: self.folder.path(), source }
    }
}

/// Why it was not copied.
enum Refused {
    /// It holds what gephost never wrote.
    Content(String),
    Io(io::Error),
}

impl From<io::Error> for Refused {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Copies a file, or a folder with what is in it, and notes each file. Times stay. Refused: links and special files.
fn copy(from: &Place, to: &Place, depth: usize, copied: &mut Vec<Place>) -> Result<(), Refused> {
    let strange = |error: io::Error| Refused::Content(format!("{}: {error}", from.display()));
    let folder = match from.folder() {
        Ok(folder) => folder,
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
            let mut source = durable::open_to_read(from)
                .map_err(strange)?
                .ok_or_else(|| Refused::Content(format!("{} is gone", from.display())))?;
            copy_file(&mut source, to)?;
            copied.push(from.clone());
            return Ok(());
        }
        Err(error) => return Err(strange(error)),
    };
    if depth == 0 {
        return Err(Refused::Content(format!("{} is a folder", from.display())));
    }
    durable::create_folder(to, Access::Private)?;
    for entry in folder.entries()? {
        let name = entry?.file_name();
        if !is_half_written(&name) {
            copy(&from.join(&name), &to.join(&name), depth - 1, copied)?;
        }
    }
    durable::sync_folder(to)?;
    Ok(())
}

fn copy_file(source: &mut File, to: &Place) -> io::Result<()> {
    let modified = source.metadata()?.modified()?;
    durable::replace_with(to, Access::Private, |mut target| io::copy(source, &mut target).map(drop))?;
    if let Some(file) = durable::open_to_read(to)? {
        file.set_modified(modified)?;
    }
    Ok(())
}

/// What a crash left of a write is no state.
fn is_half_written(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.starts_with(".gephost-") || name.starts_with(".writing-")
}

fn remove_if_empty(folder: &Place) {
    if let Ok(above) = folder.parent().folder() {
        let _ = above.remove_dir(folder.name());
    }
}
