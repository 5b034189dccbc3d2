//! Calls of `fs` without a callback. Until Node 10 they only gave a warning; an error was thrown later, for nobody to catch.

use std::collections::BTreeMap;

use super::finish;
use super::lexer::{Kind, Tokens, lex};
use super::removed::owner;
use crate::edit::Edit;

/// What stands for a missing callback, as the old documentation describes what Node did without one.
const CALLBACK: &str = "function (error) { if (error) throw error; }";

/// Functions with a callback, and how many arguments they need before it. Source: Node's documentation of `fs`.
const FUNCTIONS: [(&str, usize); 18] = [
    ("appendFile", 2),
    ("chmod", 2),
    ("chown", 3),
    ("close", 1),
    ("copyFile", 2),
    ("fchmod", 2),
    ("fsync", 1),
    ("ftruncate", 1),
    ("futimes", 3),
    ("link", 2),
    ("mkdir", 1),
    ("rename", 2),
    ("rmdir", 1),
    ("symlink", 2),
    ("truncate", 1),
    ("unlink", 1),
    ("utimes", 3),
    ("writeFile", 2),
];

/// Whether the message says that a callback is missing.
pub(super) fn is_missing(message: &str) -> bool {
    ["cb", "callback"].iter().any(|name| {
        message.strip_prefix(&format!("The \"{name}\" argument must be of type function.")).map(str::trim)
            == Some("Received undefined")
    }) || message == "Callback must be a function. Received undefined"
}

/// The source with a callback in every call that lacks one. `None` if there is none on the physical line `anchor` (from 0).
pub(super) fn repair(source: &[u8], anchor: Option<usize>) -> Option<Vec<u8>> {
    std::str::from_utf8(source).ok()?;
    let tokens = lex(source)?;
    let mut known = BTreeMap::new();
    let mut edits = Vec::new();
    for index in 2..tokens.list.len() {
        let Some((_, least)) = FUNCTIONS.iter().find(|(name, _)| tokens.is(index, name)) else { continue };
        if !tokens.is(index - 1, ".")
            || !tokens.is(index + 1, "(")
            || owner(&tokens, index - 2, "fs", &mut known).is_none()
        {
            continue;
        }
        let close = tokens.close(index + 1)?;
        if lacks_callback(&tokens, index + 2, close, *least) {
            let end = tokens.list.get(close - 1)?.end;
            edits.push(Edit::insert(end, format!(", {CALLBACK}")));
        }
    }
    finish(source, edits, anchor)
}

/// Whether these arguments are only those before the callback. A further one may be the callback unless it is a literal.
fn lacks_callback(tokens: &Tokens<'_>, first: usize, close: usize, least: usize) -> bool {
    let depth = tokens.list.get(first).map_or(0, |token| token.depth);
    let mut starts = vec![first];
    for index in first..close {
        let outer = tokens.list.get(index).is_some_and(|token| token.depth == depth);
        if outer && tokens.is(index, ",") {
            starts.push(index + 1);
        }
        if tokens.is(index, "...") {
            return false;
        }
    }
    let is_literal = |start: usize| {
        tokens.is(start, "{")
            || tokens.list.get(start).is_some_and(|token| matches!(token.kind, Kind::Text | Kind::Number))
    };
    let ends_plainly = !tokens.is(close - 1, ",");
    let is_exact = starts.len() == least;
    let has_options = starts.len() == least + 1 && starts.last().is_some_and(|start| is_literal(*start));
    first < close && ends_plainly && (is_exact || has_options)
}
