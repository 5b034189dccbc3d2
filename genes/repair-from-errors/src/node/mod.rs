//! Repairs of JavaScript for Node. Pure: bytes and a place in, new bytes or nothing out.

pub(crate) mod buffer;
pub(crate) mod lexer;
pub(crate) mod natives;
pub(crate) mod removed;
mod scope;

use crate::edit::{Edit, apply, physical_lines};

/// Carries out the edits, where one is on the line that failed and the result still lexes.
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
