//! Values and cases that are gone from what a test goes through.

use std::collections::BTreeSet;

use super::super::pairs::Pair;
use super::super::phrase::{Phrase, TESTS, has};
use super::super::tokens::{is_number, is_string, is_value, is_word, tokens};
use super::edit::{Edit, about, is_gone_through};

pub(super) fn why(edit: &Edit<'_, '_>) -> Option<String> {
    let in_line = edit.pairs.iter().find(|pair| loses_value(edit, pair));
    in_line.map(|pair| about(pair.new.line, "has fewer values to try")).or_else(|| gone(edit))
}

/// Words of marks and calls that give a test its values.
#[rustfmt::skip]
const SOURCES: &[&str] = &[
    "cases", "data", "each", "examples", "fixtures", "inputs", "params", "parametrize", "parameters", "rows", "samples", "scenarios",
    "source", "table", "values", "vectors",
];

/// Whether a list in one line that a test goes through lost a value.
fn loses_value(edit: &Edit<'_, '_>, pair: &Pair<'_>) -> bool {
    let says = |token: &str| (is_word(token) || is_value(token)) && token != "_";
    if pair.come().any(says) || !pair.gone().any(|token| says(token) && !edit.adds(token)) {
        return false;
    }
    let is_source = || {
        let first = pair.new.names().next().map(|(_, name)| name);
        pair.new.is_mark() && first.is_some_and(|name| has(name, SOURCES))
    };
    // Only elements may go, and no keys of one.
    let is_list =
        pair.gone().any(|token| [",", "("].contains(&token)) || pair.new.tokens.windows(2).any(|two| two == ["(", ")"]);
    let of_list = || {
        let at = pair.new.tokens.iter().position(|token| ["=", ":="].contains(token))?;
        let name = pair.new.tokens.get(..at)?.iter().rfind(|token| is_word(token))?;
        let is_open = pair.new.tokens.get(at + 1..)?.iter().any(|token| ["[", "{", "("].contains(token));
        let is_closed = !pair.new.line.ends_with(['{', '[', '(']) && pair.gone().any(|token| token == ",");
        (is_open && is_closed && !pair.gone().any(|token| token == ":") && is_gone_through(edit, name)).then_some(())
    };
    is_list && (is_source() || of_list().is_some())
}

/// Rows that are gone while lines of their kind stay beside them.
fn gone(edit: &Edit<'_, '_>) -> Option<String> {
    let mut alone = edit.gone.iter().filter(|line| !edit.adds_in(line.place.run)).peekable();
    // Most changes only replace lines: nothing is read for them.
    alone.peek()?;
    let old: Vec<&str> = edit.file.before.lines().collect();
    let removed: BTreeSet<u64> = edit.file.lines.removed_at.iter().map(|place| place.line).collect();
    // A row that was there twice may still stand somewhere.
    let line =
        alone.find(|line| is_row_among(edit, &old, &removed, line) && !edit.index.has_line(edit.file, line.line))?;
    Some(about(line.line, "is gone from what the tests go through"))
}

/// Words, numbers and texts of a line by their kind, and its signs.
fn shape(tokens: &[&str]) -> Vec<String> {
    let kind = |token: &&str| {
        let kind = match *token {
            "True" | "False" | "true" | "false" | "None" | "nil" | "null" => "v",
            token if is_number(token) || is_string(token) => "v",
            token if is_word(token) => "w",
            token => token,
        };
        kind.to_owned()
    };
    tokens.iter().map(kind).collect()
}

/// How far a list may go above one of its rows.
const LONGEST: usize = 400;

fn is_row_among(edit: &Edit<'_, '_>, old: &[&str], removed: &BTreeSet<u64>, line: &Phrase<'_>) -> bool {
    let Some(at) = usize::try_from(line.place.line).ok().and_then(|number| number.checked_sub(1)) else { return false };
    let own = shape(&line.tokens);
    let text = |at: usize| old.get(at).copied().unwrap_or_default();
    let stays = |at: &usize| !removed.contains(&(*at as u64 + 1));
    let is_alike = |at: usize| !text(at).trim().is_empty() && shape(&tokens(text(at).trim())) == own;
    let before = (at.saturating_sub(8)..at).rev().find(stays);
    let after = (at + 1..at + 8).find(stays);
    let beside = before.is_some_and(is_alike) || after.is_some_and(is_alike);
    if !beside {
        return false;
    }
    if puts_in_map(&line.tokens) {
        let name = line.tokens.first().copied().unwrap_or_default();
        let gives = |line: &str| edit.index.has_line(edit.file, line);
        let is_given =
            ["", ";"].iter().any(|end| gives(&format!("{name}{end}")) || gives(&format!("return {name}{end}")));
        return is_gone_through(edit, name) || is_given;
    }
    let is_element = line.line.ends_with(',') || line.line.starts_with(", ");
    is_element && opener(old, at).is_some_and(|head| is_list_of_tests(edit, head, line))
}

/// `map[:key] = value`, `map.put(key, value)`, `cases.push(…)`.
fn puts_in_map(tokens: &[&str]) -> bool {
    match tokens {
        [name, "[", .., "]", "=", _] | [name, "[", .., "]", "=", _, ";"] => is_word(name),
        [name, ".", verb, "(", ..] => {
            is_word(name) && ["add", "append", "insert", "push", "push_back", "put", "set"].contains(verb)
        }
        _ => false,
    }
}

/// The line that opens the list in which a line stands, by its indentation.
fn opener<'t>(old: &[&'t str], at: usize) -> Option<&'t str> {
    let indent = |line: &str| line.len() - line.trim_start().len();
    let line = old.get(at)?;
    if line.trim_start().starts_with(", ") {
        // The list begins with the line before all that begin with a comma.
        let rows =
            old.get(..at)?.iter().rev().take(LONGEST).take_while(|line| line.trim_start().starts_with([',', '[', '{']));
        return old.get(at.checked_sub(rows.count() + 1)?).copied();
    }
    let own = indent(line);
    let above = old.get(at.saturating_sub(LONGEST)..at)?.iter().rev();
    above.copied().find(|line| !line.trim().is_empty() && indent(line) < own && !line.trim_start().starts_with(')'))
}

/// Whether a list is one that tests go through, by its name, by what it is made of, or by where it is used.
fn is_list_of_tests(edit: &Edit<'_, '_>, head: &str, row: &Phrase<'_>) -> bool {
    let head = Phrase::of(head.trim(), row.place);
    if head.is_import() || head.line.starts_with(['#', '}']) {
        return false;
    }
    let names_cases =
        |name: &str| has(name, SOURCES) || has(name, TESTS) || has(name, &["all", "group", "groups", "specs"]);
    let at = head.tokens.iter().position(|token| ["=", ":="].contains(token));
    let given = at.and_then(|at| head.tokens.get(..at)?.iter().copied().rfind(|token| is_word(token)));
    let opens = head.line.ends_with(['[', '(', '{']) || head.line.ends_with(" =");
    let is_named = head.names().any(|(_, name)| names_cases(name));
    // A row of several values, or the name of a test that the file still has.
    let is_case = row.tokens.iter().any(|token| is_value(token));
    let is_test = || row.names().any(|(_, name)| edit.index.begins_with(edit.file, name));
    let is_iterated = || given.is_some_and(|name| is_gone_through(edit, name));
    let lists_tests = is_named && head.line.contains(['[', '=']) || head.line.trim_end().ends_with('[');
    opens && (is_named || is_iterated()) && is_case || lists_tests && is_test()
}
