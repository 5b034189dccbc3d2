//! All folds over the log, in one pass: what each call means to each of them.

use crate::call::Call;
use crate::habits::Habits;
use crate::places::{self, Places};
use crate::surroundings::Surroundings;
use crate::tally::Tally;

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
        let place = if call.failed { places::main_place(call) } else { None };
        self.tally.add(call, place);
        self.habits.add(call);
        if call.failed {
            self.places.add(call);
            self.surroundings.add(call);
        }
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
