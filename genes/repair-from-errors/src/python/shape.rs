//! Whether a use of a name looks so that its successor means the same, and what else has to change for that.

use super::lines::Line;
use super::table::Shape;
use super::tokens::{Kind, Tokens};
use crate::edit::Edit;

/// The edits beside the name that a use asks for; `None` where the successor would not mean the same. `first` and
/// `last` are the first and last token of the callee.
pub(crate) fn fitting(tokens: &Tokens<'_>, line: &Line, first: usize, last: usize, shape: Shape) -> Option<Vec<Edit>> {
    match shape {
        Shape::Any => Some(Vec::new()),
        Shape::Escape => escape(tokens, last),
        Shape::ArgSpec => arg_spec(tokens, line, first, last),
    }
}

/// `cgi.escape` left quotes alone unless told otherwise, `html.escape` does not.
fn escape(tokens: &Tokens<'_>, last: usize) -> Option<Vec<Edit>> {
    let close = call_end(tokens, last)?;
    let depth = tokens.list.get(close)?.depth + 1;
    let inner = last + 2..close;
    if inner.is_empty() || inner.clone().any(|index| tokens.is(index, "*") || tokens.is(index, "**")) {
        return None;
    }
    let outer = |index: usize| tokens.list.get(index).is_some_and(|token| token.depth == depth);
    let commas: Vec<usize> = inner.clone().filter(|index| tokens.is(*index, ",") && outer(*index)).collect();
    let at = tokens.list.get(close)?.start;
    match commas.as_slice() {
        [] => Some(vec![Edit::insert(at, ", quote=False")]),
        [comma] if comma + 1 == close => Some(vec![Edit::insert(at, " quote=False")]),
        [_] => Some(Vec::new()),
        _ => None,
    }
}

/// `getfullargspec` answers seven fields; the first four are those of `getargspec`, one of them under another name.
fn arg_spec(tokens: &Tokens<'_>, line: &Line, first: usize, last: usize) -> Option<Vec<Edit>> {
    let close = call_end(tokens, last)?;
    let next = close + 1;
    if tokens.is(next, ".") {
        return match tokens.text(next + 1) {
            b"args" | b"varargs" | b"defaults" => Some(Vec::new()),
            b"keywords" => {
                let name = tokens.list.get(next + 1)?;
                Some(vec![Edit::replace(name.start..name.end, "varkw")])
            }
            _ => None,
        };
    }
    if tokens.is(next, "[") {
        let item = matches!(tokens.text(next + 1), b"0" | b"1" | b"2" | b"3") && tokens.is(next + 2, "]");
        let slice = tokens.is(next + 1, ":")
            && matches!(tokens.text(next + 2), b"1" | b"2" | b"3" | b"4")
            && tokens.is(next + 3, "]");
        return (item || slice).then(Vec::new);
    }
    let whole = next == line.tokens.end && tokens.follows(first, "=");
    (whole && unpacks_four(tokens, line.tokens.start, first.checked_sub(1)?)).then(|| {
        let at = tokens.list.get(close).map_or(0, |token| token.end);
        vec![Edit::insert(at, "[:4]")]
    })
}

/// Whether these tokens are four plain targets.
fn unpacks_four(tokens: &Tokens<'_>, start: usize, end: usize) -> bool {
    let bracketed = tokens.is(start, "(") && end.checked_sub(1).is_some_and(|close| tokens.is(close, ")"));
    let inner = if bracketed { start + 1..end - 1 } else { start..end };
    inner.len() == 7
        && inner.enumerate().all(
            |(place, index)| {
                if place % 2 == 0 { tokens.is_kind(index, Kind::Name) } else { tokens.is(index, ",") }
            },
        )
}

/// The bracket that ends the call whose callee ends at `last`.
fn call_end(tokens: &Tokens<'_>, last: usize) -> Option<usize> {
    if !tokens.is(last + 1, "(") {
        return None;
    }
    let depth = tokens.list.get(last + 1)?.depth;
    (last + 2..tokens.list.len())
        .find(|index| tokens.is(*index, ")") && tokens.list.get(*index).is_some_and(|t| t.depth == depth))
}
