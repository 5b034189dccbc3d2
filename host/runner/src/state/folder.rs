//! The places of one project: state and work copies in the user's folders, assets and the kill switch in the project.

use std::io;
use std::path::Path;

use jiff::Timestamp;
use rustix::io::Errno;

use super::identity::Identity;
use super::project_file;
use super::remembered::Remembered;
use super::trusted::TrustedTexts;
use super::user::UserFolders;
use crate::durable::{self, Access};
use crate::installation::Installation;
use crate::place::Place;
use crate::worktree::{WorkCopyError, WorkFolder};

/// Name of gephost's folder in the project's root.
pub const PROJECT_FOLDER: &str = ".gephost";

/// The places of one project. Nothing is made before [`StateFolder::create`].
#[derive(Debug, Clone)]
pub struct StateFolder {
    user: UserFolders,
    identity: Identity,
    id: String,
    root: Place,
    head: Place,
    project: Place,
    assets: Place,
}

impl StateFolder {
    /// The places of the project in a folder, given by its canonical path. `assets` is the folder that the user named.
    pub fn new(project: &Path, user: &UserFolders, assets: Option<&Path>) -> io::Result<Self> {
        let identity = Identity::of(project)?;
        let id = identity.id();
        let root = user.state.join("projects").join(&id);
        let project = Place::shared(project);
        let shared = project.join("assets/gep");
        let assets = match assets {
            Some(named) => Place::shared(named),
            None if is_named(&shared)? => shared,
            None => project.join(PROJECT_FOLDER).join("gep"),
        };
        Ok(Self { user: user.clone(), identity, id, head: root.join("head.json"), root, project, assets })
    }

    /// Makes the folder, for this user alone, with a note of whose it is.
    pub fn create(&self, now: Timestamp) -> io::Result<()> {
        if self.root.join(project_file::PROJECT_FILE).exists()? {
            return Ok(());
        }
        durable::create_folder(&self.root, Access::Private)?;
        project_file::write(&self.root, &self.user, &self.id, &self.identity, now)
    }

    /// Which clone it is of.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The name of the state's folder.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The folder itself.
    pub fn root(&self) -> &Place {
        &self.root
    }

    /// Run events, one folder a session.
    pub fn runs(&self) -> Place {
        self.root.join("runs")
    }

    /// Recordings of gene calls.
    pub fn recordings(&self) -> Place {
        self.root.join("recordings")
    }

    /// What models were asked, and answered.
    pub fn exchanges(&self) -> Place {
        self.root.join("exchanges")
    }

    /// Saved proposals.
    pub fn proposals(&self) -> Place {
        self.root.join("proposals")
    }

    /// Operations that are under way, one file each.
    pub fn journal(&self) -> Place {
        self.root.join("journal")
    }

    /// Held by whoever changes this repository.
    pub fn lock(&self) -> Place {
        self.root.join("lock")
    }

    /// The texts of the config that the user trusts.
    pub fn trusted(&self) -> TrustedTexts {
        TrustedTexts::new(self.root.join("trusted.json"))
    }

    /// Whether the user lets gephost read the sessions of agents that worked in the project.
    pub fn reads_sessions(&self) -> Remembered<bool> {
        Remembered::new(self.root.join("sessions.json"))
    }

    /// The SHA-256 of the config that `gephost init` wrote, in hexadecimal.
    pub fn first_config(&self) -> Remembered<String> {
        Remembered::new(self.root.join("init.json"))
    }

    /// The hash-chained log.
    pub fn log(&self) -> Place {
        self.root.join("log.jsonl")
    }

    /// The log's head.
    pub fn head(&self) -> &Place {
        &self.head
    }

    /// Work copies of validations in progress: in the user's cache.
    pub fn work(&self) -> Place {
        self.user.cache.join("work").join(&self.id)
    }

    /// Opens the folder of work copies, and removes the copies of processes that are gone.
    pub fn work_folder(&self) -> Result<WorkFolder, WorkCopyError> {
        let installation = Installation::open(&self.user.state)
            .map_err(|source| WorkCopyError::Folder { path: self.user.state.path(), source })?;
        WorkFolder::open(&self.work(), &installation)
    }

    /// The kill switch, in the project: while there is a file of this name, nothing is applied.
    pub fn stop(&self) -> Place {
        self.project.join(PROJECT_FOLDER).join("STOP")
    }

    /// Components that the user added to this clone, one file for each gene.
    pub fn genes(&self) -> Place {
        self.root.join("genes")
    }

    /// Genes, capsules and events.
    pub fn assets(&self) -> &Place {
        &self.assets
    }

    /// The user's folders.
    pub(super) fn user(&self) -> &UserFolders {
        &self.user
    }

    /// The project's folder.
    pub(super) fn project(&self) -> &Place {
        &self.project
    }

    /// Notes that the clone is another folder than the one its state was made for, as after a new clone at the same
    /// path. Returns whether it is; the next time it no longer is.
    pub fn note_replaced(&self, now: Timestamp) -> io::Result<bool> {
        let Some(file) = project_file::read(&self.root)? else { return Ok(false) };
        if file.clone.path == self.identity.path && file.clone.is_same_folder(&self.identity) {
            return Ok(false);
        }
        project_file::write(&self.root, &self.user, &self.id, &self.identity, now)?;
        Ok(true)
    }
}

/// Whether the project has the place. One that is refused for what it is counts, so that whoever uses it gets the reason.
/// A failure that may pass is an error: the place would be made where the project has none.
fn is_named(place: &Place) -> io::Result<bool> {
    place.exists().or_else(|error| match error.raw_os_error().map(Errno::from_raw_os_error) {
        None | Some(Errno::LOOP | Errno::NOTDIR | Errno::ACCESS | Errno::PERM) => Ok(true),
        Some(_) => Err(error),
    })
}
