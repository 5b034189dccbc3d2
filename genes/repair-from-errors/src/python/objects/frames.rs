//! What pandas removed, where the failing line shows what its successor gets.

use std::ops::Range;

use super::super::calls::{Call, is_plain, receiver};
use super::super::file::File;
use super::super::shape::function_around;
use super::super::tokens::Kind;
use super::place::{failing, text};
use crate::edit::Edit;

/// Frequencies that were renamed.
const FREQUENCIES: [(&str, &str); 12] = [
    ("A", "YE"),
    ("AS", "YS"),
    ("BM", "BME"),
    ("BQ", "BQE"),
    ("H", "h"),
    ("L", "ms"),
    ("M", "ME"),
    ("Q", "QE"),
    ("S", "s"),
    ("T", "min"),
    ("U", "us"),
    ("Y", "YE"),
];

/// `.loc[…]` for the only `.ix[…]` of the failing line, if its keys are labels: texts, lists of texts, conditions, or all.
pub(super) fn labels(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let found: Vec<usize> = failing(file)?
        .filter(|it| tokens.is(*it, "ix") && tokens.follows(*it, ".") && tokens.is(it + 1, "["))
        .collect();
    let [index] = *found.as_slice() else { return None };
    let depth = tokens.list.get(index + 1)?.depth;
    let at_depth = |it: &usize| tokens.list.get(*it).is_some_and(|token| token.depth == depth);
    let close = (index + 2..tokens.list.len()).find(|it| tokens.is(*it, "]") && at_depth(it))?;
    let inner = |it: usize| tokens.list.get(it).is_some_and(|token| token.depth == depth + 1);
    let mut first = index + 2;
    let mut keys = Vec::new();
    for it in index + 2..=close {
        if it == close || tokens.is(it, ",") && inner(it) {
            keys.push(first..it);
            first = it + 1;
        }
    }
    let is_condition = |key: &Range<usize>| {
        ["==", "!=", "<", ">", "<=", ">="].iter().any(|sign| key.clone().any(|it| tokens.is(it, sign)))
    };
    let is_label = |key: &Range<usize>| {
        let is_text = |it: usize| tokens.is_kind(it, Kind::Text);
        let is_list = tokens.is(key.start, "[")
            && key.clone().all(|it| is_text(it) || ["[", "]", ","].iter().any(|sign| tokens.is(it, sign)));
        let is_all = key.len() == 1 && tokens.is(key.start, ":");
        key.len() == 1 && is_text(key.start) || is_list || is_all || is_condition(key)
    };
    let is_known = keys.iter().any(|key| !tokens.is(key.start, ":")) && keys.iter().all(is_label);
    is_known.then(|| file.finish(vec![Edit::replace(file.span(index, index)?, "loc")]))?
}

/// `x.sort_values(…)` for the only `x.sort(…)` of the failing line that names a column first.
pub(super) fn sorted(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let index = only_method(file, "sort")?;
    let call = Call::at(tokens, index + 1)?;
    let first = call.arguments.first()?;
    let name = file.span(index, index)?;
    if let Some(columns) = call.named(tokens, "columns") {
        let by = Edit::replace(file.span(columns.start, columns.start)?, "by");
        return file.finish(vec![Edit::replace(name, "sort_values"), by]);
    }
    let is_column = tokens.is_kind(first.start, Kind::Text) || tokens.is(first.start, "[");
    is_column.then(|| file.finish(vec![Edit::replace(name, "sort_values")]))?
}

