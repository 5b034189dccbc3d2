//! New or changed dependencies, from manifests before and after the change. Rules in `rules/files.toml` cover lock
//! files and manifests that are lists of lines.

use std::collections::BTreeSet;

use serde_json::Value;

use super::super::{ApprovedChange, BlobState, Violation};

/// Deepest manifest that is read.
const MAX_DEPTH: usize = 32;

/// Members of a manifest that name what is fetched, or from where.
const DEPENDENCY_KEYS: &[&str] = &[
    "bundledependencies",
    "bundleddependencies",
    "dependencies",
    "dependency-groups",
    "dev-dependencies",
    "dev_dependencies",
    "devdependencies",
    "build-dependencies",
    "build_dependencies",
    "build-system",
    "index",
    "indexes",
    "optional-dependencies",
    "optionaldependencies",
    "overrides",
    "patch",
    "peerdependencies",
    "pnpm",
    "registries",
    "registry",
    "replace",
    "resolutions",
    "sources",
    "packagemanager",
    "publishconfig",
];

/// Looks at one change.
pub(super) fn check(change: &ApprovedChange) -> Option<Violation> {
    let read = match change.path.file_name() {
        "package.json" | "composer.json" => json,
        "Cargo.toml" | "pyproject.toml" | "Pipfile" => toml,
        _ => return None,
    };
    let after = change.after.as_ref()?;
    let path = &change.path;
    let Some(wanted) = read(after) else {
        let hint = "send a manifest that parses";
        return Some(Violation::reject("manifest-unreadable", "the manifest does not parse", hint).at(path));
    };
    let known = change.before.as_ref().and_then(read).unwrap_or(Value::Null);
    // A Pipfile lists nothing else.
    let all = change.path.file_name() == "Pipfile";
    let (known, wanted) = (dependencies(&known, all), dependencies(&wanted, all));
    let new = wanted.difference(&known).next()?;
    let message = format!("a dependency is new or changed: {new}");
    Some(Violation::reject("new-dependency", message, "").at(path))
}

fn json(state: &BlobState) -> Option<Value> {
    serde_json::from_slice(&state.content).ok()
}

fn toml(state: &BlobState) -> Option<Value> {
    toml::from_str(std::str::from_utf8(&state.content).ok()?).ok()
}

/// Every leaf below a member that names dependencies, or every leaf, as `member.member = value`.
fn dependencies(manifest: &Value, all: bool) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    collect(manifest, &mut Vec::new(), all, &mut found);
    found
}

fn collect(value: &Value, place: &mut Vec<String>, inside: bool, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) if place.len() < MAX_DEPTH => {
            for (name, member) in members {
                place.push(name.clone());
                collect(member, place, inside || names_dependencies(name), found);
                place.pop();
            }
        }
        Value::Array(items) if place.len() < MAX_DEPTH => {
            for item in items {
                // The place in a list means nothing; the entry itself does.
                place.push(String::new());
                collect(item, place, inside, found);
                place.pop();
            }
        }
        leaf if inside => {
            let place: Vec<&str> = place.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
            found.insert(format!("{} = {leaf}", place.join(".")));
        }
        _ => {}
    }
}

fn names_dependencies(member: &str) -> bool {
    DEPENDENCY_KEYS.contains(&member.to_ascii_lowercase().as_str())
}
