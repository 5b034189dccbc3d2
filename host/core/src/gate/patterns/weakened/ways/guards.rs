//! Conditions under which a test asks: those of its helpers, of its environment, and of its marks.

use std::collections::BTreeMap;

use super::super::changed::Changed;
use super::super::pairs::Pair;
use super::super::phrase::{Phrase, has};
use super::super::tokens::{is_value, is_word};
use super::super::unreached;
use super::edit::{Edit, about};

pub(super) fn why(edit: &Edit<'_, '_>) -> Option<String> {
    edit.pairs.iter().find_map(|pair| of_pair(edit, pair))
}

fn of_pair(edit: &Edit<'_, '_>, pair: &Pair<'_>) -> Option<String> {
    if derives_both(pair) {
        return Some(about(pair.new.line, "compares something of both, and compared them"));
    }
    if asks_environment(edit, pair) {
        return Some(about(pair.new.line, "depends on the environment"));
    }
    if gives_either(edit, pair) {
        return Some(about(pair.new.line, "gives a second answer if the first one fails"));
    }
    if turns_around(edit, pair) {
        return Some(about(pair.new.line, "turns the condition around under which the test is left"));
    }
    guards_less(edit, pair).then(|| about(pair.new.line, "is another condition for the checks below it"))
}

/// Whether a condition holds where it did not, and the reverse, and ends the test.
fn turns_around(edit: &Edit<'_, '_>, pair: &Pair<'_>) -> bool {
    const SAME: &[&str] = &["==", "===", "eq"];
    const OTHER: &[&str] = &["!=", "!==", "ne"];
    let is_condition =
        |phrase: &Phrase<'_>| phrase.tokens.first().is_some_and(|first| ["if", "unless"].contains(first));
    let turns = |from: &[&str], to: &[&str]| {
        pair.gone().any(|token| from.contains(&token)) && pair.come().any(|token| to.contains(&token))
    };
    let ends = |line: &Phrase<'_>| {
        let called = line.called().any(|name| ["exit", "skip", "Skip", "quit"].contains(&name));
        called || matches!(line.tokens.as_slice(), ["exit" | "return"] | ["exit" | "return", ";" | "0", ..])
    };
    is_condition(pair.old)
        && is_condition(pair.new)
        && (turns(SAME, OTHER) || turns(OTHER, SAME))
        && (edit.file.after.below(pair.new.place.line, 2).any(ends) || ends(pair.new))
}

/// Functions of which several values give the same.
#[rustfmt::skip]
const LOSSY: &[&str] = &[
    "abs", "bool", "ceil", "class", "count", "downcase", "first", "floor", "fold", "hash", "int", "is", "keys", "kind", "last", "len",
    "length", "lower", "max", "min", "round", "set", "size", "sort", "sorted", "squeeze", "strip", "sum", "trim", "trunc", "type",
    "typeof", "unique", "upcase", "upper",
];

/// Whether two things are compared by something that both give: `a == b` and `type(a) == type(b)`.
fn derives_both(pair: &Pair<'_>) -> bool {
    let says = |token: &str| is_word(token) || is_value(token);
    if pair.gone().any(says) {
        return false;
    }
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for token in pair.come().filter(|token| is_word(token)) {
        *counts.entry(token).or_default() += 1;
    }
    let compares = pair.new.tokens.iter().any(|token| {
        ["==", "!=", "===", "!==", "eq", "ne"].contains(token)
            || is_word(token) && has(token, &["eq", "equal", "equals", "same"])
    });
    compares && counts.len() < 3 && counts.iter().any(|(name, count)| *count == 2 && has(name, LOSSY))
}

