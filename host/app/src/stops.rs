//! What stops gephost before its next effect: the operator's interrupt, the kill switch, and the end of a session's time.

use std::path::PathBuf;

use gephost_runner::state::StateFolder;

use crate::deadline::Deadline;
use crate::error::{AppError, ErrorKind};
use crate::project::Project;

/// A reason to stop that is nobody's failure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StopSign {
    /// The operator interrupted.
    #[error("interrupted; nothing was published")]
    Interrupted,
    /// The kill switch is on.
    #[error("the kill switch is on: {} exists; nothing was published", path.display())]
    KillSwitch {
        /// The file.
        path: PathBuf,
    },
    /// There is no time left.
    #[error("the time of `[autopilot] max_wall_s` is over; nothing was published")]
    OutOfTime,
}

impl StopSign {
    /// The kind and the code of the error.
    pub(crate) fn kind(&self) -> (ErrorKind, &'static str) {
        match self {
            Self::Interrupted => (ErrorKind::Interrupted, "interrupted"),
            Self::KillSwitch { .. } => (ErrorKind::Usage, "kill_switch"),
            Self::OutOfTime => (ErrorKind::Budget, "max_wall_s"),
        }
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        matches!(self, Self::KillSwitch { .. }).then_some("remove the file to let gephost apply again")
    }
}

impl From<StopSign> for AppError {
    fn from(sign: StopSign) -> Self {
        let (kind, code) = sign.kind();
        let error = Self::new(kind, code, sign.to_string());
        match sign.hint() {
            Some(hint) => error.hint(hint),
            None => error,
        }
    }
}

/// The kill switch, if it is on. A name that cannot be looked at counts as there: the tighter answer.
fn kill_switch(state: &StateFolder) -> Option<PathBuf> {
    let stop = state.stop();
    stop.exists().unwrap_or(true).then(|| stop.path())
}

impl Project {
    /// The kill switch, if it is on.
    pub fn kill_switch(&self) -> Option<PathBuf> {
        kill_switch(&self.state)
    }

    /// Fails if there is a reason to stop.
    pub(crate) fn check_stops(&self, until: Option<Deadline>) -> Result<(), StopSign> {
        if self.environment.is_interrupted() {
            return Err(StopSign::Interrupted);
        }
        if until.is_some_and(Deadline::is_over) {
            return Err(StopSign::OutOfTime);
        }
        self.kill_switch().map_or(Ok(()), |path| Err(StopSign::KillSwitch { path }))
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::fs;
    use std::path::Path;

    use gephost_runner::state::UserFolders;

    use super::*;

    #[test]
    fn what_cannot_be_looked_at_counts_as_on() {
        let folder = tempfile::tempdir().expect("a folder");
        let state =
            StateFolder::new(folder.path(), &UserFolders::new(Path::new("/nowhere"), Path::new("/nowhere")), None)
                .expect("a folder");
        let own = folder.path().join(".gephost");
        assert_eq!(kill_switch(&state), None, "there is no folder");
        fs::create_dir(&own).expect("a folder");
        assert_eq!(kill_switch(&state), None);
        // A link that leads nowhere is there too.
        std::os::unix::fs::symlink("nowhere", state.stop().path()).expect("a link");
        assert_eq!(kill_switch(&state), Some(state.stop().path()));
        fs::remove_file(state.stop().path()).expect("removed");
        fs::write(state.stop().path(), "").expect("a file");
        assert_eq!(kill_switch(&state), Some(state.stop().path()));
        // In place of the folder there is a file, so that no name in it can be looked at.
        fs::remove_dir_all(&own).expect("removed");
        fs::write(&own, "").expect("a file");
        assert_eq!(kill_switch(&state), Some(state.stop().path()));
    }
}
