//! The tree of evolution events (seed 000: an event's `parent`).
//!
//! Events come from files that anybody can write. So a parent may be missing, an id may be there twice, and events may be each
//! other's parents. None of that stops the tree: each event stands in it exactly once, and what is wrong is said.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::evolution_event::EvolutionEvent;

/// An event in the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its place in the events that the tree was made of.
    pub event: usize,
    /// The node of the event that it follows; `None` at a root.
    pub parent: Option<usize>,
    /// How many branches lead to it: of the events that follow one event, the newest continues its lane, and each other one
    /// begins a lane beside it.
    pub lane: usize,
    /// What is wrong with its place.
    pub flaw: Option<Flaw>,
}

/// Why an event is a root although it names a parent, or is there again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Flaw {
    /// No event has the id of its parent.
    MissingParent,
    /// Its parent is an earlier event, which is not in the tree.
    EarlierParent,
    /// It follows itself, directly or through others.
    Circle,
    /// Another event has its id; that one counts as the parent of others.
    SameId,
}

/// Puts events, oldest first, into a tree: the nodes in the order in which a tree is printed, each after the one that it
/// follows, and of the events that follow one event the newest last. `earlier` has the ids of parents that are not among the
/// events, although they exist. Takes time in proportion to the number of events times its logarithm, and no stack.
pub fn lineage(events: &[EvolutionEvent], earlier: &BTreeSet<String>) -> Vec<Node> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut flaws: BTreeMap<usize, Flaw> = BTreeMap::new();
    for (place, event) in events.iter().enumerate() {
        if places.contains_key(event.id.as_str()) {
            flaws.insert(place, Flaw::SameId);
        } else {
            places.insert(&event.id, place);
        }
    }
    let mut parents: Vec<Option<usize>> = Vec::with_capacity(events.len());
    for (place, event) in events.iter().enumerate() {
        let named = event.parent.as_deref();
        let parent = named.and_then(|parent| places.get(parent).copied());
        if let Some(named) = named.filter(|_| parent.is_none()) {
            let flaw = if earlier.contains(named) { Flaw::EarlierParent } else { Flaw::MissingParent };
            flaws.entry(place).or_insert(flaw);
        }
        parents.push(parent);
    }
    cut_circles(&mut parents, &mut flaws);
    in_printed_order(&parents, &flaws)
}

/// Makes the oldest event of each circle a root.
fn cut_circles(parents: &mut [Option<usize>], flaws: &mut BTreeMap<usize, Flaw>) {
    // 0: not seen; otherwise the number of the walk that saw it.
    let mut walks = vec![0_usize; parents.len()];
    for start in 0..parents.len() {
        let walk = start + 1;
        let mut at = start;
        loop {
            match walks.get(at).copied() {
                Some(0) => {}
                Some(seen) if seen == walk => break cut(at, parents, flaws),
                _ => break,
            }
            if let Some(seen) = walks.get_mut(at) {
                *seen = walk;
            }
            match parents.get(at).copied().flatten() {
                Some(parent) => at = parent,
                None => break,
            }
        }
    }
}

fn cut(within: usize, parents: &mut [Option<usize>], flaws: &mut BTreeMap<usize, Flaw>) {
    let mut oldest = within;
    let mut at = within;
    while let Some(parent) = parents.get(at).copied().flatten() {
        oldest = oldest.min(parent);
        at = parent;
        if at == within {
            break;
        }
    }
    if let Some(parent) = parents.get_mut(oldest) {
        *parent = None;
        flaws.insert(oldest, Flaw::Circle);
    }
}

fn in_printed_order(parents: &[Option<usize>], flaws: &BTreeMap<usize, Flaw>) -> Vec<Node> {
    let mut children: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    let mut roots = Vec::new();
    for (place, parent) in parents.iter().enumerate() {
        match parent {
            Some(parent) => children.entry(*parent).or_default().push(place),
            None => roots.push(place),
        }
    }
    let mut nodes: Vec<Node> = Vec::with_capacity(parents.len());
    // Events, the node that each follows, and its lane; the next one to print is the last.
    let mut open: Vec<(usize, Option<usize>, usize)> = roots.into_iter().rev().map(|root| (root, None, 0)).collect();
    while let Some((event, parent, lane)) = open.pop() {
        let node = nodes.len();
        nodes.push(Node { event, parent, lane, flaw: flaws.get(&event).copied() });
        for (age, child) in children.get(&event).into_iter().flatten().rev().enumerate() {
            open.push((*child, Some(node), lane + usize::from(age > 0)));
        }
    }
    nodes
}

