//! Tokens of a text that is nearly JSON.

use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// One of `{}[],:`.
    Mark(char),
    /// A text in double quotes.
    Text,
    /// A text in single quotes.
    Single,
    /// A quote that does not end in its line.
    Open,
    /// A number, a keyword or a name.
    Word,
    Comment,
    /// Anything else.
    Other,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
}

/// The tokens, in order.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let rest = &text[at..];
        let (kind, length) = match c {
            _ if c.is_whitespace() || c == '\u{feff}' => {
                at += c.len_utf8();
                continue;
            }
            '{' | '}' | '[' | ']' | ',' | ':' => (Kind::Mark(c), 1),
            '"' | '\'' => quoted(rest, c),
            '#' => (Kind::Comment, line_length(rest)),
            '/' if rest.starts_with("//") => (Kind::Comment, line_length(rest)),
            '/' if rest.starts_with("/*") => match rest.find("*/") {
                Some(end) => (Kind::Comment, end + 2),
                None => (Kind::Other, rest.len()),
            },
            _ if is_word(c) => (Kind::Word, rest.find(|c| !is_word(c)).unwrap_or(rest.len())),
            _ => (Kind::Other, c.len_utf8()),
        };
        tokens.push(Token { kind, range: at..at + length });
        at += length;
    }
    tokens
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || "_$.+-".contains(c)
}

fn line_length(rest: &str) -> usize {
    rest.find('\n').map_or(rest.len(), |end| rest[..end].trim_end_matches('\r').len())
}

fn quoted(rest: &str, quote: char) -> (Kind, usize) {
    let line = line_length(rest);
    let mut escaped = false;
    for (at, c) in rest[..line].char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == quote => return (if quote == '"' { Kind::Text } else { Kind::Single }, at + 1),
            _ => {}
        }
    }
    (Kind::Open, line)
}
