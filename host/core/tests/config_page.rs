//! The reference of config keys, made from the types that read the configs: their doc comments, types and defaults.
//! `GEPHOST_BLESS=1` writes it.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data fails")]

use std::fmt::Write as _;
use std::path::Path;

use gephost_core::config::{Config, ConfigFile};
use gephost_core::user_config::UserConfig;
use regex::Regex;
use serde_json::{Map, Value};

const PAGE: &str = "docs/src/reference/configuration.md";

/// What a doc comment says to developers only: the source of a key, and the name of a constant.
const FOR_DEVELOPERS: &str = r" \((?:[^()]*seed \d{3}[^()]*|\[`[A-Za-z_:]+`\])\)";

const BEGIN: &str = "# Configuration

<!-- This page is made from the types: see host/core/tests/config_page.rs. -->

gephost reads two files. Both are TOML. A key that is unknown, malformed or cannot be enforced stops gephost: nothing is
read and then ignored.

| file | who writes it |
|---|---|
| `gephost.toml` in the repository | the project |
| `config.toml` in your config folder, such as `~/.config/gephost/` | you; it names [the model](../how-to/model.md) |

# `gephost.toml`
";

const USER: &str = "\n# Your own `config.toml`\n";

#[test]
fn the_page_of_config_keys_is_what_the_types_say() {
    let mut page = BEGIN.to_owned();
    page.push_str(&file(&schemars::schema_for!(ConfigFile).to_value(), ""));
    page.push_str(USER);
    page.push_str(&file(&schemars::schema_for!(UserConfig).to_value(), " of your own config"));
    holds_or_bless(&page);
}

/// A stated range is the one that is enforced.
#[test]
fn the_ranges_that_the_page_states_are_enforced() {
    let schema = schemars::schema_for!(ConfigFile).to_value();
    let mut tried = 0;
    for (table, member) in schema["properties"].as_object().unwrap() {
        let resolved = resolve(&schema, member);
        let Some(keys) = resolved["properties"].as_object() else { continue };
        for (key, about) in keys {
            let Some((least, most)) = stated_range(about["description"].as_str().unwrap_or_default()) else { continue };
            let accepted = |value: u64| Config::from_toml(&format!("[{table}]\n{key} = {value}\n")).is_ok();
            assert!(accepted(least) && accepted(most), "`{table}.{key}` is not {least} to {most}");
            assert!(!accepted(most + 1) && (least == 0 || !accepted(least - 1)), "`{table}.{key}`: {least} to {most}");
            tried += 1;
        }
    }
    assert!(tried >= 15, "only {tried} ranges were found");
}

/// Every table of both files refuses a list, a list of tables and a plain value, and the error names it; every other key
/// refuses a value of another kind, and so does every list.
#[test]
fn no_key_takes_a_value_of_another_kind() {
    let files: [(Value, Refusal); 2] = [
        (schemars::schema_for!(ConfigFile).to_value(), |text| {
            Config::from_toml(text).err().map(|error| error.to_string())
        }),
        (schemars::schema_for!(UserConfig).to_value(), |text| {
            UserConfig::from_toml(text).err().map(|error| error.to_string())
        }),
    ];
    let (mut tables, mut keys) = (0, 0);
    for (schema, refusal) in files {
        let mut places = vec![(String::new(), schema.clone())];
        while let Some((above, table)) = places.pop() {
            for (name, member) in table["properties"].as_object().unwrap() {
                let place = format!("{above}{name}");
                let resolved = resolve(&schema, member);
                let each = resolve(&schema, &resolved["additionalProperties"]);
                if resolved["type"] != "object" {
                    let of_other_kinds = ["{}", "[[]]", "[{}]", "2000-01-01", "[1, \"a\"]"];
                    for value in of_other_kinds {
                        assert!(refusal(&format!("{place} = {value}\n")).is_some(), "{place} = {value}");
                    }
                    keys += 1;
                    continue;
                }
                for value in ["[]", "[{}]", "[[]]", "true", "1", "\"x\""] {
                    let told = refusal(&format!("{place} = {value}\n"));
                    assert!(
                        told.as_ref().is_some_and(|told| told.contains(&format!("`{place}`"))),
                        "{place} = {value}: {told:?}"
                    );
                }
                tables += 1;
                if resolved["properties"].is_object() {
                    places.push((format!("{place}."), resolved));
                } else if each["properties"].is_object() {
                    for value in ["[]", "[{}]", "true"] {
                        let told = refusal(&format!("{place}.x = {value}\n"));
                        assert!(told.is_some_and(|told| told.contains(&format!("`{place}.x`"))), "{place}.x = {value}");
                    }
                    places.push((format!("{place}.x."), each));
                }
            }
        }
    }
    assert!(tables >= 25 && keys >= 60, "{tables} tables, {keys} keys");
}

/// The error of reading a text, if it is refused.
type Refusal = fn(&str) -> Option<String>;

/// `1 to 3,600` in a description.
fn stated_range(text: &str) -> Option<(u64, u64)> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let number = |word: &str| word.trim_matches(|c: char| !c.is_ascii_digit()).replace(',', "").parse::<u64>().ok();
    let at =
        words.windows(3).find(|three| three[1] == "to" && number(three[0]).is_some() && number(three[2]).is_some())?;
    Some((number(at[0])?, number(at[2])?))
}

