//! Rates a capsule: its confidence, its streak of successes, and whether it may be shared (seed 001; GEP.md sections 4
//! and 5 define the formulas).

use std::collections::BTreeMap;

use crate::blast_radius::BlastRadius;
use crate::capsule::Capsule;
use crate::evolution_event::EvolutionEvent;

/// Lowest score of a capsule that may be shared (seed 000, "A2A Broadcast Eligibility").
const MIN_SHARED_SCORE: f64 = 0.7;
/// Most files of a capsule that may be shared.
const MAX_SHARED_FILES: u64 = 5;
/// Most lines of a capsule that may be shared.
const MAX_SHARED_LINES: u64 = 200;
/// Shortest streak of a capsule that may be shared.
const MIN_SHARED_STREAK: u64 = 2;
/// Longest streak that increases the weight.
const MAX_STREAK_WEIGHT: u64 = 5;

/// Confidence in a validated change, from 0 to 1 in steps of 0.01. It starts at 0.8 and loses 0.005 for each file, at
/// most 0.1. Then up to 0.05 is added or subtracted according to `match_quality`, the share of the gene's patterns that
/// match a signal (0 to 1). A perfect match in one file gets 0.85, as in seed 001's examples.
pub fn confidence(radius: BlastRadius, match_quality: f64) -> f64 {
    let quality = if match_quality.is_nan() { 0.0 } else { match_quality.clamp(0.0, 1.0) };
    #[expect(clippy::cast_possible_truncation, reason = "from -50 to 50")]
    let adjustment = (quality * 100.0 - 50.0).round() as i32;
    let penalty = radius.files.saturating_mul(5).min(100);
    // Computed in thousandths, so that every machine rounds half up. The penalty is at most 100.
    let thousandths = 800 - i32::try_from(penalty).unwrap_or(100) + adjustment;
    f64::from((thousandths + 5) / 10) / 100.0
}

/// The current streak of successes of a capsule, computed from the events, oldest first (seed 001). Events of other
/// capsules are ignored. The capsule's own field is only a cache and is not used.
pub fn success_streak(capsule_id: &str, events: &[EvolutionEvent]) -> u64 {
    let own = events.iter().rev().filter(|event| event.capsule_id.as_deref() == Some(capsule_id));
    own.take_while(|event| event.outcome.is_success()).map(|_| 1).sum()
}

/// [`success_streak`] of each capsule that has one, in one pass over the events.
pub fn success_streaks(events: &[EvolutionEvent]) -> BTreeMap<String, u64> {
    let mut streaks: BTreeMap<&str, (u64, bool)> = BTreeMap::new();
    for event in events.iter().rev() {
        let Some(capsule) = event.capsule_id.as_deref() else { continue };
        let (streak, is_over) = streaks.entry(capsule).or_default();
        *is_over |= !event.outcome.is_success();
        *streak += u64::from(!*is_over);
    }
    let with = streaks.into_iter().filter(|(_, (streak, _))| *streak > 0);
    with.map(|(capsule, (streak, _))| (capsule.to_owned(), streak)).collect()
}

/// The weight of a streak, from 1 to 5 (seed 001, "Reuse Scoring").
pub fn streak_weight(streak: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "from 1 to 5")]
    let weight = streak.clamp(1, MAX_STREAK_WEIGHT) as f64;
    weight
}

/// Why a capsule may not be shared, one line for each reason; empty if it may. `streak` is the computed one.
pub fn broadcast_refusals(capsule: &Capsule, streak: u64) -> Vec<String> {
    let mut refusals = Vec::new();
    if !capsule.outcome.is_success() {
        refusals.push("the capsule is of a failed change".to_owned());
    }
    if capsule.outcome.score < MIN_SHARED_SCORE {
        refusals.push(format!("score {} is below {MIN_SHARED_SCORE}", capsule.outcome.score));
    }
    match capsule.blast_radius {
        None => refusals.push("the blast radius is missing".to_owned()),
        Some(radius) => {
            refusals.extend(outside("files", radius.files, MAX_SHARED_FILES));
            refusals.extend(outside("lines", radius.lines, MAX_SHARED_LINES));
        }
    }
    if streak < MIN_SHARED_STREAK {
        refusals.push(format!("{streak} successes in a row, but {MIN_SHARED_STREAK} are required"));
    }
    refusals
}

