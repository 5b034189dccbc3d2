//! Stage apply: approved candidates become commits, are validated side by side in work copies, and the best-ranked one
//! that holds is published as a branch; of the others nothing stays.
//!
//! Order, and what is true when it stops in between (invariant 5): the cycle is in the journal and the intent of each
//! candidate in the log, synced, before its first effect; commits are in memory until one is published; the branch is one
//! compare-and-swap; log and assets follow. What stops half-way, by an error or a crash, is settled by the same code
//! ([`crate::journal`]), now or at the next start. Before each of these effects the stop signs are looked at.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use gephost_core::command::ValidationCommand;
use gephost_core::config::Config;
use gephost_core::digest::AssetError;
use gephost_core::evaluate::Evaluation;
use gephost_core::event_log::{EntryBody, Fate, FindingRef, Tried};
use gephost_core::gate::Approved;
use gephost_core::gene::Gene as GeneAsset;
use gephost_core::proposal::Proposal;
use gephost_core::validation::{CommandRun, Level};
use jiff::Timestamp;

use super::land::{self, Landed};
use super::record::Ids;
use crate::event_log::{EventLog, LogError};
use crate::journal::{
    Entry, Journal, JournalError, Landing, Operation, Operator, Publishing, SettleError, Settled, Settler, Winner,
    with_branch,
};
use crate::registry::{Registry, RegistryError};
use crate::state::StateFolder;
use crate::validate::{Chosen, Launcher, Machine};
use crate::worktree::{
    ApplyError, CommitMessage, Committed, Identity, IdentityError, LandError, Project, PublishError, Published,
    WorkCopyError, apply, branch_name, publish,
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
    /// The journal, with the project's lock.
    pub journal: &'a Journal,
    /// Who wants it.
    pub operator: &'a Operator,
    /// Why, in the operator's words.
    pub why: Option<&'a str>,
    /// What the program that signs commits sees of the operator's environment.
    pub signing_environment: &'a [(OsString, OsString)],
    /// Who approved it, where it had to wait for a person.
    pub approver: Option<&'a str>,
    /// Whether the checked-out branch shall move forward to what is published.
    pub land: bool,
    /// What validation commands run with.
    pub tools: Tools<'a>,
    /// Set when the person interrupts.
    pub interrupted: &'a AtomicBool,
    /// When it is to be over, where that is bounded: what runs then is ended, and nothing is published.
    pub until: Option<Instant>,
    /// The clock.
    pub clock: fn() -> Timestamp,
}

