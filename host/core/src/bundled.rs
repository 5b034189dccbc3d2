//! The bundled rules as text: JSON that the build script made of `rules/*.toml`. Tests read the TOML itself, because it has
//! samples for each rule.

/// Reads the rules of a file, which is named without its extension.
macro_rules! read {
    ($name:literal) => {{
        #[cfg(not(test))]
        let read = serde_json::from_str(include_str!(concat!(env!("OUT_DIR"), "/", $name, ".json")));
        #[cfg(test)]
        let read = toml::from_str(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/rules/", $name, ".toml")));
        read.expect("a test reads the bundled rules")
    }};
}

pub(crate) use read;
