//! A test, with what it says.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;
use std::sync::Arc;

use super::fakes::Fakes;

/// A test, or another function that checks something.
#[derive(Debug, Clone, Default)]
pub(super) struct Unit {
    pub(super) name: String,
    /// The classes or blocks around it.
    pub(super) place: String,
    /// Its first line, from 1.
    pub(super) line: u64,
    /// Why it does not run.
    pub(super) off: Option<&'static str>,
    /// What it says. A test that does not change shares it with the one before.
    pub(super) body: Arc<Body>,
}

/// What a test says.
#[derive(Debug, Clone, Default)]
pub(super) struct Body {
    pub(super) checks: BTreeMap<String, u64>,
    /// For its checks of several values at once, how many they are beyond the first.
    pub(super) parts: BTreeMap<String, u64>,
    /// With how many cases it runs.
    pub(super) cases: u64,
    /// What stands before its body and could change what it does: decorators, attributes.
    pub(super) marks: BTreeSet<String>,
    /// The functions that it calls.
    pub(super) calls: BTreeSet<String>,
    pub(super) statements: BTreeSet<String>,
    /// What it puts a fake in place of, and what its file does.
    pub(super) fakes: Fakes,
}

impl Deref for Unit {
    type Target = Body;

    fn deref(&self) -> &Body {
        &self.body
    }
}

impl Unit {
    /// Whether another one says the same, word by word, and runs if this one does.
    pub(super) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.body, &other.body) && self.off == other.off
    }

    /// Its checks, each with every case.
    pub(super) fn value(&self) -> u64 {
        let sum = self.checks.values().fold(0_u64, |sum, weight| sum.saturating_add(*weight));
        if self.off.is_some() { 0 } else { sum.saturating_mul(self.cases) }
    }
}
