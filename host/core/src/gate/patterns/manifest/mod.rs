//! Manifests before and after the change, parsed: which keys differ, and what follows from them.
//!
//! What must stay true: a key counts whatever its spelling, since only parsed values are compared. The table of keys is
//! `rules/manifest-keys.txt`. Rules in `rules/files.toml` cover manifests that are lists of lines.

mod gradle;
mod keys;
mod read;
pub(super) mod runner_keys;
mod scripts;
mod xml;
mod yaml;

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::Value;

use super::super::{ApprovedChange, Severity, Violation};
use super::rules::Group;
use crate::path::RepoPath;
use keys::{Key, KeyRule};
use read::{Leaf, bare};
pub(super) use scripts::called;
use scripts::scripts_of_tests;
pub(super) use xml::read as xml;
pub(super) use yaml::read as yaml;

/// Most keys that a message names.
const NAMED: usize = 3;

/// Looks at one change. `called` are the scripts of npm that validation commands call.
pub(super) fn check(change: &ApprovedChange, called: &BTreeSet<String>) -> Vec<(Group, Violation)> {
    let Some(after) = &change.after else { return Vec::new() };
    let (before, after) = (change.before.as_ref().map_or(&[][..], |state| &state.content), &*after.content);
    let found = if let Some((kind, read)) = read::by_name(&change.path) {
        let before = text(before);
        let known = read(&before).or_else(|| read::damaged(kind, &before));
        compared(kind, known, read(&text(after)), called)
    } else if let Some(script) = read::script(after) {
        let known = read::script(before).and_then(|script| read::toml(&script));
        compared("*.script", known, read::toml(&script), called)
    } else if let Some(script) = read::cargo_script(after).filter(|_| is_rust(&change.path)) {
        let known = read::cargo_script(before).and_then(|script| read::toml(&script));
        compared("*.cargo", known, read::toml(&script), called)
    } else {
        return Vec::new();
    };
    found.into_iter().map(|(group, violation)| (group, violation.at(&change.path))).collect()
}

/// What runs by itself, by the keys of a manifest that was not there before.
pub(super) fn scan(path: &RepoPath, text: &str) -> Vec<Violation> {
    let Some((kind, read)) = read::by_name(path) else { return Vec::new() };
    let found = compared(kind, None, read(text), &BTreeSet::new());
    let runs =
        |(group, violation): &(Group, Violation)| *group == Group::ToolFiles && violation.severity == Severity::Reject;
    found.into_iter().filter(runs).map(|(_, violation)| violation.at(path)).collect()
}

/// Keys of lists of files that are packed or left out.
const LISTS: &[&str] = &["include", "includes", "exclude", "excludes", "output"];

/// Whether a manifest has a value of which `names` holds, at a key that decides what runs; `None` if it has none, or is
/// no manifest. The answer is whether Rust would build it in.
pub(super) fn runs(path: &RepoPath, text: &str, names: impl Fn(&str) -> bool) -> Option<bool> {
    let (kind, read) = read::by_name(path)?;
    let keys = keys::of_manifest(kind);
    let runs = |(path, value): &Leaf| {
        let names_it = names(value);
        let path = bare(path);
        let key = keys.iter().find(|key| key.covers(&path));
        // Cargo compiles the files of these keys, and no others.
        let is_compiled = || kind != "Cargo.toml" || path.last().is_some_and(|last| ["path", "build"].contains(last));
        let is_listed = || path.iter().any(|name| LISTS.contains(name));
        names_it && is_compiled() && !is_listed() && key.is_some_and(|key| key.rule.group != Group::NewDependencies)
    };
    read::leaves(&read(text)?).iter().any(runs).then_some(kind == "Cargo.toml")
}

/// Whether a file is a manifest that is parsed.
pub(super) fn is_one(path: &RepoPath) -> bool {
    read::by_name(path).is_some()
}

fn is_rust(path: &RepoPath) -> bool {
    path.file_name().rsplit_once('.').is_some_and(|(_, extension)| extension.eq_ignore_ascii_case("rs"))
}

fn text(content: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(content)
}

fn compared(
    kind: &str,
    known: Option<Value>,
    wanted: Option<Value>,
    called: &BTreeSet<String>,
) -> Vec<(Group, Violation)> {
    let Some(wanted) = wanted else {
        let hint = "send a manifest that parses";
        let violation = Violation::reject("manifest-unreadable", "the manifest does not parse", hint);
        return vec![(Group::NewDependencies, violation)];
    };
    let is_new = known.is_none();
    let known = known.unwrap_or(Value::Null);
    let of_tests = if kind == "package.json" { scripts_of_tests(&known, &wanted, called) } else { BTreeSet::new() };
    let (known, wanted) = (read::leaves(&known), read::leaves(&wanted));
    let keys = keys::of_manifest(kind);
    let mut broken: Vec<(&'static KeyRule, Vec<&Leaf>)> = Vec::new();
    let gone = known.difference(&wanted).map(|leaf| (leaf, true));
    for (leaf, is_gone) in wanted.difference(&known).map(|leaf| (leaf, false)).chain(gone) {
        let Some(rule) = rule_for(leaf, is_gone, keys, &of_tests) else { continue };
        if rule.id == "test-config-key" && !is_new && runner_keys::is_harmless(None, &leaf.0, &known, &wanted) {
            continue;
        }
        match broken.iter_mut().find(|(known, _)| known.id == rule.id) {
            Some((_, leaves)) => leaves.push(leaf),
            None => broken.push((rule, vec![leaf])),
        }
    }
    broken.into_iter().map(|(rule, leaves)| (rule.group, violation(rule, &leaves))).collect()
}

/// The rule that a value breaks by being there now, or by being gone.
fn rule_for(leaf: &Leaf, is_gone: bool, keys: &[Key], of_tests: &BTreeSet<String>) -> Option<&'static KeyRule> {
    let (path, value) = leaf;
    let names = bare(path);
    let key = keys.iter().find(|key| (is_gone || !key.only_gone) && key.covers(&names))?;
    let rule = match names.as_slice() {
        ["scripts", name] if key.rule.id == "build-config" && of_tests.contains(*name) => {
            keys::by_id("test-config-key").unwrap_or(key.rule)
        }
        _ => key.rule,
    };
    let counts = if rule.only_new { !is_gone && !is_empty(value) } else { true };
    counts.then_some(rule)
}

fn is_empty(value: &str) -> bool {
    matches!(value, "{}" | "[]")
}

fn violation(rule: &KeyRule, leaves: &[&Leaf]) -> Violation {
    let mut named: Vec<String> = leaves.iter().map(|leaf| spelled(leaf)).collect();
    named.dedup();
    let more = named.len().saturating_sub(NAMED);
    named.truncate(NAMED);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!("{}: {}{more}", rule.message, named.join(", "));
    let violation = Violation::reject(rule.id, message, "");
    Violation { severity: rule.severity, ..violation }
}

fn spelled((path, value): &Leaf) -> String {
    format!("{} = {value}", bare(path).join("."))
}
