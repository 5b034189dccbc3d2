//! Judges the runs of the validation commands: whether the change holds, and on what evidence (invariant 13).
//!
//! A success needs commands that ran and passed, and evidence: a failure that is fixed, or tests that were counted.
//! Passing commands without evidence have a verdict of their own, which is not a success.

mod elsewhere;
mod junit;
mod progress;
mod runners;
mod standing;
mod tally;
mod text;

use std::fmt;

use crate::capsule::{Outcome, OutcomeStatus};
use crate::signal::{error_signature, normalise_signature};
use crate::validation::{CommandRun, Excess, RunResult, TestCounts, WeakenedTest, fails_at_nothing_twice};

pub use elsewhere::error_line;
pub use junit::{JunitError, MAX_JUNIT_BYTES, merge_reports, read_junit};
pub use progress::next_failure;
pub use runners::read_tests;
pub use standing::{broadcast_refusals, confidence, streak_weight, success_streak, success_streaks};

pub use crate::validation::{MAX_TOLD, TestChanges};

/// The verdict on the runs of the commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Decision {
    /// All commands pass, and one of them failed on the base.
    Fixed,
    /// All commands pass, as on the base, and tests were counted. Nothing broke, and nothing was shown to be fixed.
    Unchanged,
    /// A command fails that did not pass on the base either, or was not run there.
    StillFailing,
    /// A command fails as on the base, but less: fewer tests fail, or the failure is a different one.
    Improved,
    /// A command or a test fails that passed on the base.
    NewlyFailing,
    /// All commands pass, but fewer tests ran than on the base, or a test that failed there was not run.
    FewerTests,
    /// All commands pass, but every test that failed on the base may check less with the change. A test that the change left
    /// alone and that is fixed by name would show a repair.
    WeakenedTests,
    /// All commands pass, but the failure that the operator recorded does not show on the base: the recorded command passes
    /// there too.
    NotReproduced,
    /// A runner found no tests, or all commands pass and no test was counted.
    NoTests,
    /// No command could be run.
    NothingExecuted,
    /// A command cannot run where it is validated: what it needs is missing there, without the change too.
    CannotRun,
    /// A command exceeded its time limit.
    TimedOut,
}

