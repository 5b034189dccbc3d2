//! Replaces the source text of Node's own modules (`process.binding('natives')`) in files that evaluate it. Since Node 12
//! that text needs names that only Node's loader provides, such as `primordials`. The module itself can be required.

use super::lexer::{Tokens, lex};
use super::scope::is_global;
use super::{finish, string};
use crate::edit::Edit;

/// Public modules of Node.
pub(super) const MODULES: &[&str] = &[
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

/// Whether a message shows that such a text was evaluated.
pub(crate) fn is_named(message: &str) -> bool {
    ["primordials is not defined", "internalBinding is not defined"].contains(&message)
}

/// The source with every `process.binding('natives').fs` replaced by the text of a module that exports a copy of
/// `require('fs')`. It is a copy, because code that evaluates the text wants a module that it can change. `None` if there is
/// none, or if the file does not wrap the text as Node does, so that it would lack `exports` and `require`.
pub(crate) fn repair(source: &[u8]) -> Option<Vec<u8>> {
    std::str::from_utf8(source).ok()?;
    let tokens = lex(source)?;
    if !wraps(&tokens) || !is_global(&tokens, "process", &["process"]) {
        return None;
    }
    let mut edits = Vec::new();
    for first in 0..tokens.list.len() {
        let Some((module, last)) = text_of(&tokens, first) else { continue };
        // The file does something else with the text: it uses a member of it, or assigns to it.
        if [".", "?.", "(", "[", "="].iter().any(|next| tokens.is(last + 1, next)) {
            return None;
        }
        let text =
            format!("'Object.defineProperties(exports, Object.getOwnPropertyDescriptors(require(\"{module}\")));'");
        edits.push(Edit::replace(tokens.list.get(first)?.start..tokens.list.get(last)?.end, text));
    }
    finish(source, edits, None)
}

/// Module and last token of `process.binding('natives').fs` or `process.binding('natives')['fs']`, with `process` at
/// `first`.
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

/// Whether a string of the file begins like the function that Node wraps around a module.
fn wraps(tokens: &Tokens<'_>) -> bool {
    (0..tokens.list.len()).filter_map(|index| string(tokens, index)).any(|text| {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        text.starts_with("(function(exports,require,module,")
    })
}
