//! The tests that a runner reported: their number and their names.

use std::collections::BTreeMap;
use std::ops::Bound;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The counts of a test runner. Expected failures count as skipped, because they prove nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TestCounts {
    /// Tests that ran and passed.
    pub passed: u64,
    /// Ran and failed, or could not run because of an error.
    pub failed: u64,
    /// Tests that the runner left out.
    pub skipped: u64,
}

impl TestCounts {
    /// How many tests ran.
    pub fn executed(self) -> u64 {
        self.passed.saturating_add(self.failed)
    }

    /// The sum of two counts.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self {
            passed: self.passed.saturating_add(other.passed),
            failed: self.failed.saturating_add(other.failed),
            skipped: self.skipped.saturating_add(other.skipped),
        }
    }
}

/// The result of one test, ordered by severity: of two results for one test, the more severe counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TestState {
    /// It did not run, or its failure was expected.
    Skipped,
    /// It ran and passed.
    Passed,
    /// It ran and failed, or could not run because of an error.
    Failed,
}

/// The most named tests of one run; further ones are only counted.
pub const MAX_NAMED_TESTS: usize = 20_000;
/// The most bytes of a name; a longer one is cut.
const MAX_NAME_BYTES: usize = 400;

/// The separators between the name of a file, package or class and the name of a test in it.
const SEPARATORS: &[&str] = &["::", ".", "/", " > ", " › "];

/// Tests by name, as far as their runner names them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamedTests {
    states: BTreeMap<String, TestState>,
    complete: bool,
}

impl NamedTests {
    /// Adds a test. Of two results for one test, the more severe stays.
    pub fn note(&mut self, name: &str, state: TestState) {
        let name = name.get(..name.floor_char_boundary(MAX_NAME_BYTES)).unwrap_or(name).trim();
        let has_room = !name.is_empty() && self.states.len() < MAX_NAMED_TESTS;
        if let Some(known) = self.states.get_mut(name) {
            *known = state.max(*known);
        } else if has_room {
            self.states.insert(name.to_owned(), state);
        }
    }

    /// Merges another list, whose results replace those of this one.
    pub(crate) fn replace_with(&mut self, later: Self) {
        for (name, state) in later.states {
            self.states.remove(&name);
            self.note(&name, state);
        }
    }

    /// Merges another list; the more severe result stays.
    pub(crate) fn join(&mut self, other: &Self) {
        other.iter().for_each(|(name, state)| self.note(name, state));
        self.complete &= other.complete;
    }

    /// Sets whether every test that ran is named.
    pub(crate) fn set_complete(&mut self, complete: bool) {
        self.complete = complete;
    }

    /// Whether every test that ran is named, so that an unnamed test did not run.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether no test is named.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// The result of a test.
    pub fn get(&self, name: &str) -> Option<TestState> {
        self.states.get(name).copied()
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, TestState)> {
        self.states.iter().map(|(name, state)| (name.as_str(), *state))
    }

    /// Those that failed.
    pub fn failed(&self) -> impl Iterator<Item = &str> {
        self.iter().filter(|(_, state)| *state == TestState::Failed).map(|(name, _)| name)
    }

    /// The most severe result of all tests in the file, package or class of this name.
    pub(crate) fn below(&self, name: &str) -> Option<TestState> {
        let of_it = |separator: &&str| {
            let start = format!("{name}{separator}");
            let range = self.states.range::<str, _>((Bound::Included(start.as_str()), Bound::Unbounded));
            range.take_while(|(below, _)| below.starts_with(&start)).map(|(_, state)| *state).max()
        };
        SEPARATORS.iter().filter_map(of_it).max()
    }

    /// The most severe result of the file, package or class that a test of this name is in.
    pub(crate) fn above(&self, name: &str) -> Option<TestState> {
        let places = SEPARATORS.iter().flat_map(|separator| name.match_indices(separator).take(64));
        places.filter_map(|(at, _)| self.get(&name[..at])).max()
    }

    /// How many ran.
    pub(crate) fn executed(&self) -> u64 {
        self.states.values().filter(|state| **state != TestState::Skipped).count() as u64
    }

    /// The same tests, renamed by `rename`.
    #[must_use]
    pub fn renamed(&self, mut rename: impl FnMut(&str) -> String) -> Self {
        let mut renamed = Self { complete: self.complete, ..Self::default() };
        self.iter().for_each(|(name, state)| renamed.note(&rename(name), state));
        renamed
    }
}

/// The tests of a run, by number and by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TestEvidence {
    /// The counts. All zero means that a runner reported that it found no tests.
    pub counts: TestCounts,
    /// The names of the tests, as far as the output has them.
    pub names: NamedTests,
}

impl TestEvidence {
    /// The sum of two runs.
    #[must_use]
    pub fn plus(mut self, other: Self) -> Self {
        self.names.join(&other.names);
        Self { counts: self.counts.plus(other.counts), names: self.names }
    }
}
