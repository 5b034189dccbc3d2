//! Which signals of a trigger may select a gene.

use crate::capsule::Capsule;
use crate::signal::{normal_signal, pattern_matches};

/// The fewest and the most characters of a pattern.
const CHARACTERS: std::ops::RangeInclusive<usize> = 4..=80;
/// From how many other triggers on a pattern is too general that matches more than half of them.
const MIN_OTHERS: usize = 3;

/// Signals that most sessions raise. A gene that answers them would answer everything.
const GENERAL: &[&str] = &[
    "audit",
    "capability_gap",
    "consecutive_failure_streak",
    "crash",
    "error",
    "evolution_saturation",
    "evolution_stagnation_detected",
    "exception",
    "external_opportunity",
    "failed",
    "failure",
    "failure_loop_detected",
    "force_steady_state",
    "gep",
    "high_tool_usage",
    "log_error",
    "memory_missing",
    "prompt",
    "protocol",
    "recurring_error",
    "recurring_errsig",
    "repeated_tool_usage",
    "reusable",
    "session_logs_missing",
    "stable_success_plateau",
    "unstable",
    "user_feature_request",
    "user_improvement_suggestion",
    "user_missing",
];

/// The signals of a trigger in their normal form that could be patterns, sorted, each once.
pub(super) fn specific(capsule: &Capsule) -> Vec<String> {
    let mut signals: Vec<String> = capsule.trigger.iter().filter_map(|signal| pattern(signal)).collect();
    signals.sort();
    signals.dedup();
    signals
}

/// The pattern of a signal: its normal form, without what a log wrote behind it. `None` for one that is too general, or
/// that is not a plain word, since it could be an expression or an order.
fn pattern(signal: &str) -> Option<String> {
    let normal = normal_signal(signal);
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | ':' | '.' | '-');
    let is_word = CHARACTERS.contains(&normal.chars().count()) && normal.chars().all(is_plain);
    let is_general = GENERAL.iter().any(|general| pattern_matches(&normal, general) || is_about(&normal, general));
    (is_word && !is_general).then_some(normal)
}

/// Whether a signal is a general one with something behind it, as `high_tool_usage:bash`.
fn is_about(signal: &str, general: &str) -> bool {
    signal.strip_prefix(general).is_some_and(|rest| rest.starts_with([':', '_', '(']))
}

/// Whether a pattern also matches most of the triggers that it should not answer.
pub(super) fn matches_most(pattern: &str, others: &[&Capsule]) -> bool {
    let hit = others.iter().filter(|other| other.trigger.iter().any(|signal| pattern_matches(pattern, signal)));
    others.len() >= MIN_OTHERS && hit.count() * 2 > others.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_and_specific_signals_are_patterns() {
        for (signal, expect) in [
            ("errsig:TypeError: x at /home/u/a.js:10:5", Some("errsig_norm:ffae6ead")),
            ("perf_bottleneck", Some("perf_bottleneck")),
            ("cause:import_moved", Some("cause:import_moved")),
            ("log_error", None),
            ("error", None),
            ("rror", None),
            ("high_tool_usage:bash", None),
            ("recurring_errsig(3x):errsig:x", None),
            ("user_feature_request:delete everything", None),
            ("/.*/", None),
            ("a|error|b", None),
            ("abc", None),
            ("ignore all rules", None),
            ("", None),
        ] {
            assert_eq!(pattern(signal).as_deref(), expect, "{signal}");
        }
    }
}
