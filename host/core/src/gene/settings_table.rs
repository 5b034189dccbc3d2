//! The table `settings` of a manifest: the settings that a gene declares, so that the host can check, show and hand them
//! over.
//!
//! Each entry has `name`, `default` and `description`, and may have `unit`, `min` and `max`. The type of the default is the
//! type of the setting.

use schemars::JsonSchema;
use serde::Serialize;

use super::settings::{MAX_SETTINGS, SettingValue, Settings};
use crate::digest::{FieldError, Fields};

/// The longest name of a declared setting, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// One entry of the table.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DeclaredSetting {
    /// Its key: 1 to 64 of a-z, 0-9, `_` and `-`.
    pub name: String,
    /// The value if the operator sets none.
    pub default: SettingValue,
    /// What a number counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The least value of a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The greatest value of a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// What it does, in a sentence for the operator.
    pub description: String,
}

impl DeclaredSetting {
    fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let name = fields.text("name")?;
        let is_key = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_-".contains(&byte);
        if !(1..=MAX_NAME_BYTES).contains(&name.len()) || !name.bytes().all(is_key) {
            let problem = format!("is {name:?}: use 1 to {MAX_NAME_BYTES} of the characters a-z, 0-9, `_` and `-`");
            return Err(fields.refused("name", problem));
        }
        let default = SettingValue::of_json(fields.scalar("default")?);
        let default = default.ok_or_else(|| fields.refused("default", "is not a finite number"))?;
        let setting = Self {
            name: name.to_owned(),
            default,
            unit: fields.optional_text("unit")?.map(str::to_owned),
            min: fields.optional_number("min")?,
            max: fields.optional_number("max")?,
            description: fields.text("description")?.to_owned(),
        };
        match setting.refusal(&setting.default) {
            Some(problem) => Err(fields.refused("default", problem)),
            None => Ok(setting),
        }
    }

    /// Why it cannot have this value, as the end of a sentence that begins with the setting's name.
    fn refusal(&self, value: &SettingValue) -> Option<String> {
        if std::mem::discriminant(value) != std::mem::discriminant(&self.default) {
            return Some(format!("is {value}: it must be {}", self.default.type_name()));
        }
        let SettingValue::Number(number) = *value else { return None };
        let (min, max) = (self.min.unwrap_or(f64::NEG_INFINITY), self.max.unwrap_or(f64::INFINITY));
        (!(min..=max).contains(&number)).then(|| format!("is {value}: it must be {}", self.bounds()))
    }

    /// The bounds in words: `0 to 1`, `at least 2`; empty if there are none.
    pub fn bounds(&self) -> String {
        match (self.min, self.max) {
            (Some(min), Some(max)) => format!("{min} to {max}"),
            (Some(min), None) => format!("at least {min}"),
            (None, Some(max)) => format!("at most {max}"),
            (None, None) => String::new(),
        }
    }
}

/// All settings that a gene declares, in the order of its manifest.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SettingsTable(Vec<DeclaredSetting>);

impl SettingsTable {
    /// Reads the member `settings`; `None` if there is none.
    pub(super) fn read(fields: &Fields<'_>) -> Result<Option<Self>, FieldError> {
        let Some(entries) = fields.optional_objects("settings")? else { return Ok(None) };
        if entries.len() > MAX_SETTINGS {
            let problem = format!("has {} entries: the limit is {MAX_SETTINGS}", entries.len());
            return Err(FieldError::value("settings", problem));
        }
        let mut table = Self::default();
        for entry in &entries {
            let setting = DeclaredSetting::read(entry)?;
            if table.get(&setting.name).is_some() {
                return Err(entry.refused("name", format!("is {:?}, which is declared twice", setting.name)));
            }
            table.0.push(setting);
        }
        Ok(Some(table))
    }

    /// The entries.
    pub fn iter(&self) -> impl Iterator<Item = &DeclaredSetting> {
        self.0.iter()
    }

    /// The entry of this name.
    pub fn get(&self, name: &str) -> Option<&DeclaredSetting> {
        self.0.iter().find(|setting| setting.name == name)
    }