/// What validation commands run with, as this machine has it.
#[derive(Clone, Copy)]
pub struct Tools<'a> {
    /// The operator's toolchains.
    pub machine: &'a Machine,
    /// The project's folder in the operator's checkout.
    pub checkout: &'a Path,
    /// What starts commands.
    pub launcher: &'a Launcher,
    /// How far they are confined.
    pub chosen: &'a Chosen,
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
    /// What is to be mended, redacted; absent for a proposal that a person brought.
    pub finding: Option<&'a FindingRef>,
    /// Signals that the candidates answer.
    pub signals: &'a [String],
    /// Under what the gene ran, as its call says; absent where none did.
    pub isolation: Option<&'a str>,
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
    /// What became of the wish to land it, where there was one.
    pub landed: Option<Landed>,
    /// How far the validation commands were confined.
    pub sandbox: Level,
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
    /// It is published, and what began to land could neither be finished nor undone.
    #[error(transparent)]
    Land(#[from] LandError),
    /// The journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// It went wrong when the branch was there already; the rest was done then.
    #[error("{error}; then {}", settled.outcome)]
    Settled {
        /// What went wrong.
        error: Box<PublishingError>,
        /// How it was settled.
        settled: Settled,
    },
    /// It went wrong, and settling did too.
    #[error("{error}; the next start of gephost finishes or undoes it, since now: {also}")]
    Unsettled {
        /// What went wrong first.
        error: Box<PublishingError>,
        /// What went wrong then.
        also: Box<SettleError>,
    },
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
    /// There is no time left.
    #[error("`[autopilot] max_wall_s` is over; nothing was published")]
    OutOfTime,
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
    /// happens, the log says how each ended, now or after the next start.
    pub fn publish(&self, subject: Subject<'_>, intents: &[Intent<'_>]) -> Result<Ended, PublishingError> {
        self.check_stops()?;
        let at = self.log.after_last((self.clock)())?;
        let ids = Ids::new(at);
        let candidates = intents.iter().map(|intent| intent.approved.proposal_id().to_owned()).collect();
        let operation = Operation::Cycle { cycle: ids.event(), candidates, publishing: None };
        let mut entry = self.journal.begin(at, operation)?;
        match self.carry_out(subject, intents, &ids, &mut entry) {
            // An entry that cannot be removed is settled once more at the next start, to no effect.
            Ok(ended) => entry.end().map(|()| ended).map_err(PublishingError::from),
            Err(error) => Err(self.settle(entry, error)),
        }
    }

    fn settle(&self, entry: Entry, error: PublishingError) -> PublishingError {
        let Self { project, state, log, registry, clock, .. } = *self;
        let settler = Settler { project, state, log, registry, clock };
        match settler.settle(entry, &self.clean(&error.to_string())) {
            Ok(settled) if settled.published.is_none() => error,
            Ok(settled) => PublishingError::Settled { error: Box::new(error), settled },
            Err(also) => PublishingError::Unsettled { error: Box::new(error), also: Box::new(also) },
        }
    }

    fn carry_out(
        &self,
        subject: Subject<'_>,
        intents: &[Intent<'_>],
        ids: &Ids,
        entry: &mut Entry,
    ) -> Result<Ended, PublishingError> {
        let base_commit = intents.first().map(|intent| intent.approved.base_commit().to_owned()).unwrap_or_default();
        self.append(EntryBody::CycleStarted {
            cycle: ids.event(),
            base_commit,
            finding: subject.finding.cloned(),
            candidates: intents.iter().map(|intent| intent.approved.proposal_id().to_owned()).collect(),
        })?;
        let contest = self.contest(intents, ids);
        let mut candidates = contest.candidates;
        if let Some(stopped) = contest.stopped {
            self.end_cycle(ids, None, &candidates)?;
            return Err(stopped);
        }
        if let Some((rank, _)) = &contest.winner
            && let Some(winner) = candidates.get_mut(*rank)
        {
            winner.tried.fate = Fate::Published;
        }
        let (published, landed) = self.finish(subject, intents, ids, &candidates, contest.winner, entry)?;
        if let Some(broken) = contest.broken
            && candidates.iter().all(|candidate| candidate.evaluation.is_none())
        {
            return Err(broken);
        }
        Ok(Ended { cycle: ids.event(), candidates, published, landed, sandbox: self.tools.chosen.level })
    }

    fn end_cycle(&self, ids: &Ids, winner: Option<&str>, candidates: &[Candidate]) -> Result<(), LogError> {
        self.append(EntryBody::CycleEnded {
            cycle: ids.event(),
            winner: winner.map(str::to_owned),
            candidates: candidates.iter().map(|candidate| candidate.tried.clone()).collect(),
        })
    }

    /// The first effect of a candidate: its intent, then its commit, which nothing names yet.
    pub(super) fn begin<'a>(&self, intent: Intent<'a>, ids: &Ids) -> Result<Begun<'a>, PublishingError> {
        self.check_stops()?;
        let at = (self.clock)();
        let branch = branch_name(at, &intent.proposal.title);
        self.append(EntryBody::ApplyIntent {
            proposal: intent.approved.proposal_id().to_owned(),
            operator: self.operator.name.clone(),
            agent: self.operator.agent.clone(),
            why: self.why.map(|why| self.clean(why)),
            base_commit: intent.approved.base_commit().to_owned(),
            branch: branch.clone(),
            approver: self.approver.map(str::to_owned),
            files: intent.approved.changes().iter().map(|change| change.path.to_string()).collect(),
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
        let tests: Vec<String> = intent.commands.iter().map(|command| self.clean(command.text())).collect();
        let mut trailers = vec![
            ("Gephost-Proposal", intent.approved.proposal_id()),
            ("Gephost-Event", event.as_str()),
            ("Gephost-Gene", gene),
            ("Gephost-Risk", risk.as_str()),
        ];
        // The commit gets a branch only if these hold.
        trailers.extend(tests.iter().map(|test| ("Gephost-Test", test.as_str())));
        trailers.push(("Gephost-Operator", self.operator.name.as_str()));
        trailers.extend(self.operator.agent.as_ref().map(|agent| ("Gephost-Agent", agent.as_str())));
        trailers.push(("Gephost-Approver", self.approver.unwrap_or(&self.operator.name)));
        let message =
            CommitMessage::new(&self.clean(&intent.proposal.title), &self.clean(&intent.proposal.objective), &trailers);
        Ok(apply(
            self.project,
            intent.approved,
            &message,
            &Identity::of(&self.config.file.apply, self.signing_environment, at)?,
        )?)
    }

    /// Writes down what shall come of it, and does that: publishes the winner, and records all. What did not win is gone
    /// with this process.
    fn finish(
        &self,
        subject: Subject<'_>,
        intents: &[Intent<'_>],
        ids: &Ids,
        candidates: &[Candidate],
        begun: Option<(usize, Begun<'_>)>,
        entry: &mut Entry,
    ) -> Result<(Option<Published>, Option<Landed>), PublishingError> {
        let assets = self.assets(subject, intents, ids, candidates)?;
        let winner = begun.as_ref().map(|(rank, begun)| self.winner(*rank, begun, ids)).transpose()?;
        let tried = candidates.iter().map(|candidate| candidate.tried.clone()).collect();
        let plan = Publishing { winner: winner.clone(), tried, assets: assets.clone() };
        entry.update(|operation| {
            if let Operation::Cycle { publishing, .. } = operation {
                *publishing = Some(Box::new(plan));
            }
        })?;
        let mut published = None;
        if let (Some((_, begun)), Some(winner)) = (&begun, &winner) {
            self.check_stops()?;
            let by = Identity::of(&self.config.file.apply, self.signing_environment, (self.clock)())?;
            let made = publish(self.project, &begun.committed, &begun.branch, &by, &entry.file().mark)?;
            self.append(with_branch(&winner.applied, &made))?;
            published = Some(made);
        }
        self.end_cycle(ids, winner.as_ref().map(|winner| winner.proposal.as_str()), candidates)?;
        self.registry.put_documents(&assets)?;
        let landed = match (&winner, &published) {
            (Some(winner), Some(published)) if self.land => Some(self.land(&winner.proposal, published, entry)?),
            _ => None,
        };
        Ok((published, landed))
    }

    /// Moves the checked-out branch forward to what was published, if that touches nothing of a person's.
    fn land(&self, proposal: &str, published: &Published, entry: &mut Entry) -> Result<Landed, PublishingError> {
        let mark = entry.file().mark.clone();
        let planned = match self.check_stops() {
            Err(stop) => Err(stop.to_string()),
            Ok(()) => land::plan(self.project, &published.commit, &mark).map_err(|error| error.to_string()),
        };
        let landing = match planned {
            Ok(landing) => landing,
            Err(reason) => return Ok(Landed::Not { reason }),
        };
        entry.update(|operation| {
            if let Operation::Cycle { publishing: Some(publishing), .. } = operation
                && let Some(winner) = &mut publishing.winner
            {
                winner.landing = Some(landing.clone());
            }
        })?;
        let Landing { into, from, to } = landing.clone();
        let (proposal, branch) = (proposal.to_owned(), published.branch.clone());
        self.append(EntryBody::LandIntent {
            proposal: proposal.clone(),
            branch: branch.clone(),
            into: into.clone(),
            from: from.clone(),
            to: to.clone(),
        })?;
        let by = Identity::of(&self.config.file.apply, self.signing_environment, (self.clock)())?;
        let landed = land::carry_out(self.project, &landing, &by, &mark)?;
        self.append(match &landed {
            Landed::Into(_) => EntryBody::Landed { proposal, branch, into, from, to },
            Landed::Not { reason } => EntryBody::LandFailed { proposal, branch, reason: self.clean(reason) },
        })?;
        Ok(landed)
    }

    fn winner(&self, rank: usize, begun: &Begun<'_>, ids: &Ids) -> Result<Winner, PublishingError> {
        let proposal = begun.intent.approved.proposal_id().to_owned();
        let known = self.registry.genes()?;
        let new = |gene: &&GeneAsset| known.iter().all(|known| known.id != gene.id);
        let applied = EntryBody::Applied {
            proposal: proposal.clone(),
            branch: begun.branch.clone(),
            commit: begun.committed.commit().to_owned(),
            blast_radius: begun.intent.approved.blast_radius(),
            event: Some(ids.event()),
            capsule: Some(ids.capsule(rank)),
            gene_added: begun.intent.gene.filter(new).map(|gene| gene.id.clone()),
        };
        let commit = begun.committed.commit().to_owned();
        Ok(Winner { proposal, branch: begun.branch.clone(), commit, applied, landing: None })
    }

    /// Whether it all has to stop: an interrupt, the kill switch, or no time left.
    pub(super) fn check_stops(&self) -> Result<(), PublishingError> {
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(PublishingError::Interrupted);
        }
        if self.until.is_some_and(|until| Instant::now() >= until) {
            return Err(PublishingError::OutOfTime);
        }
        let stop = self.state.stop();
        // A name that cannot be looked at counts as there: the tighter answer.
        if stop.exists().unwrap_or(true) {
            return Err(PublishingError::KillSwitch { path: stop.path() });
        }
        Ok(())
    }

    /// A text for the log and for assets, without secrets.
    pub(super) fn clean(&self, text: &str) -> String {
        self.config.policy.redact(text)
    }

    pub(super) fn append(&self, body: EntryBody) -> Result<(), LogError> {
        self.log.append((self.clock)(), &body)?;
        Ok(())
    }
}

impl PublishingError {
    /// Whether somebody stopped it, and nothing failed.
    pub fn is_stop(&self) -> bool {
        matches!(self, Self::Interrupted | Self::KillSwitch { .. } | Self::OutOfTime)
    }
}
