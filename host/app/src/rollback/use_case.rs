//! Finds the change that is meant, and takes it back or says how it would be.

use gephost_core::event_log::{AppliedBranch, EntryBody, State};
use gephost_runner::journal::Journal;
use gephost_runner::worktree::{self, DropError, check_droppable, is_in_head};
use jiff::Timestamp;

use super::take_back::{Rollbacks, TakenBack};
use crate::error::AppError;
use crate::project::Project;

/// The reason in the log if nobody gave one.
const ASKED: &str = "asked for";

/// How to take a change back.
#[derive(Debug, Clone, Default)]
pub struct RollbackOptions {
    /// Why, for the log.
    pub why: Option<String>,
    /// If the change has landed, move the checked-out branch forward to the commit that undoes it.
    pub land: bool,
    /// Only say what would be done.
    pub dry_run: bool,
}

/// A change that was taken back, or would be.
#[derive(Debug)]
pub struct RollbackReport {
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// Id of the proposal.
    pub proposal: String,
    /// The branch that the change was published on, with its commit.
    pub applied: AppliedBranch,
    /// What became of it.
    pub taken: TakenBack,
}

/// What an undo came to.
#[derive(Debug)]
pub enum Undone {
    /// The newest change that stood was taken back.
    TakenBack(Box<RollbackReport>),
    /// No change stands. The last one that was taken back, if there was one.
    Nothing(Option<LastTakenBack>),
}

/// The last change that was taken back.
#[derive(Debug)]
pub struct LastTakenBack {
    /// Id of the proposal.
    pub proposal: String,
    /// The branch that it had.
    pub branch: String,
    /// When it was taken back, by the log.
    pub at: Timestamp,
    /// The branch of the commit that undoes it, if it has not landed yet.
    pub waits: Option<WaitingRevert>,
}

/// A commit that undoes a landed change, on a branch that has not landed itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingRevert {
    /// The branch of the commit that undoes the change.
    pub branch: String,
    /// Full hexadecimal id of the commit.
    pub commit: String,
    /// The branch of the change that it undoes.
    pub undoes: String,
}

impl Project {
    /// Takes back the standing change with this branch or commit, or with this id of its proposal or event.
    pub fn rollback(&self, id: &str, options: &RollbackOptions) -> Result<RollbackReport, AppError> {
        let (repository, journal) = self.begin_rollback(options, "rollback")?;
        let state = self.log_state()?;
        let (proposal, applied) = named(&state, id)?;
        self.take_back(&repository, journal.as_ref(), &state, (proposal, applied), options)
    }

    /// Takes back the newest change that stands. An undo itself is not undone by another one.
    pub fn undo(&self, options: &RollbackOptions) -> Result<Undone, AppError> {
        let (repository, journal) = self.begin_rollback(options, "undo")?;
        let state = self.log_state()?;
        match state.standing().last() {
            Some(newest) => {
                let report = self.take_back(&repository, journal.as_ref(), &state, *newest, options)?;
                Ok(Undone::TakenBack(Box::new(report)))
            }
            None => Ok(Undone::Nothing(self.last_taken_back(&repository)?)),
        }
    }

    /// The lock, unless nothing is to be changed.
    fn begin_rollback(
        &self,
        options: &RollbackOptions,
        command: &str,
    ) -> Result<(worktree::Project, Option<Journal>), AppError> {
        if self.config.file.dry_run && !options.dry_run {
            let message = "`dry_run = true` in gephost.toml forbids every change, this one too";
            return Err(AppError::usage("apply_locked", message)
                .hint("remove the key, or use `--dry-run` to see what would be done"));
        }
        let repository = self.repository()?;
        if options.dry_run {
            self.settle_left(&repository)?;
            return Ok((repository, None));
        }
        let journal = self.begin(&repository, command)?;
        Ok((repository, Some(journal)))
    }

