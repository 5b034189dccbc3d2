//! Replaces the constructor `Buffer` of Node, which is deprecated since 6.0 (DEP0005), by its two successors.
//!
//! The constructor takes a size or a content. If the argument shows which, one successor replaces it. If it does not, but
//! can be evaluated twice without harm, both successors do, after the check that the constructor itself makes. Otherwise
//! the call stays.

use std::ops::Range;

use super::finish;
use super::lexer::{Kind, Tokens, lex};
use super::scope::is_global;
use crate::edit::Edit;

/// Longest argument that is written more than once, in bytes.
const MAX_REPEATED: usize = 60;
/// Methods that only strings, arrays and buffers have, and whose result is not a number.
const CONTENT_METHODS: &[&str] = &[
    "concat",
    "join",
    "padEnd",
    "padStart",
    "repeat",
    "replace",
    "slice",
    "split",
    "stringify",
    "substr",
    "substring",
    "toBuffer",
    "toLowerCase",
    "toString",
    "toUpperCase",
    "trim",
];
/// Functions and methods whose result is a number.
const SIZE_FUNCTIONS: &[&str] =
    &["Number", "abs", "byteLength", "ceil", "floor", "indexOf", "max", "min", "parseInt", "pow", "round"];

/// The kind of value that an argument has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Argument {
    /// A number.
    Size,
    /// A string, an array or another buffer.
    Content,
    /// Either, and evaluating it twice has the same effect as once.
    Either,
    /// Unknown.
    Unknown,
}

/// The source with every `new Buffer(…)` and `Buffer(…)` replaced: a size becomes `Buffer.alloc`, a content `Buffer.from`.
/// `None` if there is none, if none is on the physical line `anchor`, or if the file defines the name itself.
pub(crate) fn repair(source: &[u8], anchor: Option<usize>) -> Option<Vec<u8>> {
    std::str::from_utf8(source).ok()?;
    let tokens = lex(source)?;
    if !is_global(&tokens, "Buffer", &["buffer", "safe-buffer", "buffer/"]) {
        return None;
    }
    let mut edits = Vec::new();
    for index in 0..tokens.list.len() {
        if !tokens.is(index, "Buffer") || !tokens.is(index + 1, "(") {
            continue;
        }
        if ["function", "class", "."].iter().any(|word| tokens.follows(index, word)) {
            continue;
        }
        let first = if tokens.follows(index, "new") { index - 1 } else { index };
        let close = tokens.close(index + 1)?;
        let callee = tokens.list.get(first)?.start..tokens.list.get(index)?.end;
        match argument(&tokens, index + 2..close) {
            Argument::Size => edits.push(Edit::replace(callee, "Buffer.alloc")),
            Argument::Content => edits.push(Edit::replace(callee, "Buffer.from")),
            Argument::Either if may_open_a_bracket(&tokens, first) => {
                let inner = tokens.list.get(index + 2)?.start..tokens.list.get(close - 1)?.end;
                let text = std::str::from_utf8(source.get(inner)?).ok()?;
                let asked = if close == index + 3 { text.to_owned() } else { format!("({text})") };
                let whole = callee.start..tokens.list.get(close)?.end;
                let now = format!("(typeof {asked} === 'number' ? Buffer.alloc({text}) : Buffer.from({text}))");
                edits.push(Edit::replace(whole, now));
            }
            Argument::Either | Argument::Unknown => {}
        }
    }
    finish(source, edits, anchor)
}

/// The kind of the argument between the brackets.
fn argument(tokens: &Tokens<'_>, inner: Range<usize>) -> Argument {
    if inner.is_empty() {
        return Argument::Unknown;
    }
    let depth = tokens.list.get(inner.start).map_or(0, |token| token.depth);
    let outer = |index: usize| tokens.list.get(index).is_some_and(|token| token.depth == depth);
    // Only a content can be followed by an encoding or an offset.
    if inner.clone().any(|index| outer(index) && tokens.is(index, ",")) || begins_content(tokens, inner.start) {
        return Argument::Content;
    }
    if tokens.is(inner.end - 1, ")") {
        return called(tokens, &inner, outer);
    }
    let plain = inner.clone().all(|index| is_plain(tokens, index));
    let added = inner.clone().any(|index| outer(index) && tokens.list.get(index).is_some_and(|t| t.kind == Kind::Text));
    if added && inner.clone().any(|index| outer(index) && tokens.is(index, "+")) {
        Argument::Content
    } else if plain && is_size(tokens, inner.clone()) {
        Argument::Size
    } else if plain && length(tokens, &inner) <= MAX_REPEATED {
        Argument::Either
    } else {
        Argument::Unknown
    }
}

