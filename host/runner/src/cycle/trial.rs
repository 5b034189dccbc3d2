//! Candidates side by side: each is validated in a work copy of its own, in a thread of its own, until the best-ranked
//! one that holds is known.
//!
//! What must stay true: who wins is decided in [`gephost_core::contest`] and never by time; the commands run on the base
//! once for each list of commands; when this returns, no thread, process or work copy of a trial is left.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, OnceLock};
use std::thread::Scope;
use std::time::Duration;

use gephost_core::command::ValidationCommand;
use gephost_core::contest::{Contest, at_once};
use gephost_core::evaluate::{evaluate, merge_reports, read_tests};
use gephost_core::event_log::{EntryBody, Fate, Tried};
use gephost_core::redact::Redactor;
use gephost_core::validation::{CommandRun, Excess, RunResult};

use super::publish::{Begun, Candidate, Intent, Publisher, PublishingError};
use super::record::Ids;
use crate::validate::{self, Attempts, CaptureLimit, End, Limits, RunError, Validator};
use crate::worktree::{WorkCopyError, WorkFolder};

/// What a command may write to one file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;
/// What is kept of each output stream of a command, in bytes, from its beginning and its end.
const KEPT_OUTPUT: CaptureLimit = CaptureLimit { head: 256 << 10, tail: 256 << 10 };
/// How often the stop signs are looked at.
const TICK: Duration = Duration::from_millis(50);
/// Bytes of memory that a command has in any case where the config does not bound it.
const LEAST_MEMORY: u64 = 512 << 20;

/// What the trials came to.
pub(super) struct Contested<'a> {
    /// What became of each candidate, best-ranked first.
    pub(super) candidates: Vec<Candidate>,
    /// The best-ranked candidate that holds, with its rank.
    pub(super) winner: Option<(usize, Begun<'a>)>,
    /// Why a candidate could not be made or validated at all: the first such reason.
    pub(super) broken: Option<PublishingError>,
    /// Why the contest was not carried to its end.
    pub(super) stopped: Option<PublishingError>,
}

/// The runs of a list of commands on the base; set by the trial that claimed it.
type BaseRuns = Arc<OnceLock<Result<Vec<RunResult>, String>>>;

/// What a trial ends with: runs on the base and on the change.
type TrialResult = Result<Vec<CommandRun>, WorkCopyError>;

/// A contest as it goes.
struct Course<'p, 'a> {
    publisher: &'p Publisher<'p>,
    intents: &'p [Intent<'a>],
    ids: &'p Ids,
    contest: Contest,
    flags: &'p [AtomicBool],
    bases: Vec<(&'a [ValidationCommand], BaseRuns)>,
    begun: Vec<Option<Begun<'a>>>,
    candidates: Vec<Candidate>,
    broken: Option<PublishingError>,
    stopped: Option<PublishingError>,
}

