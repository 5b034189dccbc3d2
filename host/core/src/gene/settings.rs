//! What the operator says to a gene: names and plain values, handed over by the import `settings` of `wit/v0.1.1`.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A gene's settings, by their names.
pub type Settings = BTreeMap<String, SettingValue>;

/// The most settings of one gene.
pub(crate) const MAX_SETTINGS: usize = 256;
/// The longest name or text, in bytes.
pub(crate) const MAX_SETTING_BYTES: usize = 4096;

/// One value, as TOML and JSON write it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SettingValue {
    /// `true` or `false`.
    Truth(bool),
    /// A finite number.
    Number(f64),
    /// A text.
    Text(String),
}

/// What a gene cannot be handed of these settings, if anything.
pub(crate) fn unfit(settings: &Settings) -> Option<String> {
    if settings.len() > MAX_SETTINGS {
        return Some(format!("has {} settings, and {MAX_SETTINGS} is the most", settings.len()));
    }
    let reason = |(name, value): (&String, &SettingValue)| match value {
        SettingValue::Number(number) if !number.is_finite() => {
            Some(format!("`{name}` is {number}, which is no number"))
        }
        SettingValue::Text(text) if text.len() > MAX_SETTING_BYTES => Some(format!("`{name}` is longer than 4 KiB")),
        _ if name.len() > MAX_SETTING_BYTES => Some("a name is longer than 4 KiB".to_owned()),
        _ => None,
    };
    settings.iter().find_map(reason)
}
