//! Tests that run as before, but on nothing, or on a part of what they ran on.

use super::super::inputs;
use super::super::pairs::Pair;
use super::super::phrase::{Phrase, has};
use super::super::tokens::{is_number, is_string, is_word};
use super::edit::{Edit, about, goes_through, is_gone_through};

pub(super) fn why(edit: &Edit<'_, '_>) -> Option<String> {
    edit.pairs.iter().find_map(|pair| of_pair(edit, pair)).or_else(|| shrinks(edit))
}

fn of_pair(edit: &Edit<'_, '_>, pair: &Pair<'_>) -> Option<String> {
    let (old, new) = (&pair.old.tokens, &pair.new.tokens);
    let about = |why| Some(about(pair.new.line, why));
    if vanishing(new) > vanishing(old) && pair.come().next().is_some() {
        return about("multiplies by zero, so that nothing is left of the value");
    }
    if empties(pair) {
        return about("has nothing for the test to work on");
    }
    let swapped = || bounds(old).zip(bounds(new)).is_some_and(|((a, b), (c, d))| (a, b) == (d, c) && a != b);
    if swapped() {
        return about("counts in the other direction, so that it may run never");
    }
    if goes_through(pair.old) && goes_through(pair.new) && cuts(new) > cuts(old) {
        return about("goes through a part of its values");
    }
    if searches_nothing(pair) {
        return about("looks for an empty text, which is everywhere");
    }
    if far_off(pair) {
        return about("allows a distance as large as the value itself");
    }
    let count = assigned(new).filter(|name| is_gone_through(edit, name));
    if let Some(name) = count.filter(|_| is_smaller(pair)) {
        return Some(format!("`{name}` says how often something is tried, and is much smaller"));
    }
    let bound = assigned(new).filter(|name| bounds_error(name));
    bound.filter(|_| is_larger(pair)).map(|name| format!("`{name}` allows ten times as much, or more"))
}

/// Whether what a test works on is an empty text now.
fn empties(pair: &Pair<'_>) -> bool {
    const GIVEN: &[&str] =
        &["body", "code", "content", "data", "html", "input", "json", "sample", "source", "src", "text", "xml", "yaml"];
    let value = |phrase: &Phrase<'_>| -> Option<String> {
        let at = phrase.tokens.iter().position(|token| ["=", ":="].contains(token))?;
        Some(phrase.tokens.get(at + 1..)?.concat().trim_end_matches(';').to_owned())
    };
    let (Some(was), Some(is)) = (value(pair.old), value(pair.new)) else { return false };
    let is_empty = |value: &str| ["\"\"", "''", "``"].contains(&value);
    let name = assigned(&pair.new.tokens).filter(|name| assigned(&pair.old.tokens) == Some(*name));
    is_empty(&is)
        && !is_empty(&was)
        && was.starts_with(['"', '\'', '`', 'r', '@'])
        && name.is_some_and(|name| has(name, GIVEN))
}

/// How often something is multiplied by zero, masked by it, or reduced modulo one.
fn vanishing(tokens: &[&str]) -> usize {
    let is_operand = |token: &str| is_word(token) || is_number(token) || [")", "(", "]"].contains(&token);
    tokens
        .windows(3)
        .filter(|three| {
            matches!(three, [a, "*" | "&", "0"] if is_operand(a) && *a != "(")
                || matches!(three, [a, "%", "1"] if is_operand(a) && *a != "(")
        })
        .count()
        + tokens.windows(3).filter(|three| matches!(three, ["0", "*" | "&", b] if is_operand(b) && *b != ")")).count()
}

/// The two bounds of a range that is written out: `range(a, b)`, `a..b`, `seq a b`.
fn bounds<'t>(tokens: &[&'t str]) -> Option<(&'t str, &'t str)> {
    let says = |token: &&str| is_word(token) || is_number(token);
    tokens.windows(6).find_map(|six| match six {
        ["range", "(", a, ",", b, ")"] | [a, ".", ".", b, ..] if says(a) && says(b) => Some((*a, *b)),
        _ => None,
    })
}

/// How often only one of several values is taken, or the first of them.
fn cuts(tokens: &[&str]) -> usize {
    const TAKES: &[&str] = &["first", "head", "islice", "last", "limit", "sample", "slice", "take", "take_while"];
    let is_end = |token: Option<&&str>| token.is_none_or(|token| *token != "=");
    let indexed =
        tokens.windows(4).filter(|four| matches!(four, [name, "[", at, "]"] if is_word(name) && is_number(at)));
    let sliced = tokens.windows(4).filter(|four| {
        matches!(four, ["[", ":", at, "]"] | ["[", at, ":", "]"] if is_number(at))
            || matches!(four, [":", at, "]", _] if is_number(at))
    });
    let named = tokens.windows(2).filter(|two| matches!(two, [".", name] if TAKES.contains(name)));
    indexed.count() + sliced.count() + named.filter(|two| is_end(two.get(2))).count()
}

