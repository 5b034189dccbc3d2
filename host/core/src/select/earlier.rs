//! The events of an assets folder that lie further back than those that are read one by one, as a summary.
//!
//! What must stay true: the same events in the same order give the same summary, and it has a bound, whatever the events say.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::experience::Experience;
use super::memory::Tried;
use crate::evolution_event::EvolutionEvent;

/// The most capsules whose streak is kept.
pub const MAX_STREAKS: usize = 4096;
/// The longest id of a capsule whose streak is kept, in bytes.
const MAX_CAPSULE_ID: usize = 256;

/// A summary of the earlier events.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Earlier {
    /// How many events.
    pub events: u64,
    /// The tries of genes.
    pub tries: Experience,
    /// How many capsules were dropped whose last cycle was a success.
    pub dropped_streaks: u64,
    /// The streak of each capsule whose last cycle was a success.
    streaks: BTreeMap<String, u64>,
}

impl Earlier {
    /// Adds the next events, oldest first.
    pub fn add(&mut self, events: &[EvolutionEvent]) {
        self.events += events.len() as u64;
        self.tries.add(events.iter().flat_map(Tried::of));
        self.streaks = self.streaks(events);
        self.streaks.retain(|capsule, _| capsule.len() <= MAX_CAPSULE_ID);
        self.drop_shortest();
    }

    /// The tries of genes, earlier ones and those in these events, which follow them.
    pub fn tried(&self, events: &[EvolutionEvent]) -> impl Iterator<Item = Tried> {
        self.tries.tried().chain(events.iter().flat_map(Tried::of))
    }

    /// The streak of successes of each capsule that has one, after these events, which follow the earlier ones.
    pub fn streaks(&self, events: &[EvolutionEvent]) -> BTreeMap<String, u64> {
        let mut streaks = self.streaks.clone();
        for event in events {
            let Some(capsule) = event.capsule_id.as_deref() else { continue };
            if event.outcome.is_success() {
                *streaks.entry(capsule.to_owned()).or_default() += 1;
            } else {
                streaks.remove(capsule);
            }
        }
        streaks
    }

    /// The capsules that these events name.
    pub fn capsules(&self) -> impl Iterator<Item = &str> {
        self.streaks.keys().map(String::as_str)
    }

    fn drop_shortest(&mut self) {
        let Some(over) = self.streaks.len().checked_sub(MAX_STREAKS).filter(|over| *over > 0) else { return };
        let mut order: Vec<(u64, String)> = self.streaks.iter().map(|(id, streak)| (*streak, id.clone())).collect();
        order.sort_unstable();
        for (_, id) in order.into_iter().take(over) {
            self.streaks.remove(&id);
        }
        self.dropped_streaks += over as u64;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::evaluate::success_streaks;

    fn event(number: usize, capsule: Option<u8>, success: bool) -> EvolutionEvent {
        let capsule = capsule.map_or_else(String::new, |id| format!(r#","capsule_id":"c{id}""#));
        let status = if success { "success" } else { "failed" };
        let text = format!(
            r#"{{"type":"EvolutionEvent","id":"e{number}","intent":"repair","outcome":{{"status":"{status}","score":1}}{capsule}}}"#
        );
        EvolutionEvent::from_json(text.as_bytes()).expect("an event")
    }

    proptest! {
        #[test]
        fn streaks_are_those_of_all_events(
            events in prop::collection::vec((prop::option::of(0..4_u8), any::<bool>()), 0..60), cut in 0..60_usize,
        ) {
            let events: Vec<EvolutionEvent> =
                events.into_iter().enumerate().map(|(number, (capsule, success))| event(number, capsule, success)).collect();
            let (before, after) = events.split_at(cut.min(events.len()));
            let mut earlier = Earlier::default();
            before.chunks(7).for_each(|some| earlier.add(some));
            prop_assert_eq!(earlier.streaks(after), success_streaks(&events));
        }
    }

    #[test]
    fn tries_are_those_of_all_events() {
        let tried = |number: usize| {
            let text = format!(
                r#"{{"type":"EvolutionEvent","id":"e{number}","intent":"repair","genes_used":["g"],"outcome":{{"status":"success","score":1}}}}"#
            );
            EvolutionEvent::from_json(text.as_bytes()).expect("an event")
        };
        let events: Vec<EvolutionEvent> = (0..7).map(tried).collect();
        let (before, after) = events.split_at(4);
        let mut earlier = Earlier::default();
        earlier.add(before);
        assert_eq!(earlier.tried(after).map(|tried| tried.times).collect::<Vec<_>>(), [4, 1, 1, 1]);
    }

    #[test]
    fn the_shortest_streaks_are_dropped_first() {
        let mut earlier = Earlier::default();
        let of = |id: usize| {
            let text = format!(
                r#"{{"type":"EvolutionEvent","id":"e","intent":"repair","capsule_id":"c{id:05}","outcome":{{"status":"success","score":1}}}}"#
            );
            EvolutionEvent::from_json(text.as_bytes()).expect("an event")
        };
        let events: Vec<EvolutionEvent> = (0..MAX_STREAKS + 10).chain([3, 7]).map(of).collect();
        earlier.add(&events);
        assert_eq!((earlier.capsules().count(), earlier.dropped_streaks, earlier.events), (MAX_STREAKS, 10, 4108));
        assert!(earlier.capsules().any(|id| id == "c00003") && earlier.capsules().all(|id| id != "c00002"));
    }
}
