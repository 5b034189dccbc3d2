//! Repairs functions that are decorated with `asyncio.coroutine`, which Python 3.11 removed.
//!
//! A generator gets `types.coroutine` instead, which does the same. Any other function becomes an `async def`. The old
//! decorator awaited a returned value if it could be awaited, so for every `return` it must be clear whether it can.

use std::collections::BTreeSet;
use std::ops::Range;

use super::bindings::{in_import, is_rebound, names_something_else};
use super::clauses::removal;
use super::file::File;
use super::lines::header_colon;
use super::tokens::Kind;
use crate::edit::Edit;

/// Functions and methods of asyncio whose result must be awaited.
const AWAITABLE: &[&str] =
    &["gather", "open_connection", "run_in_executor", "shield", "sleep", "start_server", "wait", "wait_for"];

/// A decorated function.
struct Function {
    /// Token of the `@`.
    at: usize,
    /// Tokens of the decorator's name.
    decorator: Range<usize>,
    /// Line of the `def`.
    line: usize,
    /// Whether there is nothing but `functools.wraps` between the decorator and the `def`.
    innermost: bool,
}

/// The source without `asyncio.coroutine`; `None` if it has none, or if it uses one in a way that is not understood.
pub(crate) fn repair(file: &File<'_>) -> Option<Vec<u8>> {
    let mut edits = Vec::new();
    let mut generators = false;
    let spellings = spellings(file)?;
    for (parts, imported) in &spellings {
        for function in functions(file, parts)? {
            let body = own_tokens(file, function.line)?;
            if body.iter().any(|index| file.tokens.is(*index, "yield")) {
                if !imported {
                    generators = true;
                    let span = file.span(function.decorator.start, function.decorator.end - 1)?;
                    edits.push(Edit::replace(span, "types.coroutine"));
                }
            } else {
                edits.extend(made_async(file, &function, &body)?);
            }
        }
    }
    edits.extend(imports(file, generators)?);
    file.finish(edits)
}

/// The spellings of the decorator in this file, and whether each one was imported by name.
fn spellings(file: &File<'_>) -> Option<BTreeSet<(Vec<String>, bool)>> {
    let mut spellings = BTreeSet::new();
    for import in &file.imports {
        for clause in &import.clauses {
            let local = clause.alias.clone().unwrap_or_else(|| clause.name.clone());
            match &import.from {
                None if clause.name == "asyncio" => spellings.insert((vec![local, "coroutine".to_owned()], false)),
                Some((module, _)) if module == "asyncio" && clause.name == "coroutine" => {
                    spellings.insert((vec![local], true))
                }
                _ => continue,
            };
        }
    }
    let taken = |name: &str| is_rebound(&file.tokens, &file.lines, &file.imports, name);
    let mut roots = spellings.iter().filter_map(|(parts, _)| parts.first());
    (!roots.any(|root| taken(root))).then_some(spellings)
}

/// The functions with this decorator; `None` if the name is used for anything else.
fn functions(file: &File<'_>, parts: &[String]) -> Option<Vec<Function>> {
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let mut functions = Vec::new();
    for first in file.dotted_uses(&parts) {
        let number = file.line_of(first);
        if in_import(&file.imports, first) || !file.is_open(number) {
            continue;
        }
        let line = file.lines.get(number)?;
        let decorator = first..first + 2 * parts.len() - 1;
        if !file.tokens.is(line.tokens.start, "@") || line.tokens != (first - 1..decorator.end) {
            return None;
        }
        let is_decorator =
            |number: &usize| file.lines.get(*number).is_some_and(|line| file.tokens.is(line.tokens.start, "@"));
        let def = (number + 1..file.lines.len()).find(|number| !is_decorator(number))?;
        if !file.tokens.is(file.lines.get(def)?.tokens.start, "def") {
            return None;
        }
        let innermost = (number + 1..def).all(|between| is_wraps(file, between));
        functions.push(Function { at: first - 1, decorator, line: def, innermost });
    }
    Some(functions)
}

/// `@wraps(function)` or `@functools.wraps(function)`.
fn is_wraps(file: &File<'_>, line: usize) -> bool {
    let Some(line) = file.lines.get(line) else { return false };
    let first = line.tokens.start + 1;
    let name = if file.tokens.is(first, "functools") { first + 2 } else { first };
    file.tokens.is(name, "wraps") && file.tokens.is(name + 1, "(")
}

/// The tokens of a function's body, without those of nested functions and classes. `None` if a `yield` may belong to a
/// lambda.
fn own_tokens(file: &File<'_>, def: usize) -> Option<Vec<usize>> {
    let header = file.lines.get(def)?;
    let colon = header_colon(&file.tokens, header)?;
    let mut own: Vec<usize> = (colon + 1..header.tokens.end).collect();
    let mut nested: Option<usize> = None;
    for line in file.lines.get(def + 1..)?.iter().take_while(|line| line.indent > header.indent) {
        if nested.is_some_and(|indent| line.indent > indent) {
            continue;
        }
        let first = line.tokens.start + usize::from(file.tokens.is(line.tokens.start, "async"));
        let opens = file.tokens.is(first, "def") || file.tokens.is(first, "class");
        nested = opens.then_some(line.indent);
        if !opens {
            own.extend(line.tokens.clone());
        }
    }
    let has = |word: &str| own.iter().any(|index| file.tokens.is(*index, word));
    (!(has("lambda") && has("yield"))).then_some(own)
}

