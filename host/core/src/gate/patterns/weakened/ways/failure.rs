//! Failures: which kinds of them satisfy a check, and where a test fails by itself.

use std::collections::{BTreeMap, BTreeSet};

use super::super::pairs::Pair;
use super::super::phrase::{Phrase, has, names_failure};
use super::super::same::is_optional;
use super::super::tokens::{is_string, is_word};
use super::super::unreached;
use super::edit::{Edit, about};

pub(super) fn why(edit: &Edit<'_, '_>) -> Option<String> {
    let of_pairs = edit.pairs.iter().find_map(of_pair);
    of_pairs.or_else(|| instead(edit)).or_else(|| no_longer_fails(edit)).or_else(|| leaves(edit))
}

fn of_pair(pair: &Pair<'_>) -> Option<String> {
    if asks_by_debug(pair) {
        return Some(about(pair.new.line, "is a statement that only runs if assertions are switched on"));
    }
    pipes_status(pair).then(|| about(pair.new.line, "has the status of another command"))
}

/// Most lines that one line is compared with.
const MOST: usize = 8;

/// Kinds that include all others, or most of them.
#[rustfmt::skip]
const ALL: &[&str] = &[
    "AnyError", "BaseException", "CatchableError", "Error", "Exception", "NSError", "SomeException", "StandardError", "Throwable",
    "exception",
];

fn is_kind(token: &str) -> bool {
    const ENDS: &[&str] = &["Error", "Exception", "Failure", "Fault", "Interrupt", "Warning", "Throwable"];
    is_word(token)
        && (ALL.contains(&token)
            || ENDS.iter().any(|end| token.ends_with(end)) && token.starts_with(char::is_uppercase))
}

/// Whether a check of a failure, or a handler, takes more kinds than before.
fn takes_more(edit: &Edit<'_, '_>, was: &Phrase<'_>, is: &Phrase<'_>) -> bool {
    let kinds = |phrase: &Phrase<'_>| -> BTreeSet<String> {
        // In PHP, the name may be a text.
        let named = phrase.tokens.iter().map(|token| token.trim_matches(['"', '\'', '\\']));
        named.filter(|name| !name.contains(' ') && is_kind(name)).map(str::to_owned).collect()
    };
    let (old, new) = (kinds(was), kinds(is));
    let is_all = |kinds: &BTreeSet<String>| kinds.iter().any(|kind| ALL.contains(&kind.as_str()));
    let is_more = old.is_subset(&new) && new.len() > old.len() || is_all(&new) && !is_all(&old);
    if old.is_empty() || !is_more {
        return false;
    }
    let expects = |name: &str| has(name, &["exception"]) && has(name, &["expect", "expected"]);
    let handles = |phrase: &Phrase<'_>| {
        let takes = |name: &str| names_failure(name) || ["catch", "except", "rescue"].contains(&name);
        // `Throwable::class` names a class and declares none.
        let declares = |at: usize| at.checked_sub(1).and_then(|at| phrase.tokens.get(at)) != Some(&"::");
        let raises = phrase
            .tokens
            .iter()
            .enumerate()
            .any(|(at, token)| ["throw", "raise", "def", "fn", "class"].contains(token) && declares(at));
        !raises && phrase.names().any(|(_, name)| takes(name) || has(name, &["throw"]) || expects(name))
    };
    // The call may begin in the line above.
    let above = |phrase: &Phrase<'_>| {
        let above = edit.file.after.above(phrase.place.line).unwrap_or_default().trim();
        let only_kinds = phrase.tokens.iter().all(|token| !is_string(token) && *token != "=" && *token != ":");
        only_kinds && above.ends_with('(') && handles(&Phrase::of(above, phrase.place))
    };
    handles(was) && handles(is) || above(is)
}

