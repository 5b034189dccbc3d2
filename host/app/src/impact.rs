//! What published changes did to their findings: measured over the logs whenever those are read, and logged when the
//! answer is a new one.

use std::collections::BTreeMap;

use gephost_core::event_log::{Entry, EntryBody, FindingRef, State};
use gephost_core::impact::{Effect, Impact, impact};
use gephost_core::run_event::RunEvent;
use gephost_runner::worktree;
use jiff::Timestamp;

use crate::error::AppError;
use crate::project::Project;

/// The most published changes that are looked at; the newest count.
const MAX_CHANGES: usize = 50;

/// A published change that stands, and what it did.
#[derive(Debug, Clone)]
pub struct MeasuredChange {
    /// Id of its proposal.
    pub proposal: String,
    /// The branch that it was published on.
    pub branch: String,
    /// The finding that it answers.
    pub finding: FindingRef,
    /// What it did to that.
    pub impact: Impact,
}

/// Measures every published change that answers a finding and was not taken back. Newest first.
pub(crate) fn measure(
    repository: &worktree::Project,
    entries: &[Entry],
    state: &State,
    events: &[RunEvent],
) -> Result<Vec<MeasuredChange>, AppError> {
    let times = times(entries);
    let mut measured: Vec<MeasuredChange> = Vec::new();
    for cycle in state.cycles().iter().rev() {
        let (Some(proposal), Some(finding)) = (&cycle.winner, &cycle.finding) else { continue };
        let standing = state.proposal(proposal).map(|proposal| proposal.applied.as_slice()).unwrap_or_default();
        let known = |branch: &str| measured.iter().any(|known| known.branch == branch);
        let Some(applied) = standing.iter().rev().find(|applied| !known(&applied.branch)) else { continue };
        let Some(time) = times.get(applied.branch.as_str()) else { continue };
        let mut impact = impact(events, finding, *time);
        let in_use = repository.is_in_use(&applied.commit).map_err(|error| AppError::failed("repository", error))?;
        if !in_use {
            impact.effect = Effect::NotInUse;
        }
        let (branch, finding) = (applied.branch.clone(), finding.clone());
        measured.push(MeasuredChange { proposal: proposal.clone(), branch, finding, impact });
        if measured.len() == MAX_CHANGES {
            break;
        }
    }
    Ok(measured)
}

/// When each branch was published, or, if gephost moved the checked-out branch to it, when that was.
fn times(entries: &[Entry]) -> BTreeMap<&str, Timestamp> {
    let mut times = BTreeMap::new();
    for entry in entries {
        if let EntryBody::Applied { branch, .. } | EntryBody::Landed { branch, .. } = &entry.body {
            times.insert(branch.as_str(), entry.at);
        }
    }
    times
}

impl Project {
    /// Measures the published changes, and logs each answer that differs from the last one. `dry` logs nothing.
    pub(crate) fn measure(
        &self,
        repository: &worktree::Project,
        events: &[RunEvent],
        dry: bool,
    ) -> Result<Vec<MeasuredChange>, AppError> {
        let entries = self.entries()?;
        let state = self.log_state()?;
        let measured = measure(repository, &entries, &state, events)?;
        let is_new = |change: &&MeasuredChange| {
            let effect = change.impact.effect;
            effect.is_answer() && state.impact(&change.branch).is_none_or(|known| known.effect != effect)
        };
        let entry = |change: &MeasuredChange| EntryBody::Evaluated {
            proposal: change.proposal.clone(),
            branch: change.branch.clone(),
            impact: change.impact,
        };
        if !dry {
            self.append_all(&measured.iter().filter(is_new).map(entry).collect::<Vec<_>>())?;
        }
        Ok(measured)
    }
}
