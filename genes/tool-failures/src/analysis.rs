//! Everything that is collected from the log, in one pass.

use gephost_gene::run_log::Used;

use crate::call::Call;
use crate::cause_line::{Weight, cause_line};
use crate::cost::Cost;
use crate::environment::Environment;
use crate::groups::Groups;
use crate::loops::Loops;
use crate::places::{self, Places};
use crate::thresholds::Thresholds;

/// What is known after some calls.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    groups: Groups,
    loops: Loops,
    places: Places,
    environment: Environment,
    cost: Cost,
    thresholds: Thresholds,
}

impl Analysis {
    /// The state before the first call.
    pub(crate) fn new(thresholds: Thresholds) -> Self {
        Self { thresholds, ..Self::default() }
    }

    /// Adds what requests to a model used; it must come before the call that the requests led to.
    pub(crate) fn add_usage(&mut self, used: &Used) {
        self.cost.add_usage(used, &self.thresholds);
    }

    /// Adds one call; calls must come oldest first.
    pub(crate) fn add(&mut self, call: &Call<'_>) {
        if self.loops.is_retry(call) {
            return;
        }
        let failures = self.loops.add(call);
        self.cost.add(call, failures, &self.thresholds);
        if !call.failed {
            self.groups.add(call, ("", Weight::Empty), None, &self.thresholds);
            return;
        }
        let cause = cause_line(call.output, call.kind);
        let places = places::of(call);
        self.groups.add(call, cause, places::main(call, &places), &self.thresholds);
        self.places.add(call, &places);
        self.environment.add(call, cause.0);
    }

    /// Completes the analysis at the end of the log. `sessions` are the names of the sessions, by their numbers.
    pub(crate) fn finish(&mut self, sessions: Vec<String>) {
        self.cost.finish(sessions, &self.thresholds);
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

    pub(crate) fn loops(&self) -> &Loops {
        &self.loops
    }

    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    pub(crate) fn environment(&self) -> &Environment {
        &self.environment
    }
}