/// A line in the place of one with which it may have nothing else in common.
fn instead(edit: &Edit<'_, '_>) -> Option<String> {
    let of_pairs = edit.pairs.iter().map(|pair| (pair.old, pair.new));
    let mut first: BTreeMap<usize, Vec<&Phrase<'_>>> = BTreeMap::new();
    for old in edit.gone {
        let own = first.entry(old.place.run).or_default();
        own.extend((own.len() < MOST).then_some(*old));
    }
    let of_runs =
        edit.come.iter().flat_map(|new| first.get(&new.place.run).into_iter().flatten().map(|old| (*old, *new)));
    of_pairs.chain(of_runs).find_map(|(old, new)| {
        if returns_no_failure(old, new) {
            return Some(about(new.line, "returns another value than the one of a failure"));
        }
        takes_more(edit, old, new).then(|| about(new.line, "is satisfied by more kinds of failures"))
    })
}

/// Whether a function of a test gave the value of a failure, and gives another one.
fn returns_no_failure(was: &Phrase<'_>, is: &Phrase<'_>) -> bool {
    let rest = |phrase: &Phrase<'_>| -> Option<Vec<String>> {
        let tokens = phrase.tokens.strip_suffix(&[";"]).unwrap_or(&phrase.tokens);
        let rest = tokens.strip_prefix(&["return"])?;
        Some(rest.iter().map(|token| (*token).to_owned()).collect())
    };
    let (Some(old), Some(new)) = (rest(was), rest(is)) else { return false };
    matches!(old.as_slice(), [value] if ["False", "false", "FALSE", "NO"].contains(&value.as_str()))
        && !new.is_empty()
        && old != new
        && !is.tokens.contains(&"skip")
}

/// Whether the check of a library gave way to the statement of the language, which programs do not run unless told to.
fn asks_by_debug(pair: &Pair<'_>) -> bool {
    let named = pair.old.names().any(|(_, name)| name.starts_with("assert") && name.len() > "assert".len());
    named && is_optional(pair.new.line) && !is_optional(pair.old.line)
}

/// Whether the output of a command goes to another one, whose status the test sees.
fn pipes_status(pair: &Pair<'_>) -> bool {
    let rest = pair.new.line.strip_prefix(pair.old.line).unwrap_or_default().trim_start();
    let behind = rest.strip_prefix('|').unwrap_or_default().trim_start();
    ["tee", "cat", "head", "tail", "sort", "true"].iter().any(|name| {
        behind.strip_prefix(name).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

/// Statements that make a test fail, and that are gone alone: what led to them is still there.
fn no_longer_fails(edit: &Edit<'_, '_>) -> Option<String> {
    let is_alone = |run: usize| !edit.adds_in(run) && edit.removes_in(run) == 1;
    let line = edit.gone.iter().find(|line| is_alone(line.place.run) && fails(line))?;
    Some(about(line.line, "is gone: where it failed, it goes on"))
}

/// Whether a line makes a test fail wherever it is reached.
fn fails(line: &Phrase<'_>) -> bool {
    match line.tokens.as_slice() {
        [_, ".", name, "(", .., ")"] => {
            ["Error", "Errorf", "Fatal", "Fatalf", "Fail", "FailNow", "fail"].contains(name)
        }
        ["panic" | "die" | "abort" | "exit" | "croak" | "throw" | "raise", ..] => true,
        _ => unreached::fails(line),
    }
}

/// A jump out of the end of a `try`, which drops the failure on its way.
fn leaves(edit: &Edit<'_, '_>) -> Option<String> {
    let ends = |line: &Phrase<'_>| {
        let first = line.tokens.iter().find(|token| !["}", "{"].contains(token));
        matches!(first, Some(&"finally" | &"ensure"))
    };
    let jumps =
        |line: &Phrase<'_>| line.tokens.first().is_some_and(|first| ["return", "break", "continue"].contains(first));
    let line = edit.come.iter().find(|line| {
        ends(line) && (edit.file.after.below(line.place.line, 3).any(jumps) || line.tokens.contains(&"return"))
    })?;
    Some(about(line.line, "drops the failure that is on its way"))
}
