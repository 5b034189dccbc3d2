//! What every use case that changes something begins with: the project's lock, and the end of what an earlier start
//! left.

use gephost_runner::instance::{Instance, InstanceError};
use gephost_runner::journal::{self, Journal, JournalError, SettleError, Settled, Settler};
use gephost_runner::worktree;

use crate::error::{AppError, ErrorKind};
use crate::project::{Project, log_failed};
use crate::sink::Note;

impl Project {
    /// Makes this process the only one that changes the project, and settles what an earlier one left. `command` is
    /// what other processes report that this one does.
    pub fn begin(&self, repository: &worktree::Project, command: &str) -> Result<Journal, AppError> {
        self.create_state()?;
        let now = self.environment.now();
        let instance = Instance::take(&self.state.lock(), command, now).map_err(|error| match error {
            InstanceError::Held { .. } => {
                AppError::new(ErrorKind::Conflict, "locked", error.to_string()).hint("wait for it to end, or end it")
            }
            InstanceError::Io { .. } => AppError::failed("lock", error),
        })?;
        let journal = Journal::open(&self.state, instance);
        for settled in self.settler(repository).settle_all(&journal).map_err(|error| unsettled(&error))? {
            let Settled { operation, outcome, .. } = settled;
            let text = format!("an earlier gephost was cut short: {operation}: {outcome}");
            self.environment.sink.note(Note::Info(&text));
        }
        Ok(journal)
    }

    /// What settling an operation works with.
    pub(crate) fn settler<'a>(&'a self, repository: &'a worktree::Project) -> Settler<'a> {
        Settler {
            project: repository,
            state: &self.state,
            log: &self.log,
            registry: &self.registry,
            clock: self.environment.clock,
        }
    }

    /// Settles what an earlier start left, for a use case that goes on without the lock. If somebody holds the lock, it
    /// is theirs to settle.
    pub fn settle_left(&self, repository: &worktree::Project) -> Result<(), AppError> {
        let left = journal::look(&self.state).map_err(|error| journal_failed(&error))?;
        if left.is_empty() || matches!(Instance::holder(&self.state.lock()), Ok(Some(_))) {
            return Ok(());
        }
        self.begin(repository, "settling what was left").map(drop)
    }
}

fn journal_failed(error: &JournalError) -> AppError {
    AppError::failed("journal", error).hint("`gephost doctor` shows the journal")
}

fn unsettled(error: &SettleError) -> AppError {
    match error {
        SettleError::Log(error) => log_failed(error),
        SettleError::Journal(error) => journal_failed(error),
        _ => {
            let message = format!("an earlier gephost was cut short, and what it left cannot be settled: {error}");
            let hint = "`gephost doctor` shows what is left; fix the cause and start gephost again";
            AppError::failed("unsettled", message).hint(hint)
        }
    }
}
