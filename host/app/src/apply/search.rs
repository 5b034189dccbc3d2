//! A search: runs the failing command on the base to see which lines it executes, and tries edits one after another in
//! copies of the base that stay, a few at a time.
//!
//! What must stay true: only what the gate approved runs, and it runs as confined as a validation; nothing is published
//! here: the edit that holds is validated like every other candidate, in fresh copies. The first edit that holds is the one
//! of lowest rank, whatever the order in which trials end.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use gephost_core::command::ValidationCommand;
use gephost_core::contest::at_once;
use gephost_core::gate::{Approved, is_test_path};
use gephost_core::path::RepoPath;
use gephost_core::redact::Redactor;
use gephost_core::tree::FileMode;
use gephost_core::validation::{RunResult, TestCounts};
use gephost_runner::monotonic;
use gephost_runner::sandbox::{Coverage, ExecutedLine};
use gephost_runner::validate::{Bench, Chosen, Launcher, Traced, Validator, Watching, free_memory};
use gephost_runner::worktree::WorkFolder;

use super::session::ApplySession;
use super::trial::{Outfit, run_result};
use crate::cycle::Cycle;
use crate::deadline::Deadline;
use crate::error::AppError;
use crate::sink::Note;
use crate::stages::{Search, Trials};

/// How long the failing command may run on the base. With a slower one too few edits could be tried.
const BASE_TIME: Duration = Duration::from_secs(15);
/// How long it may run after an edit if it did not end on the base.
const HANGING_TIME: Duration = Duration::from_secs(5);
/// What it may take longer after an edit than on the base: so many times as long, and this.
const SLOWER: u32 = 3;
const SLACK: Duration = Duration::from_secs(1);
/// How many more edits are tried after the first that holds, to see whether the commands tell them apart, and for how long.
const MORE: usize = 20;
const MORE_TIME: Duration = Duration::from_secs(10);
/// How often the stop signs are looked at.
const TICK: Duration = Duration::from_millis(20);
/// Largest file whose text is read for its lines, in bytes.
const MAX_SOURCE: u64 = 1 << 20;
/// Most lines that a gene is handed.
const MAX_LINES: usize = 50_000;

/// Searches for a repair of the findings of one cycle.
pub(crate) struct Searcher<'c> {
    cycle: &'c Cycle<'c>,
    until: Option<Deadline>,
    /// What starts commands and how far they are confined, once that is needed.
    tools: OnceCell<(Launcher, Chosen)>,
    /// The interrupt of runs on the base.
    flag: AtomicBool,
    failing: RefCell<Option<Failing>>,
}

/// The commands of a finding, and the one that fails.
#[derive(Clone)]
struct Failing {
    /// The failing one first.
    commands: Vec<ValidationCommand>,
    /// Its run on the base.
    before: RunResult,
    /// How long it may take after an edit.
    time: Duration,
    /// When the search is over.
    until: Deadline,
}

impl<'c> Searcher<'c> {
    /// For a cycle whose candidates are tried.
    pub(crate) fn new(cycle: &'c Cycle<'c>, session: &ApplySession) -> Self {
        let (tools, flag, failing) = (OnceCell::new(), AtomicBool::new(false), RefCell::default());
        Self { cycle, until: session.until, tools, flag, failing }
    }

    fn note(&self, note: Note<'_>) {
        self.cycle.project().environment.sink.note(note);
    }

