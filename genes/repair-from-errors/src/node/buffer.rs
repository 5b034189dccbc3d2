//! The constructor `Buffer` of Node, deprecated since 6.0 (DEP0005), by its two successors.

use super::finish;
use super::lexer::{Kind, Tokens, lex};
use super::scope::is_global;
use crate::edit::Edit;

/// The source with every `new Buffer(…)` and `Buffer(…)` replaced (DEP0005): a size becomes `Buffer.alloc`, all else
/// `Buffer.from`. `None` where there is none, none on the physical line `anchor`, or where the name is the file's own.
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
        let is_new = tokens.follows(index, "new");
        let first = if is_new { index - 1 } else { index };
        let close = tokens.close(index + 1)?;
        let now = if is_size(&tokens, index + 2, close) { "Buffer.alloc" } else { "Buffer.from" };
        if close > index + 2 {
            edits.push(Edit::replace(tokens.list.get(first)?.start..tokens.list.get(index)?.end, now));
        }
    }
    finish(source, edits, anchor)
}

/// Whether an argument is a number: literals, lengths and names of sizes, joined by arithmetic.
fn is_size(tokens: &Tokens<'_>, start: usize, end: usize) -> bool {
    let mut sized = false;
    for index in start..end {
        let Some(token) = tokens.list.get(index) else {
            return false;
        };
        match token.kind {
            Kind::Number => sized = true,
            Kind::Name => {
                let is_owner = tokens.is(index + 1, ".");
                sized |= !is_owner;
                if !is_owner && !is_size_name(tokens.text(index)) {
                    return false;
                }
            }
            Kind::Op if matches!(tokens.text(index), b"+" | b"-" | b"*" | b"/" | b"." | b"(" | b")") => {}
            _ => return false,
        }
    }
    sized
}

fn is_size_name(name: &[u8]) -> bool {
    let name = name.to_ascii_lowercase();
    [b"length".as_slice(), b"len", b"size", b"bytelength"].iter().any(|end| name.ends_with(end))
}
