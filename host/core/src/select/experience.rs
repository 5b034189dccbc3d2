//! What is remembered of tries that lie further back than those that are read one by one: a summary with a bound.
//!
//! Tries of one gene with the same signals and the same outcome become one entry: how many they are, and the time at which
//! as many tries would weigh as much as these do. Every try loses half of its weight in the same time, so this changes no
//! probability. What must stay true: the same tries in the same order give the same summary; and it has at most
//! [`MAX_ENTRIES`] entries with [`MAX_SIGNAL_BYTES`] of signals. The entries that weigh least are dropped first, and counted.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};

use super::memory::{HALF_LIFE, Tried};

/// The most entries of a summary.
pub const MAX_ENTRIES: usize = 4096;
/// The most bytes of the signals and genes of all entries together.
pub const MAX_SIGNAL_BYTES: usize = 4 << 20;

/// A summary of tries.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experience {
    entries: Vec<Entry>,
    /// How many tries were dropped with their entries.
    pub dropped_tries: u64,
    /// The time of the newest try.
    #[serde(with = "as_text")]
    newest: Option<Timestamp>,
}

/// Tries of one gene with the same signals and the same outcome.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    of: Of,
    times: u64,
    /// When as many tries would weigh as much; `None` for tries without a time.
    #[serde(with = "as_text")]
    at: Option<Timestamp>,
    /// The newest of them.
    #[serde(with = "as_text")]
    last: Option<Timestamp>,
}

/// What the tries of an entry have in common.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Of {
    gene: String,
    /// Sorted, each once.
    signals: Vec<String>,
    success: bool,
    /// Whether they have a time. Those without one keep their weight.
    has_time: bool,
}

impl Experience {
    /// Adds tries, oldest first, and drops what is over the bounds.
    pub fn add(&mut self, tried: impl IntoIterator<Item = Tried>) {
        let entries = std::mem::take(&mut self.entries).into_iter().map(|entry| (entry.of.clone(), entry));
        let mut all: BTreeMap<Of, Entry> = entries.collect();
        for tried in tried {
            self.newest = self.newest.max(tried.last);
            let entry = Entry::new(tried);
            match all.get_mut(&entry.of) {
                Some(known) => known.join(entry),
                None => drop(all.insert(entry.of.clone(), entry)),
            }
        }
        self.entries = all.into_values().collect();
        self.drop_least();
    }

    /// The tries, one for each entry.
    pub fn tried(&self) -> impl Iterator<Item = Tried> {
        self.entries.iter().map(|entry| Tried {
            gene: entry.of.gene.clone(),
            signals: entry.of.signals.clone(),
            success: entry.of.success,
            times: entry.times,
            at: entry.at,
            last: entry.last,
        })
    }

    fn drop_least(&mut self) {
        let newest = self.newest;
        self.entries.sort_by(|one, other| {
            other.weight(newest).total_cmp(&one.weight(newest)).then_with(|| one.of.cmp(&other.of))
        });
        let mut bytes = 0;
        let within = self.entries.iter().take(MAX_ENTRIES).take_while(|entry| {
            bytes += entry.of.bytes();
            bytes <= MAX_SIGNAL_BYTES
        });
        let kept = within.count();
        self.dropped_tries += self.entries.drain(kept..).map(|entry| entry.times).sum::<u64>();
    }
}

impl Of {
    fn bytes(&self) -> usize {
        self.signals.iter().map(String::len).sum::<usize>() + self.gene.len()
    }
}

impl Entry {
    fn new(tried: Tried) -> Self {
        let signals: BTreeSet<String> = tried.signals.into_iter().collect();
        let (signals, has_time) = (signals.into_iter().collect(), tried.at.is_some());
        let of = Of { gene: tried.gene, signals, success: tried.success, has_time };
        Self { of, times: tried.times, at: tried.at, last: tried.last }
    }

    fn join(&mut self, other: Self) {
        self.at = together((self.at, self.times), (other.at, other.times));
        self.times = self.times.saturating_add(other.times);
        self.last = self.last.max(other.last);
    }

    /// The binary logarithm of its weight at some time, which orders entries at every time.
    fn weight(&self, newest: Option<Timestamp>) -> f64 {
        let age = self.at.zip(newest).map_or(0.0, |(at, newest)| half_lives(newest, at));
        count(self.times).log2() - age
    }
}

/// The time at which all of these tries would weigh as much as they do together.
fn together((one, some): (Option<Timestamp>, u64), (other, more): (Option<Timestamp>, u64)) -> Option<Timestamp> {
    let (one, other) = one.zip(other)?;
    let newer = one.max(other);
    let weight = count(some) * (-half_lives(newer, one)).exp2() + count(more) * (-half_lives(newer, other)).exp2();
    let mean = weight / (count(some) + count(more));
    let later = SignedDuration::try_from_secs_f64(HALF_LIFE.as_secs_f64() * mean.log2()).ok();
    later.and_then(|later| newer.checked_add(later).ok()).or(Some(newer))
}