    fn validator(&self) -> Result<Validator<'_>, AppError> {
        let project = self.cycle.project();
        if self.tools.get().is_none() {
            let launcher = project.launcher()?;
            let chosen = project.confinement(&launcher)?;
            let _ = self.tools.set((launcher, chosen));
        }
        let (launcher, chosen) = self.tools.get().ok_or_else(|| AppError::usage("sandbox", "no sandbox"))?;
        Ok(Outfit { project, launcher, chosen }.validator(&self.flag))
    }

    fn folder(&self) -> Result<WorkFolder, AppError> {
        self.cycle.project().state.work_folder().map_err(|error| AppError::failed("work_folder", error))
    }

    fn bench(&self, folder: &WorkFolder, commands: &[ValidationCommand]) -> Result<Bench<'_>, AppError> {
        let repository = self.cycle.repository()?;
        let copy = folder
            .copy(&repository.git, &repository.head.commit)
            .map_err(|error| AppError::failed("work_folder", error))?;
        Bench::new(self.validator()?, commands, copy).map_err(|error| AppError::failed("work_folder", error))
    }

    /// The first command that fails on the base, twice in the same way, and which lines it executes.
    fn failing(&self, bench: &Bench<'_>, commands: &[ValidationCommand]) -> Result<Result<Coverage, String>, AppError> {
        let project = self.cycle.project();
        let mut redactor = project.config.policy.redactor();
        let mut run = |command: &ValidationCommand, watching, time| {
            let ran = bench.run(command, watching, time, &self.flag);
            run_result(ran, command, &mut redactor)
        };
        for (at, command) in commands.iter().enumerate() {
            project.check_stops(self.until)?;
            let before = run(command, Watching::Nothing, BASE_TIME);
            if before.passed() {
                continue;
            }
            if !fails_in_a_test(&before) {
                return Ok(Err(format!("`{}` fails, but no test of it does", command.text())));
            }
            let again = run(command, Watching::Lines, if before.timed_out { HANGING_TIME } else { BASE_TIME });
            // Which tests failed before a run was ended depends on the time only.
            let differs = !before.timed_out && again.names.failed().ne(before.names.failed());
            if again.passed() || differs {
                return Ok(Err(format!("`{}` fails differently each time", command.text())));
            }
            let mut commands = commands.to_vec();
            commands[..=at].rotate_right(1);
            let taken = Duration::from_millis(before.duration_ms);
            let time = if before.timed_out { HANGING_TIME } else { taken * SLOWER + SLACK };
            let until = Deadline::after(Duration::from_secs(project.config.file.search.max_wall_s));
            *self.failing.borrow_mut() = Some(Failing { commands, before, time, until });
            return Ok(self.coverage(&bench.traced(&|path| self.text(path))));
        }
        Ok(Err("every command passes on the base".to_owned()))
    }

    /// The lines of the project's own files, without those of tests.
    fn coverage(&self, traced: &Traced) -> Result<Coverage, String> {
        let Ok(repository) = self.cycle.repository() else { return Err("there is no repository".to_owned()) };
        let own: BTreeSet<&RepoPath> =
            repository.base.files().map(|(path, _)| path).filter(|path| !is_test_path(path)).collect();
        let count = |failed| u32::try_from(traced.tests.iter().filter(|test| test.failed == failed).count());
        let (failed, passed) = (count(true).unwrap_or(u32::MAX), count(false).unwrap_or(u32::MAX));
        // Without a test that failed, the command as a whole is the test.
        let failed = failed.max(1);
        let mut counts: BTreeMap<&(RepoPath, u32), (u32, u32)> = BTreeMap::new();
        for line in &traced.outside {
            counts.insert(line, (failed, passed));
        }
        for test in &traced.tests {
            for line in &test.lines {
                let count = counts.entry(line).or_default();
                if traced.outside.contains(line) {
                    continue;
                }
                *(if test.failed { &mut count.0 } else { &mut count.1 }) += 1;
            }
        }
        let lines = counts.into_iter().filter(|((path, _), (failed, _))| own.contains(path) && *failed > 0);
        let lines: Vec<ExecutedLine> = lines
            .take(MAX_LINES)
            .map(|((path, line), (failed, passed))| ExecutedLine {
                path: path.as_str().to_owned(),
                line: *line,
                failed,
                passed,
            })
            .collect();
        if lines.is_empty() {
            return Err("no tracer says which lines of the project it executes (Python and Node have one)".to_owned());
        }
        Ok(Coverage { failed, passed, lines, reason: String::new() })
    }

    fn text(&self, path: &RepoPath) -> Option<String> {
        let bytes = self.cycle.repository().ok()?.base.read(path, MAX_SOURCE).ok()?;
        String::from_utf8(bytes.to_vec()).ok()
    }
}

impl Search for Searcher<'_> {
    fn measure(&self, calls: &[String]) -> Result<Coverage, AppError> {
        let project = self.cycle.project();
        if project.config.file.search.max_wall_s == 0 {
            return Ok(Coverage::unmeasured("`[search] max_wall_s` is 0"));
        }
        let commands = project.commands(&project.recorded_commands(calls)?, &[]);
        if commands.is_empty() {
            let reason = "no command is known that shows the failure; record one: gephost record -- COMMAND";
            return Ok(Coverage::unmeasured(reason));
        }
        self.note(Note::Step("running the failing command to see which lines it executes"));
        let bench = self.bench(&self.folder()?, &commands)?;
        let measured = self.failing(&bench, &commands)?;
        Ok(measured.unwrap_or_else(|reason| Coverage::unmeasured(&reason)))
    }

    fn try_edits(&self, edits: &[&Approved]) -> Result<Trials, AppError> {
        let failing = self.failing.borrow().clone();
        let Some(failing) = failing.filter(|_| !edits.is_empty()) else { return Ok(Trials::default()) };
        self.note(Note::Step(&format!("trying up to {} edits", edits.len())));
        let began = monotonic::now();
        let project = self.cycle.project();
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        let width = at_once(cores, free_memory(), project.config.file.validation.parallel).get().min(edits.len());
        let folder = self.folder()?;
        let race = Race::default();
        let mut lanes = Vec::new();
        for _ in 0..width {
            let bench = self.bench(&folder, &failing.commands)?;
            lanes.push(Lane { bench, at: AtomicUsize::new(usize::MAX), flag: AtomicBool::new(false) });
        }
        let stopped = std::thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel::<()>();
            for lane in &lanes {
                let (sender, race, failing) = (sender.clone(), &race, &failing);
                scope.spawn(move || {
                    let mut redactor = project.config.policy.redactor();
                    lane.run(race, edits, failing, &mut redactor);
                    drop(sender);
                });
            }
            drop(sender);
            let mut stopped = Ok(());
            while let Err(RecvTimeoutError::Timeout) = receiver.recv_timeout(TICK) {
                if stopped.is_ok() {
                    stopped = project.check_stops(self.until);
                }
                let last = race.last();
                for lane in &lanes {
                    let is_late = stopped.is_err() || race.is_over(&failing) || lane.at.load(Ordering::Relaxed) > last;
                    lane.flag.fetch_or(is_late, Ordering::Relaxed);
                }
            }
            stopped
        });
        stopped?;
        let tried = race.tried.load(Ordering::Relaxed);
        let wall_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let last = race.last();
        let mut holds = race.holds.into_inner().unwrap_or_else(PoisonError::into_inner);
        holds.retain(|at| *at <= last);
        holds.sort_unstable();
        let out_of_time = holds.is_empty() && tried < edits.len();
        Ok(Trials { tried, holds, out_of_time, wall_ms })
    }
}