/// Whether the argument begins with a string or an array.
fn begins_content(tokens: &Tokens<'_>, first: usize) -> bool {
    let is_text = tokens.list.get(first).is_some_and(|token| matches!(token.kind, Kind::Text | Kind::Piece));
    is_text || tokens.is(first, "[")
}

/// The kind of a single call `a.b(…)`, by the name of the function.
fn called(tokens: &Tokens<'_>, inner: &Range<usize>, outer: impl Fn(usize) -> bool) -> Argument {
    let one = inner.clone().all(|index| {
        let bracket = ["(", ")", "[", "]"].iter().any(|bracket| tokens.is(index, bracket));
        !outer(index) || bracket || tokens.is(index, ".") || is_name(tokens, index)
    });
    let callee = inner.clone().rev().find(|index| outer(*index) && is_name(tokens, *index));
    let Some(callee) = callee.filter(|callee| one && tokens.is(callee + 1, "(")) else {
        return Argument::Unknown;
    };
    let named = |names: &[&str]| names.iter().any(|name| tokens.is(callee, name));
    if named(SIZE_FUNCTIONS) {
        Argument::Size
    } else if named(&["String"]) || (tokens.follows(callee, ".") && named(CONTENT_METHODS)) {
        Argument::Content
    } else {
        Argument::Unknown
    }
}

fn is_name(tokens: &Tokens<'_>, index: usize) -> bool {
    tokens.list.get(index).is_some_and(|token| token.kind == Kind::Name)
}

/// Whether a token belongs to an expression without effects: names, numbers, members and arithmetic.
fn is_plain(tokens: &Tokens<'_>, index: usize) -> bool {
    const WORDS: [&str; 8] = ["await", "class", "delete", "function", "new", "typeof", "void", "yield"];
    let doubled = |sign: &str| tokens.is(index, sign) && (tokens.is(index + 1, sign) || tokens.follows(index, sign));
    tokens.list.get(index).is_some_and(|token| match token.kind {
        Kind::Number => true,
        Kind::Name => !WORDS.iter().any(|word| tokens.is(index, word)),
        Kind::Op => ["+", "-", "*", "/", ".", "[", "]"].iter().any(|op| tokens.is(index, op)),
        _ => false,
    }) && !doubled("+")
        && !doubled("-")
}

/// Whether a plain expression is a number: it consists of literals, lengths and names of sizes, or it subtracts, multiplies
/// or divides.
fn is_size(tokens: &Tokens<'_>, inner: Range<usize>) -> bool {
    let is = |index: usize, ops: &[&str]| ops.iter().any(|op| tokens.is(index, op));
    if inner.clone().any(|index| is(index, &["["])) {
        return false;
    }
    if !inner.clone().any(|index| is(index, &["+"])) && inner.clone().any(|index| is(index, &["-", "*", "/"])) {
        return true;
    }
    inner.clone().all(|index| {
        let is_owner = tokens.is(index + 1, ".");
        !is_name(tokens, index) || is_owner || is_size_name(tokens.text(index))
    })
}

fn is_size_name(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    [b"length".as_slice(), b"len", b"size", b"bytelength"].iter().any(|end| name.ends_with(end))
}

/// The number of bytes between the brackets; `usize::MAX` for several lines or a comment.
fn length(tokens: &Tokens<'_>, inner: &Range<usize>) -> usize {
    let start = inner.start.checked_sub(1).and_then(|open| tokens.list.get(open)).map_or(0, |token| token.end);
    let end = tokens.list.get(inner.end).map_or(0, |token| token.start);
    let text = tokens.bytes.get(start..end).unwrap_or_default();
    let is_one_line = !text.contains(&b'\n') && !text.windows(2).any(|pair| pair == b"//" || pair == b"/*");
    if is_one_line { text.len() } else { usize::MAX }
}

/// Whether an opening bracket here would not turn the text before it into a call.
fn may_open_a_bracket(tokens: &Tokens<'_>, index: usize) -> bool {
    const BEFORE: [&str; 14] = ["=", "(", "[", ",", "{", ":", "?", ";", "|", "&", "!", ">", "=>", "return"];
    index == 0 || BEFORE.iter().any(|before| tokens.follows(index, before))
}