/// `pd.concat([x, y], …)` for the only `x.append(y, …)` of the failing line, if `y` is a dictionary or a frame.
pub(super) fn appended(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let index = only_method(file, "append")?;
    let owner = receiver(tokens, index.checked_sub(2)?)?..index - 1;
    let call = Call::at(tokens, index + 1)?;
    let other = call.arguments.first().filter(|it| !tokens.is(it.start, "*") && !tokens.is(it.start + 1, "="))?;
    let pandas = alias(file)?;
    let (frame, value) = (text(file, &owner)?, text(file, other)?);
    let is_whole = tokens.is(other.start, "{") && {
        let depth = tokens.list.get(other.start)?.depth;
        let closes = |it: usize| tokens.is(it, "}") && tokens.list.get(it).is_some_and(|token| token.depth == depth);
        (other.start..other.end).find(|it| closes(*it)) == Some(other.end - 1)
    };
    let added = if is_whole {
        format!("{pandas}.DataFrame([{value}])")
    } else if is_frame(file, other, &pandas) {
        value.to_owned()
    } else {
        return None;
    };
    if !is_plain(tokens, &owner) {
        return None;
    }
    let start = tokens.list.get(owner.start)?.start;
    let end = tokens.list.get(other.end - 1)?.end;
    file.finish(vec![Edit::replace(start..end, format!("{pandas}.concat([{frame}, {added}]"))])
}

/// The new name of the only frequency on the failing line.
pub(super) fn frequency(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let now = |index: usize| {
        let text = std::str::from_utf8(tokens.text(index)).ok().filter(|_| tokens.is_kind(index, Kind::Text))?;
        let text = text.trim_matches(['"', '\'']);
        let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit())?);
        let (_, now) = FREQUENCIES.iter().find(|(old, _)| *old == unit)?;
        Some(format!("{number}{now}"))
    };
    let found: Vec<(usize, String)> = failing(file)?.filter_map(|it| Some((it, now(it)?))).collect();
    let [(index, text)] = found.as_slice() else { return None };
    let token = tokens.list.get(*index)?;
    let quote = char::from(*tokens.text(*index).first()?);
    matches!(quote, '"' | '\'')
        .then(|| file.finish(vec![Edit::replace(token.start..token.end, format!("{quote}{text}{quote}"))]))?
}

/// The only call of a method of this name on the failing line.
fn only_method(file: &File<'_>, name: &str) -> Option<usize> {
    let tokens = &file.tokens;
    let is_call = |it: &usize| tokens.is(*it, name) && tokens.follows(*it, ".") && tokens.is(it + 1, "(");
    let found: Vec<usize> = failing(file)?.filter(is_call).collect();
    let [index] = *found.as_slice() else { return None };
    Some(index)
}

/// The name by which the file imports pandas.
fn alias(file: &File<'_>) -> Option<String> {
    let clauses = file.imports.iter().filter(|import| import.from.is_none()).flat_map(|import| &import.clauses);
    let mut names = clauses.filter(|clause| clause.name == "pandas");
    let name = names.next()?;
    Some(name.alias.clone().unwrap_or_else(|| name.name.clone()))
}

/// Whether these tokens make a frame, or name a variable that is assigned nothing else in the function.
fn is_frame(file: &File<'_>, value: &Range<usize>, pandas: &str) -> bool {
    let tokens = &file.tokens;
    let makes = |at: usize| {
        let is_made = |at: usize| tokens.is(at, "DataFrame") && tokens.is(at + 1, "(");
        tokens.is(at, pandas) && tokens.is(at + 1, ".") && is_made(at + 2)
    };
    if makes(value.start) {
        let close = Call::at(tokens, value.start + 3).map(|call| call.close + 1);
        return close == Some(value.end);
    }
    if value.len() != 1 || !tokens.is_kind(value.start, Kind::Name) {
        return false;
    }
    let name = tokens.text(value.start);
    let around = function_around(file, value.start);
    let mut bound = around.filter(|it| tokens.text(*it) == name && tokens.is(it + 1, "=") && !tokens.follows(*it, "."));
    let is_first = |it: usize| file.lines.get(file.line_of(it)).is_some_and(|line| line.tokens.start == it);
    match (bound.next(), bound.next()) {
        (Some(it), None) => is_first(it) && makes(it + 2),
        _ => false,
    }
}
