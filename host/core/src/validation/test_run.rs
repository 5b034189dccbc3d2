//! What a test runner said: how many tests, and which.

use std::collections::BTreeMap;
use std::ops::Bound;

use serde::{Deserialize, Serialize};

/// What a test runner counted. Expected failures count as skipped: nothing was proven by them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TestCounts {
    /// Ran and passed.
    pub passed: u64,
    /// Ran and failed, or could not be run for an error.
    pub failed: u64,
    /// Was not run.
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

/// How one test ended. The order is that of gravity: of two words on one test the greater counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TestState {
    /// It was not run, or its failure was expected.
    Skipped,
    /// It ran and passed.
    Passed,
    /// It ran and failed, or could not be run for an error.
    Failed,
}

/// The most tests that are known by name of one run; further ones are counted only.
pub const MAX_NAMED_TESTS: usize = 20_000;
/// The longest name that is kept, in bytes; of a longer one the beginning.
const MAX_NAME_BYTES: usize = 400;

/// What stands between the name of a file, package or class and that of a test in it.
const SEPARATORS: &[&str] = &["::", ".", "/", " > ", " › "];

/// Tests by name, as far as their runner names them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct NamedTests {
    states: BTreeMap<String, TestState>,
    complete: bool,
}

impl NamedTests {
    /// Notes a test. Of two words on the same test the graver one stays.
    pub fn note(&mut self, name: &str, state: TestState) {
        let name = name.get(..name.floor_char_boundary(MAX_NAME_BYTES)).unwrap_or(name).trim();
        let has_room = !name.is_empty() && self.states.len() < MAX_NAMED_TESTS;
        if let Some(known) = self.states.get_mut(name) {
            *known = state.max(*known);
        } else if has_room {
            self.states.insert(name.to_owned(), state);
        }
    }

    /// Takes over what another list says, in the place of what this one says.
    pub(crate) fn replace_with(&mut self, later: Self) {
        for (name, state) in later.states {
            self.states.remove(&name);
            self.note(&name, state);
        }
    }

    /// Takes over another list; the graver word stays.
    pub(crate) fn join(&mut self, other: &Self) {
        other.iter().for_each(|(name, state)| self.note(name, state));
        self.complete &= other.complete;
    }

    /// Says whether every test that ran is named.
    pub(crate) fn set_complete(&mut self, complete: bool) {
        self.complete = complete;
    }

    /// Whether every test that ran is named, so that one which is not was not run.
    pub fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether no test is named.
    pub fn is_empty(&self) -> bool {
        self.states.is_empty()
    }

    /// What is said of a test.
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

    /// The graver word on all tests of what has this name: a file, a package or a class.
    pub(crate) fn below(&self, name: &str) -> Option<TestState> {
        let of_it = |separator: &&str| {
            let start = format!("{name}{separator}");
            let range = self.states.range::<str, _>((Bound::Included(start.as_str()), Bound::Unbounded));
            range.take_while(|(below, _)| below.starts_with(&start)).map(|(_, state)| *state).max()
        };
        SEPARATORS.iter().filter_map(of_it).max()
    }

    /// The graver word on what a test of this name is in.
    pub(crate) fn above(&self, name: &str) -> Option<TestState> {
        let places = SEPARATORS.iter().flat_map(|separator| name.match_indices(separator).take(64));
        places.filter_map(|(at, _)| self.get(&name[..at])).max()
    }

    /// How many ran.
    pub(crate) fn executed(&self) -> u64 {
        self.states.values().filter(|state| **state != TestState::Skipped).count() as u64
    }

    /// The same tests under names that `rename` makes of theirs.
    #[must_use]
    pub fn renamed(&self, mut rename: impl FnMut(&str) -> String) -> Self {
        let mut renamed = Self { complete: self.complete, ..Self::default() };
        self.iter().for_each(|(name, state)| renamed.note(&rename(name), state));
        renamed
    }
}

/// What a run says of tests, by number and by name.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TestEvidence {
    /// The numbers. All zero means that a runner said so: it found none.
    pub counts: TestCounts,
    /// The names.
    pub names: NamedTests,
}

impl TestEvidence {
    /// Two runs together.
    #[must_use]
    pub fn plus(mut self, other: Self) -> Self {
        self.names.join(&other.names);
        Self { counts: self.counts.plus(other.counts), names: self.names }
    }
}
