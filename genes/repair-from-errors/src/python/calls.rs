//! The parts of calls: callee, arguments and the expression that a method is called on.

use std::ops::Range;

use super::tokens::{Kind, Tokens};

/// The arguments of a call, as ranges of tokens, and the bracket that ends it. `open` is the opening bracket.
pub(crate) struct Call {
    /// The tokens of each argument, without commas. None is empty.
    pub(crate) arguments: Vec<Range<usize>>,
    /// The closing bracket.
    pub(crate) close: usize,
}

impl Call {
    /// Reads the call whose bracket is at `open`; `None` if there is no call.
    pub(crate) fn at(tokens: &Tokens<'_>, open: usize) -> Option<Self> {
        let close = closing(tokens, open)?;
        let depth = tokens.list.get(open)?.depth + 1;
        let mut arguments = Vec::new();
        let mut first = open + 1;
        // The parameters of a lambda are separated by commas as well.
        let mut in_lambda = false;
        for index in open + 1..=close {
            let outer = tokens.list.get(index).is_some_and(|token| token.depth == depth);
            if outer && (tokens.is(index, "lambda") || (in_lambda && tokens.is(index, ":"))) {
                in_lambda = tokens.is(index, "lambda");
            }
            let ends = index == close || (tokens.is(index, ",") && outer && !in_lambda);
            if ends {
                if first < index {
                    arguments.push(first..index);
                }
                first = index + 1;
            }
        }
        Some(Self { arguments, close })
    }

    /// Whether an argument is passed by name or unpacked.
    pub(crate) fn has_special(&self, tokens: &Tokens<'_>) -> bool {
        self.arguments.iter().any(|it| {
            tokens.is(it.start, "*")
                || tokens.is(it.start, "**")
                || tokens.is(it.start + 1, "=")
                || is_generator(tokens, it)
        })
    }

    /// The argument that is passed by this name: all its tokens, the name included.
    pub(crate) fn named(&self, tokens: &Tokens<'_>, name: &str) -> Option<Range<usize>> {
        let is_it = |it: &&Range<usize>| tokens.is(it.start, name) && tokens.is(it.start + 1, "=");
        self.arguments.iter().find(is_it).cloned()
    }
}

/// The bracket that closes the one at `open`, which must be a `(`.
pub(crate) fn closing(tokens: &Tokens<'_>, open: usize) -> Option<usize> {
    if !tokens.is(open, "(") {
        return None;
    }
    let depth = tokens.list.get(open)?.depth;
    (open + 1..tokens.list.len())
        .find(|index| tokens.is(*index, ")") && tokens.list.get(*index).is_some_and(|t| t.depth == depth))
}

/// The bracket that opens the one at `close`.
fn opening(tokens: &Tokens<'_>, close: usize) -> Option<usize> {
    let depth = tokens.list.get(close)?.depth;
    let opens = |index: &usize| {
        ["(", "[", "{"].iter().any(|it| tokens.is(*index, it))
            && tokens.list.get(*index).is_some_and(|t| t.depth == depth)
    };
    (0..close).rev().find(opens)
}

/// The first token of the expression that ends at `last`: a name, an attribute, a call, an item, a literal in brackets or a
/// string. `None` for anything else.
pub(crate) fn receiver(tokens: &Tokens<'_>, last: usize) -> Option<usize> {
    let mut first = last;
    loop {
        let bracket = [")", "]", "}"].iter().any(|close| tokens.is(first, close));
        if bracket {
            first = opening(tokens, first)?;
            let before = first.checked_sub(1);
            let applied = before.is_some_and(|before| {
                is_operand_name(tokens, before) || [")", "]", "}"].iter().any(|close| tokens.is(before, close))
            });
            if applied && !tokens.is(first, "{") {
                first -= 1;
                continue;
            }
        } else if !(is_operand_name(tokens, first) || tokens.is_kind(first, Kind::Text)) {
            return None;
        }
        if !tokens.follows(first, ".") {
            break;
        }
        first = first.checked_sub(2)?;
    }
    // An f-string has a token for each end, and strings next to each other are one.
    let alone = !tokens.is_kind(first, Kind::Text)
        || first.checked_sub(1).is_none_or(|before| !tokens.is_kind(before, Kind::Text) && !tokens.is(before, "}"));
    alone.then_some(first)
}

/// Whether this token is a name and no keyword.
pub(crate) fn is_operand_name(tokens: &Tokens<'_>, index: usize) -> bool {
    const KEYWORDS: [&str; 28] = [
        "and", "as", "assert", "async", "await", "class", "def", "del", "elif", "else", "except", "finally", "for",
        "from", "if", "import", "in", "is", "lambda", "not", "or", "print", "raise", "return", "try", "while", "with",
        "yield",
    ];
    tokens.is_kind(index, Kind::Name) && !KEYWORDS.iter().any(|word| tokens.is(index, word))
}

/// Whether these tokens need no brackets to become the owner of a method.
pub(crate) fn is_primary(tokens: &Tokens<'_>, range: &Range<usize>) -> bool {
    range.end.checked_sub(1).and_then(|last| receiver(tokens, last)) == Some(range.start)
}

/// Whether these tokens are names, attributes and literals, so that evaluating them has no effect.
pub(crate) fn is_plain(tokens: &Tokens<'_>, range: &Range<usize>) -> bool {
    range.clone().all(|index| {
        let op = [".", "[", "]"].iter().any(|op| tokens.is(index, op));
        op || is_operand_name(tokens, index) || tokens.is_kind(index, Kind::Number) || tokens.is_kind(index, Kind::Text)
    }) && !range.is_empty()
}

/// Whether these tokens are a generator expression without brackets of its own.
pub(crate) fn is_generator(tokens: &Tokens<'_>, range: &Range<usize>) -> bool {
    let depth = tokens.list.get(range.start).map_or(0, |token| token.depth);
    range
        .clone()
        .any(|index| tokens.is(index, "for") && tokens.list.get(index).is_some_and(|token| token.depth == depth))
}
