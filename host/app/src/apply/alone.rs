//! The validation of one candidate outside of an apply: nothing is logged, and nothing can be published.

use std::sync::atomic::AtomicBool;

use gephost_core::command::ValidationCommand;
use gephost_core::gate::Approved;
use gephost_core::validation::CommandRun;
use gephost_runner::worktree::{self, Committed};

use super::trial::{BaseRuns, Outfit, Trial};
use crate::error::AppError;
use crate::project::Project;

/// A candidate whose commit is in memory.
pub(crate) struct Tried<'a> {
    /// The commands that must hold.
    pub(crate) commands: &'a [ValidationCommand],
    /// The change.
    pub(crate) approved: &'a Approved,
    /// Its commit.
    pub(crate) committed: &'a Committed,
}

/// Runs the commands on base and change, confined as in an apply, until `flag` is set.
pub(crate) fn try_alone(
    project: &Project,
    repository: &worktree::Project,
    tried: &Tried<'_>,
    flag: &AtomicBool,
) -> Result<Vec<CommandRun>, AppError> {
    let launcher = project.launcher()?;
    let chosen = project.confinement(&launcher)?;
    let folder = project.state.work_folder().map_err(|error| AppError::failed("work_folder", error))?;
    let trial = Trial {
        outfit: Outfit { project, launcher: &launcher, chosen: &chosen },
        repository,
        folder,
        commands: tried.commands,
        weakened: tried.approved.weakened(),
        base_commit: tried.committed.base().to_owned(),
        commit: tried.committed.commit().to_owned(),
        base: BaseRuns::default(),
        flag,
    };
    trial.run(true).map_err(|error| AppError::failed("work_folder", error))
}
