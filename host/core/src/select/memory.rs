//! A gene's past with similar signals. Signals are compared by name, so both sides should name an error by its
//! normalised signature.

use std::collections::BTreeSet;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

/// A gene is banned if its probability of success is below this.
pub const BAN_BELOW: f64 = 0.18;

/// The fewest tries after which a gene may be banned.
pub const BAN_FROM_TRIES: u64 = 2;

/// One try of a gene whose change was validated.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// Id of the gene.
    pub gene: String,
    /// Signals of that cycle.
    pub signals: Vec<String>,
    /// Whether the change held.
    pub success: bool,
    /// The time; a try without one has its full weight.
    pub at: Option<Timestamp>,
}

/// The least Jaccard similarity of their normalised signals at which two cycles count as similar.
pub const MIN_SIMILARITY: f64 = 0.34;

/// The age, in days, at which a past outcome weighs half.
const HALF_LIFE_DAYS: f64 = 30.0;

/// A gene's past with similar signals.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct Memory {
    /// How many cycles used it.
    pub tries: u64,
    /// The probability that it succeeds: (s + 1) / (n + 2) over weights that fade with age; 0.5 without a past.
    pub probability: f64,
}

impl Memory {
    /// Whether it failed too often to be tried again.
    pub fn is_banned(self) -> bool {
        self.tries >= BAN_FROM_TRIES && self.probability < BAN_BELOW
    }
}

/// The tries whose signals are similar to those of an observation.
pub(super) struct Recall<'a> {
    similar: Vec<&'a Tried>,
    now: Timestamp,
}

impl<'a> Recall<'a> {
    pub(super) fn new(signals: &[String], tried: &'a [Tried], now: Timestamp) -> Self {
        let signals: BTreeSet<&str> = signals.iter().map(String::as_str).collect();
        let is_similar =
            |one: &&Tried| similarity(&signals, &one.signals.iter().map(String::as_str).collect()) >= MIN_SIMILARITY;
        Self { similar: tried.iter().filter(is_similar).collect(), now }
    }

    pub(super) fn of(&self, gene: &str) -> Memory {
        let (mut tries, mut successes, mut weights) = (0_u64, 0.0, 0.0);
        for one in self.similar.iter().filter(|one| one.gene == gene) {
            let weight = self.weight(one);
            tries = tries.saturating_add(1);
            weights += weight;
            if one.success {
                successes += weight;
            }
        }
        Memory { tries, probability: (successes + 1.0) / (weights + 2.0) }
    }

    /// A try without a time, or in the future, has its full weight.
    fn weight(&self, one: &Tried) -> f64 {
        let age = one.at.map_or(0.0, |at| self.now.duration_since(at).as_secs_f64()).max(0.0);
        (-age / (86_400.0 * HALF_LIFE_DAYS)).exp2()
    }
}

/// The Jaccard similarity of two sets. Two empty sets are equal.
fn similarity(one: &BTreeSet<&str>, other: &BTreeSet<&str>) -> f64 {
    let all = one.union(other).count();
    if all == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a document of 1 MiB has far fewer than 2^53 signals")]
    let similarity = one.intersection(other).count() as f64 / all as f64;
    similarity
}
