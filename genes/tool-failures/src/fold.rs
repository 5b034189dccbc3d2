//! All folds over the log, in one pass: what each call means to each of them.

use crate::call::Call;
use crate::habits::Habits;
use crate::places::{self, Places};
use crate::surroundings::Surroundings;
use crate::tally::Tally;
use crate::telling::{Weight, telling_line};

/// What is known after some calls.
#[derive(Debug, Default)]
pub(crate) struct Fold {
    tally: Tally,
    habits: Habits,
    places: Places,
    surroundings: Surroundings,
}

impl Fold {
    /// Takes one call in; calls come oldest first.
    pub(crate) fn add(&mut self, call: &Call<'_>) {
        if self.habits.is_retry(call) {
            return;
        }
        self.habits.add(call);
        if !call.failed {
            self.tally.add(call, ("", Weight::Nothing), None);
            return;
        }
        let told = telling_line(call.output, call.kind);
        let places = places::of(call);
        self.tally.add(call, told, places::main(call, &places));
        self.places.add(call, &places);
        self.surroundings.add(call, told.0);
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
