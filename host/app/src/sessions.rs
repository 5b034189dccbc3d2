//! The project's own sessions: those of agents that worked in its folder, in the agents' folders of the user.
//!
//! What must stay true: their content is read only if the user said so, and that is remembered in the user's state, where
//! no repository writes. Before that, only the heads of files are read, for the folder in which an agent worked. Sessions
//! of other projects are never read.

#![expect(clippy::disallowed_methods, reason = "sessions name the user's home by its path")]

use std::path::PathBuf;

use gephost_core::observe::{BaseFolders, log_locations};
use gephost_runner::observe::{Discovered, ProjectFolders, discover};

use crate::error::AppError;
use crate::project::Project;
use crate::sink::Note;

/// What the user says to reading the project's own sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// The user was not asked yet, or did not answer.
    Unasked,
    /// The user said yes: they are read.
    Given,
    /// The user said no: they are not read.
    Refused,
}

impl Project {
    /// Whether the project's own sessions would be read if the user lets them: no log is named, neither in `named` nor in
    /// the config, and the project is in a git repository, so that it is known where it ends.
    pub fn takes_own_sessions(&self, named: &[PathBuf]) -> bool {
        named.is_empty() && self.config.file.observe.logs.is_empty() && self.is_in_repository()
    }

    /// What the user said. What cannot be read was not said.
    pub fn consent(&self) -> Consent {
        let said = self.reads_sessions.get().copied();
        match said.or_else(|| self.state.reads_sessions().get().ok().flatten()) {
            None => Consent::Unasked,
            Some(true) => Consent::Given,
            Some(false) => Consent::Refused,
        }
    }

    /// Remembers what the user says. If that cannot be written, it holds for this process.
    pub fn say_consent(&self, read: bool) {
        let _ = self.reads_sessions.set(read);
        let now = self.environment.now();
        let remembered = self.create_state().and_then(|()| {
            let file = self.state.reads_sessions();
            file.set(read, now).map_err(|error| AppError::io(&self.state.root().path(), "write", &error))
        });
        if let Err(error) = remembered {
            self.environment.sink.note(Note::Warning(&format!("your answer is not remembered: {error}")));
        }
    }

    /// Forgets what the user said. Returns whether there was something.
    pub fn forget_consent(&self) -> Result<bool, AppError> {
        let forgotten = self.state.reads_sessions().clear();
        forgotten.map_err(|error| AppError::io(&self.state.root().path(), "write", &error))
    }

    /// The places where agents keep logs on this machine, and which of the files there are sessions of this project. Reads
    /// the head of each file.
    pub fn discover(&self) -> Vec<Discovered> {
        let environment = &self.environment;
        let home = &environment.machine.home;
        let bases =
            BaseFolders { project: &self.root, home, config: &environment.config_home, data: &environment.data_home };
        let folders = self.state.identity().folders(&self.root);
        let home = home.canonicalize().unwrap_or_else(|_| home.clone());
        discover(log_locations(&bases), &ProjectFolders::new(folders, &home))
    }

    /// The files of the project's own sessions, if the user lets them be read.
    pub(crate) fn own_sessions(&self, named: &[PathBuf]) -> Vec<PathBuf> {
        if !self.takes_own_sessions(named) || self.consent() != Consent::Given {
            return Vec::new();
        }
        self.discover().into_iter().flat_map(|found| found.paths).collect()
    }
}