    fn take_back(
        &self,
        repository: &worktree::Project,
        journal: Option<&Journal>,
        state: &State,
        (proposal, applied): (&str, &AppliedBranch),
        options: &RollbackOptions,
    ) -> Result<RollbackReport, AppError> {
        let rollbacks = Rollbacks { project: self, repository, land: options.land };
        let why = options.why.as_ref().map(|why| self.one_line("--why", why)).transpose()?;
        let why = why.unwrap_or_else(|| ASKED.to_owned());
        let taken = match journal {
            Some(journal) => rollbacks.take_back(journal, state, proposal, applied, &why)?,
            None => TakenBack { way: rollbacks.way(applied)?, reverted: None, landed: None },
        };
        let (proposal, applied) = (proposal.to_owned(), applied.clone());
        Ok(RollbackReport { dry_run: journal.is_none(), proposal, applied, taken })
    }

    fn last_taken_back(&self, repository: &worktree::Project) -> Result<Option<LastTakenBack>, AppError> {
        Ok(self.entries()?.iter().rev().find_map(|entry| match &entry.body {
            EntryBody::RolledBack { proposal, branch, .. } => Some(LastTakenBack {
                proposal: proposal.clone(),
                branch: branch.clone(),
                at: entry.at,
                waits: waiting_revert(repository, &entry.body),
            }),
            _ => None,
        }))
    }

    /// The commits that undo landed changes and have not landed themselves, newest first.
    pub fn waiting_reverts(&self, repository: &worktree::Project) -> Result<Vec<WaitingRevert>, AppError> {
        let entries = self.entries()?;
        Ok(entries.iter().rev().filter_map(|entry| waiting_revert(repository, &entry.body)).collect())
    }
}

/// The branch that a rollback left to be landed, if it is still there and has not landed.
fn waiting_revert(repository: &worktree::Project, body: &EntryBody) -> Option<WaitingRevert> {
    let EntryBody::RolledBack {
        branch: undoes,
        revert_branch: Some(branch),
        revert_commit: Some(commit),
        landed_into: None,
        ..
    } = body
    else {
        return None;
    };
    let is_gone = matches!(check_droppable(repository, branch, commit), Err(DropError::Gone { .. }));
    let has_landed = is_in_head(repository, commit).unwrap_or(false);
    let (branch, commit, undoes) = (branch.clone(), commit.clone(), undoes.clone());
    (!is_gone && !has_landed).then_some(WaitingRevert { branch, commit, undoes })
}

/// The standing change with this branch or commit, or with this id of its proposal or event, or with the only proposal whose id
/// begins so.
fn named<'a>(state: &'a State, id: &str) -> Result<(&'a str, &'a AppliedBranch), AppError> {
    let standing = state.standing();
    if let Some(found) = standing.iter().find(|(_, applied)| applied.branch == id || applied.commit == id) {
        return Ok(*found);
    }
    let is_event = |applied: &AppliedBranch| applied.assets.event.as_deref() == Some(id);
    let mut found: Vec<_> =
        standing.iter().filter(|(proposal, applied)| *proposal == id || is_event(applied)).collect();
    if found.is_empty() && !id.is_empty() {
        found.extend(standing.iter().filter(|(proposal, _)| proposal.starts_with(id)));
    }
    match found.as_slice() {
        [one] => Ok(**one),
        [] => {
            let message = format!("no published change that is still in effect is named {id:?}");
            Err(AppError::usage("not_applied", message).hint(listed(&standing)))
        }
        many => {
            let many: Vec<_> = many.iter().map(|found| **found).collect();
            let message = format!("{id:?} is the name of {} changes that are in effect", many.len());
            Err(AppError::usage("ambiguous", message).hint(listed(&many)))
        }
    }
}

fn listed(standing: &[(&str, &AppliedBranch)]) -> String {
    if standing.is_empty() {
        return "none is in effect; `gephost log` shows the earlier ones".to_owned();
    }
    let branches: Vec<&str> = standing.iter().map(|(_, applied)| applied.branch.as_str()).collect();
    format!("in effect: {}", branches.join(", "))
}
