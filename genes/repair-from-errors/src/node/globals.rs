//! Names that are not defined: built-in modules that a file uses without loading them, and old names of the global object.

use super::lexer::{Tokens, lex};
use super::natives::MODULES;
use super::scope::is_global;
use super::{finish, string};
use crate::edit::{Edit, apply, line_ending};

/// The global object's names until Node 14.
const GLOBALS: [&str; 2] = ["GLOBAL", "root"];

/// The module or the old name of the global object that a message says is not defined.
pub(super) fn missing(message: &str) -> Option<&'static str> {
    let name = message.strip_suffix(" is not defined")?;
    // These names are common for variables too.
    let own = ["process", "domain", "events", "stream", "cluster", "url"];
    MODULES.iter().filter(|module| !own.contains(module)).chain(&GLOBALS).find(|known| **known == name).copied()
}

/// Whether this is an old name of the global object.
pub(super) fn is_old_global(name: &str) -> bool {
    GLOBALS.contains(&name)
}

/// The source with the name defined or replaced; `None` if the file defines it itself somewhere.
pub(super) fn repair(source: &[u8], name: &'static str, anchor: Option<usize>) -> Option<Vec<u8>> {
    std::str::from_utf8(source).ok()?;
    let tokens = lex(source)?;
    let is_use = |index: &usize| {
        tokens.is(*index, name)
            && !tokens.follows(*index, ".")
            && !tokens.follows(*index, "?.")
            && !tokens.is(index + 1, ":")
    };
    let uses: Vec<usize> = (0..tokens.list.len()).filter(is_use).collect();
    let checked = uses.iter().any(|index| tokens.follows(*index, "typeof") || tokens.is(index + 1, "from"));
    let bound = checked || !is_global(&tokens, name, &[]) || destructured(&tokens, name);
    if bound || uses.is_empty() {
        return None;
    }
    if is_old_global(name) {
        let edits = uses.iter().filter_map(|index| tokens.list.get(*index));
        return finish(source, edits.map(|token| Edit::replace(token.start..token.end, "global")).collect(), anchor);
    }
    if !uses.iter().all(|index| tokens.is(index + 1, ".")) {
        return None;
    }
    let top = |index: &usize| tokens.list.get(*index).is_some_and(|token| token.depth == 0);
    let begins = |index: usize| {
        let start = tokens.list.get(index).map_or(0, |token| token.start);
        start == 0 || source.get(start - 1) == Some(&b'\n')
    };
    let import = (0..tokens.list.len()).filter(top).find(|index| {
        tokens.is(*index, "import") && begins(*index) && !tokens.is(index + 1, "(") && !tokens.is(index + 1, ".")
    });
    let exports = (0..tokens.list.len()).filter(top).any(|index| tokens.is(index, "export") && begins(index));
    let require = (0..tokens.list.len()).find(|index| tokens.is(*index, "require") && tokens.is(index + 1, "("));
    let common = require.is_some()
        || (0..tokens.list.len()).any(|index| tokens.is(index, "module") && tokens.is(index + 2, "exports"));
    let statement = match (import.is_some() || exports, common) {
        (true, false) => format!("import {name} from '{name}'"),
        (false, true) => format!("const {name} = require('{name}')"),
        _ => return None,
    };
    let declared = (0..tokens.list.len()).filter(top).find(|index| {
        let declares = ["const", "let", "var"].iter().any(|word| tokens.is(*index, word));
        declares && begins(*index) && require.is_some_and(|require| require < index + 12 && *index < require)
    });
    let at = match import.or(declared) {
        Some(index) => tokens.list.get(index)?.start,
        None => after_directives(&tokens),
    };
    let end = if tokens.list.iter().enumerate().any(|(index, _)| tokens.is(index, ";")) { ";" } else { "" };
    apply(source, vec![Edit::insert(at, format!("{statement}{end}{}", line_ending(source, at)))])
}

/// Whether `{ name }` binds the name anywhere.
fn destructured(tokens: &Tokens<'_>, name: &str) -> bool {
    (1..tokens.list.len()).any(|index| {
        let inside = (tokens.follows(index, "{") || tokens.follows(index, ",") || tokens.follows(index, ":"))
            && (tokens.is(index + 1, "}") || tokens.is(index + 1, ","));
        tokens.is(index, name) && inside
    })
}

/// The position after a shebang and the directive `'use strict'`, at the beginning of a line.
fn after_directives(tokens: &Tokens<'_>) -> usize {
    let strict = string(tokens, 0) == Some("use strict");
    let start = match tokens.list.first() {
        Some(token) if strict => token.end,
        Some(_) if !tokens.bytes.starts_with(b"#!") => return 0,
        _ => 0,
    };
    let rest = tokens.bytes.get(start..).unwrap_or_default();
    start + rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1)
}
