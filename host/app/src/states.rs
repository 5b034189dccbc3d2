//! The states of this user's projects: which there are, how a moved clone gets its own back, how one is removed.

use gephost_runner::state::{Known, Projects, ProjectsError};

use crate::environment::Environment;
use crate::error::{AppError, ErrorKind};
use crate::project::Project;
use crate::sink::Note;

/// Every state that this user has, by its id.
pub fn list_states(environment: &Environment) -> Result<Vec<Known>, AppError> {
    Projects::new(&environment.user_folders()).list().map_err(|error| failed(&error))
}

/// Removes a state: log, runs, proposals and recordings. Only one that this installation made.
pub fn remove_state(environment: &Environment, id: &str) -> Result<(), AppError> {
    Projects::new(&environment.user_folders()).remove(id, environment.now()).map_err(|error| failed(&error))
}

impl Project {
    /// Gives this project a state that another clone had: the one with this id, or else that of the clone that was
    /// moved here. Returns its former id.
    pub fn adopt_state(&self, id: Option<&str>) -> Result<String, AppError> {
        let user = self.environment.user_folders();
        let projects = Projects::new(&user);
        let id = match id {
            Some(id) => id.to_owned(),
            None => self.moved_here(&projects)?,
        };
        projects.adopt(&id, &self.state, self.environment.now()).map_err(|error| failed(&error))?;
        Ok(id)
    }

    /// Says how this clone gets its state back, if it was moved here and has none yet.
    pub(crate) fn note_moved(&self) {
        if self.state.root().exists().unwrap_or(true) {
            return;
        }
        if let Some(former) = self.former_state() {
            let text =
                format!("this clone was moved here, and its state is {former}; to go on with it: gephost state adopt");
            self.environment.sink.note(Note::Info(&text));
        }
    }

    /// The state that this clone had where it was before. `None` also if nobody knows which one.
    pub(crate) fn former_state(&self) -> Option<String> {
        let user = self.environment.user_folders();
        self.moved_here(&Projects::new(&user)).ok()
    }

    fn moved_here(&self, projects: &Projects<'_>) -> Result<String, AppError> {
        let mut moved = projects.of_moved(self.state.identity()).map_err(|error| failed(&error))?.into_iter();
        match (moved.next(), moved.next()) {
            (Some(known), None) => Ok(known.id),
            (found, _) => {
                let count = if found.is_some() { "more than one state is" } else { "no state is" };
                Err(AppError::usage("state", format!("{count} of a clone that was moved here"))
                    .hint("name one of `gephost state list`: gephost state adopt ID"))
            }
        }
    }
}

fn failed(error: &ProjectsError) -> AppError {
    let message = error.to_string();
    match error {
        ProjectsError::Io { .. } => AppError::failed("state", error),
        ProjectsError::Unknown(_) => AppError::usage("state", message).hint("`gephost state list` lists all ids"),
        ProjectsError::HasOne(id) => AppError::usage("state", message)
            .hint(format!("to give it another one: gephost state remove {id}, then the same again")),
        ProjectsError::StillThere { .. } => AppError::usage("state", message),
        ProjectsError::NotMarked(_) => {
            AppError::usage("state", message).hint("look at it, then remove the folder yourself")
        }
        ProjectsError::Busy(_) => AppError::new(ErrorKind::Conflict, "locked", message).hint("wait for it to end"),
    }
}
