//! Stage apply: approved candidates become commits, are validated side by side in work copies, and the best-ranked one
//! that holds is published as a branch; of the others nothing stays.
//!
//! Order, and what is true when it stops in between (invariant 5): the intent of each candidate is in the log and synced
//! before its first object is written; a commit that nothing names is no change; the branch is one compare-and-swap; the
//! outcome follows. A next start finds an intent without an outcome, looks whether the branch is there, and says which
//! it was. Before each of these effects the stop signs are looked at.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use gephost_core::command::ValidationCommand;
use gephost_core::config::Config;
use gephost_core::diagnosis::Finding;
use gephost_core::digest::AssetError;
use gephost_core::evaluate::Evaluation;
use gephost_core::event_log::{EntryBody, Fate, FindingRef, Tried};
use gephost_core::gate::Approved;
use gephost_core::gene::Gene as GeneAsset;
use gephost_core::proposal::Proposal;
use gephost_core::validation::CommandRun;
use jiff::Timestamp;

use super::record::Ids;
use crate::event_log::{EventLog, LogError};
use crate::registry::{Registry, RegistryError};
use crate::state::StateFolder;
use crate::worktree::{
    ApplyError, CommitMessage, Committed, Identity, IdentityError, Project, PublishError, Published, WorkCopyError,
    apply, branch_name, publish,
};

/// What publishing works with. Every authority it has is here.
pub struct Publisher<'a> {
    /// The repository.
    pub project: &'a Project,
    /// The operator's config. Its locks have been looked at.
    pub config: &'a Config,
    /// Where work copies, the log and the kill switch lie.
    pub state: &'a StateFolder,
    /// The log.
    pub log: &'a EventLog,
    /// The assets.
    pub registry: &'a Registry,
    /// Who wants it: the person's name.
    pub operator: &'a str,
    /// Who approved it, where it had to wait for a person.
    pub approver: Option<&'a str>,
    /// The search path of validation commands.
    pub path: OsString,
    /// Set when the person interrupts.
    pub interrupted: &'a AtomicBool,
    /// The clock.
    pub clock: fn() -> Timestamp,
}

/// One candidate, beside the approved change itself.
#[derive(Clone, Copy)]
pub struct Intent<'a> {
    /// The proposal that was approved.
    pub proposal: &'a Proposal,
    /// The change.
    pub approved: &'a Approved,
    /// The commands that shall hold: the operator's, then the proposal's.
    pub commands: &'a [ValidationCommand],
    /// The gene that proposed it, as an asset; absent for a proposal that a person brought.
    pub gene: Option<&'a GeneAsset>,
}

/// What a cycle is about.
#[derive(Clone, Copy, Default)]
pub struct Subject<'a> {
    /// What is to be mended; absent for a proposal that a person brought.
    pub finding: Option<&'a Finding>,
    /// Signals that the candidates answer.
    pub signals: &'a [String],
}

/// What became of a cycle.
#[derive(Debug)]
pub struct Ended {
    /// Id of the cycle and of its evolution event.
    pub cycle: String,
    /// What became of each candidate, best-ranked first.
    pub candidates: Vec<Candidate>,
    /// The branch, where a candidate held.
    pub published: Option<Published>,
}

/// What became of one candidate.
#[derive(Debug)]
pub struct Candidate {
    /// What became of it, and why.
    pub tried: Tried,
    /// What the commands showed; absent where they did not come to an end.
    pub evaluation: Option<Evaluation>,
    /// The runs.
    pub runs: Vec<CommandRun>,
    /// Id of the validation report.
    pub report: Option<String>,
}

impl Ended {
    /// The candidate that was published, else the best-ranked one that was validated.
    pub fn foremost(&self) -> Option<&Candidate> {
        let published = self.candidates.iter().find(|candidate| candidate.tried.fate == Fate::Published);
        published.or_else(|| self.candidates.iter().find(|candidate| candidate.evaluation.is_some()))
    }
}

