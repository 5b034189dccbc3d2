//! Candidates side by side: each is validated in a work copy of its own, in a thread of its own, until the best-ranked
//! one that holds is known.
//!
//! What must stay true: who wins is decided in [`gephost_core::contest`] and never by time; the commands run on the base
//! once for each list of commands; when this returns, no thread, process or work copy of a trial is left.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::Scope;
use std::time::Duration;

use gephost_core::command::ValidationCommand;
use gephost_core::contest::{Contest, at_once};
use gephost_core::evaluate::evaluate;
use gephost_core::event_log::{EntryBody, Fate, Tried};
use gephost_runner::validate::free_memory;
use gephost_runner::worktree::WorkFolder;

use super::applier::Applier;
use super::candidate::{Begun, Candidate, Intent};
use super::failure::ApplyFailure;
use super::ids::Ids;
use super::trial::{BaseRuns, Trial, TrialResult, same};

/// How often the stop signs are looked at.
const TICK: Duration = Duration::from_millis(50);

/// What the trials came to.
pub(super) struct Contested<'a> {
    /// What became of each candidate, best-ranked first.
    pub(super) candidates: Vec<Candidate>,
    /// The best-ranked candidate that holds, with its rank.
    pub(super) winner: Option<(usize, Begun<'a>)>,
    /// Why a candidate could not be made or validated at all: the first such reason.
    pub(super) broken: Option<ApplyFailure>,
    /// Why the contest was not carried to its end.
    pub(super) stopped: Option<ApplyFailure>,
    /// The commit of each candidate, in memory; absent where none was made.
    pub(super) commits: Vec<Option<String>>,
    /// The runs on the base, for further contests of the cycle.
    pub(super) bases: Bases<'a>,
}

/// The runs on the base, by the list of commands.
pub(super) type Bases<'a> = Vec<(&'a [ValidationCommand], BaseRuns)>;

/// A contest as it goes.
struct Course<'p, 'a> {
    applier: &'p Applier<'p>,
    intents: &'p [Intent<'a>],
    ids: &'p Ids,
    contest: Contest,
    flags: &'p [AtomicBool],
    bases: Bases<'a>,
    begun: Vec<Option<Begun<'a>>>,
    candidates: Vec<Candidate>,
    broken: Option<ApplyFailure>,
    stopped: Option<ApplyFailure>,
}

impl Applier<'_> {
    /// Tries the candidates until the best-ranked one that holds is known, or none is left, or somebody stops it. `bases`
    /// are the runs on the base that earlier contests of the cycle made.
    pub(super) fn contest<'a>(&self, intents: &[Intent<'a>], ids: &Ids, bases: Bases<'a>) -> Contested<'a> {
        let flags: Vec<AtomicBool> = intents.iter().map(|_| AtomicBool::new(false)).collect();
        let mut course = Course {
            applier: self,
            intents,
            ids,
            contest: Contest::new(intents.len(), self.width()),
            flags: &flags,
            bases,
            begun: intents.iter().map(|_| None).collect(),
            candidates: intents.iter().map(untried).collect(),
            broken: None,
            stopped: None,
        };
        match self.project.state.work_folder() {
            Ok(folder) => course.run(&folder),
            Err(error) => course.stopped = Some(error.into()),
        }
        course.end()
    }

    /// How many candidates are tried at once.
    fn width(&self) -> NonZeroUsize {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        at_once(cores, free_memory(), self.project.config.file.validation.parallel)
    }
}

impl<'p, 'a> Course<'p, 'a> {
    fn run(&mut self, folder: &WorkFolder) {
        std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel();
            let mut running = 0_usize;
            loop {
                while self.stopped.is_none() {
                    let Some(rank) = self.contest.start() else { break };
                    match self.applier.begin(self.intents[rank], self.ids) {
                        Ok(begun) => {
                            self.spawn(scope, folder, rank, begun, sender.clone());
                            running += 1;
                        }
                        Err(error) => self.fall(rank, error),
                    }
                }
                if running == 0 {
                    break;
                }
                match receiver.recv_timeout(TICK) {
                    Ok((rank, result)) => {
                        running -= 1;
                        let settled = self.settle(rank, result);
                        self.stop_for(settled);
                    }
                    Err(RecvTimeoutError::Timeout) => {
                        self.stop_for(self.applier.check_stops().map_err(ApplyFailure::from));
                    }
                    // Cannot be while we hold a sender.
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        });
    }

    /// Ends everything for the first reason to stop.
    fn stop_for(&mut self, result: Result<(), ApplyFailure>) {
        if let (Err(error), None) = (result, &self.stopped) {
            self.stopped = Some(error);
        }
        let everything = self.stopped.is_some();
        for (rank, flag) in self.flags.iter().enumerate() {
            if everything || self.contest.is_outranked(rank) {
                flag.store(true, Ordering::Relaxed);
            }
        }
    }

