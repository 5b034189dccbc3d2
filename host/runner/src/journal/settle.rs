//! Settles what a crash, or an error half-way, left: from the journal, the log and the repository together.
//!
//! An operation whose branch is there is finished: the log says so, the assets follow. One whose branch is not there is
//! undone: the log says that it failed. Each step looks whether it was done before it is done.

use std::sync::Arc;

use gephost_core::config::ApplyTable;
use gephost_core::event_log::{EntryBody, Fate, State, Tried};
use jiff::Timestamp;

use super::operation::{Landing, Operation, OperationFile, Publishing, Rollback, Winner};
use super::{Entry, Journal, JournalError};
use crate::event_log::{EventLog, LogError};
use crate::registry::{Registry, RegistryError};
use crate::state::StateFolder;
use crate::worktree::{
    DropError, Identity, IdentityError, LandError, Project, PublishError, Published, WorkCopyError, settle_dropped,
    settle_landed, settle_published,
};

/// What settling works with.
pub struct Settler<'a> {
    /// The repository.
    pub project: &'a Project,
    /// Where work copies lie.
    pub state: &'a StateFolder,
    /// The log.
    pub log: &'a EventLog,
    /// The assets.
    pub registry: &'a Registry,
    /// The clock.
    pub clock: fn() -> Timestamp,
}

/// An operation that is settled now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// Which.
    pub operation: String,
    /// What became of it, in one line.
    pub outcome: String,
    /// The branch that it published, where it did.
    pub published: Option<Published>,
}

