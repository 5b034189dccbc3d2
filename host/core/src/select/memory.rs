//! A gene's past with similar signals. Signals are compared by name, so both sides should name an error by its
//! normalised signature.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use schemars::JsonSchema;
use serde::Serialize;

use crate::evolution_event::EvolutionEvent;
use crate::signal::signal_key;

/// A gene is banned if its probability of success is below this.
pub const BAN_BELOW: f64 = 0.18;

/// The fewest tries after which a gene may be banned.
pub const BAN_FROM_TRIES: u64 = 2;

/// Tries of a gene whose change was validated. Mostly it is one.
#[derive(Debug, Clone, PartialEq)]
pub struct Tried {
    /// Id of the gene.
    pub gene: String,
    /// Signals of that cycle.
    pub signals: Vec<String>,
    /// Whether the change held.
    pub success: bool,
    /// How many tries.
    pub times: u64,
    /// The time; a try without one has its full weight. Of several tries, the time at which as many would weigh as much.
    pub at: Option<Timestamp>,
    /// The time of the newest.
    pub last: Option<Timestamp>,
}

impl Tried {
    /// One try.
    pub fn once(gene: String, signals: Vec<String>, success: bool, at: Option<Timestamp>) -> Self {
        Self { gene, signals, success, times: 1, at, last: at }
    }

    /// What an event says of the genes whose candidates were validated.
    pub fn of(event: &EvolutionEvent) -> impl Iterator<Item = Self> {
        let one = |(gene, success): (&str, bool)| Self::once(gene.to_owned(), event.signals.clone(), success, event.at);
        event.outcomes().into_iter().map(one)
    }
}

/// The least Jaccard similarity of their normalised signals at which two cycles count as similar.
pub const MIN_SIMILARITY: f64 = 0.34;

/// The age at which a past outcome weighs half.
pub(super) const HALF_LIFE: SignedDuration = SignedDuration::from_hours(30 * 24);

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

/// What is remembered of one gene for one set of signals.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Remembered {
    /// Id of the gene.
    pub gene: String,
    /// The signals ([`signal_key`]).
    pub signal_key: String,
    /// How many cycles with just these signals used it.
    pub tries: u64,
    /// How many of them succeeded.
    pub successes: u64,
    /// The probability that it succeeds, as of now: old tries weigh less.
    pub probability: f64,
    /// Whether these tries alone would ban it for these signals.
    pub is_banned: bool,
    /// When it was last tried; `None` if no try has a time.
    pub last: Option<String>,
}

/// What is remembered, by signals and then by gene. Selection also counts tries with similar signals ([`MIN_SIMILARITY`]).
pub fn remembered(tried: &[Tried], now: Timestamp) -> Vec<Remembered> {
    let mut groups: BTreeMap<(String, &str), Vec<&Tried>> = BTreeMap::new();
    for one in tried {
        groups.entry((signal_key(&one.signals), &one.gene)).or_default().push(one);
    }
    groups
        .into_iter()
        .map(|((signal_key, gene), similar)| {
            let successes = similar.iter().filter(|one| one.success).map(|one| one.times).sum();
            let last = similar.iter().filter_map(|one| one.last).max().map(|at| at.to_string());
            let memory = Recall { similar, now }.of(gene);
            let Memory { tries, probability } = memory;
            let is_banned = memory.is_banned();
            Remembered { gene: gene.to_owned(), signal_key, tries, successes, probability, is_banned, last }
        })
        .collect()
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

    /// The genes of these tries, some more than once.
    pub(super) fn genes(&self) -> impl Iterator<Item = &str> {
        self.similar.iter().map(|one| one.gene.as_str())
    }

    pub(super) fn of(&self, gene: &str) -> Memory {
        let (mut tries, mut successes, mut weights) = (0_u64, 0.0, 0.0);
        for one in self.similar.iter().filter(|one| one.gene == gene) {
            let weight = self.weight(one);
            tries = tries.saturating_add(one.times);
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
        #[expect(clippy::cast_precision_loss, reason = "a file has far fewer than 2^53 tries")]
        let times = one.times as f64;
        times * (-age / HALF_LIFE.as_secs_f64()).exp2()
    }
}

/// The Jaccard similarity of two sets. Two empty sets are equal.
pub(super) fn similarity(one: &BTreeSet<&str>, other: &BTreeSet<&str>) -> f64 {
    let all = one.union(other).count();
    if all == 0 {
        return 1.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a document of 1 MiB has far fewer than 2^53 signals")]
    let similarity = one.intersection(other).count() as f64 / all as f64;
    similarity
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tried(gene: &str, signals: &[&str], success: bool, at: Option<&str>) -> Tried {
        let signals = signals.iter().map(|signal| (*signal).to_owned()).collect();
        Tried::once(gene.to_owned(), signals, success, at.map(|at| at.parse().expect("a time")))
    }

    #[test]
    fn tries_are_remembered_by_signals_and_gene() {
        let now = "2026-03-03T00:00:00Z".parse().expect("a time");
        let month_ago = Some("2026-02-01T00:00:00Z");
        let rows = remembered(
            &[
                tried("g", &["b", "a"], true, month_ago),
                tried("g", &["a", "b", "a"], false, Some("2026-03-03T00:00:00Z")),
                tried("f", &["a", "b"], true, None),
                tried("g", &[], false, None),
                tried("g", &["errsig:TypeError: x at /home/u/a.js:10:5"], false, None),
                tried("g", &["errsig:TypeError: x at /srv/b.js:99:1"], false, None),
                tried("g", &["errsig:TypeError: x at /srv/b.js:99:1"], false, None),
                tried("g", &["errsig:TypeError: x at /srv/b.js:99:1"], false, None),
            ],
            now,
        );
        let keys: Vec<(&str, &str, u64, u64)> =
            rows.iter().map(|row| (row.signal_key.as_str(), row.gene.as_str(), row.tries, row.successes)).collect();
        assert_eq!(
            keys,
            [("(none)", "g", 1, 0), ("a|b", "f", 1, 1), ("a|b", "g", 2, 1), ("errsig_norm:ffae6ead", "g", 4, 0)]
        );
        // The success is one half-life old: (0.5 + 1) / (1.5 + 2).
        assert!((rows[2].probability - 1.5 / 3.5).abs() < 1e-9, "{:?}", rows[2]);
        assert_eq!(rows[2].last.as_deref(), Some("2026-03-03T00:00:00Z"));
        assert!(rows[3].is_banned && !rows[2].is_banned);
    }
}