/// What the lanes of a search share.
#[derive(Default)]
struct Race {
    next: AtomicUsize,
    /// The numbers of the edits that hold.
    holds: Mutex<Vec<usize>>,
    /// When the search is over, once an edit holds.
    until: OnceLock<Deadline>,
    tried: AtomicUsize,
}

impl Race {
    /// The number of the last edit that is tried.
    fn last(&self) -> usize {
        let holds = self.holds.lock().unwrap_or_else(PoisonError::into_inner);
        holds.iter().min().map_or(usize::MAX, |first| first.saturating_add(MORE))
    }

    fn hold(&self, at: usize) {
        self.until.get_or_init(|| Deadline::after(MORE_TIME));
        self.holds.lock().unwrap_or_else(PoisonError::into_inner).push(at);
    }

    fn is_over(&self, failing: &Failing) -> bool {
        failing.until.is_over() || self.until.get().is_some_and(|until| until.is_over())
    }
}

/// One copy, in which edits are tried one after another.
struct Lane<'c> {
    bench: Bench<'c>,
    /// The edit that is tried now.
    at: AtomicUsize,
    /// Set when the lane is to end.
    flag: AtomicBool,
}

impl Lane<'_> {
    fn run(&self, race: &Race, edits: &[&Approved], failing: &Failing, redactor: &mut Redactor) {
        loop {
            let at = race.next.fetch_add(1, Ordering::Relaxed);
            let is_over = race.is_over(failing) || at > race.last();
            let Some(edit) = edits.get(at).filter(|_| !is_over && !self.flag.load(Ordering::Relaxed)) else { return };
            self.at.store(at, Ordering::Relaxed);
            let holds = self.put(edit, true) && self.holds(failing, redactor);
            if self.flag.load(Ordering::Relaxed) && !holds {
                return;
            }
            race.tried.fetch_add(1, Ordering::Relaxed);
            if holds {
                race.hold(at);
            }
            // A copy that cannot be as it was shows nothing any more.
            if !self.put(edit, false) {
                return;
            }
        }
    }

    /// Writes what the edit changes, or what was there before.
    fn put(&self, edit: &Approved, after: bool) -> bool {
        edit.changes().iter().all(|change| {
            let state = if after { &change.after } else { &change.before };
            state.as_ref().is_some_and(|state| {
                self.bench.write(&change.path, &state.content, state.mode == FileMode::Executable).is_ok()
            })
        })
    }

    /// Whether every command passes, and no test is gone.
    fn holds(&self, failing: &Failing, redactor: &mut Redactor) -> bool {
        failing.commands.iter().enumerate().all(|(at, command)| {
            let (watching, time) = match at {
                0 => (Watching::FirstFailure, failing.time),
                _ => (Watching::Nothing, BASE_TIME),
            };
            let ran = self.bench.run(command, watching, time, &self.flag);
            let after = run_result(ran, command, redactor);
            let counted = |result: &RunResult| result.tests.map_or(0, TestCounts::executed);
            after.passed() && (at > 0 || counted(&after) >= counted(&failing.before))
        })
    }
}

/// Whether a run shows a failing test: its runner says so, an assertion does, or it does not end.
fn fails_in_a_test(run: &RunResult) -> bool {
    const ASSERTIONS: &[&str] = &["AssertionError", "Assertion failed", "RecursionError", "Maximum call stack size"];
    run.timed_out
        || run.has_failed_tests()
        || ASSERTIONS.iter().any(|text| run.stderr.contains(text) || run.stdout.contains(text))
}
