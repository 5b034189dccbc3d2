//! The states of one user's clones: which there are, how a moved clone gets its own back, and how one is removed.
//!
//! What must stay true: a state is removed only if the mark in it says that this installation made it for this id.

use std::io;
use std::path::PathBuf;

use jiff::Timestamp;

use super::folder::StateFolder;
use super::identity::Identity;
use super::project_file::{self, PROJECT_FILE};
use super::user::UserFolders;
use crate::durable;
use crate::installation::Installation;
use crate::instance::{Instance, InstanceError};
use crate::place::Place;
use crate::worktree::WorkFolder;

/// How the name of a state begins that is being removed.
const REMOVING: &str = ".removing-";

/// A state that this user has.
#[derive(Debug, Clone)]
pub struct Known {
    /// The name of its folder.
    pub id: String,
    /// Where it is.
    pub folder: PathBuf,
    /// The clone that it is of and when it was made (RFC 3339), or why that cannot be read.
    pub whose: Result<(Identity, String), String>,
}

/// Why states cannot be listed, adopted or removed.
#[derive(Debug, thiserror::Error)]
pub enum ProjectsError {
    /// The system.
    #[error("failed to {doing} {}: {source}", path.display())]
    Io {
        /// What was being done.
        doing: &'static str,
        /// With what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No state has this id.
    #[error("no state has the id {0:?}")]
    Unknown(String),
    /// The clone has a state already.
    #[error("this clone has a state of its own, {0}")]
    HasOne(String),
    /// The state's clone did not move.
    #[error("the state {id} is of a clone that is still there: {}", path.display())]
    StillThere {
        /// The state.
        id: String,
        /// Its clone.
        path: PathBuf,
    },
    /// Nothing says that this installation made it.
    #[error("{} has no mark of this installation: gephost removes only what it made", .0.display())]
    NotMarked(PathBuf),
    /// A process works with it.
    #[error(transparent)]
    Busy(#[from] InstanceError),
}

/// The states of one user.
#[derive(Debug)]
pub struct Projects<'a> {
    user: &'a UserFolders,
    folder: Place,
}

impl<'a> Projects<'a> {
    /// Those in the user's folders. Touches nothing.
    pub fn new(user: &'a UserFolders) -> Self {
        Self { user, folder: user.state.join("projects") }
    }

    /// All of them, by their ids.
    pub fn list(&self) -> Result<Vec<Known>, ProjectsError> {
        let listed = self.folder.entries().map_err(io("list", &self.folder))?;
        let ids = listed.iter().filter(|entry| entry.kind.is_dir()).filter_map(|entry| entry.name.to_str());
        Ok(ids.filter(|id| !id.starts_with('.')).map(|id| self.known(id)).collect())
    }

    fn known(&self, id: &str) -> Known {
        let place = self.folder.join(id);
        let whose = match project_file::read(&place) {
            Ok(Some(file)) => Ok((file.clone, file.created)),
            Ok(None) => Err(format!("it has no {PROJECT_FILE}")),
            Err(error) => Err(error.to_string()),
        };
        Known { id: id.to_owned(), folder: place.path(), whose }
    }

    /// The states whose clone has moved here: the folder is the same one on disk, its path was another, and it is not younger
    /// than the state.
    pub fn of_moved(&self, to: &Identity) -> Result<Vec<Known>, ProjectsError> {
        let was_there = |made: &str| made.parse().is_ok_and(|made| to.may_have_been_there(made));
        let is_moved = |known: &Known| {
            let whose = known.whose.as_ref();
            whose.is_ok_and(|(from, made)| from.is_same_folder(to) && from.path != to.path && was_there(made))
        };
        Ok(self.list()?.into_iter().filter(is_moved).collect())
    }

    /// Makes a state that of a clone which has none. Refused if the clone that it was of is still there.
    pub fn adopt(&self, id: &str, to: &StateFolder, now: Timestamp) -> Result<(), ProjectsError> {
        if to.root().exists().map_err(io("look at", to.root()))? {
            return Err(ProjectsError::HasOne(to.id().to_owned()));
        }
        let from = self.find(id)?;
        let path = self.folder.join(id);
        if let Ok((clone, _)) = &from.whose
            && clone.is_there()
            && !clone.is_same_folder(to.identity())
        {
            return Err(ProjectsError::StillThere { id: id.to_owned(), path: clone.path.clone() });
        }
        let _held = Instance::take(&path.join("lock"), "state adopt", now)?;
        let folder = self.folder.folder().map_err(io("open", &self.folder))?;
        folder.rename(id, &folder, to.id()).map_err(io("move", &path))?;
        durable::sync_folder(&self.folder).map_err(io("sync", &self.folder))?;
        project_file::write(to.root(), self.user, to.id(), to.identity(), now).map_err(io("write", to.root()))
    }

    /// Removes a state, with its work copies.
    pub fn remove(&self, id: &str, now: Timestamp) -> Result<(), ProjectsError> {
        let known = self.find(id)?;
        let place = self.folder.join(id);
        let installation = Installation::open(&self.user.state).map_err(io("open", &self.user.state))?;
        if !project_file::is_marked(&place, self.user, id).map_err(io("look at", &place))? {
            return Err(ProjectsError::NotMarked(known.folder));
        }
        let _held = Instance::take(&place.join("lock"), "state remove", now)?;
        let failed = || io("remove", &place);
        let folder = self.folder.folder().map_err(failed())?;
        // Under another name first, so that a crash leaves no state that lacks a part.
        let aside = format!("{REMOVING}{id}");
        folder.rename(id, &folder, &aside).map_err(failed())?;
        durable::sync_folder(&self.folder).map_err(failed())?;
        folder.remove_dir_all(&aside).map_err(failed())?;
        // Opening the folder of work copies removes what is left there; the cache keeps what is in use.
        let work = self.user.cache.join("work").join(id);
        if work.exists().unwrap_or(false) {
            drop(WorkFolder::open(&work, &installation));
        }
        Ok(())
    }

    fn find(&self, id: &str) -> Result<Known, ProjectsError> {
        let known = self.list()?.into_iter().find(|known| known.id == id);
        known.ok_or_else(|| ProjectsError::Unknown(id.chars().take(80).collect()))
    }
}

fn io(doing: &'static str, place: &Place) -> impl Fn(io::Error) -> ProjectsError {
    let path = place.path();
    move |source| ProjectsError::Io { doing, path: path.clone(), source }
}
