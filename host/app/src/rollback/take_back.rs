//! Takes a published change back: drops its branch, or, if it has landed, publishes the commit that undoes it on a branch
//! of its own. What it left in the assets goes back too; the log only grows.
//!
//! What must stay true: a branch that somebody built on, checked out or merged is never dropped; the same order as for an
//! apply (journal, intent in the log, effect, outcome), settled by the same code when it is cut.

use gephost_core::capsule::{Outcome, OutcomeStatus};
use gephost_core::event_log::{AppliedAssets, AppliedBranch, EntryBody, State};
use gephost_core::evolution_event::{EventDraft, EvolutionEvent, TAKEN_BACK};
use gephost_core::gate::BlastRadius;
use gephost_runner::event_log::LogError;
use gephost_runner::journal::{Entry, Journal, Operation, Revert, Rollback, rolled_back};
use gephost_runner::worktree::{
    self, CommitMessage, Committed, DropError, Identity, Published, branch_name, check_droppable, drop_branch,
    is_in_head, landing_branch, publish, revert,
};
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::failure::RollbackFailure;
use crate::land::{self, Landed};
use crate::project::Project;

/// What taking back works with. The config's lock has been looked at.
pub(super) struct Rollbacks<'a> {
    pub(super) project: &'a Project,
    pub(super) repository: &'a worktree::Project,
    /// Whether the checked-out branch moves forward to a commit that undoes a landed change.
    pub(super) land: bool,
}

/// How a change is taken back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// Its branch is dropped.
    Drop,
    /// Its branch is gone already: only the assets go back, and the log says so.
    Forget,
    /// It has landed: a commit that undoes it is published.
    Revert,
}

impl Way {
    /// Its name for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Drop => "drop",
            Self::Forget => "forget",
            Self::Revert => "revert",
        }
    }
}

/// What became of a change that was taken back.
#[derive(Debug)]
pub struct TakenBack {
    /// Whether its branch was dropped, forgotten, or undone by a commit.
    pub way: Way,
    /// The branch of the commit that undoes it, where it had landed.
    pub reverted: Option<Published>,
    /// Whether the checked-out branch has moved forward to it, if that was asked for.
    pub landed: Option<Landed>,
}

