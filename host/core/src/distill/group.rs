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

/// Capsules with the same specific signals.
type Alike<'a> = (Signals, Vec<&'a Capsule>);

/// The groups of all capsules that have a specific signal, the largest first. Each capsule is in one group: that of the set
/// of signals with the most similar capsules, the first in order among equals. Each pair of sets is compared a few times, and
/// only if they share a signal.
pub(super) fn groups<'a>(capsules: &[&'a Capsule]) -> Vec<Group<'a>> {
    let mut sets: BTreeMap<Signals, Vec<&'a Capsule>> = BTreeMap::new();
    for capsule in capsules {
        sets.entry(specific(capsule).into_iter().collect()).or_default().push(*capsule);
    }
    let sets: Vec<Alike<'a>> = sets.into_iter().filter(|(set, _)| !set.is_empty()).collect();
    let mut having: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (place, (set, _)) in sets.iter().enumerate() {
        for signal in set {
            having.entry(signal).or_default().push(place);
        }
    }
    let similar = |place: usize| -> BTreeSet<usize> {
        let Some((set, _)) = sets.get(place) else { return BTreeSet::new() };
        let sharing = set.iter().filter_map(|signal| having.get(signal.as_str())).flatten().copied();
        let mut sharing: BTreeSet<usize> = sharing.collect();
        sharing.retain(|other| sets.get(*other).is_some_and(|(other, _)| are_similar(set, other)));
        sharing
    };
    let count = |place: usize| sets.get(place).map_or(0, |(_, capsules)| capsules.len());
    // The sets that are in no group yet, with how many capsules of such sets are similar.
    let mut left: BTreeMap<usize, usize> =
        (0..sets.len()).map(|place| (place, similar(place).into_iter().map(count).sum())).collect();
    let mut groups = Vec::new();
    while let Some(centre) = left.iter().rev().max_by_key(|(_, size)| **size).map(|(place, _)| *place) {
        let mut inside = similar(centre);
        inside.retain(|place| left.remove(place).is_some());
        for place in &inside {
            for other in similar(*place) {
                left.entry(other).and_modify(|size| *size -= count(*place));
            }
        }
        groups.push(group(inside.iter().filter_map(|place| sets.get(*place))));
    }
    groups
}

fn group<'a: 's, 's>(sets: impl Iterator<Item = &'s Alike<'a>>) -> Group<'a> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    let mut all = Vec::new();
    for (set, capsules) in sets {
        all.extend_from_slice(capsules);
        for signal in set {
            *counts.entry(signal).or_default() += capsules.len();
        }
    }
    all.sort_by(|one, other| one.id.cmp(&other.id));
    let shared =
        counts.into_iter().filter(|(_, count)| count * 2 > all.len()).map(|(signal, _)| signal.clone()).collect();
    Group { capsules: all, shared }
}

fn are_similar(one: &Signals, other: &Signals) -> bool {
    let all = one.union(other).count();
    #[expect(clippy::cast_precision_loss, reason = "a capsule has far fewer than 2^53 signals")]
    let similarity = one.intersection(other).count() as f64 / all.max(1) as f64;
    similarity >= MIN_SIMILARITY
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn capsule(id: usize, signals: &[&str]) -> Capsule {
        let document = json!({
            "type": "Capsule", "id": format!("c{id:02}"), "trigger": signals, "outcome": { "status": "success", "score": 1 },
        });
        Capsule::from_json(document.to_string().as_bytes()).expect("a capsule")
    }

    /// The same groups, with every set compared with every other one for each group.
    fn naive(capsules: &[&Capsule]) -> Vec<(Vec<String>, Vec<String>)> {
        let signals = |capsule: &Capsule| specific(capsule).into_iter().collect::<Signals>();
        let mut left: Vec<&Capsule> = capsules.iter().filter(|it| !signals(it).is_empty()).copied().collect();
        let mut groups = Vec::new();
        while !left.is_empty() {
            let size = |set: &Signals| left.iter().filter(|other| are_similar(set, &signals(other))).count();
            let sets: BTreeSet<Signals> = left.iter().map(|it| signals(it)).collect();
            let centre = sets.iter().rev().max_by_key(|set| size(set)).expect("a set").clone();
            let (inside, outside): (Vec<&Capsule>, Vec<&Capsule>) =
                left.into_iter().partition(|it| are_similar(&centre, &signals(it)));
            let all: BTreeSet<String> = inside.iter().flat_map(|it| signals(it)).collect();
            let most =
                |signal: &String| inside.iter().filter(|it| signals(it).contains(signal)).count() * 2 > inside.len();
            let ids = inside.iter().map(|it| it.id.clone()).collect();
            groups.push((ids, all.into_iter().filter(most).collect()));
            left = outside;
        }
        groups
    }

    proptest! {
        #[test]
        fn groups_are_those_of_comparing_everything(
            triggers in prop::collection::vec(prop::collection::vec(0..7_usize, 0..5), 0..25),
        ) {
            const SIGNALS: [&str; 7] =
                ["log_error", "cause:one", "cause:two", "cause:three", "cause:four", "cause:five", "cause:six"];
            let made: Vec<Capsule> = triggers
                .iter()
                .enumerate()
                .map(|(id, of)| capsule(id, &of.iter().map(|signal| SIGNALS[*signal]).collect::<Vec<_>>()))
                .collect();
            let made: Vec<&Capsule> = made.iter().collect();
            let found: Vec<_> = groups(&made)
                .into_iter()
                .map(|group| (group.capsules.iter().map(|it| it.id.clone()).collect::<Vec<_>>(), group.shared))
                .collect();
            prop_assert_eq!(found, naive(&made));
        }
    }
}
