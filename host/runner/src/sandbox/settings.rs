//! The import `settings`: the values of the settings of this gene. It needs no grant, because it opens nothing. A gene
//! does not see the settings of others.

use std::sync::Arc;

use gephost_core::gene::SettingValue;

use super::bindings::gephost::gene::settings::{Host, Setting, Value};
use super::state::GeneState;

impl Host for GeneState {
    fn all(&mut self) -> wasmtime::Result<Vec<Setting>> {
        self.meter.host_call()?;
        let settings = Arc::clone(&self.inputs.settings);
        let text = |value: &SettingValue| if let SettingValue::Text(text) = value { text.len() } else { 8 };
        self.meter.hand_over(settings.iter().map(|(name, value)| (name.len() + text(value)) as u64).sum())?;
        let setting = |(name, value): (&String, &SettingValue)| Setting {
            name: name.clone(),
            value: match value {
                SettingValue::Boolean(boolean) => Value::Truth(*boolean),
                SettingValue::Number(number) => Value::Number(*number),
                SettingValue::Text(text) => Value::Text(text.clone()),
            },
        };
        Ok(settings.iter().map(setting).collect())
    }
}
