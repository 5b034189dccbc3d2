//! `[diagnose.thresholds]`: from where on the heuristic genes see a pattern. They are handed to every heuristic gene by the
//! import `settings`; a gene that knows a name goes by its value.

use std::collections::BTreeMap;

use crate::gene::{SettingValue, Settings};

/// One threshold, its default, and its range.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// Its key.
    pub name: &'static str,
    /// Its value where the config says nothing.
    pub default: f64,
    /// The least value.
    pub least: f64,
    /// The largest.
    pub most: f64,
}

const fn threshold(name: &'static str, default: f64, least: f64, most: f64) -> Threshold {
    Threshold { name, default, least, most }
}

/// Every threshold, sorted by name. docs/src/reference/thresholds.md says what each means.
pub const THRESHOLDS: [Threshold; 20] = [
    threshold("cache_missed_tokens", 100_000.0, 0.0, 1e15),
    threshold("cache_prompt_tokens", 20_000.0, 0.0, 1e15),
    threshold("cache_share", 0.5, 0.0, 1.0),
    threshold("covered_rate", 0.8, 0.0, 1.0),
    threshold("high_rate", 0.5, 0.0, 1.0),
    threshold("long_loop", 6.0, 2.0, 1e6),
    threshold("medium_rate", 0.15, 0.0, 1.0),
    threshold("recurring", 3.0, 1.0, 1e6),
    threshold("regression", 2.0, 1.0, 1000.0),
    threshold("retry_tokens", 50_000.0, 0.0, 1e15),
    threshold("session_times", 4.0, 1.0, 1e6),
    threshold("session_tokens", 200_000.0, 0.0, 1e15),
    threshold("sessions_least", 5.0, 2.0, 1e6),
    threshold("slow_ms", 60_000.0, 0.0, 1e12),
    threshold("slower_ms", 2000.0, 0.0, 1e12),
    threshold("stretch_calls", 3.0, 2.0, 1e6),
    threshold("stretch_tokens", 100_000.0, 0.0, 1e15),
    threshold("trend_failures", 5.0, 1.0, 1e6),
    threshold("window_calls", 100.0, 10.0, 10_000.0),
    threshold("window_least", 20.0, 1.0, 10_000.0),
];

/// What is wrong with these values, if anything: a name that is none, or a value out of its range.
pub(super) fn wrong(values: &BTreeMap<String, f64>) -> Option<String> {
    values.iter().find_map(|(name, value)| {
        let Some(known) = THRESHOLDS.iter().find(|threshold| threshold.name == name) else {
            let names: Vec<&str> = THRESHOLDS.iter().map(|threshold| threshold.name).collect();
            return Some(format!("`diagnose.thresholds.{name}` is no threshold; there are {}", names.join(", ")));
        };
        let (least, most) = (known.least, known.most);
        (!(least..=most).contains(value))
            .then(|| format!("`diagnose.thresholds.{name}` is {value}: it must be {least} to {most}"))
    })
}

/// Every threshold with its value.
pub(super) fn settings(values: &BTreeMap<String, f64>) -> Settings {
    let value = |threshold: &Threshold| values.get(threshold.name).copied().unwrap_or(threshold.default);
    THRESHOLDS.iter().map(|threshold| (threshold.name.to_owned(), SettingValue::Number(value(threshold)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_stands_once_and_its_default_is_in_its_range() {
        assert!(THRESHOLDS.is_sorted_by(|a, b| a.name < b.name));
        let defaults = THRESHOLDS.iter().map(|threshold| (threshold.name.to_owned(), threshold.default)).collect();
        assert_eq!(wrong(&defaults), None);
        assert_eq!(settings(&BTreeMap::new()), settings(&defaults));
    }

    #[test]
    fn what_is_unknown_or_out_of_range_is_named() {
        for (name, value, says) in [
            ("slow", 1.0, "`diagnose.thresholds.slow` is no threshold; there are cache_missed_tokens, "),
            ("high_rate", 1.5, "`diagnose.thresholds.high_rate` is 1.5: it must be 0 to 1"),
            ("slow_ms", f64::NAN, "`diagnose.thresholds.slow_ms` is NaN"),
        ] {
            let found = wrong(&BTreeMap::from([(name.to_owned(), value)])).unwrap();
            assert!(found.starts_with(says), "{found}");
        }
    }

    #[test]
    fn what_is_said_takes_the_place_of_the_default() {
        let settings = settings(&BTreeMap::from([("slow_ms".to_owned(), 5.0)]));
        assert_eq!(settings["slow_ms"], SettingValue::Number(5.0));
        assert_eq!(settings["slower_ms"], SettingValue::Number(2000.0));
        assert_eq!(settings.len(), THRESHOLDS.len());
    }
}
