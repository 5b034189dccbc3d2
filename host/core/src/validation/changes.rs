//! The effect of a change on tests, by name.

use schemars::JsonSchema;
use serde::Serialize;

use super::run::{CommandRun, RunResult};
use super::test_run::NamedTests;
use super::test_run::TestState::{self, Failed, Passed, Skipped};

/// The most names in each list.
pub const MAX_TOLD: usize = 50;

/// Tests of one command on the base and on the change. Lists are sorted, and hold at most [`MAX_TOLD`] names each.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct TestChanges {
    /// Tests that failed on the base each time and no longer fail.
    pub fixed: Vec<String>,
    /// The same, but the change made them milder, so that they are not fixed.
    pub weakened: Vec<String>,
    /// Tests that fail on both.
    pub still_failing: Vec<String>,
    /// Tests that passed on the base and fail now.
    pub newly_failing: Vec<String>,
    /// Tests that fail now and did not run on the base, because an earlier failure, now fixed, prevented it.
    pub appeared: Vec<String>,
    /// Tests that ran on the base but not with the change.
    pub gone: Vec<String>,
    /// Those of them that failed on the base.
    pub gone_failing: Vec<String>,
    /// Tests that failed in one run and passed in another run of the same files.
    pub flaky: Vec<String>,
    /// The number of tests with the same result on both.
    pub unchanged: u64,
    /// The number of names left out of these lists.
    pub left_out: u64,
}

impl TestChanges {
    /// Compares the runs of a command. Without names, or without a run on the base, the lists are empty.
    pub fn of(run: &CommandRun) -> Self {
        let mut changes = Self::default();
        let after = Side::of(&run.after);
        changes.flaky = flaky(&run.after);
        if let Some(before) = &run.before {
            changes.flaky.extend(flaky(before));
            changes.compare(&Side::of(before), &after, before);
            let is_milder = |name: &mut String| run.weakened.iter().any(|test| test.is(name));
            changes.weakened = changes.fixed.extract_if(.., is_milder).collect();
        }
        changes.flaky.sort();
        changes.flaky.dedup();
        changes.bound();
        changes
    }

    /// Whether there is nothing to report.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    fn compare(&mut self, before: &Side<'_>, after: &Side<'_>, base: &RunResult) {
        for (name, state) in before.names.iter().filter(|(_, state)| *state != Skipped) {
            let now = after.state(name);
            let own = || name.to_owned();
            match (state, now) {
                (Failed, Now::Is(Failed)) => self.still_failing.push(own()),
                (Failed, Now::Is(Passed) | Now::FailsNot) if fails_each_time(base, name) => self.fixed.push(own()),
                (Passed, Now::Is(Failed)) => self.newly_failing.push(own()),
                (Passed, Now::Is(Passed)) => self.unchanged += 1,
                (_, Now::Gone | Now::Is(Skipped)) => {
                    self.gone.push(own());
                    if state == Failed {
                        self.gone_failing.push(own());
                    }
                }
                (_, Now::Is(_) | Now::FailsNot | Now::Unknown) => {}
            }
        }
        for name in after.names.failed().filter(|name| before.names.get(name).is_none_or(|state| state == Skipped)) {
            match before.names.above(name) {
                // Only what fails is named there, and this was not: it passed.
                None if before.names_all_failures && !before.names.is_complete() => {
                    self.newly_failing.push(name.to_owned());
                }
                _ => self.appeared.push(name.to_owned()),
            }
        }
    }

    fn bound(&mut self) {
        let lists = [
            &mut self.fixed,
            &mut self.weakened,
            &mut self.still_failing,
            &mut self.newly_failing,
            &mut self.appeared,
            &mut self.gone,
            &mut self.gone_failing,
            &mut self.flaky,
        ];
        for list in lists {
            self.left_out += list.len().saturating_sub(MAX_TOLD) as u64;
            list.truncate(MAX_TOLD);
        }
    }
}

/// The result of a test with the change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Now {
    Is(TestState),
    /// It does not fail: all failing tests are named, and it is not one of them.
    FailsNot,
    /// It was not run.
    Gone,
    Unknown,
}

/// One run, as a side of the comparison.
struct Side<'a> {
    names: &'a NamedTests,
    /// Whether every failing test is named.
    names_all_failures: bool,
}

impl<'a> Side<'a> {
    fn of(result: &'a RunResult) -> Self {
        let counted = result.tests.map(|tests| tests.failed);
        let named = result.names.failed().count() as u64;
        Self { names: &result.names, names_all_failures: counted.is_some_and(|counted| named >= counted) }
    }

    /// The result of a test. A file or package that failed to load counts for all tests in it.
    fn state(&self, name: &str) -> Now {
        match self.names.get(name).or_else(|| self.names.below(name)) {
            Some(state) => Now::Is(state),
            None if self.names.is_complete() => Now::Gone,
            None if self.names_all_failures => Now::FailsNot,
            None => Now::Unknown,
        }
    }
}

/// Whether no run of the same files says that it passed.
fn fails_each_time(result: &RunResult, name: &str) -> bool {
    result.reruns.iter().all(|rerun| !may_pass(rerun, name))
}

fn may_pass(result: &RunResult, name: &str) -> bool {
    matches!(Side::of(result).state(name), Now::Is(Passed) | Now::FailsNot)
}

fn flaky(result: &RunResult) -> Vec<String> {
    let runs = || std::iter::once(result).chain(&result.reruns);
    if result.reruns.is_empty() {
        return Vec::new();
    }
    let failed = runs().flat_map(|run| run.names.failed());
    failed.filter(|name| runs().any(|run| may_pass(run, name))).map(str::to_owned).collect()
}

/// Whether no test failed in every run of a command, although each run named failures: a different test fails each
/// time, so that its passing proves nothing.
pub(crate) fn fails_at_nothing_twice(result: &RunResult) -> bool {
    let names_failures = |run: &RunResult| run.names.failed().next().is_some();
    let all_name = names_failures(result) && result.reruns.iter().all(names_failures);
    all_name && result.names.failed().all(|name| !fails_each_time(result, name))
}
