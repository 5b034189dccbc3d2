//! Signals about evolution itself, derived from the last cycles (protocol facts, section 3).
//!
//! The bounds are those of other tools that implement the protocol: three failures in a row are a streak, five are a
//! loop, and a signal is stagnant if it occurred in three of the last eight cycles.

use std::collections::{BTreeMap, BTreeSet};

use super::{Signal, normal_signal};
use crate::evolution_event::EvolutionEvent;

/// How many cycles back stagnation is looked for.
const WINDOW: usize = 8;
/// In how many cycles of the window a signal must occur to be stagnant.
const STAGNANT: usize = 3;
/// How many failed cycles in a row make a streak, and how many a loop.
const STREAK: usize = 3;
const LOOP: usize = 5;
/// How many cycles in a row without a change raise `evolution_saturation`, and how many `force_steady_state`.
const SATURATED: usize = 3;
const STEADY_STATE: usize = 5;

/// Signals that past cycles raise, sorted by name. `cycles` are oldest first. `raised` are the names of the signals in
/// the present observation. Each signal counts cycles and refers to them by their index in `cycles`.
pub fn history_signals(cycles: &[EvolutionEvent], raised: &[String]) -> Vec<Signal> {
    let mut found = BTreeMap::new();
    let mut add = |name: String, indexes: Vec<usize>| {
        found.insert(name.clone(), signal(name, cycles, &indexes));
    };
    let failed = trailing(cycles, |cycle| !cycle.outcome.is_success());
    if failed.len() >= STREAK {
        add(format!("consecutive_failure_streak_{}", failed.len()), failed.clone());
    }
    if failed.len() >= LOOP {
        add("failure_loop_detected".to_owned(), failed);
    }
    let empty = trailing(cycles, |cycle| cycle.blast_radius.is_none_or(|reach| reach.files == 0 && reach.lines == 0));
    if empty.len() >= SATURATED {
        add("evolution_saturation".to_owned(), empty.clone());
    }
    if empty.len() >= STEADY_STATE {
        add("force_steady_state".to_owned(), empty);
    }
    let stagnant = stagnant(cycles, raised);
    if !stagnant.is_empty() {
        add("evolution_stagnation_detected".to_owned(), stagnant);
    }
    found.into_values().collect()
}

/// Indexes of the newest cycles in a row that satisfy `is`, oldest first.
fn trailing(cycles: &[EvolutionEvent], is: impl Fn(&EvolutionEvent) -> bool) -> Vec<usize> {
    let count = cycles.iter().rev().take_while(|cycle| is(cycle)).count();
    (cycles.len() - count..cycles.len()).collect()
}

/// Indexes of the cycles in the window that share an error with the present run. Empty unless each error of the run
/// occurred in at least [`STAGNANT`] of them: those cycles did not get rid of it.
fn stagnant(cycles: &[EvolutionEvent], raised: &[String]) -> Vec<usize> {
    let errors: BTreeSet<String> =
        raised.iter().filter(|name| name.starts_with("errsig:")).map(|name| normal_signal(name)).collect();
    let first = cycles.len().saturating_sub(WINDOW);
    let recent = || (first..).zip(cycles.iter().skip(first));
    let has = |cycle: &EvolutionEvent, error: &str| cycle.signals.iter().any(|signal| normal_signal(signal) == *error);
    let all = errors.iter().all(|error| recent().filter(|(_, cycle)| has(cycle, error)).count() >= STAGNANT);
    if errors.is_empty() || !all {
        return Vec::new();
    }
    recent().filter(|(_, cycle)| errors.iter().any(|error| has(cycle, error))).map(|(index, _)| index).collect()
}

fn signal(name: String, cycles: &[EvolutionEvent], indexes: &[usize]) -> Signal {
    let times = || indexes.iter().filter_map(|index| cycles.get(*index)?.at);
    Signal {
        name,
        count: indexes.len() as u64,
        first: times().min(),
        last: times().max(),
        events: indexes.iter().take(super::MAX_EVENT_REFS).map(|index| *index as u64).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cycle(success: bool, files: u64, signals: &[&str]) -> EvolutionEvent {
        let status = if success { "success" } else { "failed" };
        let document = serde_json::json!({
            "type": "EvolutionEvent", "id": "evt_1", "intent": "repair", "signals": signals,
            "blast_radius": {"files": files, "lines": files}, "outcome": {"status": status, "score": 0.5},
            "meta": {"at": "2026-01-01T00:00:00Z"},
        });
        EvolutionEvent::from_json(document.to_string().as_bytes()).unwrap()
    }

    fn names(cycles: &[EvolutionEvent], raised: &[&str]) -> Vec<String> {
        let raised: Vec<String> = raised.iter().map(|name| (*name).to_owned()).collect();
        history_signals(cycles, &raised).into_iter().map(|signal| signal.name).collect()
    }

    #[test]
    fn streaks_and_loops_end_with_a_success() {
        let failed = cycle(false, 1, &[]);
        let cycles = vec![failed.clone(); 5];
        assert!(names(&cycles[..2], &[]).is_empty());
        assert_eq!(names(&cycles[..3], &[]), ["consecutive_failure_streak_3"]);
        assert_eq!(names(&cycles, &[]), ["consecutive_failure_streak_5", "failure_loop_detected"]);
        let mut ended = cycles.clone();
        ended.push(cycle(true, 1, &[]));
        assert!(names(&ended, &[]).is_empty());
        let found = history_signals(&cycles, &[]);
        assert_eq!((found[0].count, found[0].events.as_slice()), (5, &[0, 1, 2, 3, 4][..]));
        assert_eq!(found[0].first, "2026-01-01T00:00:00Z".parse().ok());
    }

    #[test]
    fn cycles_that_change_nothing_saturate() {
        let empty = vec![cycle(true, 0, &[]); 5];
        assert_eq!(names(&empty[..3], &[]), ["evolution_saturation"]);
        assert_eq!(names(&empty, &[]), ["evolution_saturation", "force_steady_state"]);
    }

    #[test]
    fn errors_that_come_back_whatever_was_tried_are_stagnation() {
        let error = "errsig:TypeError: x at /srv/b.js:99:1";
        let same = "errsig:TypeError: x at /home/u/a.js:10:5";
        let tried = vec![
            cycle(true, 1, &[same]),
            cycle(true, 1, &["log_error"]),
            cycle(true, 1, &[same]),
            cycle(true, 1, &[same]),
        ];
        assert_eq!(names(&tried, &[error, "log_error"]), ["evolution_stagnation_detected"]);
        assert!(names(&tried, &[error, "errsig:Error: new"]).is_empty(), "something moves");
        assert!(names(&tried[..3], &[error]).is_empty());
        assert!(names(&tried, &["log_error"]).is_empty());
        let mut old = tried.clone();
        old.extend(vec![cycle(true, 1, &[]); 8]);
        assert!(names(&old, &[error]).is_empty(), "beyond the window");
    }
}
