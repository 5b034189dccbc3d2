//! Which scripts of a `package.json` the tests go through: `test` itself, those that a validation command calls, and
//! those that one of these names. Whoever changes such a script decides what is tested.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::command::ValidationCommand;

/// Programs that run scripts of `package.json` by name.
const RUNNERS: &[&str] = &["npm", "pnpm", "yarn", "bun"];

/// Longest chain of scripts that is followed.
const MOST_CALLS: usize = 32;

/// The words of validation commands that may be names of scripts.
pub(in super::super) fn called<'a>(commands: impl Iterator<Item = &'a ValidationCommand>) -> BTreeSet<String> {
    let words = commands.filter_map(|command| {
        let (program, words) = command.argv().split_first()?;
        RUNNERS.contains(&program.as_str()).then_some(words)
    });
    words.flatten().filter(|word| !word.starts_with('-')).cloned().collect()
}

/// The names of all scripts that the tests go through, before or after the change.
pub(super) fn scripts_of_tests(known: &Value, wanted: &Value, called: &BTreeSet<String>) -> BTreeSet<String> {
    let scripts: Vec<(&str, &str)> = [known, wanted]
        .into_iter()
        .filter_map(|manifest| manifest.get("scripts")?.as_object())
        .flatten()
        .filter_map(|(name, text)| Some((name.as_str(), text.as_str()?)))
        .collect();
    let mut found: BTreeSet<String> = called.iter().cloned().chain(["test".to_owned()]).collect();
    for _ in 0..MOST_CALLS {
        let named: BTreeSet<String> =
            scripts.iter().filter(|(name, _)| is_of(name, &found)).flat_map(|(_, text)| words(text)).collect();
        let more: Vec<String> = scripts
            .iter()
            .filter(|(name, _)| !found.contains(*name) && (named.contains(*name) || is_of(name, &found)))
            .map(|(name, _)| (*name).to_owned())
            .collect();
        if more.is_empty() {
            return found;
        }
        found.extend(more);
    }
    // Scripts that call each other so often are not followed: all of them count.
    found.extend(scripts.into_iter().map(|(name, _)| name.to_owned()));
    found
}

/// Whether a script is one of these, or runs before or after one.
fn is_of(name: &str, found: &BTreeSet<String>) -> bool {
    let around = ["pre", "post"].iter().filter_map(|prefix| name.strip_prefix(prefix));
    found.contains(name) || around.into_iter().any(|bare| found.contains(bare))
}

/// The words of a script; `run-s test:*` and `npm:lint` name scripts too.
fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| c.is_whitespace() || "\"'`;&|()".contains(c))
        .filter(|word| !word.is_empty())
        .map(|word| word.strip_prefix("npm:").unwrap_or(word).to_owned())
}