/// How many half-lives lie between two times.
fn half_lives(later: Timestamp, earlier: Timestamp) -> f64 {
    later.duration_since(earlier).as_secs_f64() / HALF_LIFE.as_secs_f64()
}

/// A time as it is stored.
mod as_text {
    use jiff::Timestamp;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer, de};

    #[expect(clippy::ref_option, reason = "serde calls it with a reference to the member")]
    pub(super) fn serialize<S: Serializer>(time: &Option<Timestamp>, to: S) -> Result<S::Ok, S::Error> {
        time.map(|time| time.to_string()).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Timestamp>, D::Error> {
        let text: Option<String> = Option::deserialize(from)?;
        text.map(|text| text.parse().map_err(de::Error::custom)).transpose()
    }
}

#[expect(clippy::cast_precision_loss, reason = "a file has far fewer than 2^53 tries")]
fn count(times: u64) -> f64 {
    times as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::memory::Recall;
    use super::*;

    fn now() -> Timestamp {
        "2026-03-03T00:00:00Z".parse().expect("a time")
    }

    fn tried(gene: u8, signals: &[u8], success: bool, hours: Option<i32>) -> Tried {
        let at = hours.map(|hours| now() - SignedDuration::from_hours(hours.into()));
        let signals = signals.iter().map(|signal| format!("s{signal}")).collect();
        Tried::once(format!("g{gene}"), signals, success, at)
    }

    proptest! {
        #[test]
        fn a_summary_remembers_what_the_tries_themselves_do(
            tries in prop::collection::vec(
                (0..3_u8, prop::collection::vec(0..4_u8, 0..4), any::<bool>(), prop::option::of(0..20_000_i32)), 0..60),
            chunk in 1..20_usize,
            asked in prop::collection::vec(0..4_u8, 0..4),
        ) {
            let tries: Vec<Tried> =
                tries.iter().map(|(gene, signals, success, hours)| tried(*gene, signals, *success, *hours)).collect();
            let mut experience = Experience::default();
            tries.chunks(chunk).for_each(|some| experience.add(some.to_vec()));
            let summary: Vec<Tried> = experience.tried().collect();
            prop_assert!(summary.len() <= tries.len());
            let signals: Vec<String> = asked.iter().map(|signal| format!("s{signal}")).collect();
            for later in [0, 100, 10_000] {
                let now = now() + SignedDuration::from_hours(later);
                for gene in ["g0", "g1", "g2"] {
                    let (one, other) = (Recall::new(&signals, &tries, now).of(gene), Recall::new(&signals, &summary, now).of(gene));
                    prop_assert_eq!(one.tries, other.tries);
                    prop_assert!((one.probability - other.probability).abs() < 1e-6, "{one:?} {other:?}");
                }
            }
        }
    }

    #[test]
    fn what_weighs_least_is_dropped_first_and_counted() {
        let mut experience = Experience::default();
        // Each of other signals, and older than the one before; the first has no time.
        let of = |number: usize| {
            Tried::once(
                "g".to_owned(),
                vec![format!("s{number}")],
                false,
                (number > 0).then(|| now() - SignedDuration::from_hours(number.try_into().expect("small"))),
            )
        };
        experience.add((0..MAX_ENTRIES + 3).map(of));
        experience.add([of(MAX_ENTRIES + 9)]);
        assert_eq!((experience.tried().count(), experience.dropped_tries), (MAX_ENTRIES, 4));
        let has = |signal: String| experience.tried().any(|tried| tried.signals == [signal.as_str()]);
        assert!(has("s0".to_owned()) && has(format!("s{}", MAX_ENTRIES - 1)) && !has(format!("s{MAX_ENTRIES}")));
        let mut other = Experience::default();
        other.add((0..5).map(|number| {
            Tried::once("g".to_owned(), vec![format!("{number}{}", "x".repeat(MAX_SIGNAL_BYTES / 2 - 10))], true, None)
        }));
        assert_eq!((other.tried().count(), other.dropped_tries), (2, 3));
    }

    #[test]
    fn it_reads_back_as_the_same() {
        let mut experience = Experience::default();
        experience.add([
            tried(1, &[1, 2], true, Some(5)),
            tried(1, &[2, 1, 1], true, Some(50)),
            tried(2, &[], false, None),
        ]);
        let text = serde_json::to_string(&experience).expect("JSON");
        assert_eq!(serde_json::from_str::<Experience>(&text).expect("a summary"), experience);
        assert_eq!(experience.tried().map(|tried| tried.times).collect::<Vec<_>>(), [2, 1]);
    }
}
