//! Iterators and views that are used as lists. In Python 2 the same calls returned lists.

use std::ops::Range;

use super::super::calls::{Call, is_operand_name, receiver};
use super::super::file::File;
use super::super::shape::function_around;
use crate::edit::Edit;

/// A call that returned a list in Python 2.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Row {
    /// The type in the message.
    kind: &'static str,
    /// The function or the method.
    name: &'static str,
    /// Whether it is a method without arguments.
    method: bool,
    /// The call, for a reader.
    pub(crate) what: &'static str,
}

const ROWS: [Row; 7] = [
    Row { kind: "dict_keys", name: "keys", method: true, what: "the keys" },
    Row { kind: "dict_values", name: "values", method: true, what: "the values" },
    Row { kind: "dict_items", name: "items", method: true, what: "the items" },
    Row { kind: "map", name: "map", method: false, what: "what map returns" },
    Row { kind: "filter", name: "filter", method: false, what: "what filter returns" },
    Row { kind: "zip", name: "zip", method: false, what: "what zip returns" },
    Row { kind: "range", name: "range", method: false, what: "the range" },
];

/// Methods that lists have, and iterators and views have not.
const METHODS: [&str; 9] = ["append", "copy", "count", "extend", "index", "insert", "pop", "remove", "sort"];

/// The row for a message that says that a list is expected.
pub(super) fn row(kind: &str, message: &str) -> Option<&'static Row> {
    ROWS.iter().find(|row| {
        let owner = row.kind;
        if kind == "AttributeError" {
            let rest = message.strip_prefix(&format!("'{owner}' object has no attribute '"));
            return rest.is_some_and(|rest| METHODS.iter().any(|name| rest.starts_with(&format!("{name}'"))));
        }
        let no_item = [
            "is not subscriptable",
            "does not support indexing",
            "does not support item assignment",
            "doesn't support item deletion",
            "does not support item deletion",
            "is not reversible",
        ];
        no_item.iter().any(|end| message == format!("'{owner}' object {end}"))
            || message == format!("object of type '{owner}' has no len()")
            || message == format!("can only concatenate list (not \"{owner}\") to list")
            || message == format!("unsupported operand type(s) for +: '{owner}' and 'list'")
            || message == format!("unsupported operand type(s) for +: '{owner}' and '{owner}'")
    })
}

/// The source with a list made of the result: where the failing line makes it, or where the variable that the failing line
/// uses is assigned. `None` unless exactly one place is possible.
pub(super) fn repair(file: &File<'_>, row: &Row) -> Option<Vec<u8>> {
    let line = file.lines.get(file.anchor?)?.tokens.clone();
    let direct: Vec<Range<usize>> = made(file, row, line.clone());
    let used: Vec<&Range<usize>> = direct.iter().filter(|it| is_used_as_list(file, it)).collect();
    if !used.is_empty() {
        return file.finish(used.into_iter().map(|it| wrapped(file, it)).collect::<Option<Vec<_>>>()?.concat());
    }
    if !direct.is_empty() {
        return None;
    }
    let mut places = assigned(file, row, &line);
    places.dedup();
    let [place] = places.as_slice() else { return None };
    crate::edit::apply(file.tokens.bytes, wrapped(file, place)?)
}

/// Whether the file has a function of this name.
fn is_own(file: &File<'_>, name: &str) -> bool {
    let tokens = &file.tokens;
    let defines = |line: &super::super::lines::Line| {
        let first = line.tokens.start;
        let assigns = tokens.is(first, name) && tokens.is(first + 1, "=");
        assigns || line.indent == 0 && tokens.is(first, "def") && tokens.is(first + 1, name)
    };
    let local = |clause: &super::super::imports::Clause| clause.alias.as_deref().unwrap_or(&clause.name) == name;
    file.lines.iter().any(defines) || file.imports.iter().any(|import| import.clauses.iter().any(local))
}

/// The edits that keep lists what were lists in Python 2: what is assigned or returned as a whole, added to something, or
/// asked for an item. What `filter` made was of the kind of its argument, which cannot be seen.
pub(crate) fn lists(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let is_meant = |row: &&Row| !["range", "filter"].contains(&row.name) && (row.method || !is_own(file, row.name));
    let rows: Vec<&Row> = ROWS.iter().filter(is_meant).collect();
    let mut edits = Vec::new();
    for line in &file.lines {
        for row in &rows {
            for call in made(file, row, line.tokens.clone()) {
                let before = call.start.checked_sub(1);
                let is_outer = tokens.list.get(call.start).is_some_and(|token| token.depth == 0);
                let is_result = before.is_some_and(|it| tokens.is(it, "=") || tokens.is(it, "return"))
                    && call.end == line.tokens.end
                    && is_outer;
                if is_result || is_used_as_list(file, &call) {
                    edits.extend(wrapped(file, &call)?);
                }
            }
        }
    }
    file.finish(edits)
}

/// The calls within some tokens, each with its whole expression.
fn made(file: &File<'_>, row: &Row, range: Range<usize>) -> Vec<Range<usize>> {
    let tokens = &file.tokens;
    let calls = range.filter(|index| tokens.is(*index, row.name) && tokens.is(index + 1, "("));
    calls
        .filter_map(|index| {
            let call = Call::at(tokens, index + 1)?;
            if row.method {
                let owner = receiver(tokens, index.checked_sub(2)?).filter(|_| tokens.follows(index, "."))?;
                return call.arguments.is_empty().then_some(owner..call.close + 1);
            }
            (!tokens.follows(index, ".") && !tokens.follows(index, "def")).then_some(index..call.close + 1)
        })
        .collect()
}

/// Whether an item or a sum is made of the expression, or its length is asked.
fn is_used_as_list(file: &File<'_>, expression: &Range<usize>) -> bool {
    let tokens = &file.tokens;
    let sum = tokens.is(expression.end, "+") || tokens.follows(expression.start, "+");
    let measured = tokens.follows(expression.start, "(")
        && expression
            .start
            .checked_sub(2)
            .is_some_and(|callee| tokens.is(callee, "len") || tokens.is(callee, "reversed"));
    tokens.is(expression.end, "[") || sum || measured
}

/// The calls whose results are assigned to a variable or attribute that these tokens use.
fn assigned(file: &File<'_>, row: &Row, line: &Range<usize>) -> Vec<Range<usize>> {
    let tokens = &file.tokens;
    let around = function_around(file, line.start);
    let mut places = Vec::new();
    for other in &file.lines {
        let Some(equals) = other.tokens.clone().find(|index| tokens.is(*index, "=")) else { continue };
        let target = other.tokens.start..equals;
        let is_attribute = target.len() == 3 && tokens.is(target.start, "self") && tokens.is(target.start + 1, ".");
        let is_name = target.len() == 1 && is_operand_name(tokens, target.start);
        let visible = is_attribute || around.contains(&target.start) || other.indent == 0;
        let uses = |index: usize| {
            let matches = target.clone().zip(index..).all(|(a, b)| tokens.text(a) == tokens.text(b));
            matches && !tokens.follows(index, ".")
        };
        if !(is_name || is_attribute) || !visible || !line.clone().any(uses) {
            continue;
        }
        let whole = equals + 1..other.tokens.end;
        places.extend(made(file, row, whole.clone()).into_iter().filter(|it| *it == whole));
    }
    places
}

fn wrapped(file: &File<'_>, expression: &Range<usize>) -> Option<Vec<Edit>> {
    let span = file.span(expression.start, expression.end.checked_sub(1)?)?;
    Some(vec![Edit::insert(span.start, "list("), Edit::insert(span.end, ")")])
}
