//! Generates the struct `Thresholds` from the table `settings` in gene.json, so that the names, defaults and meanings of
//! this gene's settings are written down in one place only.

#![expect(
    clippy::disallowed_methods,
    reason = "a build script reads gene.json and writes to the folder that cargo names"
)]

use std::fmt::Write as _;
use std::path::Path;

use serde_json::Value;

fn main() {
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let text = std::fs::read_to_string("gene.json").expect("gene.json lies beside build.rs");
    let manifest: Value = serde_json::from_str(&text).expect("gene.json is JSON");
    let settings = manifest["settings"].as_array().expect("gene.json has a table `settings`");
    std::fs::write(Path::new(&folder).join("thresholds.rs"), thresholds(settings)).expect("OUT_DIR can be written");
}

/// The struct, its defaults, and a function that sets one field by its name.
fn thresholds(settings: &[Value]) -> String {
    let (mut fields, mut defaults, mut arms) = (String::new(), String::new(), String::new());
    for setting in settings {
        let text = |member: &str| setting[member].as_str().expect("name, unit and description are texts");
        let default = setting["default"].as_f64().expect("every default is a number");
        let (name, unit, description) = (text("name"), text("unit"), text("description"));
        // Writing to a String cannot fail.
        let _ = writeln!(fields, "    /// {description} ({unit}).\n    pub(crate) {name}: f64,");
        let _ = writeln!(defaults, "            {name}: {default:?},");
        let _ = writeln!(arms, "            {name:?} => self.{name} = value,");
    }
    format!(
        "/// The settings that gene.json declares.\n#[derive(Debug, Clone, Copy, PartialEq)]\n\
         pub(crate) struct Thresholds {{\n{fields}}}\n\n\
         impl Default for Thresholds {{\n    fn default() -> Self {{\n        Self {{\n{defaults}        }}\n    }}\n}}\n\n\
         impl Thresholds {{\n    /// Sets the threshold of this name; returns `false` if there is none.\n    \
         pub(crate) fn set(&mut self, name: &str, value: f64) -> bool {{\n        match name {{\n{arms}            \
         _ => return false,\n        }}\n        true\n    }}\n}}\n"
    )
}