/// Why an operation is not settled. It may be tried again.
#[derive(Debug, thiserror::Error)]
pub enum SettleError {
    /// The journal.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// The log.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The assets.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The repository.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// A branch that is dropped.
    #[error(transparent)]
    Drop(#[from] DropError),
    /// A landing.
    #[error("settle what was landing in {into}: {source}")]
    Land {
        /// The branch.
        into: String,
        /// The reason.
        source: LandError,
    },
    /// The reflog's author.
    #[error(transparent)]
    Identity(#[from] IdentityError),
    /// Work copies of processes that are gone.
    #[error(transparent)]
    WorkCopy(#[from] WorkCopyError),
}

/// The reason that the log gives where nothing but a crash explains an end.
const CUT: &str = "gephost ended in the middle of it";

impl Settler<'_> {
    /// Settles everything that is left, and removes the work copies of processes that are gone.
    pub fn settle_all(&self, journal: &Journal) -> Result<Vec<Settled>, SettleError> {
        if self.state.work().folder().is_ok() {
            self.state.work_folder()?;
        }
        let mut settled = Vec::new();
        for entry in journal.left()? {
            settled.push(self.settle(entry, CUT)?);
        }
        settled.extend(self.close_intents()?);
        Ok(settled)
    }

    /// Settles one operation; `reason` is why it did not come to its end.
    pub fn settle(&self, entry: Entry, reason: &str) -> Result<Settled, SettleError> {
        let file = entry.file();
        let operation = file.describe();
        let (outcome, published) = match &file.operation {
            Operation::Cycle { cycle, candidates, publishing } => {
                let published = self.settle_cycle(file, cycle, candidates, publishing.as_deref(), reason)?;
                let landing = publishing.as_deref().and_then(|publishing| publishing.winner.as_ref()?.landing.as_ref());
                let landed = landing.map(|landing| self.end_landing(file, landing, reason)).transpose()?;
                let outcome = match (&published, publishing) {
                    (Some(published), _) => {
                        format!("finished: branch {} is published{}", published.branch, landed.unwrap_or_default())
                    }
                    (None, Some(publishing)) if publishing.winner.is_none() => "finished: nothing held".to_owned(),
                    (None, _) => format!("undone: {reason}"),
                };
                (outcome, published)
            }
            Operation::Rollback(rollback) => (self.settle_rollback(file, rollback, reason)?, None),
        };
        entry.end()?;
        Ok(Settled { operation, outcome, published })
    }

    fn settle_cycle(
        &self,
        file: &OperationFile,
        cycle: &str,
        candidates: &[String],
        publishing: Option<&Publishing>,
        reason: &str,
    ) -> Result<Option<Published>, SettleError> {
        let state = self.log_state()?;
        let winner = publishing.and_then(|publishing| publishing.winner.as_ref());
        let published = match winner {
            Some(winner) => settle_published(self.project, &winner.branch, &winner.commit, &file.mark)?,
            None => None,
        };
        let logged = winner.is_some_and(|winner| is_logged(&state, winner));
        for proposal in candidates.iter().filter(|proposal| is_open(&state, proposal)) {
            self.append(match (winner.filter(|winner| winner.proposal == **proposal), &published) {
                (Some(winner), Some(published)) => with_branch(&winner.applied, published),
                _ => failed(proposal, reason),
            })?;
        }
        let stands = published.is_some() || logged;
        let tried = match publishing {
            Some(publishing) if stands || winner.is_none() => {
                self.registry.put_documents(&publishing.assets)?;
                publishing.tried.clone()
            }
            Some(publishing) => stopped(publishing.tried.clone(), reason),
            None => stopped(candidates.iter().map(|proposal| untried(proposal)).collect(), reason),
        };
        if state.cycles().last().is_some_and(|last| last.id == cycle && last.tried.is_none()) {
            let winner = winner.filter(|_| stands).map(|winner| winner.proposal.clone());
            self.append(EntryBody::CycleEnded { cycle: cycle.to_owned(), winner, candidates: tried })?;
        }
        Ok(published)
    }

    /// Finishes or undoes a landing, and says whether the branch has moved.
    fn settle_landing(&self, file: &OperationFile, landing: &Landing) -> Result<bool, SettleError> {
        let by = Identity::of(&ApplyTable::default(), &[], (self.clock)())?;
        settle_landed(self.project, landing.forward(), &by, &file.mark)
            .map_err(|source| SettleError::Land { into: landing.into.clone(), source })
    }

    /// The same, said in the log where that has an intent, and told in a few words.
    fn end_landing(&self, file: &OperationFile, landing: &Landing, reason: &str) -> Result<String, SettleError> {
        let landed = self.settle_landing(file, landing)?;
        let state = self.log_state()?;
        let standing = state.standing();
        let open = standing.iter().find(|(_, applied)| applied.landing && applied.commit == landing.to);
        let Landing { into, from, to } = landing.clone();
        if let Some((proposal, applied)) = open {
            let (proposal, branch, into) = ((*proposal).to_owned(), applied.branch.clone(), into.clone());
            self.append(if landed {
                EntryBody::Landed { proposal, branch, into, from, to }
            } else {
                EntryBody::LandFailed { proposal, branch, reason: reason.to_owned() }
            })?;
        }
        Ok(if landed { format!(" and has landed in {into}") } else { format!("; {into} stays where it was") })
    }

    fn settle_rollback(&self, file: &OperationFile, rollback: &Rollback, reason: &str) -> Result<String, SettleError> {
        let state = self.log_state()?;
        let proposal = state.proposal(&rollback.proposal);
        // The last one, as in the log's state: a name may have stood twice.
        let standing = proposal.and_then(|known| known.applied.iter().rfind(|one| one.branch == rollback.branch));
        let reverted = match &rollback.revert {
            Some(revert) => settle_published(self.project, &revert.branch, &revert.commit, &file.mark)?,
            None => None,
        };
        let gone = match &rollback.revert {
            Some(_) => reverted.is_some(),
            None => settle_dropped(self.project, &rollback.branch, &file.mark)?,
        };
        let open = standing.is_some_and(|applied| applied.rolling_back);
        let landing = rollback.revert.as_ref().and_then(|revert| revert.landing.as_ref());
        let landed = landing.map(|landing| self.settle_landing(file, landing)).transpose()?;
        let landed = landing.filter(|_| landed == Some(true)).map(|landing| landing.into.as_str());
        let done = (gone && open) || standing.is_none();
        if done {
            self.registry.take_back(&rollback.assets, rollback.event.as_ref())?;
        }
        if open {
            self.append(if gone {
                rolled_back(rollback, reverted.as_ref(), landed)
            } else {
                let (proposal, branch) = (rollback.proposal.clone(), rollback.branch.clone());
                EntryBody::RollbackFailed { proposal, branch, reason: reason.to_owned() }
            })?;
        }
        Ok(if done { "finished".to_owned() } else { format!("undone: {reason}") })
    }

    /// Intents that no journal file tells of, as when somebody removed it.
    fn close_intents(&self) -> Result<Vec<Settled>, SettleError> {
        let state = self.log_state()?;
        let mut settled = Vec::new();
        for (proposal, open) in state.unfinished() {
            let reason = format!("{CUT}, and its journal is gone; if there is a branch {}, look at it", open.branch);
            self.append(failed(proposal, &reason))?;
            let operation = format!("apply of proposal {proposal}");
            settled.push(Settled { operation, outcome: reason, published: None });
        }
        for (proposal, applied) in state.standing().into_iter().filter(|(_, one)| one.landing || one.rolling_back) {
            let reason = format!("{CUT}, and its journal is gone; look at branch {}", applied.branch);
            let (proposal, branch) = (proposal.to_owned(), applied.branch.clone());
            let operation = format!("{} of {branch}", if applied.landing { "landing" } else { "rollback" });
            let why = reason.clone();
            self.append(if applied.landing {
                EntryBody::LandFailed { proposal, branch, reason: why }
            } else {
                EntryBody::RollbackFailed { proposal, branch, reason: why }
            })?;
            settled.push(Settled { operation, outcome: reason, published: None });
        }
        Ok(settled)
    }

    fn log_state(&self) -> Result<Arc<State>, SettleError> {
        Ok(self.log.state()?)
    }

    fn append(&self, body: EntryBody) -> Result<(), SettleError> {
        Ok(self.log.append((self.clock)(), &body)?)
    }
}

fn is_open(state: &State, proposal: &str) -> bool {
    state.proposal(proposal).is_some_and(|proposal| proposal.in_flight.is_some())
}

fn failed(proposal: &str, reason: &str) -> EntryBody {
    EntryBody::ApplyFailed { proposal: proposal.to_owned(), reason: reason.to_owned() }
}

/// What the log says of a change that was taken back.
pub fn rolled_back(rollback: &Rollback, reverted: Option<&Published>, landed_into: Option<&str>) -> EntryBody {
    EntryBody::RolledBack {
        proposal: rollback.proposal.clone(),
        branch: rollback.branch.clone(),
        reason: rollback.reason.clone(),
        revert_branch: reverted.map(|reverted| reverted.branch.clone()),
        revert_commit: reverted.map(|reverted| reverted.commit.clone()),
        landed_into: landed_into.map(str::to_owned),
    }
}

/// The entry, with the branch that the change really got.
pub fn with_branch(applied: &EntryBody, published: &Published) -> EntryBody {
    let mut applied = applied.clone();
    if let EntryBody::Applied { branch, .. } = &mut applied {
        published.branch.clone_into(branch);
    }
    applied
}

fn is_logged(state: &State, winner: &Winner) -> bool {
    let proposal = state.proposal(&winner.proposal);
    proposal.is_some_and(|proposal| proposal.applied.iter().any(|applied| applied.commit == winner.commit))
}

fn untried(proposal: &str) -> Tried {
    Tried::new(proposal, Fate::Stopped, "")
}

/// What became of candidates of which none was published after all.
fn stopped(mut tried: Vec<Tried>, reason: &str) -> Vec<Tried> {
    for one in tried.iter_mut().filter(|one| matches!(one.fate, Fate::Published | Fate::Stopped)) {
        (one.fate, one.reason) = (Fate::Stopped, reason.to_owned());
    }
    // Nothing was published that is built on them.
    for one in tried.iter_mut().filter(|one| one.fate == Fate::Extended) {
        one.fate = Fate::Failed;
    }
    tried
}
