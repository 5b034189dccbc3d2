//! Replaces functions that Node removed or renamed. Source: Node's list of deprecated APIs (DEP0022 `os.tmpDir`, DEP0023
//! `os.getNetworkInterfaces`, DEP0026 to DEP0029 `util.puts`,
//! DEP0044 to DEP0055 `util.is…`, DEP0060 `util._extend`, DEP0010 `crypto.createCredentials`, DEP0076 `tls.parseCertString`).

use std::collections::BTreeMap;

use super::finish;
use super::lexer::{Kind, Tokens, lex};
use super::scope::{Binding, binding, is_require};
use crate::edit::Edit;

/// A removed function of a built-in module, and its successor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Removed {
    module: &'static str,
    name: &'static str,
    /// The new callee; a leading dot keeps the module.
    now: &'static str,
}

pub(super) const REMOVED: [Removed; 15] = [
    Removed { module: "os", name: "tmpDir", now: ".tmpdir" },
    Removed { module: "os", name: "getNetworkInterfaces", now: ".networkInterfaces" },
    Removed { module: "util", name: "isArray", now: "Array.isArray" },
    Removed { module: "util", name: "isBuffer", now: "Buffer.isBuffer" },
    Removed { module: "util", name: "isRegExp", now: ".types.isRegExp" },
    Removed { module: "util", name: "isDate", now: ".types.isDate" },
    Removed { module: "util", name: "isError", now: ".types.isNativeError" },
    Removed { module: "util", name: "_extend", now: "Object.assign" },
    Removed { module: "util", name: "puts", now: "console.log" },
    Removed { module: "util", name: "debug", now: "console.error" },
    Removed { module: "util", name: "error", now: "console.error" },
    Removed { module: "crypto", name: "createCredentials", now: "require('tls').createSecureContext" },
    Removed { module: "tls", name: "parseCertString", now: "require('querystring').parse" },
    Removed { module: "path", name: "exists", now: "require('fs').exists" },
    Removed { module: "path", name: "existsSync", now: "require('fs').existsSync" },
];

/// The removed function in a message such as `os.tmpDir is not a function`.
pub(crate) fn removed(message: &str) -> Option<Removed> {
    let callee = message.strip_suffix(" is not a function")?;
    let callee = callee.strip_prefix("(0 , ").and_then(|inner| inner.strip_suffix(')')).unwrap_or(callee);
    let name = callee.rsplit('.').next()?;
    REMOVED.into_iter().find(|entry| entry.name == name && callee != name)
}

impl Removed {
    /// The old name, without its module.
    pub(crate) fn name(self) -> &'static str {
        self.name
    }

    /// The old and the new callee.
    pub(crate) fn describe(self) -> (String, String) {
        let now = if self.now.starts_with('.') { format!("{}{}", self.module, self.now) } else { self.now.to_owned() };
        (format!("{}.{}", self.module, self.name), now)
    }
}

/// The source with every call of the module's removed function replaced; `None` if there is none, or none on the physical
/// line `anchor` (from 0).
pub(crate) fn repair(source: &[u8], entry: Removed, anchor: Option<usize>) -> Option<Vec<u8>> {
    std::str::from_utf8(source).ok()?;
    let tokens = lex(source)?;
    let mut edits = Vec::new();
    let mut known = BTreeMap::new();
    for index in 2..tokens.list.len() {
        if !tokens.is(index, entry.name) || !tokens.is(index - 1, ".") || !tokens.is(index + 1, "(") {
            continue;
        }
        let Some(owner) = owner(&tokens, index - 2, entry.module, &mut known) else {
            continue;
        };
        let (start, end) = (tokens.list.get(owner)?.start, tokens.list.get(index)?.end);
        edits.push(match entry.now.strip_prefix('.') {
            Some(name) => Edit::replace(tokens.list.get(index)?.start..end, name),
            None => Edit::replace(start..end, entry.now),
        });
    }
    finish(source, edits, anchor)
}

/// The first token of the expression before the dot at `last + 1`, if that is the module: a name that is bound to it
/// there, or `require('os')` itself. `known` caches the bindings of names.
pub(super) fn owner<'a>(
    tokens: &Tokens<'a>,
    last: usize,
    module: &str,
    known: &mut BTreeMap<&'a str, Option<Binding>>,
) -> Option<usize> {
    if tokens.is(last, ")") {
        let first = last.checked_sub(3)?;
        return is_require(tokens, first, &[module]).then_some(first);
    }
    let is_whole = !tokens.follows(last, ".") && !tokens.follows(last, "?.");
    let is_name = tokens.list.get(last)?.kind == Kind::Name;
    let name = std::str::from_utf8(tokens.text(last)).ok().filter(|_| is_whole && is_name)?;
    let bound = known.entry(name).or_insert_with(|| binding(tokens, name, module));
    bound.as_ref().filter(|bound| bound.reaches(last)).map(|_| last)
}
