//! Several candidates for one finding, tried side by side: which is tried next, which can stop, and which wins.
//!
//! What must stay true: the winner is the best-ranked candidate that holds. Neither the order in which trials end nor
//! the number of parallel trials changes that; they change only how much work is wasted.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The progress of one candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Waiting,
    Running,
    Held,
    Fell,
}

/// A contest between candidates. A candidate is named by its rank; 0 is the best.
#[derive(Debug, Clone)]
pub struct Contest {
    places: Vec<Place>,
    at_once: NonZeroUsize,
}

impl Contest {
    /// A contest of so many candidates, of which at most `at_once` are tried at the same time.
    pub fn new(candidates: usize, at_once: NonZeroUsize) -> Self {
        Self { places: vec![Place::Waiting; candidates], at_once }
    }

    /// Starts the best-ranked waiting candidate, if there is room and no better-ranked one holds. It counts as running.
    pub fn start(&mut self) -> Option<usize> {
        let running = self.places.iter().filter(|place| **place == Place::Running).count();
        let next = self.places.iter().position(|place| *place == Place::Waiting)?;
        if running >= self.at_once.get() || self.leader().is_some_and(|leader| leader < next) {
            return None;
        }
        *self.places.get_mut(next)? = Place::Running;
        Some(next)
    }

    /// Records the end of a candidate's trial.
    pub fn end(&mut self, candidate: usize, holds: bool) {
        if let Some(place) = self.places.get_mut(candidate) {
            *place = if holds { Place::Held } else { Place::Fell };
        }
    }

    /// Whether a candidate can no longer win, because a better-ranked one holds.
    pub fn is_outranked(&self, candidate: usize) -> bool {
        self.leader().is_some_and(|leader| leader < candidate)
    }

    /// The best-ranked candidate that holds so far. It has not won while better-ranked ones run.
    pub fn leader(&self) -> Option<usize> {
        self.places.iter().position(|place| *place == Place::Held)
    }

    /// Whether nothing runs and nothing can be started.
    pub fn is_over(&self) -> bool {
        let open = |(rank, place): (usize, &Place)| match place {
            Place::Running => true,
            Place::Waiting => !self.is_outranked(rank),
            Place::Held | Place::Fell => false,
        };
        !self.places.iter().enumerate().any(open)
    }
}

/// How many candidates are tried at once: one per core and per free GiB of memory, at most the operator's number, and
/// at least one.
pub fn at_once(cores: usize, free_memory: Option<u64>, configured: Option<u64>) -> NonZeroUsize {
    /// The memory that the tests of an ordinary project need.
    const BYTES_EACH: u64 = 1 << 30;
    let bound = |most: u64| usize::try_from(most).unwrap_or(usize::MAX);
    let by_memory = free_memory.map_or(usize::MAX, |bytes| bound(bytes / BYTES_EACH));
    let by_config = configured.map_or(usize::MAX, bound);
    NonZeroUsize::new(cores.min(by_memory).min(by_config)).unwrap_or(NonZeroUsize::MIN)
}

/// What became of one candidate of a cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It held and was published.
    Published,
    /// It held, but a better-ranked one held too.
    Outranked,
    /// It was validated and does not hold.
    Failed,
    /// Its validation was stopped early, because a better-ranked one held.
    Cancelled,
    /// It was never started, because a better-ranked one held.
    NotTried,
    /// It could not be committed or validated.
    Broken,
    /// The kill switch or an interrupt stopped the cycle.
    Stopped,
    /// It does not hold alone, and the repair that was published is built on it.
    Extended,
}

impl Fate {
    /// The name in reports and logs.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Published => "published",
            Self::Outranked => "outranked",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
            Self::NotTried => "not_tried",
            Self::Broken => "broken",
            Self::Stopped => "stopped",
            Self::Extended => "extended",
        }
    }
}

