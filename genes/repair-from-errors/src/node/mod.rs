//! Repairs of JavaScript for Node. Each repair is a function from a source, and the line that failed, to a new source.

mod buffer;
mod callbacks;
mod esm;
mod globals;
mod lexer;
mod modern;
mod modules;
mod natives;
mod removed;
mod renamed;
mod repair;
mod scope;

pub(crate) use esm::{ENDINGS, specifiers};
pub(crate) use modern::modern;
pub(crate) use repair::Repair;

use std::ops::Range;

use crate::edit::{Edit, apply, physical_lines};
use lexer::{Kind, Tokens};

/// Applies the edits. `None` unless one of them is on the line that failed and the result lexes.
fn finish(source: &[u8], edits: Vec<Edit>, anchor: Option<usize>) -> Option<Vec<u8>> {
    if let Some(physical) = anchor {
        let line = physical_lines(source).get(physical)?.clone();
        if !edits.iter().any(|edit| line.start <= edit.start && edit.start <= line.end) {
            return None;
        }
    }
    let result = apply(source, edits)?;
    lexer::lex(&result).map(|_| ())?;
    Some(result)
}

/// The strings that are values of this key in the tables of dependencies of a `package.json`, with their places. `None` if it
/// does not lex.
pub(crate) fn json_strings(source: &[u8], key: &str) -> Option<Vec<(Range<usize>, String)>> {
    let tokens = lexer::lex(source)?;
    let mut found = Vec::new();
    for table in 0..tokens.list.len() {
        let is_table = matches!(string(&tokens, table), Some("dependencies" | "devDependencies"));
        let Some(close) = tokens.close(table + 2).filter(|_| is_table && tokens.is(table + 2, "{")) else { continue };
        for index in table + 3..close {
            if string(&tokens, index) == Some(key)
                && tokens.is(index + 1, ":")
                && let (Some(text), Some(token)) = (string(&tokens, index + 2), tokens.list.get(index + 2))
            {
                found.push((token.start..token.end, text.to_owned()));
            }
        }
    }
    Some(found)
}

/// The text between the quotes of a string.
fn string<'a>(tokens: &Tokens<'a>, index: usize) -> Option<&'a str> {
    let is_text = tokens.list.get(index).is_some_and(|token| token.kind == Kind::Text);
    let text = std::str::from_utf8(tokens.text(index)).ok().filter(|_| is_text)?;
    text.get(1..text.len().checked_sub(1)?)
}
