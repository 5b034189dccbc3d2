//! The settings of the bundled heuristic, which `[diagnose.thresholds]` sets for every heuristic gene.
//!
//! They are declared in one place, the gene's manifest. It is part of the host too, because the config is checked before
//! any gene is loaded.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::gene::{Manifest, SettingValue, Settings, SettingsTable};

static MANIFEST: LazyLock<Manifest> = LazyLock::new(|| {
    let text = include_bytes!("../../../../genes/tool-failures/gene.json");
    Manifest::from_json(text).expect("a test reads the manifest of the bundled heuristic")
});
static NO_SETTINGS: LazyLock<SettingsTable> = LazyLock::new(SettingsTable::default);

/// The id of the bundled heuristic.
pub fn heuristic_id() -> &'static str {
    MANIFEST.id()
}

/// Every threshold: the settings that the bundled heuristic declares.
pub fn thresholds() -> &'static SettingsTable {
    MANIFEST.settings.as_ref().unwrap_or(&NO_SETTINGS)
}

/// The first key of `[diagnose.thresholds]` that is unknown or out of bounds, and why.
pub(super) fn refusal(values: &BTreeMap<String, f64>) -> Option<String> {
    values.iter().find_map(|(name, value)| {
        let problem = thresholds().refusal(name, &SettingValue::Number(*value))?;
        Some(format!("`diagnose.thresholds.{name}` {problem}"))
    })
}

/// Every threshold with its value.
pub(super) fn settings(values: &BTreeMap<String, f64>) -> Settings {
    let mut settings = thresholds().defaults();
    settings.extend(values.iter().map(|(name, value)| (name.clone(), SettingValue::Number(*value))));
    settings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_threshold_is_a_number_with_bounds_and_a_unit() {
        assert_eq!(heuristic_id(), "gene_gephost_tool_failures");
        assert!(thresholds().iter().count() >= 20);
        for setting in thresholds().iter() {
            assert!(matches!(setting.default, SettingValue::Number(_)), "{setting:?}");
            assert!(setting.min.is_some() && setting.max.is_some() && setting.unit.is_some(), "{setting:?}");
        }
        assert_eq!(settings(&BTreeMap::new()), thresholds().defaults());
    }

    #[test]
    fn an_unknown_or_excessive_threshold_is_refused() {
        for (name, value, expected) in [
            ("slow", 1.0, "`diagnose.thresholds.slow` is unknown: use one of cache_missed_tokens, "),
            ("high_rate", 1.5, "`diagnose.thresholds.high_rate` is 1.5: it must be 0 to 1"),
            ("slow_ms", f64::NAN, "`diagnose.thresholds.slow_ms` is NaN: it must be "),
        ] {
            let found = refusal(&BTreeMap::from([(name.to_owned(), value)])).unwrap();
            assert!(found.starts_with(expected), "{found}");
        }
    }

    #[test]
    fn a_value_replaces_the_default() {
        let settings = settings(&BTreeMap::from([("slow_ms".to_owned(), 5.0)]));
        assert_eq!(settings["slow_ms"], SettingValue::Number(5.0));
        assert_eq!(settings["slower_ms"], SettingValue::Number(2000.0));
    }
}