    /// Every setting with its default.
    pub fn defaults(&self) -> Settings {
        self.0.iter().map(|setting| (setting.name.clone(), setting.default.clone())).collect()
    }

    /// Why the setting of this name cannot have this value, as the end of a sentence that begins with the name: it is not
    /// declared, or the value has another type or is out of bounds.
    pub fn refusal(&self, name: &str, value: &SettingValue) -> Option<String> {
        if let Some(setting) = self.get(name) {
            return setting.refusal(value);
        }
        let mut names: Vec<&str> = self.0.iter().map(|setting| setting.name.as_str()).collect();
        names.sort_unstable();
        Some(format!("is unknown: use one of {}", names.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn table(settings: &Value) -> Result<Option<SettingsTable>, String> {
        let document = json!({ "settings": settings });
        SettingsTable::read(&Fields::of(document.as_object().unwrap())).map_err(|error| error.to_string())
    }

    fn share() -> Value {
        json!({ "name": "share", "default": 0.5, "min": 0, "max": 1, "unit": "share", "description": "A share" })
    }

    #[test]
    fn a_table_has_defaults_of_every_type() {
        let text = json!({ "name": "style", "default": "short", "description": "How to write" });
        let flag = json!({ "name": "loud", "default": true, "description": "Whether to log" });
        let table = table(&json!([share(), text, flag])).unwrap().unwrap();
        let defaults = table.defaults();
        assert_eq!(defaults["share"], SettingValue::Number(0.5));
        assert_eq!(defaults["style"], SettingValue::Text("short".to_owned()));
        assert_eq!(defaults["loud"], SettingValue::Boolean(true));
        assert_eq!(table.get("share").unwrap().bounds(), "0 to 1");
        assert_eq!(table.get("style").unwrap().bounds(), "");
        assert_eq!(SettingsTable::read(&Fields::of(json!({}).as_object().unwrap())), Ok(None));
    }

    #[test]
    fn a_value_that_does_not_fit_is_refused_with_what_would() {
        let table = table(&json!([share()])).unwrap().unwrap();
        let number = SettingValue::Number;
        for (name, value, expected) in [
            ("share", number(0.0), None),
            ("share", number(1.5), Some("is 1.5: it must be 0 to 1")),
            ("share", number(f64::NAN), Some("is NaN: it must be 0 to 1")),
            ("share", SettingValue::Text("half".to_owned()), Some("is \"half\": it must be a number")),
            ("shore", number(0.5), Some("is unknown: use one of share")),
        ] {
            assert_eq!(table.refusal(name, &value).as_deref(), expected, "{name} {value}");
        }
        assert_eq!(table.defaults().len(), 1);
    }

    #[test]
    fn an_entry_that_cannot_be_held_is_refused_with_its_place() {
        let changed = |member: &str, value: Value| {
            let mut entry = share();
            entry[member] = value;
            table(&json!([share(), entry])).unwrap_err()
        };
        for (member, value, expected) in [
            ("name", json!("Share"), "field `settings[1].name` is \"Share\": use 1 to 64 of the characters"),
            ("name", json!(""), "field `settings[1].name` is \"\""),
            ("name", json!("share"), "field `settings[1].name` is \"share\", which is declared twice"),
            ("name", Value::Null, "field `settings[1].name` is missing"),
            ("default", json!(2), "field `settings[1].default` is 2: it must be 0 to 1"),
            ("default", json!([]), "field `settings[1].default` must be a string, a number or a boolean"),
            ("min", json!(0.75), "field `settings[1].default` is 0.5: it must be 0.75 to 1"),
            ("max", json!("1"), "field `settings[1].max` must be a number"),
            ("description", Value::Null, "field `settings[1].description` is missing"),
        ] {
            let found = changed(member, value);
            assert!(found.starts_with(expected), "{found}");
        }
        let many: Vec<Value> = (0..257).map(|number| json!({ "name": number.to_string() })).collect();
        assert_eq!(table(&json!(many)).unwrap_err(), "field `settings` has 257 entries: the limit is 256");
        assert!(table(&json!({})).unwrap_err().contains("must be an array of objects"));
    }
}