/// Whether what a test does now depends on a variable of its environment.
fn asks_environment(edit: &Edit<'_, '_>, pair: &Pair<'_>) -> bool {
    let asks = |token: &str| {
        is_word(token)
            && (["ENV", "_ENV", "environ", "getenv", "Getenv", "env"].contains(&token)
                || has(token, &["getenv", "environment"]))
    };
    let chooses = |token: &str| ["?", "if", "unless", "||", "&&", "and", "or"].contains(&token);
    let is_new = !pair.old.tokens.iter().any(|token| asks(token));
    is_new && pair.come().any(asks) && pair.come().any(chooses) && !edit.is_of_new_test(pair.new)
}

/// Whether the value that a function of a test gives, or that a check asks for, has an alternative now.
fn gives_either(edit: &Edit<'_, '_>, pair: &Pair<'_>) -> bool {
    let old = pair.old.line.trim_end_matches([';', ' ']);
    let rest = pair.new.line.strip_prefix(old).unwrap_or_default().trim_start();
    if !["||", "or "].iter().any(|sign| rest.starts_with(sign)) {
        return false;
    }
    let name = match pair.old.tokens.as_slice() {
        ["return", ..] => return true,
        [name, "=", ..] if is_word(name) => *name,
        _ => return false,
    };
    // Nothing but a value that stands for a missing one is no answer.
    let is_default = rest.trim_start_matches("||").trim_start_matches("or ").trim();
    let is_default = is_default.len() < 3 || is_default.starts_with(['{', '[', '"', '\'']);
    let below = edit.file.after.below(pair.new.place.line, 24);
    !is_default
        && below.into_iter().any(|line| {
            line.tokens.contains(&name)
                && (line.tokens.first() == Some(&"return") || line.checks() || line.tokens.first() == Some(&"if"))
        })
}

/// How a condition is spelled, whatever it asks.
#[rustfmt::skip]
const SPELLED: &[&str] = &[
    "!==", "&&", "(", ")", ",", ".", ";", "===", "?", "and", "do", "not", "or", "then", "{", "||", "}",
];

/// Whether the condition above checks is another one now.
fn guards_less(edit: &Edit<'_, '_>, pair: &Pair<'_>) -> bool {
    /// How far below its checks may stand.
    const BELOW: u64 = 6;
    let begins = |phrase: &Phrase<'_>| {
        phrase
            .tokens
            .iter()
            .find(|token| is_word(token))
            .is_some_and(|first| ["if", "unless", "when", "while", "elif", "elsif"].contains(first))
    };
    if !begins(pair.old) || !begins(pair.new) || pair.old.tokens.first() != pair.new.tokens.first() {
        return false;
    }
    let matters = |token: &&str| !SPELLED.contains(token);
    let (gone, come) = (pair.gone().filter(matters).count(), pair.come().filter(matters).count());
    if gone == 0 || come == 0 || come > 2 {
        return false;
    }
    let indent = |text: &str| text.len() - text.trim_start().len();
    let number = pair.new.place.line;
    let own = edit.file.after.above(number.saturating_add(1)).map_or(0, indent);
    let lines = (2..2 + BELOW).map_while(|below| edit.file.after.above(number.saturating_add(below)));
    let inside = lines.take_while(|line| line.trim().is_empty() || indent(line) > own);
    inside
        .map(|line| Phrase::of(line.trim(), pair.new.place))
        .any(|line| line.words_of_checks() > 0 && !unreached::fails(&line))
}

/// Marks in the text of a comment, or in a variable, with which a runner passes tests over.
pub(super) fn marks(file: &Changed<'_>) -> Option<String> {
    const MARKS: &[&str] =
        &["* @requires ", "our $TODO", "local $TODO", "* @doesNotPerformAssertions", "# bats test_tags=skip"];
    let count = |whole: &str, mark: &str| whole.matches(mark).count();
    let (before, after) = (file.before.whole, file.after.whole);
    let mark = MARKS.iter().find(|mark| count(after, mark) > count(before, mark))?;
    Some(format!("`{}` may turn tests off", mark.trim_start_matches(['*', '#', ' ']).trim()))
}
