//! Edits of a test runner's config after which as much runs as before, and asks as much: another reporter, a longer list of
//! folders, a stricter option, another layout.
//!
//! The table `rules/runner-keys.txt` says which keys may change, and how. What must stay true: a key that the table does not
//! know, a value that is not understood, and a config that cannot be read are never harmless.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use serde_json::Value;

use super::super::language::languages;
use super::super::mask::Reader;
use super::super::runner_script;
use super::keys::covers;
use super::read::{Leaf, bare, ini, jsonc, leaves, toml};
use super::{xml, yaml};
use crate::gate::ApprovedChange;
use crate::patch::shown;
use crate::path::RepoPath;

/// How a value may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Free,
    Name,
    More,
    Less,
    Up,
    Down,
    On,
    Version,
    Options,
    Warnings,
}

const KINDS: &[(&str, Kind)] = &[
    ("free", Kind::Free),
    ("name", Kind::Name),
    ("more", Kind::More),
    ("less", Kind::Less),
    ("up", Kind::Up),
    ("down", Kind::Down),
    ("on", Kind::On),
    ("version", Kind::Version),
    ("options", Kind::Options),
    ("warnings", Kind::Warnings),
];

/// The keys of one tool.
#[derive(Default)]
struct Tool {
    name: &'static str,
    /// Where its keys begin in a manifest that several tools share, and in a file of its own.
    roots: Vec<Vec<&'static str>>,
    keys: Vec<(Kind, Vec<&'static str>)>,
    shows: Vec<&'static str>,
    asks: Vec<&'static str>,
}

static TOOLS: LazyLock<Vec<Tool>> = LazyLock::new(|| {
    let mut tools: Vec<Tool> = Vec::new();
    let lines = include_str!("../../../../rules/runner-keys.txt").lines();
    for (first, rest) in lines.filter(|line| !line.starts_with('#')).filter_map(|line| line.split_once(" | ")) {
        let words = rest.split_ascii_whitespace();
        if !first.starts_with(' ') {
            let roots = words.map(|root| root.split('.').filter(|name| !name.is_empty()).collect());
            tools.push(Tool { name: first, roots: roots.collect(), ..Tool::default() });
            continue;
        }
        let Some(tool) = tools.last_mut() else { continue };
        match first.trim() {
            "shows" => tool.shows.extend(words),
            "asks" => tool.asks.extend(words),
            kind => {
                let kind = KINDS.iter().find(|(name, _)| *name == kind).map(|(_, kind)| *kind);
                tool.keys.extend(kind.into_iter().flat_map(|kind| words.clone().map(move |key| (kind, split(key)))));
            }
        }
    }
    tools
});

fn split(key: &'static str) -> Vec<&'static str> {
    key.split('.').collect()
}

impl Tool {
    /// How the value at a path may change; `None` if it may not. Only in a file of its own do its keys begin at the root.
    fn kind(&self, path: &[&str], is_own: bool) -> Option<Kind> {
        let roots = self.roots.iter().filter(|root| is_own || !root.is_empty());
        roots.filter_map(|root| path.strip_prefix(root.as_slice())).find_map(|rest| {
            let key = self.keys.iter().find(|(_, key)| covers(key, rest));
            key.map(|(kind, _)| *kind)
        })
    }

    /// The words of a command line, each option with its value.
    fn options(&self, values: &[String]) -> BTreeSet<String> {
        let takes = |option: &str| self.shows.iter().any(|known| known.strip_suffix('=') == Some(option));
        let mut all: Vec<String> = Vec::new();
        for word in values.iter().flat_map(|value| value.split_ascii_whitespace()) {
            match all.last_mut() {
                Some(option) if !word.starts_with('-') && takes(option) => *option = format!("{option}={word}"),
                _ => all.push(word.to_owned()),
            }
        }
        all.into_iter().collect()
    }
}

/// Whether an option stands in a list, with its value if it takes one.
fn is_listed(option: &str, list: &[&str]) -> bool {
    let name = option.split('=').next().unwrap_or_default();
    list.iter().any(|known| *known == option || known.strip_suffix('=') == Some(name))
}

/// Reads a config; `None` if it does not parse.
type Read = fn(&str) -> Option<Value>;

/// The tool that a config file belongs to, by its name, and how the file is read.
fn of_file(path: &RepoPath) -> Option<(&'static str, Read)> {
    let name = path.file_name().to_ascii_lowercase();
    let begins = |start: &str| name.starts_with(start);
    let tool = match name.as_str() {
        "pytest.ini" | ".pytest.ini" | "pytest.toml" | ".pytest.toml" => "pytest",
        ".coveragerc" | ".coveragerc.toml" => "coverage",
        "tox.ini" | "tox.toml" => "tox",
        "nextest.toml" => "nextest",
        _ if begins("phpunit.") => "phpunit",
        _ if begins("jest.config.") => "jest",
        _ if begins("vitest.config.") => "vitest",
        _ if begins(".mocharc") || begins("mocharc.") => "mocha",
        _ if begins(".nycrc") || begins("nyc.config.") || begins(".c8rc") => "nyc",
        _ if begins("ava.config.") => "ava",
        _ if begins("playwright.config.") || begins("playwright-ct.config.") => "playwright",
        _ if begins("cypress.config.") || name == "cypress.json" => "cypress",
        _ => return None,
    };
    let read: Read = match name.rsplit('.').next().unwrap_or_default() {
        "ini" | "coveragerc" => ini,
        "toml" => toml,
        "xml" | "dist" => xml::read,
        "json" | "json5" | "jsonc" | "nycrc" | "c8rc" | "mocharc" => jsonc,
        "yml" | "yaml" => yaml::read,
        "js" | "cjs" | "mjs" | "ts" | "cts" | "mts" => runner_script::read,
        _ => return None,
    };
    Some((tool, read))
}

/// Whether an edit of a file that configures tests leaves what they run and ask.
pub(in crate::gate::patterns) fn keeps(change: &ApprovedChange) -> bool {
    let (Some(before), Some(after)) = (&change.before, &change.after) else { return false };
    let (before, after) = (shown(&before.content), shown(&after.content));
    if says_the_same(&change.path, &before, &after) {
        return true;
    }
    let Some((tool, read)) = of_file(&change.path) else { return false };
    let Some((known, wanted)) = read(&before).zip(read(&after)) else { return false };
    let (known, wanted) = (leaves(&known), leaves(&wanted));
    let differ: BTreeSet<Vec<String>> = known.symmetric_difference(&wanted).map(|(path, _)| path.clone()).collect();
    differ.iter().all(|path| is_harmless(Some(tool), path, &known, &wanted))
}

/// Whether two texts are the same code, apart from comments and space.
fn says_the_same(path: &RepoPath, before: &str, after: &str) -> bool {
    let spoken = languages(path, before.lines().next().unwrap_or_default());
    let Some(reader) = Reader::of(path, spoken).filter(|reader| reader.tells_strings()) else { return false };
    let code = |text: &str| {
        let masked = reader.mask(text);
        (masked.sure == text.len()).then_some(masked.plain)
    };
    let Some((before, after)) = code(before).zip(code(after)) else { return false };
    // Space at the start of a line may mean something.
    let lines = |text: &str| -> Vec<String> {
        let lines = text.lines().map(str::trim_end).filter(|line| !line.trim().is_empty());
        lines.map(str::to_owned).collect()
    };
    lines(&before) == lines(&after)
}

/// Whether the values at one path changed harmlessly: of a tool's own config, or of a manifest that holds those of several.
pub(super) fn is_harmless(
    tool: Option<&str>,
    path: &[String],
    known: &BTreeSet<Leaf>,
    wanted: &BTreeSet<Leaf>,
) -> bool {
    let bare = names(path);
    let of_tool = |own: &'static Tool| own.kind(&bare, tool == Some(own.name)).map(|kind| (own, kind));
    let Some((tool, kind)) = TOOLS.iter().find_map(of_tool) else { return false };
    let at = |leaves: &BTreeSet<Leaf>| -> Vec<String> {
        leaves.iter().filter(|(place, _)| names(place) == bare).map(|(_, value)| text_of(value)).collect()
    };
    allows(tool, kind, &at(known), &at(wanted))
}

/// The names of a path. A section `coverage:run` is a table in a table.
fn names(path: &[String]) -> Vec<&str> {
    let bare = bare(path);
    let section = bare.first().and_then(|first| first.strip_prefix("coverage:"));
    section
        .into_iter()
        .flat_map(|section| ["coverage", section])
        .chain(bare.iter().copied().skip(usize::from(section.is_some())))
        .collect()
}

/// A value as text, without quotes.
fn text_of(value: &str) -> String {
    match serde_json::from_str(value) {
        Ok(Value::String(text)) => text,
        Ok(Value::Array(_) | Value::Object(_)) => String::new(),
        _ => value.to_owned(),
    }
}

/// The entries of a list, which may stand in one text.
fn entries(values: &[String]) -> BTreeSet<&str> {
    values.iter().flat_map(|value| value.split([' ', '\t', '\n', ','])).filter(|entry| !entry.is_empty()).collect()
}

fn allows(tool: &Tool, kind: Kind, old: &[String], new: &[String]) -> bool {
    let (was, is) = (entries(old), entries(new));
    let number = |values: &[String]| match values {
        [one] => one.trim_end_matches('%').parse::<f64>().ok().filter(|number| number.is_finite()),
        _ => None,
    };
    match kind {
        Kind::Free => !new.iter().any(|value| value.contains(runner_script::OPAQUE)),
        Kind::Name => is.difference(&was).all(|entry| is_plain_name(entry)),
        // An entry that leaves out what others name is none more.
        Kind::More => {
            !was.is_empty()
                && was.is_subset(&is)
                && !is.difference(&was).any(|entry| entry.starts_with(['!', '-', '<']))
        }
        Kind::Less => is.is_subset(&was) && !was.difference(&is).any(|entry| entry.starts_with('!')),
        Kind::Up => match (number(old), number(new)) {
            (Some(old), Some(new)) => new >= old && old >= 0.0,
            (None, Some(new)) => old.is_empty() && new > 0.0,
            _ => false,
        },
        Kind::Down => match (number(old), number(new)) {
            (Some(old), Some(new)) => new <= old,
            (Some(_), None) => new.is_empty(),
            _ => false,
        },
        Kind::On => matches!(new, [one] if ["true", "True", "yes", "on", "1"].contains(&one.as_str())),
        Kind::Version => {
            let bare = |values: &[String]| -> BTreeSet<String> {
                values
                    .iter()
                    .map(|value| value.replace(|c: char| c.is_ascii_digit() || ".<>=~! ".contains(c), ""))
                    .collect()
            };
            bare(old) == bare(new) && !old.is_empty()
        }
        Kind::Options => {
            let (was, is) = (tool.options(old), tool.options(new));
            let shows = |option: &String| is_listed(option, &tool.shows);
            let asks = |option: &String| is_listed(option, &tool.asks);
            is.difference(&was).all(|option| shows(option) || asks(option)) && was.difference(&is).all(shows)
        }
        Kind::Warnings => {
            let (was, is): (BTreeSet<&String>, BTreeSet<&String>) = (old.iter().collect(), new.iter().collect());
            let begins =
                |entry: &String, word: &str| entry.split(':').next().is_some_and(|action| action.trim() == word);
            is.difference(&was).all(|entry| begins(entry, "error"))
                && was.difference(&is).all(|entry| begins(entry, "ignore"))
        }
    }
}

/// Whether an entry names something that a runner has or a package brings, and not a file or code.
fn is_plain_name(entry: &str) -> bool {
    !entry.starts_with(['.', '/']) && !entry.contains(|c: char| "(){}=>`$;<".contains(c) || c == runner_script::OPAQUE)
}
