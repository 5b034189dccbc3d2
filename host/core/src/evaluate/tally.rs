//! Collects what the lines of a runner's output report.
//!
//! A session is one run of the runner. Within a session the last summary counts, because a test may have printed
//! something similar before. Sessions are separated only by lines that the runner itself prints at their start, and are
//! added up.

use crate::validation::{NamedTests, TestCounts, TestEvidence, TestState};

/// What has been read so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    ended: Option<TestEvidence>,
    counts: Option<TestCounts>,
    names: NamedTests,
    /// Names read since the last summary.
    since: NamedTests,
    /// Whether names alone are evidence, because the runner prints no summary.
    names_suffice: bool,
    /// Whether the summary counts something other than the named tests.
    counts_others: bool,
}

impl Tally {
    /// For a runner without a summary: tests are counted by their names.
    pub(super) fn of_names() -> Self {
        Self { names_suffice: true, ..Self::default() }
    }

    /// For a runner whose summary counts something other than the tests that it names.
    pub(super) fn of_others() -> Self {
        Self { counts_others: true, ..Self::default() }
    }

    /// Starts a session.
    pub(super) fn begin(&mut self) {
        self.end_session();
    }

    /// Records the name and state of a test.
    pub(super) fn note(&mut self, name: &str, state: TestState) {
        self.since.note(name, state);
    }

    /// Records a summary.
    pub(super) fn summary(&mut self, counts: TestCounts) {
        self.counts = Some(counts);
        self.names.replace_with(std::mem::take(&mut self.since));
    }

    /// Adds tests to the count, for output with one line per test.
    pub(super) fn add(&mut self, counts: TestCounts) {
        self.counts = Some(self.counts.unwrap_or_default().plus(counts));
    }

    /// Returns the evidence; `None` if the lines report no tests. Without a summary, names only count if they are
    /// evidence by themselves.
    pub(super) fn finish(mut self) -> Option<TestEvidence> {
        self.end_session();
        self.ended
    }

    fn end_session(&mut self) {
        let mut names = std::mem::take(&mut self.names);
        names.replace_with(std::mem::take(&mut self.since));
        let by_name = (self.names_suffice && !names.is_empty()).then(|| counted(&names));
        let Some(counts) = self.counts.take().or(by_name) else { return };
        names.set_complete(!self.counts_others && names.executed() >= counts.executed());
        let session = TestEvidence { counts, names };
        self.ended = Some(match self.ended.take() {
            Some(earlier) => earlier.plus(session),
            None => session,
        });
    }
}

/// Counts tests by their names.
pub(super) fn counted(names: &NamedTests) -> TestCounts {
    names.iter().fold(TestCounts::default(), |sum, (_, state)| sum.plus(one(state)))
}

/// The count of one test.
pub(super) fn one(state: TestState) -> TestCounts {
    let none = TestCounts::default();
    match state {
        TestState::Passed => TestCounts { passed: 1, ..none },
        TestState::Failed => TestCounts { failed: 1, ..none },
        TestState::Skipped => TestCounts { skipped: 1, ..none },
    }
}
