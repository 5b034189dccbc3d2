//! A gene's settings: names and plain values that the operator sets. The gene reads them through the import `settings`
//! of `wit/v0.1.2`.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The settings of one gene, by name.
pub type Settings = BTreeMap<String, SettingValue>;

/// Most settings of one gene.
pub(crate) const MAX_SETTINGS: usize = 256;
/// Longest name or text, in bytes.
pub(crate) const MAX_SETTING_BYTES: usize = 4096;

/// One value, as written in TOML or JSON.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SettingValue {
    /// `true` or `false`.
    Boolean(bool),
    /// A finite number.
    Number(f64),
    /// A text.
    Text(String),
}

impl SettingValue {
    /// A JSON boolean, finite number or string; `None` for anything else.
    pub(super) fn of_json(value: &Value) -> Option<Self> {
        match value {
            Value::Bool(boolean) => Some(Self::Boolean(*boolean)),
            Value::Number(number) => number.as_f64().filter(|number| number.is_finite()).map(Self::Number),
            Value::String(text) => Some(Self::Text(text.clone())),
            Value::Null | Value::Array(_) | Value::Object(_) => None,
        }
    }

    /// The type in words, with its article.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Boolean(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "a text",
        }
    }
}

impl fmt::Display for SettingValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Boolean(boolean) => write!(f, "{boolean}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => write!(f, "{text:?}"),
        }
    }
}

/// Why these settings cannot be given to any gene; `None` if they can.
pub(crate) fn invalid_reason(settings: &Settings) -> Option<String> {
    if settings.len() > MAX_SETTINGS {
        return Some(format!("has {} settings: the limit is {MAX_SETTINGS}", settings.len()));
    }
    let reason = |(name, value): (&String, &SettingValue)| match value {
        SettingValue::Number(number) if !number.is_finite() => {
            Some(format!("`{name}` is {number}: it must be a finite number"))
        }
        SettingValue::Text(text) if text.len() > MAX_SETTING_BYTES => Some(format!("`{name}` is longer than 4 KiB")),
        _ if name.len() > MAX_SETTING_BYTES => Some("a name is longer than 4 KiB".to_owned()),
        _ => None,
    };
    settings.iter().find_map(reason)
}
