//! Names that a changed line takes: of a function that stands in the same block, or of what the tests of the file call.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::balance;
use super::changed::Changed;
use super::expression::ascii;
use super::phrase::Phrase;
use super::text::Text;

/// The name that the first group of an expression to match finds at the start of a line which may define something.
fn defined<'a>(expression: &Regex, line: &'a str) -> Option<&'a str> {
    const WORDS: &[&str] =
        &["alias", "async", "class", "const", "def", "fn", "func", "function", "let", "macro_rules", "sub", "var"];
    let first = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).next().unwrap_or_default();
    let may = WORDS.contains(&first) || line.starts_with('#') || line.contains("()") || line.contains("lambda");
    let found = may.then(|| expression.captures(line.as_bytes())).flatten()?;
    line.get(found.iter().skip(1).flatten().next()?.range())
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// A function, a method or a class that the change defines once more in the same block.
pub(super) fn shadowed(file: &Changed<'_>) -> Option<String> {
    static DEFINES: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"^(?:(?:async\s+)?def\s+([\w.]+[?!]?)|class\s+(\w+)|(?:async\s+)?function\s+([\w-]+)|sub\s+(\w+)|([\w-]+)\s*\(\)\s*\{)",
        )
    });
    let come: BTreeSet<&str> = file.lines.added.iter().filter_map(|(code, _)| defined(&DEFINES, code.trim())).collect();
    if come.is_empty() {
        return None;
    }
    let again = |text: &Text<'_>| {
        let mut all: BTreeMap<(usize, String), usize> = BTreeMap::new();
        let (mut around, mut above): (Vec<(usize, usize)>, &str) = (Vec::new(), "");
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let bare = line.trim_start();
            while around.last().is_some_and(|(depth, _)| *depth >= indent(line)) {
                around.pop();
            }
            if let Some(name) = defined(&DEFINES, bare).filter(|name| come.contains(name) && !joins(above)) {
                *all.entry((around.last().map_or(0, |(_, block)| block + 1), name.to_owned())).or_default() += 1;
            }
            around.push((indent(line), at));
            above = bare;
        }
        let mut twice: BTreeMap<String, usize> = BTreeMap::new();
        for ((_, name), count) in all {
            *twice.entry(name).or_default() += count - 1;
        }
        twice
    };
    let (old, new) = (again(&file.before), again(&file.after));
    new.into_iter().find(|(name, count)| *count > old.get(name).copied().unwrap_or(0)).map(|(name, _)| name)
}

/// Whether the definition below a line adds to the one of the same name: an overload, an accessor, a case of a dispatch.
fn joins(above: &str) -> bool {
    const WORDS: [&str; 8] = ["overload", "setter", "getter", "deleter", "register", "dispatch", "when", "given"];
    above.starts_with('@') && WORDS.iter().any(|word| above.contains(word))
}

/// A function, a macro or a command of the file's own that takes the name of what its tests call already: its line, and the
/// name.
pub(super) fn called<'a>(file: &'a Changed<'_>, removed: &[Phrase<'_>]) -> Option<(&'a str, &'a str)> {
    /// Most declarations that are looked for among the calls.
    const MOST: usize = 64;
    static DECLARES: LazyLock<Regex> = LazyLock::new(|| {
        ascii(
            r"^(?:(?:async\s+)?def\s+(\w+)|(?:async\s+)?function\s+([\w-]+)|([\w-]+)\s*\(\)\s*\{|fn\s+(\w+)|func\s+(\w+)|#\s*(?:define|undef)\s+(\w+)|(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?(?:\(|function\b|\w+\s*=>)|alias\s+([\w-]+)=|macro_rules\s*!\s*(\w+)|sub\s+(\w+)|(\w+)\s*=\s*lambda\b)",
        )
    });
    let calls = LazyCell::new(|| calls(file.before.whole));
    let declared = LazyCell::new(|| {
        let mut indents: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
        for line in file.before.lines() {
            if let Some(name) = defined(&DECLARES, line.trim()) {
                indents.entry(name).or_default().insert(indent(line));
            }
        }
        indents
    });
    // A module of tests stands in the file of what it tests.
    let is_there = |said: &str, name: &str| {
        let is_own = |at: &usize| !said.trim().starts_with("fn ") || *at == indent(said);
        declared.get(name).is_some_and(|indents| indents.iter().any(is_own))
    };
    // A test is called by its runner only, and a function without a name by nobody.
    let had = |said: &str, name: &str| {
        name == "function"
            || balance::begins_test(&(said.to_owned(), said.to_owned()))
            || removed.iter().any(|old| old.line.contains(name))
    };
    let lines = file.lines.added.iter().filter_map(|(_, said)| Some((said.as_str(), defined(&DECLARES, said.trim())?)));
    let mut takes = lines.take(MOST).filter(|(said, name)| !had(said, name) && calls.contains(name));
    takes.find(|(said, name)| !is_there(said, name)).map(|(said, name)| (said.trim(), name))
}

/// The names that a text calls, and those of its commands.
fn calls(text: &str) -> BTreeSet<&str> {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut found = BTreeSet::new();
    for line in text.lines() {
        let mut at = 0;
        for word in line.split(|c| !is_of_name(c)) {
            let (before, behind) =
                (line.get(..at).unwrap_or_default(), line.get(at + word.len()..).unwrap_or_default());
            let is_run = || {
                behind.trim_start().strip_prefix('!').unwrap_or(behind).trim_start().starts_with('(')
                    || word.contains('-')
                    || before.trim_end().ends_with("run")
            };
            if !word.is_empty() && !before.ends_with(|c| ".:>\"'/$".contains(c)) && is_run() {
                found.insert(word);
            }
            at += word.len() + behind.chars().next().map_or(0, char::len_utf8);
        }
    }
    found
}