/// Why nothing was published, for a reason that is not the change's.
#[derive(Debug, thiserror::Error)]
pub enum PublishingError {
    /// The log cannot be written, so nothing else was.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The assets cannot be written.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// An asset cannot be made.
    #[error("failed to make an asset: {0}")]
    Asset(#[from] AssetError),
    /// The commit cannot be made.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// The branch cannot be made.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// A work copy cannot be made.
    #[error(transparent)]
    WorkCopy(#[from] WorkCopyError),
    /// The config names nobody.
    #[error("`apply.author_name` or `apply.author_email`: {0}")]
    Identity(#[from] IdentityError),
    /// The person interrupted.
    #[error("interrupted; nothing was published")]
    Interrupted,
    /// The kill switch is on.
    #[error("the kill switch is on: {} exists; nothing was published", path.display())]
    KillSwitch {
        /// The file.
        path: PathBuf,
    },
    /// A thread of this process failed.
    #[error("a validation ended without a result")]
    Lost,
}

/// A candidate whose commit is made.
pub(super) struct Begun<'a> {
    pub(super) intent: Intent<'a>,
    pub(super) committed: Committed,
    branch: String,
}

impl Publisher<'_> {
    /// Tries the candidates, best first and side by side, and publishes the best-ranked one that holds. Whatever
    /// happens, the log says how each ended.
    pub fn publish(&self, subject: Subject<'_>, intents: &[Intent<'_>]) -> Result<Ended, PublishingError> {
        self.check_stops()?;
        let ids = Ids::new((self.clock)());
        let base_commit = intents.first().map(|intent| intent.approved.base_commit().to_owned()).unwrap_or_default();
        self.append(EntryBody::CycleStarted {
            cycle: ids.event(),
            base_commit,
            finding: subject.finding.map(|finding| self.reference(finding)),
            candidates: intents.iter().map(|intent| intent.approved.proposal_id().to_owned()).collect(),
        })?;
        let contest = self.contest(intents, &ids);
        let mut candidates = contest.candidates;
        let outcome = match contest.stopped {
            Some(stopped) => Err(stopped),
            None => self.finish(contest.winner, &mut candidates),
        };
        let published = outcome.as_ref().ok().and_then(Clone::clone);
        self.append(EntryBody::CycleEnded {
            cycle: ids.event(),
            winner: published.is_some().then(|| winner_of(&candidates)).flatten(),
            candidates: candidates.iter().map(|candidate| candidate.tried.clone()).collect(),
        })?;
        if let Some(broken) = contest.broken
            && outcome.is_ok()
            && candidates.iter().all(|candidate| candidate.evaluation.is_none())
        {
            return Err(broken);
        }
        let published = outcome?;
        self.record(subject, intents, &ids, &candidates)?;
        Ok(Ended { cycle: ids.event(), candidates, published })
    }

