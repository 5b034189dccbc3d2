//! The validation of one candidate, in a thread of its own.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use gephost_core::command::ValidationCommand;
use gephost_core::evaluate::{merge_reports, read_tests};
use gephost_core::redact::Redactor;
use gephost_core::validation::{CommandRun, Excess, RunResult, WeakenedTest};
use gephost_runner::validate::{
    self, Attempts, CaptureLimit, Chosen, End, Launcher, Limits, RunError, Validator, free_memory,
};
use gephost_runner::worktree::{self, WorkCopyError, WorkFolder};

use crate::project::Project;
use crate::sink::Note;

/// What a command may write to one file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;
/// Bytes of memory that a command has in any case if the config does not bound it.
const LEAST_MEMORY: u64 = 512 << 20;
/// What is kept of each output stream of a command, in bytes, from its beginning and its end.
const KEPT_OUTPUT: CaptureLimit = CaptureLimit { head: 256 << 10, tail: 256 << 10 };

/// The runs of a list of commands on the base; set by the trial that claimed it.
pub(super) type BaseRuns = Arc<OnceLock<Result<Vec<RunResult>, String>>>;

/// What a trial ends with: runs on the base and on the change.
pub(super) type TrialResult = Result<Vec<CommandRun>, WorkCopyError>;

/// The validation of one candidate, in its own thread.
pub(super) struct Trial<'p> {
    pub(super) outfit: Outfit<'p>,
    /// The repository that has both commits.
    pub(super) repository: &'p worktree::Project,
    pub(super) folder: WorkFolder,
    pub(super) commands: &'p [ValidationCommand],
    /// The tests that the change makes milder.
    pub(super) weakened: &'p [WeakenedTest],
    pub(super) base_commit: String,
    pub(super) commit: String,
    /// The runs on the base, shared by the trials with the same commands.
    pub(super) base: BaseRuns,
    /// Set when the trial is to end.
    pub(super) flag: &'p AtomicBool,
}

impl Trial<'_> {
    /// Runs the commands on the base, if this trial claims that, and on the change.
    pub(super) fn run(&self, claims: bool) -> TrialResult {
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
        let run = |((command, before), after): ((&ValidationCommand, _), _)| {
            let (text, weakened) = (command.text().to_owned(), self.weakened.to_vec());
            CommandRun { text, before, after, weakened, recorded: command.recorded().cloned() }
        };
        Ok(pairs.map(run).collect())
    }

    fn runs_on(&self, commit: &str) -> Result<Vec<RunResult>, WorkCopyError> {
        let copy = self.folder.copy(self.repository, commit)?;
        let project = self.outfit.project;
        let ran = self.outfit.validator(self.flag).run(self.commands, &copy);
        // The base runs once, so that each note is printed once.
        if commit == self.base_commit {
            ran.notes.iter().for_each(|note| project.environment.sink.note(Note::Warning(note)));
        }
        let mut redactor = project.config.policy.redactor();
        let pairs = ran.attempts.into_iter().zip(self.commands);
        let mut results: Vec<_> =
            pairs.map(|(attempts, command)| result_of(attempts, command, &mut redactor)).collect();
        let (copy, root) = (copy.project().to_string_lossy(), self.repository.root().to_string_lossy());
        for result in &mut results {
            name_project(result, &copy, &root);
        }
        Ok(results)
    }
}

/// Writes the project's folder in the place of the copy's, which is another one each time and is gone afterwards.
fn name_project(result: &mut RunResult, copy: &str, root: &str) {
    result.stdout = result.stdout.replace(copy, root);
    result.stderr = result.stderr.replace(copy, root);
    for rerun in &mut result.reruns {
        name_project(rerun, copy, root);
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

pub(super) fn run_result(
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
        Err(error) => RunResult {
            exit: error.exit_code(),
            stderr: redactor.redact(&error.to_string()).into_owned(),
            ..RunResult::default()
        },
    }
}

/// What commands run with, in every copy.
#[derive(Clone, Copy)]
pub(super) struct Outfit<'v> {
    pub(super) project: &'v Project,
    pub(super) launcher: &'v Launcher,
    pub(super) chosen: &'v Chosen,
}

impl<'v> Outfit<'v> {
    /// How commands run. They end when `flag` is set.
    pub(super) fn validator(&self, flag: &'v AtomicBool) -> Validator<'v> {
        let project = self.project;
        let table = &project.config.file.validation;
        let limits = Limits {
            time: Duration::from_secs(table.timeout_s),
            output: KEPT_OUTPUT,
            file_bytes: MAX_FILE_BYTES,
            disk_bytes: table.disk_mib << 20,
            processes: table.processes,
            memory_bytes: memory_bound(table.memory_mib, free_memory()),
        };
        Validator {
            machine: &project.environment.machine,
            checkout: &project.root,
            policy: &project.config.policy,
            launcher: self.launcher,
            chosen: self.chosen,
            network: table.network,
            caches: &table.caches,
            readable: &table.read,
            limits,
            reruns: table.reruns,
            interrupt: flag,
        }
    }
}

/// Bytes of memory that one command may use: what the config says, else three quarters of what is free now, so that the
/// machine goes on whatever the command does. Nothing is bounded if neither is known.
fn memory_bound(configured: Option<u64>, free: Option<u64>) -> u64 {
    match (configured, free) {
        (Some(mebibytes), _) => mebibytes << 20,
        (None, Some(free)) => (free / 4 * 3).max(LEAST_MEMORY),
        (None, None) => u64::MAX,
    }
}

/// Whether two lists hold the same commands in the same order.
pub(super) fn same(one: &[ValidationCommand], other: &[ValidationCommand]) -> bool {
    one.len() == other.len() && one.iter().zip(other).all(|(one, other)| one.argv() == other.argv())
}