/// Whether a text that was looked for gave way to the empty one, or to a pattern of everything.
fn searches_nothing(pair: &Pair<'_>) -> bool {
    #[rustfmt::skip]
    const SEARCHES: &[&str] = &[
        "contain", "contains", "find", "grep", "has", "in", "include", "includes", "index", "like", "match", "matches", "prefix", "search",
        "starts", "suffix",
    ];
    let content = |token: &str| is_string(token).then(|| token.trim_matches(['"', '\'', '`']).to_owned());
    let is_all = |text: &String| ["", ".*", ".", "^", "$", "%"].contains(&text.as_str());
    let searches = || pair.new.names().any(|(_, name)| has(name, SEARCHES)) || pair.new.tokens.contains(&"=~");
    pair.come().filter_map(content).any(|text| is_all(&text))
        && pair.gone().filter_map(content).any(|text| !is_all(&text))
        && searches()
}

/// Whether a tolerance that is new is a tenth of the expected value or more.
fn far_off(pair: &Pair<'_>) -> bool {
    const RELATIVE: &[&str] = &["rel", "rel_tol", "rtol", "max_relative"];
    const ABSOLUTE: &[&str] = &["abs", "abs_tol", "atol", "delta", "eps", "epsilon", "places", "tol", "tolerance"];
    let given = |tokens: &[&str]| -> Option<(bool, f64)> {
        tokens.windows(3).find_map(|three| match three {
            [name, "=" | ":", value] if RELATIVE.contains(name) => Some((true, inputs::number(Some(value))?)),
            [name, "=" | ":", value] if ABSOLUTE.contains(name) => Some((false, inputs::number(Some(value))?)),
            _ => None,
        })
    };
    let Some((is_relative, tolerance)) = given(&pair.new.tokens).filter(|_| given(&pair.old.tokens).is_none()) else {
        return false;
    };
    let values = pair.old.tokens.iter().filter_map(|token| inputs::number(Some(token)));
    let largest = values.fold(0.0_f64, |most, value| most.max(value.abs()));
    if is_relative { tolerance >= 0.1 } else { largest > 0.0 && tolerance * 10.0 >= largest }
}

/// The name that a line gives a value.
fn assigned<'t>(tokens: &[&'t str]) -> Option<&'t str> {
    let at = tokens.iter().position(|token| ["=", ":="].contains(token))?;
    let before = tokens.get(..at)?;
    let end = before.iter().position(|token| *token == ":").unwrap_or(before.len());
    before.get(..end)?.iter().copied().rfind(|token| is_word(token))
}

/// The one number of a line that gave way to another one.
fn numbers(pair: &Pair<'_>) -> Option<(f64, f64)> {
    let (gone, come) = pair.single()?;
    Some((inputs::number(pair.old.tokens.get(gone))?, inputs::number(pair.new.tokens.get(come))?))
}

fn is_smaller(pair: &Pair<'_>) -> bool {
    numbers(pair).is_some_and(|(was, is)| is * 2.0 <= was && (was >= 4.0 || is == 0.0))
}

fn is_larger(pair: &Pair<'_>) -> bool {
    numbers(pair).is_some_and(|(was, is)| was > 0.0 && is >= was * 10.0)
}

/// Whether a name is the one of a largest error that a test allows. How long it waits says nothing about that.
fn bounds_error(name: &str) -> bool {
    let is = |list: &[&str]| has(name, list);
    is(&["allowed", "epsilon", "eps", "leeway", "margin", "slack", "tolerance", "tol", "jitter"])
        || is(&["max"])
            && is(&["delta", "deviation", "diff", "difference", "drift", "err", "error", "errors", "failures", "skew"])
}

/// A list of cases that loses its values in a new line, before a test goes through it.
fn shrinks(edit: &Edit<'_, '_>) -> Option<String> {
    let line = edit.come.iter().find(|line| {
        loses(line).is_some_and(|name| edit.index.went_through(edit.file, name)) && !edit.is_of_new_test(line)
    })?;
    Some(about(line.line, "takes values away from what a test goes through"))
}

/// The name of the list that a line makes smaller.
fn loses<'a>(line: &Phrase<'a>) -> Option<&'a str> {
    match line.tokens.as_slice() {
        [name, "=" | ":=", same, "[" | ".", ..] if name == same && is_word(name) => {
            (cuts(&line.tokens) > 0 || line.tokens.contains(&"filter")).then_some(*name)
        }
        [name, "=", "[" | "{", "]" | "}", ..] | ["del", name, "[", ..] | [name, ".", "length", "=", ..] => Some(*name),
        _ => None,
    }
    .filter(|name| is_word(name))
}
