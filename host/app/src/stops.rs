//! What stops gephost before its next effect: the operator's interrupt, the kill switch, and the end of a session's time.

use std::fmt;
use std::path::PathBuf;

use gephost_runner::state::StateFolder;

use crate::deadline::Deadline;
use crate::error::{AppError, ErrorKind};
use crate::project::Project;

/// A kill switch that is on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KillSwitch {
    /// The file.
    pub path: PathBuf,
    /// Why it cannot be looked at. It then counts as on, which is the tighter answer.
    pub unseen: Option<String>,
}

impl fmt::Display for KillSwitch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.display();
        match &self.unseen {
            None => write!(f, "the kill switch is on: {path} exists"),
            Some(error) => write!(f, "the kill switch counts as on, because {path} cannot be looked at: {error}"),
        }
    }
}

/// A reason to stop that is nobody's failure.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StopSign {
    /// The operator interrupted.
    #[error("interrupted; nothing was published")]
    Interrupted,
    /// The kill switch is on.
    #[error("{0}; nothing was published")]
    KillSwitch(KillSwitch),
    /// There is no time left.
    #[error("the time of `[autopilot] max_wall_s` is over; nothing was published")]
    OutOfTime,
}

impl StopSign {
    /// The kind and the code of the error.
    pub(crate) fn kind(&self) -> (ErrorKind, &'static str) {
        match self {
            Self::Interrupted => (ErrorKind::Interrupted, "interrupted"),
            Self::KillSwitch(_) => (ErrorKind::Usage, "kill_switch"),
            Self::OutOfTime => (ErrorKind::Budget, "max_wall_s"),
        }
    }

    /// What to do about it.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        match self {
            Self::KillSwitch(KillSwitch { unseen: None, .. }) => Some("remove the file to let gephost apply again"),
            Self::KillSwitch(_) => Some("make its folder readable, or mount its file system again"),
            Self::Interrupted | Self::OutOfTime => None,
        }
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

/// The kill switch, if it is on or counts as on.
fn kill_switch(state: &StateFolder) -> Option<KillSwitch> {
    let stop = state.stop();
    let unseen = match stop.exists() {
        Ok(false) => return None,
        Ok(true) => None,
        Err(error) => Some(error.to_string()),
    };
    Some(KillSwitch { path: stop.path(), unseen })
}

impl Project {
    /// The kill switch, if it is on or counts as on.
    pub fn kill_switch(&self) -> Option<KillSwitch> {
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
        self.kill_switch().map_or(Ok(()), |switch| Err(StopSign::KillSwitch(switch)))
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
        let on = Some(KillSwitch { path: state.stop().path(), unseen: None });
        assert_eq!(kill_switch(&state), None, "there is no folder");
        fs::create_dir(&own).expect("a folder");
        assert_eq!(kill_switch(&state), None);
        // A link that leads nowhere is there too.
        std::os::unix::fs::symlink("nowhere", state.stop().path()).expect("a link");
        assert_eq!(kill_switch(&state), on);
        fs::remove_file(state.stop().path()).expect("removed");
        fs::write(state.stop().path(), "").expect("a file");
        assert_eq!(kill_switch(&state), on);
        // In place of the folder there is a file, so that no name in it can be looked at. Nobody says that it exists.
        fs::remove_dir_all(&own).expect("removed");
        fs::write(&own, "").expect("a file");
        let unseen = kill_switch(&state).expect("counts as on");
        assert_eq!(unseen.path, state.stop().path());
        assert!(unseen.unseen.is_some() && !unseen.to_string().contains("exists"), "{unseen}");
    }
}