impl Publisher<'_> {
    /// Tries the candidates until the best-ranked one that holds is known, or none is left, or somebody stops it.
    pub(super) fn contest<'a>(&self, intents: &[Intent<'a>], ids: &Ids) -> Contested<'a> {
        let flags: Vec<AtomicBool> = intents.iter().map(|_| AtomicBool::new(false)).collect();
        let mut course = Course {
            publisher: self,
            intents,
            ids,
            contest: Contest::new(intents.len(), self.width()),
            flags: &flags,
            bases: Vec::new(),
            begun: intents.iter().map(|_| None).collect(),
            candidates: intents.iter().map(untried).collect(),
            broken: None,
            stopped: None,
        };
        match self.state.work_folder() {
            Ok(folder) => course.run(&folder),
            Err(error) => course.stopped = Some(error.into()),
        }
        course.end()
    }

    /// How many candidates are tried at once.
    fn width(&self) -> NonZeroUsize {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        at_once(cores, free_memory(), self.config.file.validation.parallel)
    }

    fn validator<'v>(&'v self, flag: &'v AtomicBool) -> Validator<'v> {
        let table = &self.config.file.validation;
        let limits = Limits {
            time: Duration::from_secs(table.timeout_s),
            output: KEPT_OUTPUT,
            file_bytes: MAX_FILE_BYTES,
            disk_bytes: table.disk_mib << 20,
            processes: table.processes,
            memory_bytes: memory_bound(table.memory_mib, free_memory()),
        };
        Validator {
            machine: self.tools.machine,
            checkout: self.tools.checkout,
            launcher: self.tools.launcher,
            chosen: self.tools.chosen,
            network: table.network,
            caches: &table.caches,
            readable: &table.read,
            limits,
            reruns: table.reruns,
            interrupt: flag,
        }
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
                    match self.publisher.begin(self.intents[rank], self.ids) {
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
                    Err(RecvTimeoutError::Timeout) => self.stop_for(self.publisher.check_stops()),
                    // Cannot be while we hold a sender.
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
        });
    }

    /// Ends everything for the first reason to stop.
    fn stop_for(&mut self, result: Result<(), PublishingError>) {
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
            publisher: self.publisher,
            folder: folder.clone(),
            commands,
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
    fn fall(&mut self, rank: usize, error: PublishingError) {
        self.contest.end(rank, false);
        if error.is_stop() || matches!(error, PublishingError::Log(_)) {
            return self.stop_for(Err(error));
        }
        self.say(rank, Fate::Broken, &error.to_string());
        self.broken.get_or_insert(error);
    }

    fn say(&mut self, rank: usize, fate: Fate, reason: &str) {
        let tried = &mut self.candidates[rank].tried;
        (tried.fate, tried.reason) = (fate, self.publisher.clean(reason));
    }

    /// What one trial showed.
    fn settle(&mut self, rank: usize, result: TrialResult) -> Result<(), PublishingError> {
        let proposal = self.candidates[rank].tried.proposal.clone();
        if self.flags[rank].load(Ordering::Relaxed) {
            // It was told to end, so what it shows is half a run.
            self.contest.end(rank, false);
            let (fate, reason) = match &self.stopped {
                Some(stopped) => (Fate::Stopped, stopped.to_string()),
                None => (Fate::Cancelled, "ended early: one ranked before it holds".to_owned()),
            };
            self.say(rank, fate, &reason);
            return Ok(self.publisher.give_up(&proposal, &reason)?);
        }
        let runs = match result {
            Ok(runs) => runs,
            Err(error) => {
                self.publisher.give_up(&proposal, &error.to_string())?;
                self.fall(rank, error.into());
                return Ok(());
            }
        };
        let evaluation = evaluate(&runs);
        let (decision, success) = (evaluation.decision.as_str(), evaluation.decision.is_success());
        let report = self.ids.report(rank);
        self.contest.end(rank, success);
        self.publisher.append(EntryBody::ValidationFinished {
            proposal: proposal.clone(),
            report: report.clone(),
            decision: decision.to_owned(),
            success,
            sandbox: Some(self.publisher.tools.chosen.level),
        })?;
        if !success {
            self.publisher.give_up(&proposal, &format!("validation: {decision}"))?;
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
            if let Err(error) = self.publisher.give_up(&proposal, &reason) {
                self.stopped.get_or_insert(error.into());
            }
        }
        if let Some(stopped) = &self.stopped {
            let reason = self.publisher.clean(&stopped.to_string());
            for tried in self.candidates.iter_mut().map(|candidate| &mut candidate.tried) {
                if tried.fate == Fate::NotTried {
                    (tried.fate, tried.reason) = (Fate::Stopped, reason.clone());
                }
            }
        }
        let winner = winner.and_then(|rank| Some((rank, self.begun[rank].take()?)));
        Contested { candidates: self.candidates, winner, broken: self.broken, stopped: self.stopped }
    }
}

fn untried(intent: &Intent<'_>) -> Candidate {
    let tried = Tried {
        proposal: intent.approved.proposal_id().to_owned(),
        fate: Fate::NotTried,
        reason: "one ranked before it holds".to_owned(),
    };
    Candidate { tried, evaluation: None, runs: Vec::new(), report: None }
}