    fn spawn<'scope>(
        &mut self,
        scope: &'scope Scope<'scope, '_>,
        folder: &WorkFolder,
        rank: usize,
        begun: Begun<'a>,
        sender: mpsc::Sender<(usize, TrialResult)>,
    ) where
        'p: 'scope,
        'a: 'scope,
    {
        let commands = begun.intent.commands;
        let known = self.bases.iter().find(|(listed, _)| same(listed, commands)).map(|(_, runs)| Arc::clone(runs));
        // The best-ranked trial of a list of commands runs it on the base: whoever waits for that is ranked behind it,
        // so it is never ended early while they go on.
        let claims = known.is_none();
        let base = known.unwrap_or_else(|| {
            let runs = BaseRuns::default();
            self.bases.push((commands, Arc::clone(&runs)));
            runs
        });
        let trial = Trial {
            outfit: self.applier.outfit(),
            repository: self.applier.repository,
            folder: folder.clone(),
            commands,
            weakened: begun.intent.approved.weakened(),
            base_commit: begun.committed.base().to_owned(),
            commit: begun.committed.commit().to_owned(),
            base,
            flag: &self.flags[rank],
        };
        self.begun[rank] = Some(begun);
        scope.spawn(move || {
            let result = trial.run(claims);
            // Nobody listens only when the contest was given up.
            let _ = sender.send((rank, result));
        });
    }

    /// A candidate could not be made or validated at all.
    fn fall(&mut self, rank: usize, error: ApplyFailure) {
        self.contest.end(rank, false);
        if error.is_stop() || matches!(error, ApplyFailure::Log(_)) {
            return self.stop_for(Err(error));
        }
        self.say(rank, Fate::Broken, &error.to_string());
        self.broken.get_or_insert(error);
    }

    fn say(&mut self, rank: usize, fate: Fate, reason: &str) {
        let tried = &mut self.candidates[rank].tried;
        (tried.fate, tried.reason) = (fate, self.applier.clean(reason));
    }

    /// What one trial showed.
    fn settle(&mut self, rank: usize, result: TrialResult) -> Result<(), ApplyFailure> {
        let proposal = self.candidates[rank].tried.proposal.clone();
        if self.flags[rank].load(Ordering::Relaxed) {
            // It was told to end, so what it shows is half a run.
            self.contest.end(rank, false);
            let (fate, reason) = match &self.stopped {
                Some(stopped) => (Fate::Stopped, stopped.to_string()),
                None => (Fate::Cancelled, "ended early: one ranked before it holds".to_owned()),
            };
            self.say(rank, fate, &reason);
            return Ok(self.applier.give_up(&proposal, &reason)?);
        }
        let runs = match result {
            Ok(runs) => runs,
            Err(error) => {
                self.applier.give_up(&proposal, &error.to_string())?;
                self.fall(rank, error.into());
                return Ok(());
            }
        };
        let evaluation = evaluate(&runs);
        let (decision, success) = (evaluation.decision.as_str(), evaluation.decision.is_success());
        let report = self.ids.report(rank);
        self.contest.end(rank, success);
        self.applier.append(&EntryBody::ValidationFinished {
            proposal: proposal.clone(),
            report: report.clone(),
            decision: decision.to_owned(),
            success,
            sandbox: Some(self.applier.tools.chosen.level),
        })?;
        if !success {
            self.applier.give_up(&proposal, &format!("validation: {decision}"))?;
        }
        self.say(rank, if success { Fate::Outranked } else { Fate::Failed }, decision);
        let candidate = &mut self.candidates[rank];
        (candidate.evaluation, candidate.runs, candidate.report) = (Some(evaluation), runs, Some(report));
        Ok(())
    }

    /// Closes the books: of those that held, all but the best-ranked are given up.
    fn end(mut self) -> Contested<'a> {
        let held = |candidate: &Candidate| candidate.tried.fate == Fate::Outranked;
        let winner = self.contest.leader().filter(|_| self.stopped.is_none());
        for rank in 0..self.candidates.len() {
            if Some(rank) == winner || !held(&self.candidates[rank]) {
                continue;
            }
            let (fate, reason) = match &self.stopped {
                Some(stopped) => (Fate::Stopped, stopped.to_string()),
                None => (Fate::Outranked, "it holds too, and one ranked before it does".to_owned()),
            };
            self.say(rank, fate, &reason);
            let proposal = self.candidates[rank].tried.proposal.clone();
            if let Err(error) = self.applier.give_up(&proposal, &reason) {
                self.stopped.get_or_insert(error.into());
            }
        }
        if let Some(stopped) = &self.stopped {
            let reason = self.applier.clean(&stopped.to_string());
            for tried in self.candidates.iter_mut().map(|candidate| &mut candidate.tried) {
                if tried.fate == Fate::NotTried {
                    (tried.fate, tried.reason) = (Fate::Stopped, reason.clone());
                }
            }
        }
        let commit = |begun: &Option<Begun<'_>>| begun.as_ref().map(|begun| begun.committed.commit().to_owned());
        let commits = self.begun.iter().map(commit).collect();
        let winner = winner.and_then(|rank| Some((rank, self.begun[rank].take()?)));
        let Self { candidates, broken, stopped, bases, .. } = self;
        Contested { candidates, winner, broken, stopped, commits, bases }
    }
}

fn untried(intent: &Intent<'_>) -> Candidate {
    let tried = Tried::new(intent.approved.proposal_id(), Fate::NotTried, "one ranked before it holds");
    let tried = Tried { steps: intent.steps.to_vec(), ..tried };
    let gene = intent.gene.map(|gene| gene.id.clone()).or_else(|| intent.capsule.and(intent.proposal.gene.clone()));
    let tried = Tried { gene, capsule: intent.capsule.map(str::to_owned), ..tried };
    Candidate {
        title: intent.proposal.title.clone(),
        blast_radius: intent.approved.blast_radius(),
        risk_score: intent.approved.risk_score(),
        tried,
        evaluation: None,
        runs: Vec::new(),
        report: None,
    }
}
