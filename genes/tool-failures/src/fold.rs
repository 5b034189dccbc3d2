//! All folds over the log, in one pass: what each call means to each of them.

use gephost_gene::run_log::Used;

use crate::call::Call;
use crate::cost::Cost;
use crate::habits::Habits;
use crate::places::{self, Places};
use crate::surroundings::Surroundings;
use crate::tally::Tally;
use crate::telling::{Weight, telling_line};
use crate::thresholds::Thresholds;

/// What is known after some calls.
#[derive(Debug, Default)]
pub(crate) struct Fold {
    tally: Tally,
    habits: Habits,
    places: Places,
    surroundings: Surroundings,
    cost: Cost,
    thresholds: Thresholds,
}

impl Fold {
    /// Nothing is known yet.
    pub(crate) fn new(thresholds: Thresholds) -> Self {
        Self { thresholds, ..Self::default() }
    }

    /// Takes in what requests used; it comes before the call that it is for.
    pub(crate) fn spend(&mut self, used: &Used) {
        self.cost.spend(used, &self.thresholds);
    }

    /// Takes one call in; calls come oldest first.
    pub(crate) fn add(&mut self, call: &Call<'_>) {
        if self.habits.is_retry(call) {
            return;
        }
        let again = self.habits.add(call);
        self.cost.add(call, again, &self.thresholds);
        if !call.failed {
            self.tally.add(call, ("", Weight::Nothing), None, &self.thresholds);
            return;
        }
        let told = telling_line(call.output, call.kind);
        let places = places::of(call);
        self.tally.add(call, told, places::main(call, &places), &self.thresholds);
        self.places.add(call, &places);
        self.surroundings.add(call, told.0);
    }

    /// The log has ended. `sessions` are their names, by their numbers.
    pub(crate) fn finish(&mut self, sessions: Vec<String>) {
        self.cost.finish(sessions, &self.thresholds);
    }

    pub(crate) fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    pub(crate) fn cost(&self) -> &Cost {
        &self.cost
    }

    pub(crate) fn tally(&self) -> &Tally {
        &self.tally
    }

    pub(crate) fn habits(&self) -> &Habits {
        &self.habits
    }

    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    pub(crate) fn surroundings(&self) -> &Surroundings {
        &self.surroundings
    }
}