fn outside(what: &str, count: u64, most: u64) -> Option<String> {
    (!(1..=most).contains(&count)).then(|| format!("{count} {what} changed, but 1 to {most} are allowed"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::{MAX_ASSET_BYTES, read_object};

    fn files(files: u64) -> BlastRadius {
        BlastRadius { files, lines: 1 }
    }

    #[test]
    fn confidence_falls_with_files_and_rises_with_the_match() {
        let table = [
            (1, 1.0, "0.85"),
            (1, 0.5, "0.8"),
            (2, 0.5, "0.79"),
            (1, 0.0, "0.75"),
            (20, 0.5, "0.7"),
            (1000, 0.5, "0.7"),
            (u64::MAX, 0.0, "0.65"),
            (0, 1.0, "0.85"),
            (0, f64::NAN, "0.75"),
            (0, f64::INFINITY, "0.85"),
            (0, -3.0, "0.75"),
        ];
        for (count, quality, expect) in table {
            assert_eq!(confidence(files(count), quality).to_string(), expect, "{count} {quality}");
        }
    }

    fn event(capsule: &str, status: &str) -> EvolutionEvent {
        let text = format!(
            r#"{{"type":"EvolutionEvent","intent":"repair","outcome":{{"status":"{status}","score":0.8}},
                "capsule_id":"{capsule}"}}"#
        );
        EvolutionEvent::from_json(text.as_bytes()).expect("an event")
    }

    #[test]
    fn a_streak_is_the_trailing_successes_of_that_capsule() {
        let events = |spec: &str| -> Vec<_> {
            let words = spec.split_whitespace();
            words.map(|w| event(&w[..1], if w.ends_with('+') { "success" } else { "failed" })).collect()
        };
        for (spec, streak) in [("", 0), ("a+", 1), ("a+ a+", 2), ("a- a+ b- a+ b+", 2), ("a+ a-", 0), ("b+ b+", 0)] {
            assert_eq!(success_streak("a", &events(spec)), streak, "{spec}");
        }
    }

    #[test]
    fn a_streak_weighs_from_1_to_5() {
        let weights: Vec<_> = [0, 1, 3, 5, 9, u64::MAX].map(|streak| streak_weight(streak).to_string()).into();
        assert_eq!(weights, ["1", "1", "3", "5", "5", "5"]);
    }

    #[test]
    fn sharing_needs_every_condition() {
        let capsule = |radius: &str, status: &str, score: &str| {
            let text = format!(
                r#"{{"type":"Capsule","outcome":{{"status":"{status}","score":{score}}},"success_streak":9{radius}}}"#
            );
            Capsule::read(read_object(text.as_bytes(), MAX_ASSET_BYTES).expect("an object")).expect("a capsule")
        };
        let radius = |files: u64, lines: u64| format!(r#","blast_radius":{{"files":{files},"lines":{lines}}}"#);
        let check = |capsule: &Capsule, streak: u64, expect: &[&str]| {
            assert_eq!(broadcast_refusals(capsule, streak), expect);
        };
        check(&capsule(&radius(5, 200), "success", "0.7"), 2, &[]);
        check(&capsule(&radius(1, 1), "success", "0.7"), 2, &[]);
        check(&capsule(&radius(1, 1), "success", "0.7"), 1, &["1 successes in a row, but 2 are required"]);
        check(&capsule(&radius(1, 1), "success", "0.69"), 2, &["score 0.69 is below 0.7"]);
        check(
            &capsule(&radius(6, 201), "success", "0.7"),
            2,
            &["6 files changed, but 1 to 5 are allowed", "201 lines changed, but 1 to 200 are allowed"],
        );
        check(
            &capsule(&radius(0, 0), "success", "0.7"),
            2,
            &["0 files changed, but 1 to 5 are allowed", "0 lines changed, but 1 to 200 are allowed"],
        );
        check(&capsule("", "success", "0.7"), 2, &["the blast radius is missing"]);
        check(&capsule(&radius(1, 1), "failed", "0.9"), 2, &["the capsule is of a failed change"]);
    }
}