/// The edits that make a plain function an `async def`.
fn made_async(file: &File<'_>, function: &Function, body: &[usize]) -> Option<Vec<Edit>> {
    let tokens = &file.tokens;
    let after = tokens.list.get(function.decorator.end + 1)?.start;
    let (at, end) = (tokens.list.get(function.at)?.start, tokens.list.get(function.decorator.end - 1)?.end);
    // A comment next to the decorator would lose its place.
    if !tokens.bytes.get(end..after)?.iter().all(u8::is_ascii_whitespace) {
        return None;
    }
    let without = Edit::replace(at..after, "");
    let def = file.lines.get(function.line)?.tokens.start;
    // Since Python 3.7 `__aiter__` must return the iterator itself and not an awaitable.
    if tokens.is(def + 1, "__aiter__") {
        return Some(vec![without]);
    }
    if !function.innermost {
        return None;
    }
    let mut edits = vec![without, Edit::insert(tokens.list.get(def)?.start, "async ")];
    for index in body.iter().copied().filter(|index| tokens.is(*index, "return")) {
        let line = file.lines.get(file.line_of(index))?;
        match returned(file, index + 1..line.tokens.end)? {
            Returned::Plain => {}
            Returned::Awaitable => edits.push(Edit::insert(tokens.list.get(index + 1)?.start, "await ")),
        }
    }
    Some(edits)
}

/// What a function returns.
enum Returned {
    /// A value that cannot be awaited.
    Plain,
    /// A value that must be awaited.
    Awaitable,
}

fn returned(file: &File<'_>, value: Range<usize>) -> Option<Returned> {
    let tokens = &file.tokens;
    let has_await = || (0..tokens.list.len()).any(|index| tokens.is(index, "__await__"));
    match value.len() {
        0 => return Some(Returned::Plain),
        1 => {
            let constant = ["None", "True", "False"].iter().any(|word| tokens.is(value.start, word));
            let literal = tokens.is_kind(value.start, Kind::Number) || tokens.is_kind(value.start, Kind::Text);
            let own = tokens.is(value.start, "self") && !has_await();
            return (constant || literal || own).then_some(Returned::Plain);
        }
        _ => {}
    }
    let name = value.clone().find(|index| tokens.is(index + 1, "("))?;
    let callee = value.start..=name;
    let dotted = callee.clone().all(|index| tokens.is(index, ".") || tokens.is_kind(index, Kind::Name));
    let depth = tokens.list.get(name + 1)?.depth;
    let close = (name + 2..value.end)
        .find(|index| tokens.is(*index, ")") && tokens.list.get(*index).is_some_and(|token| token.depth == depth))?;
    let known = AWAITABLE.iter().any(|known| tokens.is(name, known));
    let owner = tokens.is(name, "run_in_executor") || callee.clone().any(|index| tokens.is(index, "asyncio"));
    (dotted && known && owner && callee.count() > 1 && close + 1 == value.end).then_some(Returned::Awaitable)
}

/// The edits of the imports, as far as the new names need them.
fn imports(file: &File<'_>, generators: bool) -> Option<Vec<Edit>> {
    let mut edits = Vec::new();
    let mut needed = generators;
    if generators {
        let taken = names_something_else(&file.imports, "types")
            || is_rebound(&file.tokens, &file.lines, &file.imports, "types");
        if taken {
            return None;
        }
        needed = !file.imports.iter().any(|import| {
            import.from.is_none() && import.clauses.iter().any(|it| it.name == "types" && it.alias.is_none())
        });
    }
    for import in file.imports.iter().filter(|import| file.is_open(import.line)) {
        let Some((module, span)) = &import.from else {
            if needed && import.clauses.iter().any(|clause| clause.name == "asyncio") {
                edits.push(file.statement_after(import, "import types")?);
                needed = false;
            }
            continue;
        };
        let named = |place: &usize| import.clauses.get(*place).is_some_and(|clause| clause.name == "coroutine");
        let places: Vec<usize> = (0..import.clauses.len()).filter(named).collect();
        if module != "asyncio" || places.is_empty() {
            continue;
        }
        if places.len() == import.clauses.len() {
            edits.push(Edit::replace(span.clone(), "types"));
            continue;
        }
        let texts = places.iter().filter_map(|place| import.clauses.get(*place)).map(|clause| {
            clause.alias.as_ref().map_or_else(|| clause.name.clone(), |alias| format!("{} as {alias}", clause.name))
        });
        let statement = format!("from types import {}", texts.collect::<Vec<_>>().join(", "));
        edits.extend(removal(file.tokens.bytes, import, &places)?);
        edits.push(file.statement_after(import, &statement)?);
    }
    (!needed).then_some(edits)
}
