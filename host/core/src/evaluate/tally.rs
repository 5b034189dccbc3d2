//! Collects what a runner's lines say, piece by piece.
//!
//! A session is one run of the runner. Within a session the last summary counts, since a test may print what looks like
//! one before; sessions are told apart only by what the runner itself writes at their beginning, and are added up.

use crate::validation::{NamedTests, TestCounts, TestEvidence, TestState};

/// What has been read so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    ended: Option<TestEvidence>,
    counts: Option<TestCounts>,
    names: NamedTests,
    /// Names since the last summary.
    since: NamedTests,
    /// Whether names alone are evidence: the runner prints no summary.
    names_suffice: bool,
    /// Whether what is counted are not the tests that are named.
    counts_others: bool,
}

impl Tally {
    /// For a runner that has no summary: its tests are counted by their names.
    pub(super) fn of_names() -> Self {
        Self { names_suffice: true, ..Self::default() }
    }

    /// For a runner whose summary counts something else than the tests that it names.
    pub(super) fn of_others() -> Self {
        Self { counts_others: true, ..Self::default() }
    }

    /// A session begins.
    pub(super) fn begin(&mut self) {
        self.end_session();
    }

    /// A test is named.
    pub(super) fn note(&mut self, name: &str, state: TestState) {
        self.since.note(name, state);
    }

    /// A summary is read.
    pub(super) fn summary(&mut self, counts: TestCounts) {
        self.counts = Some(counts);
        self.names.replace_with(std::mem::take(&mut self.since));
    }

    /// Further tests are counted, where there is one line for each.
    pub(super) fn add(&mut self, counts: TestCounts) {
        self.counts = Some(self.counts.unwrap_or_default().plus(counts));
    }

    /// The evidence; `None` where the lines say nothing of tests. `names` are still taken where no summary was read, if
    /// they are evidence by themselves.
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

/// Tests counted by their names.
pub(super) fn counted(names: &NamedTests) -> TestCounts {
    names.iter().fold(TestCounts::default(), |sum, (_, state)| sum.plus(one(state)))
}

/// One test.
pub(super) fn one(state: TestState) -> TestCounts {
    let none = TestCounts::default();
    match state {
        TestState::Passed => TestCounts { passed: 1, ..none },
        TestState::Failed => TestCounts { failed: 1, ..none },
        TestState::Skipped => TestCounts { skipped: 1, ..none },
    }
}
