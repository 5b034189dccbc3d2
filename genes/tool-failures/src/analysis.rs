//! Everything that is collected from the log, in one pass.

use std::collections::BTreeMap;

use gephost_gene::run_log::{Correction, Used};

use crate::call::Call;
use crate::cause::Cause;
use crate::causes::Causes;
use crate::classify::classify;
use crate::cost::Cost;
use crate::expected::{Expectations, Expected};
use crate::groups::Groups;
use crate::loops::Loops;
use crate::places::{self, Places};
use crate::thresholds::Thresholds;

/// What is known after some calls.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    groups: Groups,
    causes: Causes,
    /// Failures that were meant to happen, by the reason.
    expected: BTreeMap<Expected, Causes>,
    expectations: Expectations,
    loops: Loops,
    places: Places,
    cost: Cost,
    /// What worked next, by the number of the failed call.
    corrections: BTreeMap<u64, Correction>,
    thresholds: Thresholds,
}

impl Analysis {
    /// The state before the first call.
    pub(crate) fn new(thresholds: Thresholds, corrections: Vec<Correction>) -> Self {
        let corrections = corrections.into_iter().map(|correction| (correction.failed, correction)).collect();
        Self { corrections, thresholds, ..Self::default() }
    }

    /// Adds what requests to a model used; it must come before the call that the requests led to.
    pub(crate) fn add_usage(&mut self, used: &Used) {
        self.cost.add_usage(used, &self.thresholds);
    }

    /// Adds a message of the agent; it must come before the call that it announces.
    pub(crate) fn add_message(&mut self, session: u32, text: &str) {
        self.expectations.add_message(session, text);
    }

    /// Adds one call; calls must come oldest first.
    pub(crate) fn add(&mut self, call: &Call<'_>) {
        if self.loops.is_retry(call) {
            return;
        }
        let failures = self.loops.add(call);
        self.cost.add(call, failures, &self.thresholds);
        let expected = self.expectations.add(call);
        if !call.failed {
            self.groups.add(call, "", &self.thresholds);
            return;
        }
        let places = places::of(call);
        let failure = classify(call, self.loops.runs_commands(call), &places);
        let identity =
            self.groups.add(call, if failure.cause == Cause::Silent { "" } else { failure.line }, &self.thresholds);
        let correction = self.corrections.get(&call.event);
        if let Some(reason) = expected {
            self.expected.entry(reason).or_default().add(call, &failure, identity, correction);
            return;
        }
        self.places.add(call, &places);
        self.causes.add(call, &failure, identity, correction);
    }

    /// Completes the analysis at the end of the log. `sessions` are the names of the sessions, by their numbers.
    pub(crate) fn finish(&mut self, sessions: Vec<String>) {
        self.cost.finish(sessions, &self.thresholds);
    }

    /// How many calls and causes exceeded the limits.
    pub(crate) fn left_out(&self) -> u64 {
        self.groups.left_out() + self.causes.left_out()
    }

    pub(crate) fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    pub(crate) fn cost(&self) -> &Cost {
        &self.cost
    }

    pub(crate) fn groups(&self) -> &Groups {
        &self.groups
    }

    pub(crate) fn causes(&self) -> &Causes {
        &self.causes
    }

    pub(crate) fn expected(&self) -> &BTreeMap<Expected, Causes> {
        &self.expected
    }

    pub(crate) fn loops(&self) -> &Loops {
        &self.loops
    }

    pub(crate) fn places(&self) -> &Places {
        &self.places
    }
}
