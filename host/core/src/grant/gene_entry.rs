//! One entry of `[genes] files`: the path of a gene file, or a table that also pins the file's bytes.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::value::MapAccessDeserializer;
use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeStruct as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::recording::Digest;

/// One entry of `[genes] files`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneEntry {
    /// The file, relative to the project's root.
    pub path: String,
    /// The digest that the file must have; `None` accepts any file.
    pub sha256: Option<Digest>,
}

impl GeneEntry {
    /// An entry that accepts any file at this path.
    pub fn of_path(path: impl Into<String>) -> Self {
        Self { path: path.into(), sha256: None }
    }
}

/// The members of an entry that is a table.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    path: String,
    #[serde(default, deserialize_with = "digest")]
    sha256: Option<Digest>,
}

/// 64 hexadecimal digits, as `sha256sum` prints them, or with the prefix that gephost prints.
fn digest<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Digest>, D::Error> {
    let text = Cow::<'de, str>::deserialize(deserializer)?;
    let hex = text.strip_prefix("sha256:").unwrap_or(&text);
    let digest = Digest::from_hex(hex);
    digest.map(Some).map_err(|_| D::Error::custom("`sha256` must be 64 lower-case hexadecimal digits"))
}

impl<'de> Deserialize<'de> for GeneEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Either;

        impl<'de> Visitor<'de> for Either {
            type Value = GeneEntry;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("the path of a gene file, or a table with `path` and `sha256`")
            }

            fn visit_str<E: serde::de::Error>(self, path: &str) -> Result<GeneEntry, E> {
                Ok(GeneEntry::of_path(path))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<GeneEntry, A::Error> {
                let Table { path, sha256 } = Table::deserialize(MapAccessDeserializer::new(map))?;
                Ok(GeneEntry { path, sha256 })
            }
        }

        deserializer.deserialize_any(Either)
    }
}

impl Serialize for GeneEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(digest) = &self.sha256 else { return serializer.serialize_str(&self.path) };
        let mut table = serializer.serialize_struct("GeneEntry", 2)?;
        table.serialize_field("path", &self.path)?;
        table.serialize_field("sha256", &digest.hex())?;
        table.end()
    }
}

impl JsonSchema for GeneEntry {
    fn schema_name() -> Cow<'static, str> {
        "GeneEntry".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "anyOf": [
                { "type": "string", "description": "the path of a gene file" },
                {
                    "type": "object",
                    "properties": {
                        "path": { "type": "string", "description": "the path of a gene file" },
                        "sha256": { "type": "string", "pattern": "^(sha256:)?[0-9a-f]{64}$" },
                    },
                    "required": ["path"],
                    "additionalProperties": false,
                },
            ],
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::config::Config;
    use crate::grant::GenesTable;

    use super::*;

    fn genes(files: &str) -> Result<GenesTable, String> {
        let config = Config::from_toml(&format!("[genes]\nfiles = [{files}]\n"));
        config.map(|config| config.file.genes).map_err(|error| error.to_string())
    }

    #[test]
    fn an_entry_is_a_path_or_a_table_and_the_order_stays() {
        let digest = Digest::of(b"a gene");
        let (hex, whole) = (digest.hex(), digest.to_string());
        let text = format!(
            "\"b.wasm\", {{ path = \"a.wasm\", sha256 = \"{hex}\" }}, {{ sha256 = \"{whole}\", path = \"c.wasm\" }}, \
             {{ path = \"d.wasm\" }}"
        );
        let table = genes(&text).unwrap();
        let expected = [("b.wasm", None), ("a.wasm", Some(digest)), ("c.wasm", Some(digest)), ("d.wasm", None)];
        let found: Vec<_> = table.files.iter().map(|entry| (entry.path.as_str(), entry.sha256)).collect();
        assert_eq!(found, expected);
        assert!(table.bundled);
        let written = serde_json::to_value(&table.files).unwrap();
        assert_eq!(written[0], "b.wasm");
        assert_eq!(written[1]["sha256"], hex);
        let read: Vec<GeneEntry> = serde_json::from_value(written).unwrap();
        assert_eq!(read, table.files);
    }

    #[test]
    fn an_entry_that_says_something_else_is_refused() {
        for (files, expected) in [
            ("{ path = \"a\", digest = \"x\" }", "unknown field `digest`"),
            ("{ sha256 = \"x\" }", "64 lower-case hexadecimal digits"),
            ("{ path = \"a\", sha256 = \"\" }", "64 lower-case hexadecimal digits"),
            ("{ path = \"a\", sha256 = 1 }", "expected a string"),
            ("{}", "missing field `path`"),
            ("3", "expected the path of a gene file, or a table"),
        ] {
            let error = genes(files).unwrap_err();
            assert!(error.contains(expected), "{files}: {error}");
        }
    }
}