/// All tables of a file: first the keys that stand in none, then each table.
fn file(schema: &Value, suffix: &str) -> String {
    let mut text = String::new();
    let properties = schema["properties"].as_object().unwrap();
    let (tables, keys): (Vec<_>, Vec<_>) =
        properties.iter().partition(|(_, member)| resolve(schema, member)["properties"].is_object());
    if !keys.is_empty() {
        text.push('\n');
        rows(&mut text, schema, &keys.into_iter().map(|(key, member)| (key.clone(), member.clone())).collect());
    }
    for (name, member) in tables {
        table(&mut text, schema, name, suffix, &resolve(schema, member));
    }
    text
}

fn table(text: &mut String, root: &Value, name: &str, suffix: &str, schema: &Value) {
    // Writing to a String cannot fail.
    let _ = write!(text, "\n## `[{name}]`{suffix}\n\n{}\n", described(schema, name));
    let mut below = Vec::new();
    let mut keys = Map::new();
    for (key, member) in schema["properties"].as_object().unwrap() {
        let inner = resolve(root, member);
        let each = resolve(root, &inner["additionalProperties"]);
        if inner["properties"].is_object() {
            below.push((format!("{name}.{key}"), inner));
        } else if each["properties"].is_object() {
            below.push((format!("{name}.{key}.\"ID\""), each));
        } else {
            keys.insert(key.clone(), member.clone());
        }
    }
    if !keys.is_empty() {
        text.push('\n');
        rows(text, root, &keys);
    }
    for (name, schema) in below {
        table(text, root, &name, suffix, &schema);
    }
}

fn rows(text: &mut String, root: &Value, keys: &Map<String, Value>) {
    text.push_str("| key | type | default | meaning |\n|---|---|---|---|\n");
    for (key, member) in keys {
        let (kind, default) = (kind(root, member), default(member));
        let _ = writeln!(text, "| `{key}` | {kind} | {default} | {} |", described(member, key).replace('|', "\\|"));
    }
}

/// The schema behind a reference, with the reference's own description first.
fn resolve(root: &Value, schema: &Value) -> Value {
    if let Some(name) = schema["$ref"].as_str().and_then(|path| path.strip_prefix("#/$defs/")) {
        return root["$defs"][name].clone();
    }
    let some = schema["anyOf"].as_array().and_then(|any| any.iter().find(|one| one["type"] != "null"));
    some.map_or_else(|| schema.clone(), |one| resolve(root, one))
}

/// What a doc comment says, as a sentence. Every key must say something.
fn described(schema: &Value, name: &str) -> String {
    let text = schema["description"].as_str().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(!text.is_empty(), "`{name}` has no doc comment");
    // `[autopilot]`: at the beginning of a table's comment is its heading here.
    let text = text
        .split_once("`: ")
        .filter(|(head, _)| head.starts_with("`[") || head.starts_with('`'))
        .map_or(text.as_str(), |(_, rest)| rest);
    let text = text.replace("`docs/src/reference/thresholds.md`", "[Thresholds](thresholds.md)");
    let text = Regex::new(FOR_DEVELOPERS).unwrap().replace_all(&text, "");
    let mut letters = text.replace("[`", "`").replace("`]", "`").chars().collect::<Vec<_>>();
    letters[0] = letters[0].to_ascii_uppercase();
    letters.into_iter().collect()
}

fn kind(root: &Value, member: &Value) -> String {
    let schema = resolve(root, member);
    let variants =
        schema["oneOf"].as_array().into_iter().flatten().chain(schema["anyOf"].as_array().into_iter().flatten());
    let named: Vec<String> = variants
        .flat_map(|one| {
            one["const"]
                .as_str()
                .into_iter()
                .chain(one["enum"].as_array().into_iter().flatten().filter_map(Value::as_str))
        })
        .chain(schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str))
        .map(|value| format!("`\"{value}\"`"))
        .collect();
    if !named.is_empty() {
        return named.join(", ");
    }
    let types = schema["anyOf"].as_array().into_iter().flatten().filter_map(|one| one["type"].as_str());
    if types.eq(["string", "object"]) {
        return "text or table".to_owned();
    }
    let kind = &schema["type"];
    let kind = kind.as_str().or_else(|| {
        kind.as_array().and_then(|kinds| kinds.iter().find_map(|one| one.as_str().filter(|one| *one != "null")))
    });
    match kind {
        Some("boolean") => "true or false".to_owned(),
        Some("integer" | "number") => "number".to_owned(),
        Some("string") => "text".to_owned(),
        Some("array") => format!("list of: {}", self::kind(root, &schema["items"])),
        Some("object") => "table".to_owned(),
        _ => "true or false, number, or text".to_owned(),
    }
}

fn default(member: &Value) -> String {
    match &member["default"] {
        Value::Null => "none".to_owned(),
        Value::Object(map) if map.is_empty() => "empty".to_owned(),
        value => format!("`{value}`"),
    }
}

#[expect(clippy::disallowed_methods, reason = "a test writes the page when its variable is set")]
fn holds_or_bless(expected: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(PAGE);
    if std::env::var_os("GEPHOST_BLESS").is_some() {
        std::fs::write(&path, expected).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == expected, "{PAGE} is out of date: run this test with GEPHOST_BLESS=1 and commit it");
}