/// The ids of the events that no other event follows, sorted.
pub fn leaves<'a>(events: &'a [EvolutionEvent], nodes: &[Node]) -> BTreeSet<&'a str> {
    let followed: BTreeSet<usize> = nodes.iter().filter_map(|node| node.parent).collect();
    let leaves = nodes.iter().enumerate().filter(|(place, _)| !followed.contains(place));
    leaves.filter_map(|(_, node)| events.get(node.event)).map(|event| event.id.as_str()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Events `id<parent`, or `id`.
    fn events(spec: &str) -> Vec<EvolutionEvent> {
        let event = |word: &str| {
            let (id, parent) = word.split_once('<').map_or((word, None), |(id, parent)| (id, Some(parent)));
            let parent = parent.map_or("null".to_owned(), |parent| format!("{parent:?}"));
            let text = format!(
                r#"{{"type":"EvolutionEvent","id":"{id}","parent":{parent},"intent":"repair","outcome":{{"status":"success"}}}}"#
            );
            EvolutionEvent::from_json(text.as_bytes()).expect("an event")
        };
        spec.split_whitespace().map(event).collect()
    }

    fn printed(spec: &str) -> String {
        let events = events(spec);
        let nodes = lineage(&events, &BTreeSet::new());
        let line = |node: &Node| {
            let flaw = node.flaw.map_or(String::new(), |flaw| format!("!{flaw:?}"));
            format!("{}{}{flaw}", ".".repeat(node.lane), events[node.event].id)
        };
        nodes.iter().map(line).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn events_form_a_tree() {
        assert_eq!(printed(""), "");
        assert_eq!(printed("a b<a c<b"), "a b c");
        assert_eq!(printed("a b<a c<a d<b e"), "a .b .d c e");
        // A child that is written before its parent.
        assert_eq!(printed("b<a a"), "a b");
    }

    #[test]
    fn what_is_wrong_is_said_and_loses_no_event() {
        assert_eq!(printed("a<gone b<a"), "a!MissingParent b");
        assert_eq!(printed("a<a"), "a!Circle");
        assert_eq!(printed("a<c b<a c<b d<c"), "a!Circle b c d");
        assert_eq!(printed("d<b a b<c c<b"), "a b!Circle .d c");
        assert_eq!(printed("a a<b b<a"), "a b a!SameId");
    }

    #[test]
    fn a_parent_that_is_left_out_is_not_missing() {
        let events = events("a<early b<gone c<a");
        let flaws = |earlier: &[&str]| {
            let earlier = earlier.iter().map(|id| (*id).to_owned()).collect();
            lineage(&events, &earlier).into_iter().map(|node| node.flaw).collect::<Vec<_>>()
        };
        assert_eq!(flaws(&["early", "c"]), [Some(Flaw::EarlierParent), None, Some(Flaw::MissingParent)]);
        assert_eq!(flaws(&[]), [Some(Flaw::MissingParent), None, Some(Flaw::MissingParent)]);
    }

    #[test]
    fn a_long_line_of_events_needs_no_stack() {
        let mut spec = "0".to_owned();
        for number in 1..20_000 {
            spec.push_str(&format!(" {number}<{}", number - 1));
        }
        let events = events(&spec);
        let nodes = lineage(&events, &BTreeSet::new());
        assert_eq!(nodes.last().map(|node| node.lane), Some(0));
        assert_eq!(leaves(&events, &nodes).into_iter().collect::<Vec<_>>(), ["19999"]);
    }

    proptest! {
        #[test]
        fn each_event_stands_in_the_tree_once_and_after_its_parent(parents in prop::collection::vec((0..12_usize, 0..14_usize), 0..12)) {
            let spec: Vec<String> = parents.iter().map(|(id, parent)| if *parent > 12 { format!("{id}") } else { format!("{id}<{parent}") }).collect();
            let nodes = lineage(&events(&spec.join(" ")), &BTreeSet::new());
            let mut seen: Vec<usize> = nodes.iter().map(|node| node.event).collect();
            seen.sort_unstable();
            prop_assert_eq!(seen, (0..parents.len()).collect::<Vec<_>>());
            for (place, node) in nodes.iter().enumerate() {
                prop_assert!(node.parent.is_none_or(|parent| parent < place && node.lane - nodes[parent].lane <= 1));
            }
        }
    }
}
