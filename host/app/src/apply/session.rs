//! The locks of an apply, and what it holds once they are open.

use gephost_runner::journal::Journal;
use gephost_runner::worktree;

use crate::deadline::Deadline;
use crate::error::AppError;
use crate::project::Project;

/// Whether and how to apply.
#[derive(Debug, Clone, Default)]
pub struct ApplyOptions {
    /// Really do it. `[apply] enabled` in the config is needed too.
    pub apply: bool,
    /// Move the checked-out branch forward to what is published.
    pub land: bool,
    /// Why, in the operator's words, for the log.
    pub why: Option<String>,
}

/// What an apply holds once the locks are open: the project's lock among it.
pub struct ApplySession {
    /// The journal, with the project's lock.
    pub(crate) journal: Journal,
    /// Whether and how.
    pub(crate) options: ApplyOptions,
    /// Who approved it, if it had to wait for approval.
    pub(crate) approver: Option<String>,
    /// When it is to be over, if that is bounded.
    pub(crate) until: Option<Deadline>,
}

impl ApplySession {
    /// Takes the project's lock if both locks are open: the request and the config. A dry run (`None`) only settles
    /// what an earlier start left. `command` is what other processes report that this one does.
    pub(crate) fn begin(
        project: &Project,
        repository: &worktree::Project,
        options: &ApplyOptions,
        command: &str,
    ) -> Result<Option<Self>, AppError> {
        if !is_open(project, options)? {
            project.settle_left(repository)?;
            return Ok(None);
        }
        // Before anything is settled, diagnosed or validated for an apply that could not begin.
        project.check_stops(None)?;
        let journal = project.begin(repository, command)?;
        Ok(Some(Self { journal, options: options.clone(), approver: None, until: None }))
    }
}

/// Whether anything may be applied. Both locks of seed 004 must be open, and the config must not forbid it (seed 003).
fn is_open(project: &Project, options: &ApplyOptions) -> Result<bool, AppError> {
    let config = &project.config;
    if !options.apply {
        return Ok(false);
    }
    if config.file.dry_run {
        let message = "`dry_run = true` in gephost.toml forbids every apply";
        return Err(AppError::usage("apply_locked", message).hint("remove the key, or leave out `--apply`"));
    }
    if project.apply_waits_for_trust() {
        let message = "`--apply` is given, and `apply.enabled` of gephost.toml counts only once you trust the file";
        return Err(AppError::usage("apply_untrusted", message)
            .hint("to look at it: gephost policy check; to trust it as it is now: gephost trust"));
    }
    if !config.file.apply.enabled {
        let message = "`--apply` is given, but gephost.toml does not enable it";
        let hint = "set `enabled = true` in the table `[apply]` of gephost.toml: both are needed";
        return Err(AppError::usage("apply_locked", message).hint(hint));
    }
    Ok(true)
}