impl Decision {
    /// The name in reports and logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fixed => "fixed",
            Self::Unchanged => "unchanged",
            Self::StillFailing => "still_failing",
            Self::Improved => "improved",
            Self::NewlyFailing => "newly_failing",
            Self::FewerTests => "fewer_tests",
            Self::WeakenedTests => "weakened_tests",
            Self::NotReproduced => "not_reproduced",
            Self::NoTests => "no_tests",
            Self::NothingExecuted => "nothing_executed",
            Self::CannotRun => "cannot_run",
            Self::TimedOut => "timed_out",
        }
    }

    /// Whether the change is accepted.
    pub fn is_success(self) -> bool {
        matches!(self, Self::Fixed | Self::Unchanged)
    }

    /// The score of a capsule. A proven repair gets 0.85 and a failure 0.2, as in seed 001. A change that only broke
    /// nothing stays below the 0.7 that sharing requires.
    pub fn score(self) -> f64 {
        match self {
            Self::Fixed => 0.85,
            Self::Unchanged => 0.6,
            Self::Improved => 0.4,
            Self::StillFailing | Self::NotReproduced | Self::NoTests | Self::TimedOut => 0.2,
            Self::FewerTests | Self::WeakenedTests | Self::NewlyFailing | Self::NothingExecuted | Self::CannotRun => {
                0.0
            }
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The evaluation of one change.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluation {
    /// What the runs on base and change show together.
    pub decision: Decision,
    /// The same as the outcome of a capsule and an event.
    pub outcome: Outcome,
    /// Tests of all commands on the base; `None` if none was counted.
    pub before: Option<TestCounts>,
    /// Tests of all commands with the change; `None` if none was counted.
    pub after: Option<TestCounts>,
    /// One line for each command that speaks against the change; empty for a success.
    pub errors: Vec<String>,
}

/// Evaluates the runs of the commands.
pub fn evaluate(runs: &[CommandRun]) -> Evaluation {
    let before = total(runs.iter().filter_map(|run| run.before.as_ref()));
    let after = total(runs.iter().map(|run| &run.after));
    let decision = decide(runs, after);
    let status = if decision.is_success() { OutcomeStatus::Success } else { OutcomeStatus::Failed };
    let outcome = Outcome { status, score: decision.score() };
    Evaluation { decision, outcome, before, after, errors: errors(runs, decision) }
}

fn total<'a>(results: impl Iterator<Item = &'a RunResult>) -> Option<TestCounts> {
    results.filter_map(|result| result.tests).reduce(TestCounts::plus)
}

/// The most severe result of any command decides. The branches are in order of severity.
fn decide(runs: &[CommandRun], after: Option<TestCounts>) -> Decision {
    let any = |shows: fn(&CommandRun) -> bool| runs.iter().any(shows);
    let changes: Vec<TestChanges> = runs.iter().map(TestChanges::of).collect();
    if !any(|run| was_run(&run.after)) {
        Decision::NothingExecuted
    } else if any(|run| run.after.timed_out) {
        Decision::TimedOut
    } else if any(breaks) || changes.iter().any(|changes| !changes.newly_failing.is_empty()) {
        Decision::NewlyFailing
    } else if any(|run| elsewhere::cannot_run(run).is_some()) {
        Decision::CannotRun
    } else if any(|run| fails(&run.after)) {
        let improved = |(run, changes): (&CommandRun, &TestChanges)| !fails(&run.after) || is_improved(run, changes);
        if runs.iter().zip(&changes).all(improved) { Decision::Improved } else { Decision::StillFailing }
    } else if any(lost_tests) || changes.iter().any(|changes| !changes.gone_failing.is_empty()) {
        Decision::FewerTests
    } else if any(|run| !run.after.passed()) {
        Decision::NoTests
    } else if any(|run| fixed_by_weakening(run).next().is_some()) && changes.iter().all(|run| run.fixed.is_empty()) {
        Decision::WeakenedTests
    } else if any(|run| run.before.as_ref().is_some_and(fails_each_time)) {
        Decision::Fixed
    } else if any(does_not_reproduce) {
        Decision::NotReproduced
    } else if after.is_some_and(|tests| tests.executed() > 0) {
        Decision::Unchanged
    } else {
        Decision::NoTests
    }
}

/// Whether the command was started, and not stopped by the user.
fn was_run(result: &RunResult) -> bool {
    result.exit.is_some() || result.timed_out || result.over.is_some()
}

/// Whether the command did not pass. A runner that found no tests also exits with a code other than 0 (pytest 5,
/// nextest 4, npm 1), but that is not a failure.
fn fails(result: &RunResult) -> bool {
    let found_none = result.exit.is_some() && result.tests == Some(TestCounts::default());
    !result.passed() && !found_none
}

/// Whether the command was run and never passed. If it also passes when it is run again without the change, it is
/// flaky, and the change did not fix it.
fn fails_each_time(result: &RunResult) -> bool {
    was_run(result) && fails(result) && !result.reruns.iter().any(RunResult::passed) && !fails_at_nothing_twice(result)
}

fn breaks(run: &CommandRun) -> bool {
    fails(&run.after) && run.before.as_ref().is_some_and(RunResult::passed)
}

/// Whether the operator recorded how the command failed, and it passes on the base. Then it shows nothing of the change.
fn does_not_reproduce(run: &CommandRun) -> bool {
    run.recorded.as_ref().is_some_and(|recorded| recorded.exit_code != 0)
        && run.before.as_ref().is_some_and(RunResult::passed)
}

/// Whether a command that fails on both fails less, or differently, with the change.
fn is_improved(run: &CommandRun, changes: &TestChanges) -> bool {
    let Some(before) = run.before.as_ref().filter(|before| fails_each_time(before)) else { return false };
    if !changes.fixed.is_empty() || !changes.appeared.is_empty() {
        return true;
    }
    match (before.tests, run.after.tests) {
        _ if !changes.weakened.is_empty() => false,
        (Some(before), Some(after)) if before.executed() <= after.executed() => after.failed < before.failed,
        (None, Some(after)) => after.passed > 0,
        (None, None) => {
            let error =
                |result: &RunResult| error_signature(&result.stderr).or_else(|| error_signature(&result.stdout));
            let (before, after) = (error(before), error(&run.after));
            before.zip(after).is_some_and(|(before, after)| normalise_signature(&before) != normalise_signature(&after))
        }
        _ => false,
    }
}

/// Whether fewer tests ran. Skipping, deselecting or deleting the failing test is not a repair.
fn lost_tests(run: &CommandRun) -> bool {
    let before = run.before.as_ref().and_then(|before| before.tests).unwrap_or_default();
    let after = run.after.tests.unwrap_or_default();
    after.executed() < before.executed()
}

/// The weakened tests that could be why a command passes that failed on the base: those that failed there by name. If
/// the runner names no failure, any of them could be.
fn fixed_by_weakening(run: &CommandRun) -> impl Iterator<Item = &WeakenedTest> {
    let before = run.before.as_ref().filter(|before| fails_each_time(before));
    let could_be = move |test: &&WeakenedTest| {
        before.is_some_and(|before| {
            let mut failed = before.names.failed().peekable();
            failed.peek().is_none() || failed.any(|name| test.is(name))
        })
    };
    run.weakened.iter().filter(could_be)
}

fn errors(runs: &[CommandRun], decision: Decision) -> Vec<String> {
    match decision {
        Decision::Fixed | Decision::Unchanged => Vec::new(),
        Decision::NothingExecuted if runs.is_empty() => {
            vec!["there is no validation command: add one to `tests_to_run` or to `[validation] commands`".to_owned()]
        }
        Decision::NotReproduced => runs.iter().filter(|run| does_not_reproduce(run)).map(not_reproduced_line).collect(),
        Decision::NoTests if runs.iter().all(|run| run.after.passed()) => {
            vec!["all commands pass, as on the base, but no test was counted: there is no evidence".to_owned()]
        }
        Decision::NothingExecuted | Decision::CannotRun => {
            runs.iter().filter(|run| !run.after.passed()).map(cannot_line).collect()
        }
        Decision::FewerTests => runs.iter().filter_map(fewer_line).collect(),
        Decision::WeakenedTests => runs.iter().flat_map(weakened_lines).collect(),
        Decision::NewlyFailing | Decision::Improved => {
            let failing = runs.iter().filter(|run| !run.after.passed());
            failing.flat_map(|run| std::iter::once(failure_line(run)).chain(named_line(run))).collect()
        }
        _ => runs.iter().filter(|run| !run.after.passed()).map(failure_line).collect(),
    }
}

/// Why a command cannot run here. In a list of several, others may have run and failed.
fn cannot_line(run: &CommandRun) -> String {
    match elsewhere::cannot_run(run) {
        Some(why) => format!("cannot run here: `{}`: {why}", run.text),
        None => failure_line(run),
    }
}

fn not_reproduced_line(run: &CommandRun) -> String {
    let code = run.recorded.as_ref().map_or(0, |recorded| recorded.exit_code);
    format!(
        "`{}` ended with {code} when it was recorded, and passes here without the change: nothing shows that the change \
         repairs it; if it still fails for you, record it again",
        run.text
    )
}

fn fewer_line(run: &CommandRun) -> Option<String> {
    let gone = TestChanges::of(run).gone;
    let names = if gone.is_empty() { String::new() } else { format!("; no longer run: {}", listed(&gone)) };
    let before = run.before.as_ref().and_then(|before| before.tests).unwrap_or_default();
    let after = run.after.tests.unwrap_or_default();
    let is_fewer = lost_tests(run) || !gone.is_empty();
    is_fewer.then(|| {
        format!("`{}`: {} tests ran, but {} on the base{names}", run.text, after.executed(), before.executed())
    })
}

fn weakened_lines(run: &CommandRun) -> Vec<String> {
    let line = |test: &WeakenedTest| {
        let name = test.name.as_deref().unwrap_or("a test");
        format!("`{}`: {name} in {} failed on the base and checks less now: {}", run.text, test.path, test.why)
    };
    fixed_by_weakening(run).take(MAX_TOLD).map(line).collect()
}

/// The tests that fail with the change and did not fail on the base.
fn named_line(run: &CommandRun) -> Option<String> {
    let changes = TestChanges::of(run);
    let line = |what: &str, names: &[String]| Some(format!("`{}`: {what}: {}", run.text, listed(names)));
    match (changes.newly_failing.as_slice(), changes.appeared.as_slice()) {
        ([], []) => None,
        ([], appeared) => line("now fails instead", appeared),
        (newly, _) => line("newly failing", newly),
    }
}

/// The first names of a list, and how many more there are.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn failure_line(run: &CommandRun) -> String {
    let after = &run.after;
    let end = match after.exit {
        _ if after.timed_out => "exceeded its time limit".to_owned(),
        _ if after.over == Some(Excess::Disk) => "was stopped: it exceeded its disk limit".to_owned(),
        _ if after.over == Some(Excess::Processes) => "was stopped: it exceeded its process limit".to_owned(),
        _ if after.over == Some(Excess::Memory) => "was stopped: it exceeded its memory limit".to_owned(),
        None => match after.stderr.lines().next() {
            Some(why) => format!("did not finish: {why}"),
            None => "did not finish".to_owned(),
        },
        Some(0) => "exit code 0, but tests failed".to_owned(),
        Some(code) if !fails(after) => format!("found no tests (exit code {code})"),
        Some(code) => format!("exit code {code}"),
    };
    let tests = after.tests.filter(|tests| tests.failed > 0);
    let tests = tests.map(|tests| format!(", {} of {} tests failed", tests.failed, tests.executed()));
    let newly = if run.before.as_ref().is_some_and(RunResult::passed) { ", but passed on the base" } else { "" };
    format!("`{}`: {end}{}{newly}", run.text, tests.unwrap_or_default())
}

#[cfg(test)]
mod tests;