/// One candidate of a cycle and its outcome.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tried {
    /// Id of the proposal.
    pub proposal: String,
    /// Id of the gene that proposed it; absent for a proposal that a person brought, and in older documents.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gene: Option<String>,
    /// Id of the capsule whose change it makes again.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub capsule: Option<String>,
    /// What became of it.
    pub fate: Fate,
    /// The reason, as one line for people.
    pub reason: String,
    /// The steps that it is made of, in order. Empty for a repair of one step.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub steps: Vec<Step>,
    /// Why no further step was built on it, if another failure shows after it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub no_further: Option<String>,
}

impl Tried {
    /// A candidate of one step.
    pub fn new(proposal: &str, fate: Fate, reason: &str) -> Self {
        let (proposal, reason) = (proposal.to_owned(), reason.to_owned());
        Self { proposal, gene: None, capsule: None, fate, reason, steps: Vec::new(), no_further: None }
    }
}

/// One step of a repair of several layers. Each step was gated against the files that the step before it left.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Id of the proposal that was made for this step.
    pub proposal: String,
    /// Its title.
    pub title: String,
    /// Id of the gene that proposed it, or `model:` and the model's name.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub gene: Option<String>,
    /// The line of output that names the failure which shows after this step. Absent if none does, and for a step that
    /// was not validated.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub then_fails: Option<String>,
    /// Ids of the recordings of the gene calls that led to it: `gephost replay ID` runs them again.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub recordings: Vec<String>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Plays a contest; `pick` says which of the running ones ends next. Gives the winner and who was started.
    fn play(holds: &[bool], width: usize, mut pick: impl FnMut(usize) -> usize) -> (Option<usize>, Vec<usize>) {
        let mut contest = Contest::new(holds.len(), NonZeroUsize::new(width).expect("not 0"));
        let (mut running, mut started) = (Vec::new(), Vec::new());
        loop {
            while let Some(candidate) = contest.start() {
                running.push(candidate);
                started.push(candidate);
            }
            if running.is_empty() {
                assert!(contest.is_over());
                return (contest.leader(), started);
            }
            assert!(running.len() <= width && !contest.is_over());
            let candidate = running.remove(pick(running.len()));
            // Whoever is outranked is ended early, which counts as not holding.
            contest.end(candidate, holds[candidate] && !contest.is_outranked(candidate));
        }
    }

    #[test]
    fn one_at_a_time_stops_at_the_first_that_holds() {
        assert_eq!(play(&[false, true, true], 1, |_| 0), (Some(1), vec![0, 1]));
        assert_eq!(play(&[false, false], 1, |_| 0), (None, vec![0, 1]));
        assert_eq!(play(&[], 4, |_| 0), (None, vec![]));
    }

    #[test]
    fn a_faster_one_waits_for_those_ranked_before_it() {
        // The last of the running ones always ends first.
        assert_eq!(play(&[true, true, true], 2, |running| running - 1), (Some(0), vec![0, 1]));
        assert_eq!(play(&[false, true, true], 3, |running| running - 1).0, Some(1));
    }

    #[test]
    fn cores_memory_and_the_operator_bound_how_many_run() {
        let width = |cores, memory, configured| at_once(cores, memory, configured).get();
        assert_eq!(width(8, None, None), 8);
        assert_eq!(width(8, Some(3 << 30), None), 3);
        assert_eq!(width(8, Some(1 << 20), None), 1);
        assert_eq!(width(8, None, Some(2)), 2);
        assert_eq!(width(2, None, Some(64)), 2);
        assert_eq!(width(0, Some(0), Some(0)), 1);
    }

    proptest! {
        #[test]
        fn the_winner_is_the_best_ranked_that_holds_whatever_the_order(
            holds in prop::collection::vec(any::<bool>(), 0..9),
            width in 1..5_usize,
            order in prop::collection::vec(any::<prop::sample::Index>(), 9),
        ) {
            let mut order = order.into_iter();
            let (winner, started) = play(&holds, width, |running| order.next().map_or(0, |index| index.index(running)));
            prop_assert_eq!(winner, holds.iter().position(|holds| *holds));
            let mut once = started.clone();
            once.sort_unstable();
            once.dedup();
            prop_assert_eq!(once, started, "in rank order, each once");
        }
    }
}
