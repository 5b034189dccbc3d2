//! What every command that changes something begins with: the project's lock, and the end of what an earlier start left.

use gephost_runner::instance::{Instance, InstanceError};
use gephost_runner::journal::{self, Journal, JournalError, SettleError, Settled, Settler};
use gephost_runner::registry::Registry;
use gephost_runner::worktree::Project;

use super::past;
use crate::context::Folder;
use crate::environment;
use crate::error::{Failure, io};
use crate::exit_code::Exit;
use crate::output::Output;

/// Makes this process the only one that changes the project, and settles what an earlier one left.
pub(super) fn begin(output: Output, folder: &Folder, project: &Project, command: &str) -> Result<Journal, Failure> {
    folder.state.create().map_err(|error| io(folder.state.root(), "create", &error))?;
    let instance = Instance::take(&folder.state.lock(), command, environment::now()).map_err(|error| match error {
        InstanceError::Held { .. } => {
            Failure::new(Exit::Conflict, "locked", error.to_string()).hint("wait for it to end, or end it")
        }
        InstanceError::Io { .. } => Failure::new(Exit::Failed, "lock", error.to_string()),
    })?;
    let journal = Journal::open(&folder.state, instance);
    let log = past::log(folder);
    let registry = Registry::new(folder.state.assets());
    let settler = Settler { project, state: &folder.state, log: &log, registry: &registry, clock: environment::now };
    for settled in settler.settle_all(&journal).map_err(|error| unsettled(&error))? {
        let Settled { operation, outcome, .. } = settled;
        output.note(&format!("note: an earlier gephost was cut short: {operation}: {outcome}"));
    }
    Ok(journal)
}

/// Settles what an earlier start left, for a command that goes on without the lock. Somebody who is at work does that
/// himself.
pub(super) fn settle_left(output: Output, folder: &Folder, project: &Project) -> Result<(), Failure> {
    let left = journal::look(&folder.state).map_err(|error| journal_failed(&error))?;
    if left.is_empty() || matches!(Instance::holder(&folder.state.lock()), Ok(Some(_))) {
        return Ok(());
    }
    begin(output, folder, project, "settling what was left").map(drop)
}

fn journal_failed(error: &JournalError) -> Failure {
    Failure::new(Exit::Failed, "journal", error.to_string()).hint("`gephost doctor` shows the journal")
}

fn unsettled(error: &SettleError) -> Failure {
    match error {
        SettleError::Log(error) => past::log_failed(error),
        SettleError::Journal(error) => journal_failed(error),
        _ => {
            let message = format!("an earlier gephost was cut short, and what it left cannot be settled: {error}");
            let hint = "`gephost doctor` shows what is left; mend the cause and start gephost again";
            Failure::new(Exit::Failed, "unsettled", message).hint(hint)
        }
    }
}
