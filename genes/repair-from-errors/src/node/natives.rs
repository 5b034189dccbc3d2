//! Evaluating the source text of Node's own modules (`process.binding('natives')`). That text needs names which only
//! Node's loader gives it (`primordials`) since Node 12; the module itself can be required.

use super::finish;
use super::lexer::{Kind, Tokens, lex};
use super::scope::is_global;
use crate::edit::Edit;

/// Modules of Node that anybody may require.
const MODULES: &[&str] = &[
    "assert",
    "buffer",
    "child_process",
    "cluster",
    "crypto",
    "dgram",
    "dns",
    "domain",
    "events",
    "fs",
    "http",
    "https",
    "net",
    "os",
    "path",
    "querystring",
    "readline",
    "stream",
    "string_decoder",
    "tls",
    "tty",
    "url",
    "util",
    "vm",
    "zlib",
];

/// Whether a message says that such a text was evaluated.
pub(crate) fn is_named(message: &str) -> bool {
    ["primordials is not defined", "internalBinding is not defined"].contains(&message)
}

/// The source with every `process.binding('natives').fs` made the text of a module that exports a copy of what
/// `require('fs')` gives: a copy, since who evaluated the text wanted a module of their own to change. `None` where
/// there is none, or where the file does not wrap the text as Node does, so that `exports` and `require` are there.
pub(crate) fn repair(source: &[u8]) -> Option<Vec<u8>> {
    std::str::from_utf8(source).ok()?;
    let tokens = lex(source)?;
    if !wraps(&tokens) || !is_global(&tokens, "process", &["process"]) {
        return None;
    }
    let mut edits = Vec::new();
    for first in 0..tokens.list.len() {
        let Some((module, last)) = text_of(&tokens, first) else { continue };
        // A member of the text, or an assignment to it, is something else.
        if [".", "?.", "(", "[", "="].iter().any(|next| tokens.is(last + 1, next)) {
            return None;
        }
        let text =
            format!("'Object.defineProperties(exports, Object.getOwnPropertyDescriptors(require(\"{module}\")));'");
        edits.push(Edit::replace(tokens.list.get(first)?.start..tokens.list.get(last)?.end, text));
    }
    finish(source, edits, None)
}

/// `process.binding('natives').fs` or `process.binding('natives')['fs']` with `process` at `first`: the module, and the
/// last token.
fn text_of(tokens: &Tokens<'_>, first: usize) -> Option<(&'static str, usize)> {
    let starts = tokens.is(first, "process")
        && !tokens.follows(first, ".")
        && tokens.is(first + 1, ".")
        && tokens.is(first + 2, "binding")
        && tokens.is(first + 3, "(")
        && string(tokens, first + 4) == Some("natives")
        && tokens.is(first + 5, ")");
    let (name, last) = if starts && tokens.is(first + 6, ".") {
        (std::str::from_utf8(tokens.text(first + 7)).ok()?, first + 7)
    } else if starts && tokens.is(first + 6, "[") && tokens.is(first + 8, "]") {
        (string(tokens, first + 7)?, first + 8)
    } else {
        return None;
    };
    MODULES.iter().find(|module| **module == name).map(|module| (*module, last))
}

/// Whether a string of the file begins the function that Node wraps a module in.
fn wraps(tokens: &Tokens<'_>) -> bool {
    (0..tokens.list.len()).filter_map(|index| string(tokens, index)).any(|text| {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        text.starts_with("(function(exports,require,module,")
    })
}

/// What stands between the quotes of a string.
fn string<'a>(tokens: &Tokens<'a>, index: usize) -> Option<&'a str> {
    let is_text = tokens.list.get(index).is_some_and(|token| token.kind == Kind::Text);
    let text = std::str::from_utf8(tokens.text(index)).ok().filter(|_| is_text)?;
    text.get(1..text.len().checked_sub(1)?)
}
