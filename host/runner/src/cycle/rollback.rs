//! Takes a published change back: drops its branch, or, where it has landed, publishes the commit that undoes it on a
//! branch of its own. What it left in the assets goes back too; the log only grows.
//!
//! What must stay true: a branch that somebody built on, checked out or merged is never dropped; the same order as for an
//! apply (journal, intent in the log, effect, outcome), settled by the same code when it is cut.

use std::ffi::OsString;

use gephost_core::capsule::{Outcome, OutcomeStatus};
use gephost_core::config::Config;
use gephost_core::digest::AssetError;
use gephost_core::event_log::{AppliedAssets, AppliedBranch, EntryBody, State};
use gephost_core::evolution_event::{EventDraft, EvolutionEvent};
use gephost_core::gate::BlastRadius;
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::land::{self, Landed};
use crate::event_log::{EventLog, LogError};
use crate::journal::{
    Entry, Journal, JournalError, Operation, Operator, Revert, Rollback, SettleError, Settler, rolled_back,
};
use crate::registry::{Registry, RegistryError};
use crate::state::StateFolder;
use crate::worktree::{
    CommitMessage, Committed, DropError, GitError, Identity, IdentityError, LandError, Project, PublishError,
    Published, RevertError, branch_name, check_droppable, drop_branch, is_in_head, landing_branch, publish, revert,
};

/// What taking back works with.
pub struct Rollbacks<'a> {
    /// The repository.
    pub project: &'a Project,
    /// The operator's config. Its locks have been looked at.
    pub config: &'a Config,
    /// Where work copies lie.
    pub state: &'a StateFolder,
    /// The log.
    pub log: &'a EventLog,
    /// The assets.
    pub registry: &'a Registry,
    /// Who wants it.
    pub operator: &'a Operator,
    /// Whether the checked-out branch shall move forward to a commit that undoes a landed change.
    pub land: bool,
    /// What the program that signs commits sees of the operator's environment.
    pub signing_environment: &'a [(OsString, OsString)],
    /// The clock.
    pub clock: fn() -> Timestamp,
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
    /// How.
    pub way: Way,
    /// The branch of the commit that undoes it, where it had landed.
    pub reverted: Option<Published>,
    /// What became of the wish to land that, where there was one.
    pub landed: Option<Landed>,
}

