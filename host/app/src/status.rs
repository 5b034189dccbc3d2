//! What is going on in a project. Reads the log and looks at a few files; no gene is loaded and nothing is written.

use std::path::PathBuf;
use std::sync::Arc;

use gephost_core::event_log::State;
use gephost_runner::instance::{Holder, Instance};
use gephost_runner::journal::{self, OperationFile};
use gephost_runner::worktree::Head;

use crate::error::AppError;
use crate::project::{Project, head};

/// What is going on in a project.
#[derive(Debug)]
pub struct Status {
    /// Where `HEAD` is; `None` outside a git repository.
    pub head: Option<Head>,
    /// The kill switch, if it is on.
    pub kill_switch: Option<PathBuf>,
    /// Whether the config says `dry_run = true`.
    pub dry_run: bool,
    /// Whether the config enables applying.
    pub apply_enabled: bool,
    /// Who holds the project's lock.
    pub at_work: Option<Holder>,
    /// Operations that were begun and not ended.
    pub left: Vec<OperationFile>,
    /// What the log adds up to.
    pub state: Arc<State>,
}

impl Status {
    /// Whether an apply would be possible now.
    pub fn may_apply(&self) -> bool {
        self.apply_enabled && !self.dry_run && self.kill_switch.is_none()
    }
}

impl Project {
    /// What is going on.
    pub fn status(&self) -> Result<Status, AppError> {
        let state = self.log_state()?;
        let head = if self.is_in_repository() { Some(head(&self.repository()?)?) } else { None };
        let lock = self.state.lock();
        let at_work = Instance::holder(&lock).map_err(|error| AppError::io(&lock.path(), "look at", &error))?;
        let left = journal::look(&self.state).map_err(|error| AppError::failed("journal", error))?;
        let (dry_run, apply_enabled) = (self.config.file.dry_run, self.config.file.apply.enabled);
        Ok(Status { head, kill_switch: self.kill_switch(), dry_run, apply_enabled, at_work, left, state })
    }
}
