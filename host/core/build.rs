//! Turns the rules in `rules/*.toml` into JSON, without what only tests and readers of the rules need: reading the TOML
//! took a tenth of a short run.

#![expect(clippy::disallowed_methods, reason = "a build script reads and writes files")]

use std::error::Error;
use std::path::Path;

/// Members of a rule that no search needs.
const LEFT_OUT: [&str; 5] = ["description", "samples", "not", "hits", "misses"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=rules");
    let to = std::env::var_os("OUT_DIR").ok_or("cargo names no folder for what is made")?;
    for entry in std::fs::read_dir("rules")? {
        let file = entry?.path();
        if let (Some("toml"), Some(name)) = (file.extension().and_then(|text| text.to_str()), file.file_stem()) {
            let mut rules: toml::Table = toml::from_str(&std::fs::read_to_string(&file)?)?;
            // One list in each file, `rule` or `rules`.
            for rule in rules.iter_mut().filter_map(|(_, list)| list.as_array_mut()).flatten() {
                if let Some(rule) = rule.as_table_mut() {
                    rule.retain(|member, _| !LEFT_OUT.contains(&member));
                }
            }
            std::fs::write(Path::new(&to).join(name).with_extension("json"), serde_json::to_string(&rules)?)?;
        }
    }
    Ok(())
}
