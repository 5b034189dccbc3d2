//! What stops gephost before its next effect: the operator's interrupt, and the kill switch.

use std::path::PathBuf;

use gephost_runner::state::StateFolder;

use crate::error::{AppError, ErrorKind as Kind};
use crate::project::Project;

/// The kill switch, if it is on. A name that cannot be looked at counts as there: the tighter answer.
pub fn kill_switch(state: &StateFolder) -> Option<PathBuf> {
    let stop = state.stop();
    stop.exists().unwrap_or(true).then(|| stop.path())
}

impl Project {
    /// Fails if the operator has interrupted, or if the kill switch is on.
    pub fn check_stops(&self) -> Result<(), AppError> {
        if self.environment.is_interrupted() {
            return Err(interrupted());
        }
        kill_switch(&self.state).map_or(Ok(()), |path| Err(stopped_by(&path)))
    }
}

pub(crate) fn interrupted() -> AppError {
    AppError::new(Kind::Interrupted, "interrupted", "interrupted; nothing was published")
}

pub(crate) fn stopped_by(path: &std::path::Path) -> AppError {
    let message = format!("the kill switch is on: {} exists; nothing was published", path.display());
    AppError::usage("kill_switch", message).hint("remove the file to let gephost apply again")
}

#[cfg(test)]
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