    /// The first effect of a candidate: its intent, then its commit, which nothing names yet.
    pub(super) fn begin<'a>(&self, intent: Intent<'a>, ids: &Ids) -> Result<Begun<'a>, PublishingError> {
        self.check_stops()?;
        let at = (self.clock)();
        let branch = branch_name(at, &intent.proposal.title);
        self.append(EntryBody::ApplyIntent {
            proposal: intent.approved.proposal_id().to_owned(),
            operator: self.operator.to_owned(),
            base_commit: intent.approved.base_commit().to_owned(),
            branch: branch.clone(),
            approver: self.approver.map(str::to_owned),
        })?;
        match self.commit(&intent, at, ids) {
            Ok(committed) => Ok(Begun { intent, committed, branch }),
            Err(error) => {
                self.give_up(intent.approved.proposal_id(), &error.to_string())?;
                Err(error)
            }
        }
    }

    /// Says in the log that nothing came of an intent.
    pub(super) fn give_up(&self, proposal: &str, reason: &str) -> Result<(), LogError> {
        self.append(EntryBody::ApplyFailed { proposal: proposal.to_owned(), reason: self.clean(reason) })
    }

    fn commit(&self, intent: &Intent<'_>, at: Timestamp, ids: &Ids) -> Result<Committed, PublishingError> {
        let risk = intent.approved.risk_score().to_string();
        let gene = intent.gene.map(|gene| gene.id.as_str()).unwrap_or_default();
        let event = ids.event();
        let mut trailers = vec![
            ("Gephost-Proposal", intent.approved.proposal_id()),
            ("Gephost-Event", event.as_str()),
            ("Gephost-Gene", gene),
            ("Gephost-Risk", risk.as_str()),
            ("Gephost-Operator", self.operator),
        ];
        trailers.extend(self.approver.map(|approver| ("Gephost-Approver", approver)));
        let message =
            CommitMessage::new(&self.clean(&intent.proposal.title), &self.clean(&intent.proposal.objective), &trailers);
        let table = &self.config.file.apply;
        let identity = Identity::new(&table.author_name, &table.author_email, at)?;
        Ok(apply(self.project, intent.approved, &message, &identity)?)
    }

    /// Publishes the winner. What did not win is a commit that nothing names.
    fn finish(
        &self,
        winner: Option<(usize, Begun<'_>)>,
        candidates: &mut [Candidate],
    ) -> Result<Option<Published>, PublishingError> {
        let Some((rank, begun)) = winner else { return Ok(None) };
        let proposal = begun.intent.approved.proposal_id();
        let made = self
            .check_stops()
            .and_then(|()| publish(self.project, &begun.committed, &begun.branch).map_err(PublishingError::from));
        let tried = candidates.get_mut(rank).map(|candidate| &mut candidate.tried);
        match made {
            Ok(published) => {
                self.append(EntryBody::Applied {
                    proposal: proposal.to_owned(),
                    branch: published.branch.clone(),
                    commit: published.commit.clone(),
                    blast_radius: begun.intent.approved.blast_radius(),
                })?;
                if let Some(tried) = tried {
                    tried.fate = Fate::Published;
                }
                Ok(Some(published))
            }
            Err(error) => {
                self.give_up(proposal, &error.to_string())?;
                if let Some(tried) = tried {
                    let fate = if error.is_stop() { Fate::Stopped } else { Fate::Broken };
                    *tried = Tried { fate, reason: self.clean(&error.to_string()), ..tried.clone() };
                }
                Err(error)
            }
        }
    }

    /// Whether somebody wants it all to stop: an interrupt, or the kill switch.
    pub(super) fn check_stops(&self) -> Result<(), PublishingError> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(PublishingError::Interrupted);
        }
        let path = self.state.stop();
        // A name that cannot be looked at counts as there: the tighter answer.
        if path.symlink_metadata().map_or_else(|error| error.kind() != std::io::ErrorKind::NotFound, |_| true) {
            return Err(PublishingError::KillSwitch { path });
        }
        Ok(())
    }

    /// A finding for the log.
    fn reference(&self, finding: &Finding) -> FindingRef {
        FindingRef {
            gene: finding.gene.clone(),
            id: finding.id.clone(),
            title: self.clean(&finding.title),
            signals: finding.signals.iter().map(|signal| self.clean(signal)).collect(),
        }
    }

    /// A text for the log and for assets, without secrets.
    pub(super) fn clean(&self, text: &str) -> String {
        self.config.policy.redactor().redact(text).into_owned()
    }

    pub(super) fn append(&self, body: EntryBody) -> Result<(), LogError> {
        self.log.append((self.clock)(), &body)?;
        Ok(())
    }
}

impl PublishingError {
    /// Whether somebody stopped it, and nothing failed.
    pub fn is_stop(&self) -> bool {
        matches!(self, Self::Interrupted | Self::KillSwitch { .. })
    }
}

fn winner_of(candidates: &[Candidate]) -> Option<String> {
    let published = candidates.iter().find(|candidate| candidate.tried.fate == Fate::Published);
    published.map(|candidate| candidate.tried.proposal.clone())
}