impl Rollbacks<'_> {
    /// How a published change would be taken back now, or why it cannot be. Changes nothing.
    pub(super) fn way(&self, applied: &AppliedBranch) -> Result<Way, RollbackFailure> {
        match check_droppable(self.repository, &applied.branch, &applied.commit) {
            Ok(()) => Ok(Way::Drop),
            Err(DropError::Gone { .. }) if is_in_head(self.repository, &applied.commit).unwrap_or(false) => {
                Ok(Way::Revert)
            }
            Err(DropError::Gone { .. }) => Ok(Way::Forget),
            Err(DropError::Merged { .. }) if is_in_head(self.repository, &applied.commit)? => Ok(Way::Revert),
            Err(DropError::Merged { branch, other }) => Err(RollbackFailure::Elsewhere { branch, other }),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes a published change back, in its way.
    pub(super) fn take_back(
        &self,
        journal: &Journal,
        state: &State,
        proposal: &str,
        applied: &AppliedBranch,
        why: &str,
    ) -> Result<TakenBack, RollbackFailure> {
        let at = self.project.log.after_last(self.project.environment.now())?;
        let way = self.way(applied)?;
        let identity = Identity::of(&self.project.config.file.apply, &self.project.environment.signing, at)?;
        let reverting = match way {
            Way::Revert => Some(self.revert(state, proposal, applied, why, at, &identity)?),
            Way::Drop | Way::Forget => None,
        };
        let assets = assets_to_take(state, proposal, applied);
        let rollback = Rollback {
            proposal: proposal.to_owned(),
            branch: applied.branch.clone(),
            commit: applied.commit.clone(),
            reason: why.to_owned(),
            event: self.event(at, &assets)?,
            assets,
            revert: reverting.as_ref().map(|(branch, committed)| Revert {
                branch: branch.clone(),
                commit: committed.commit().to_owned(),
                landing: None,
            }),
        };
        let mut entry = journal.begin(at, Operation::Rollback(Box::new(rollback.clone())))?;
        match self.carry_out(&rollback, way, reverting.as_ref(), &identity, &mut entry) {
            // An entry that cannot be removed is settled once more at the next start, to no effect.
            Ok((reverted, landed)) => Ok(entry.end().map(|()| TakenBack { way, reverted, landed })?),
            Err(error) => Err(self.settle(entry, error)),
        }
    }

    fn carry_out(
        &self,
        rollback: &Rollback,
        way: Way,
        reverting: Option<&(String, Committed)>,
        identity: &Identity,
        entry: &mut Entry,
    ) -> Result<(Option<Published>, Option<Landed>), RollbackFailure> {
        self.append(&EntryBody::RollbackIntent {
            proposal: rollback.proposal.clone(),
            branch: rollback.branch.clone(),
            operator: self.project.environment.operator.name.clone(),
            agent: self.project.environment.operator.agent.clone(),
            reason: rollback.reason.clone(),
            revert_branch: rollback.revert.as_ref().map(|revert| revert.branch.clone()),
            land_into: (self.land && reverting.is_some()).then(|| landing_branch(self.repository).ok()).flatten(),
        })?;
        let mark = &entry.file().mark;
        let reverted = match reverting {
            Some((branch, committed)) => Some(publish(self.repository, committed, branch, identity, mark)?),
            None => None,
        };
        if way == Way::Drop {
            drop_branch(self.repository, &rollback.branch, &rollback.commit, mark)?;
        }
        let landed = match &reverted {
            Some(reverted) if self.land => Some(self.land(reverted, identity, entry)?),
            _ => None,
        };
        self.project.registry.take_back(&rollback.assets, rollback.event.as_ref())?;
        self.append(&rolled_back(rollback, reverted.as_ref(), landed.as_ref().and_then(Landed::branch)))?;
        Ok((reverted, landed))
    }

    fn land(&self, reverted: &Published, by: &Identity, entry: &mut Entry) -> Result<Landed, RollbackFailure> {
        let mark = entry.file().mark.clone();
        let landing = match land::plan(self.repository, &reverted.commit, &mark) {
            Ok(landing) => landing,
            Err(error) => return Ok(Landed::Not { reason: error.to_string() }),
        };
        entry.update(|operation| {
            if let Operation::Rollback(rollback) = operation
                && let Some(revert) = &mut rollback.revert
            {
                revert.landing = Some(landing.clone());
            }
        })?;
        Ok(land::carry_out(self.repository, &landing, by, &mark)?)
    }

    fn settle(&self, entry: Entry, error: RollbackFailure) -> RollbackFailure {
        match self.project.settler(self.repository).settle(entry, &self.clean(&error.to_string())) {
            Ok(_) => error,
            Err(also) => RollbackFailure::Unsettled { error: Box::new(error), also: Box::new(also) },
        }
    }

    fn revert(
        &self,
        state: &State,
        proposal: &str,
        applied: &AppliedBranch,
        why: &str,
        at: Timestamp,
        identity: &Identity,
    ) -> Result<(String, Committed), RollbackFailure> {
        let title = state.proposal(proposal).map(|known| known.title.as_str()).unwrap_or_default();
        let body = format!("This reverts commit {}.\n\n{why}", applied.commit);
        let trailers =
            [("Gephost-Reverts", proposal), ("Gephost-Operator", self.project.environment.operator.name.as_str())];
        let message = CommitMessage::new(&self.clean(&format!("Revert \"{title}\"")), &self.clean(&body), &trailers);
        let committed = revert(self.repository, &applied.commit, &message, identity)
            .map_err(|source| RollbackFailure::Revert { branch: applied.branch.clone(), source })?;
        Ok((branch_name(at, &format!("revert {title}")), committed))
    }

    /// The event that says that the change of an earlier event does not stand any more: a failed outcome of the same
    /// gene and capsule, whose streak ends here.
    fn event(&self, at: Timestamp, assets: &AppliedAssets) -> Result<Option<Map<String, Value>>, RollbackFailure> {
        let known = |id: &String| self.project.registry.event(id);
        let Some(of) = assets.event.as_ref().map(known).transpose()?.flatten() else { return Ok(None) };
        let event = EvolutionEvent::record(&EventDraft {
            id: format!("evt_{}{TAKEN_BACK}", at.as_millisecond()),
            parent: Some(of.id.clone()),
            intent: of.intent.clone(),
            signals: of.signals.clone(),
            genes_used: of.genes_used.clone(),
            blast_radius: of.blast_radius.unwrap_or(BlastRadius { files: 0, lines: 0 }),
            outcome: Outcome { status: OutcomeStatus::Failed, score: 0.0 },
            capsule_id: of.capsule_id.clone(),
            validation_report_id: None,
            sandbox: None,
            isolation: None,
            at,
            candidates: Vec::new(),
        })?;
        Ok(Some(event.document().clone()))
    }

    fn clean(&self, text: &str) -> String {
        self.project.config.policy.redact(text)
    }

    fn append(&self, body: &EntryBody) -> Result<(), LogError> {
        self.project.log.append(self.project.environment.now(), body)
    }
}

/// What the change left, without a gene that another standing one uses.
fn assets_to_take(state: &State, proposal: &str, applied: &AppliedBranch) -> AppliedAssets {
    let mut assets = applied.assets.clone();
    let gene_of = |id: &str| state.proposal(id).and_then(|known| known.gene.clone());
    let own = gene_of(proposal);
    let others = state.standing();
    let used = others.iter().any(|(id, other)| other.order != applied.order && gene_of(id) == own);
    if used {
        assets.gene_added = None;
    }
    assets
}