/// Why a change was not taken back.
#[derive(Debug, thiserror::Error)]
pub enum RollbackError {
    /// The branch must stay.
    #[error(transparent)]
    Drop(#[from] DropError),
    /// It has landed where `HEAD` is not.
    #[error("{branch} is in {other} and not in what is checked out: check out a branch that has it, and say it again")]
    Elsewhere {
        /// The branch.
        branch: String,
        /// The ref that has it.
        other: String,
    },
    /// The commit that undoes it cannot be made.
    #[error("undo {branch}, which has landed: {source}")]
    Revert {
        /// The branch.
        branch: String,
        /// The reason.
        source: RevertError,
    },
    /// Its branch cannot be made.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// What began to land could neither be finished nor undone.
    #[error(transparent)]
    Land(#[from] LandError),
    /// The log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The assets.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// An asset cannot be made.
    #[error("failed to make an asset: {0}")]
    Asset(#[from] AssetError),
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The repository.
    #[error(transparent)]
    Git(#[from] GitError),
    /// The config names nobody.
    #[error("`apply.author_name` or `apply.author_email`: {0}")]
    Identity(#[from] IdentityError),
    /// It went wrong, and settling did too.
    #[error("{error}; the next start of gephost finishes or undoes it, since now: {also}")]
    Unsettled {
        /// What went wrong first.
        error: Box<RollbackError>,
        /// What went wrong then.
        also: Box<SettleError>,
    },
}

impl Rollbacks<'_> {
    /// How a published change would be taken back now, or why it cannot be. Changes nothing.
    pub fn way(&self, applied: &AppliedBranch) -> Result<Way, RollbackError> {
        match check_droppable(self.project, &applied.branch, &applied.commit) {
            Ok(()) => Ok(Way::Drop),
            Err(DropError::Gone { .. }) if is_in_head(self.project, &applied.commit).unwrap_or(false) => {
                Ok(Way::Revert)
            }
            Err(DropError::Gone { .. }) => Ok(Way::Forget),
            Err(DropError::Merged { .. }) if is_in_head(self.project, &applied.commit)? => Ok(Way::Revert),
            Err(DropError::Merged { branch, other }) => Err(RollbackError::Elsewhere { branch, other }),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes a published change back, in its way.
    pub fn take_back(
        &self,
        journal: &Journal,
        state: &State,
        proposal: &str,
        applied: &AppliedBranch,
        why: &str,
    ) -> Result<TakenBack, RollbackError> {
        let at = self.log.after_last((self.clock)())?;
        let way = self.way(applied)?;
        let identity = Identity::of(&self.config.file.apply, self.signing_environment, at)?;
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
    ) -> Result<(Option<Published>, Option<Landed>), RollbackError> {
        self.append(EntryBody::RollbackIntent {
            proposal: rollback.proposal.clone(),
            branch: rollback.branch.clone(),
            operator: self.operator.name.clone(),
            agent: self.operator.agent.clone(),
            reason: rollback.reason.clone(),
            revert_branch: rollback.revert.as_ref().map(|revert| revert.branch.clone()),
            land_into: (self.land && reverting.is_some()).then(|| landing_branch(self.project).ok()).flatten(),
        })?;
        let mark = &entry.file().mark;
        let reverted = match reverting {
            Some((branch, committed)) => Some(publish(self.project, committed, branch, identity, mark)?),
            None => None,
        };
        if way == Way::Drop {
            drop_branch(self.project, &rollback.branch, &rollback.commit, mark)?;
        }
        let landed = match &reverted {
            Some(reverted) if self.land => Some(self.land(reverted, identity, entry)?),
            _ => None,
        };
        self.registry.take_back(&rollback.assets, rollback.event.as_ref())?;
        self.append(rolled_back(rollback, reverted.as_ref(), landed.as_ref().and_then(Landed::into)))?;
        Ok((reverted, landed))
    }

    fn land(&self, reverted: &Published, by: &Identity, entry: &mut Entry) -> Result<Landed, RollbackError> {
        let mark = entry.file().mark.clone();
        let landing = match land::plan(self.project, &reverted.commit, &mark) {
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
        Ok(land::carry_out(self.project, &landing, by, &mark)?)
    }

    fn settle(&self, entry: Entry, error: RollbackError) -> RollbackError {
        let Self { project, state, log, registry, clock, .. } = *self;
        match (Settler { project, state, log, registry, clock }).settle(entry, &self.clean(&error.to_string())) {
            Ok(_) => error,
            Err(also) => RollbackError::Unsettled { error: Box::new(error), also: Box::new(also) },
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
    ) -> Result<(String, Committed), RollbackError> {
        let title = state.proposal(proposal).map(|known| known.title.as_str()).unwrap_or_default();
        let body = format!("This reverts commit {}.\n\n{why}", applied.commit);
        let trailers = [("Gephost-Reverts", proposal), ("Gephost-Operator", self.operator.name.as_str())];
        let message = CommitMessage::new(&self.clean(&format!("Revert \"{title}\"")), &self.clean(&body), &trailers);
        let committed = revert(self.project, &applied.commit, &message, identity)
            .map_err(|source| RollbackError::Revert { branch: applied.branch.clone(), source })?;
        Ok((branch_name(at, &format!("revert {title}")), committed))
    }

    /// The event that says that the change of an earlier event does not stand any more: a failed outcome of the same
    /// gene and capsule, whose streak ends here.
    fn event(&self, at: Timestamp, assets: &AppliedAssets) -> Result<Option<Map<String, Value>>, RollbackError> {
        let events = self.registry.events()?;
        let Some(of) = events.iter().find(|event| Some(&event.id) == assets.event.as_ref()) else { return Ok(None) };
        let event = EvolutionEvent::record(&EventDraft {
            id: format!("evt_{}_rollback", at.as_millisecond()),
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
        self.config.policy.redact(text)
    }

    fn append(&self, body: EntryBody) -> Result<(), LogError> {
        self.log.append((self.clock)(), &body)?;
        Ok(())
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
