//! Groups of capsules that similar signals triggered.

use std::collections::{BTreeMap, BTreeSet};

use super::signals::specific;
use crate::capsule::Capsule;
use crate::select::MIN_SIMILARITY;

/// Capsules whose signals are similar.
pub(super) struct Group<'a> {
    /// By id.
    pub(super) capsules: Vec<&'a Capsule>,
    /// The specific signals that more than half of them share, sorted.
    pub(super) shared: Vec<String>,
}

/// The specific signals of one capsule.
type Signals = BTreeSet<String>;

/// The groups of all capsules that have a specific signal, the largest first. Each capsule is in one group: that of the set
/// of signals with the most similar capsules, the first in order among equals.
pub(super) fn groups<'a>(capsules: &[&'a Capsule]) -> Vec<Group<'a>> {
    let with_signals = |capsule: &&'a Capsule| (*capsule, specific(capsule).into_iter().collect::<Signals>());
    let mut left: Vec<(&Capsule, Signals)> =
        capsules.iter().map(with_signals).filter(|(_, set)| !set.is_empty()).collect();
    let mut groups = Vec::new();
    while !left.is_empty() {
        let mut sizes: BTreeMap<&Signals, usize> = left.iter().map(|(_, set)| (set, 0)).collect();
        for (set, size) in &mut sizes {
            *size = left.iter().filter(|(_, other)| are_similar(set, other)).count();
        }
        let Some(centre) = sizes.iter().rev().max_by_key(|(_, size)| **size).map(|(set, _)| (*set).clone()) else {
            break;
        };
        let (inside, outside) = left.into_iter().partition::<Vec<_>, _>(|(_, set)| are_similar(&centre, set));
        groups.push(Group {
            shared: shared(&inside),
            capsules: inside.into_iter().map(|(capsule, _)| capsule).collect(),
        });
        left = outside;
    }
    groups
}

fn shared(capsules: &[(&Capsule, Signals)]) -> Vec<String> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    for signal in capsules.iter().flat_map(|(_, set)| set) {
        *counts.entry(signal).or_default() += 1;
    }
    counts.into_iter().filter(|(_, count)| count * 2 > capsules.len()).map(|(signal, _)| signal.clone()).collect()
}

fn are_similar(one: &Signals, other: &Signals) -> bool {
    let all = one.union(other).count();
    #[expect(clippy::cast_precision_loss, reason = "a capsule has far fewer than 2^53 signals")]
    let similarity = one.intersection(other).count() as f64 / all.max(1) as f64;
    similarity >= MIN_SIMILARITY
}