fn same(one: &[ValidationCommand], other: &[ValidationCommand]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.argv() == other.argv())
}

/// The validation of one candidate, in its own thread.
struct Trial<'p> {
    publisher: &'p Publisher<'p>,
    folder: WorkFolder,
    commands: &'p [ValidationCommand],
    base_commit: String,
    commit: String,
    base: BaseRuns,
    flag: &'p AtomicBool,
}

impl Trial<'_> {
    fn run(&self, claims: bool) -> TrialResult {
        if self.commands.is_empty() {
            return Ok(Vec::new());
        }
        if claims {
            // Set in any case, also to a half run: others wait for it.
            let runs = self.runs_on(&self.base_commit).map_err(|error| error.to_string());
            let _ = self.base.set(runs);
        }
        let after = self.runs_on(&self.commit)?;
        let before = self.base.wait().as_deref().unwrap_or_default();
        let before = before.iter().cloned().map(Some).chain(std::iter::repeat(None));
        let pairs = self.commands.iter().zip(before).zip(after);
        Ok(pairs
            .map(|((command, before), after)| CommandRun { text: command.text().to_owned(), before, after })
            .collect())
    }

    fn runs_on(&self, commit: &str) -> Result<Vec<RunResult>, WorkCopyError> {
        let copy = self.folder.copy(self.publisher.project, commit)?;
        let results = self.publisher.validator(self.flag).run(self.commands, &copy);
        let mut redactor = self.publisher.config.policy.redactor();
        let pairs = results.into_iter().zip(self.commands);
        Ok(pairs.map(|(attempts, command)| result_of(attempts, command, &mut redactor)).collect())
    }
}

/// The first attempt, and how the further ones ended. Nothing where an interrupt came before.
fn result_of(attempts: Attempts, command: &ValidationCommand, redactor: &mut Redactor) -> RunResult {
    let mut attempts = attempts.into_iter();
    let Some(first) = attempts.next() else { return RunResult::default() };
    let mut result = run_result(first, command, redactor);
    result.reruns = attempts.map(|attempt| run_result(attempt, command, redactor)).collect();
    result
}

fn run_result(
    run: Result<validate::CommandRun, RunError>,
    command: &ValidationCommand,
    redactor: &mut Redactor,
) -> RunResult {
    match run {
        Ok(run) => {
            let (stdout, stderr) = (run.stdout.text(), run.stderr.text());
            let evidence = merge_reports(read_tests(command.argv(), &stdout, &stderr), run.reports);
            RunResult {
                exit: match run.end {
                    End::Exited(code) => Some(code),
                    End::Signaled(signal) => Some(128 + signal),
                    _ => None,
                },
                timed_out: run.end == End::TimedOut,
                over: match run.end {
                    End::DiskFull => Some(Excess::Disk),
                    End::TooManyProcesses => Some(Excess::Processes),
                    End::OutOfMemory => Some(Excess::Memory),
                    _ => None,
                },
                tests: evidence.as_ref().map(|evidence| evidence.counts),
                names: evidence.unwrap_or_default().names.renamed(|name| redactor.redact(name).into_owned()),
                stdout: redactor.redact(&stdout).into_owned(),
                stderr: redactor.redact(&stderr).into_owned(),
                duration_ms: u64::try_from(run.duration.as_millis()).unwrap_or(u64::MAX),
                reruns: Vec::new(),
            }
        }
        Err(error) => RunResult { stderr: redactor.redact(&error.to_string()).into_owned(), ..RunResult::default() },
    }
}

/// Bytes of memory that one command may use: what the config says, else three quarters of what is free now, so that the
/// machine goes on whatever the command does. Nothing is bounded where neither is known.
fn memory_bound(configured: Option<u64>, free: Option<u64>) -> u64 {
    match (configured, free) {
        (Some(mebibytes), _) => mebibytes << 20,
        (None, Some(free)) => (free / 4 * 3).max(LEAST_MEMORY),
        (None, None) => u64::MAX,
    }
}

/// Bytes of memory that can be had without swapping, where the system says.
fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}
