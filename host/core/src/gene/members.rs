//! The members that a manifest may have, and the ones that are probably a mistake.
//!
//! A document of the protocol may have members that gephost does not know, so a component with such a member still loads.
//! But a member that is a misspelling of a known one is an error, because what it says would be ignored: without
//! `constraints`, a gene has no limits of its own.

use serde_json::{Map, Value};

/// Members of a GEP Gene (schemas 1.x), and the three that make it a manifest.
const GENE: &[&str] = &[
    "anti_patterns",
    "asset_id",
    "capabilities",
    "category",
    "claims",
    "constraints",
    "epigenetic_marks",
    "id",
    "learning_history",
    "preconditions",
    "routing_hint",
    "runtime_profile",
    "schema_version",
    "scope",
    "settings",
    "signals_match",
    "strategy",
    "summary",
    "tool_policy",
    "type",
    "validation",
    "verifier_profile",
    "world",
];
/// Members of `constraints`.
const CONSTRAINTS: &[&str] = &["forbidden_paths", "max_files"];
/// Members of an entry of `settings`.
const SETTING: &[&str] = &["default", "description", "max", "min", "name", "unit"];

/// A member that is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnknownMember {
    /// Its name, with dots for members of members, for example `constraints.max_file`.
    pub path: String,
    /// The known member of the same object that was probably meant.
    pub meant: Option<&'static str>,
}

/// The members of a manifest that are not known, in its order. Members that begin with `x_` or `x-` are free.
pub fn unknown_members(manifest: &Map<String, Value>) -> Vec<UnknownMember> {
    let mut found = unknown("", manifest, GENE);
    if let Some(Value::Object(constraints)) = manifest.get("constraints") {
        found.extend(unknown("constraints.", constraints, CONSTRAINTS));
    }
    for (position, entry) in manifest.get("settings").and_then(Value::as_array).into_iter().flatten().enumerate() {
        if let Value::Object(entry) = entry {
            found.extend(unknown(&format!("settings[{position}]."), entry, SETTING));
        }
    }
    found
}

fn unknown(prefix: &str, object: &Map<String, Value>, known: &[&'static str]) -> Vec<UnknownMember> {
    let is_free = |name: &str| name.starts_with("x_") || name.starts_with("x-");
    let names = object.keys().filter(|name| !known.contains(&name.as_str()) && !is_free(name));
    names.map(|name| UnknownMember { path: format!("{prefix}{name}"), meant: meant(name, known) }).collect()
}

/// The known name that is nearest, if it is near: the name begins it, or at most two letters differ (one in short names).
fn meant(name: &str, known: &[&'static str]) -> Option<&'static str> {
    let plain = plain(name);
    if !(3..=MAX_NAME).contains(&plain.len()) {
        return None;
    }
    let near = |known: &&'static str| {
        let wanted = self::plain(known);
        let begins = plain.len() >= MIN_PREFIX && wanted.starts_with(&plain);
        let distance = distance(&plain, &wanted);
        let most = if plain.len().min(wanted.len()) < 6 { 1 } else { 2 };
        (begins || distance <= most).then_some((distance, *known))
    };
    known.iter().filter_map(near).min().map(|(_, known)| known)
}

/// Longest name that is compared, in bytes.
const MAX_NAME: usize = 64;
/// Shortest beginning of a name that counts as the name, in bytes.
const MIN_PREFIX: usize = 4;

/// A name without the ways in which people write it: case, `_` and `-`, and the plural.
fn plain(name: &str) -> String {
    let plain: String = name.chars().filter(|c| !matches!(c, '_' | '-' | ' ')).flat_map(char::to_lowercase).collect();
    match (plain.strip_suffix("ies"), plain.strip_suffix('s')) {
        (Some(stem), _) => format!("{stem}y"),
        (None, Some(stem)) => stem.to_owned(),
        (None, None) => plain,
    }
}

/// Letters to insert, delete, replace or exchange with the next one, so that one text becomes the other.
fn distance(from: &str, to: &str) -> usize {
    let (from, to): (Vec<char>, Vec<char>) = (from.chars().collect(), to.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=to.len()).collect()];
    for (i, a) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in to.iter().enumerate() {
            let at =
                |row: Option<&Vec<usize>>, j: usize| row.and_then(|row| row.get(j)).copied().unwrap_or(usize::MAX - 1);
            let mut least =
                (at(rows.get(i), j) + usize::from(a != b)).min(at(rows.get(i), j + 1) + 1).min(at(Some(&row), j) + 1);
            let is_exchanged = i > 0 && j > 0 && from.get(i - 1) == Some(b) && to.get(j - 1) == Some(a);
            if is_exchanged {
                least = least.min(at(rows.get(i - 1), j - 1) + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows.last().and_then(|row| row.last()).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn of(manifest: Value) -> Vec<UnknownMember> {
        unknown_members(manifest.as_object().expect("an object"))
    }

    #[test]
    fn a_misspelled_member_is_recognised() {
        for (name, wanted) in [
            ("constraint", "constraints"),
            ("constrains", "constraints"),
            ("contraints", "constraints"),
            ("Constraints", "constraints"),
            ("signal_match", "signals_match"),
            ("signals-match", "signals_match"),
            ("signalsMatch", "signals_match"),
            ("signals", "signals_match"),
            ("capability", "capabilities"),
            ("capabilites", "capabilities"),
            ("validations", "validation"),
            ("valid", "validation"),
            ("stratgey", "strategy"),
            ("setting", "settings"),
            ("wrold", "world"),
            ("sumary", "summary"),
            ("assetId", "asset_id"),
            ("schema", "schema_version"),
        ] {
            let found = of(json!({ name: 1 }));
            assert_eq!(found, [UnknownMember { path: name.to_owned(), meant: Some(wanted) }], "{name}");
        }
    }

    #[test]
    fn another_member_is_unknown_and_suggests_nothing() {
        for name in
            ["future", "author", "license", "tag", "homepage", "ab", "created_at", "model_name", "summary_of_tests"]
        {
            assert_eq!(of(json!({ name: 1 })), [UnknownMember { path: name.to_owned(), meant: None }], "{name}");
        }
        let long = "x".repeat(100_000);
        assert_eq!(of(json!({ long.as_str(): 1 }))[0].meant, None);
    }

    #[test]
    fn known_and_free_members_are_not_listed() {
        let all: Map<String, Value> = GENE.iter().map(|name| ((*name).to_owned(), Value::Null)).collect();
        assert_eq!(unknown_members(&all), []);
        assert_eq!(of(json!({ "x_note": 1, "x-note": 2 })), []);
    }

    #[test]
    fn members_of_members_are_named_with_their_place() {
        let found = of(json!({
            "constraints": { "max_file": 3, "forbidden_path": [], "x_why": "" },
            "settings": [{ "name": "a" }, { "decription": "b" }],
        }));
        let found: Vec<_> = found.iter().map(|unknown| (unknown.path.as_str(), unknown.meant)).collect();
        assert_eq!(
            found,
            [
                ("constraints.max_file", Some("max_files")),
                ("constraints.forbidden_path", Some("forbidden_paths")),
                ("settings[1].decription", Some("description")),
            ]
        );
    }
}
