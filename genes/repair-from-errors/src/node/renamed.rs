//! Built-in modules and properties of `process` that have another name now. Source: Node's list of deprecated APIs (DEP0025
//! `sys`) and its change log (version 6 removed `process.EventEmitter`).

use super::finish;
use super::lexer::lex;
use super::scope::{is_global, is_require};
use crate::edit::Edit;

/// An old name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Renamed {
    /// The module `sys`, which only exports `util`.
    Sys,
    /// `process.EventEmitter`, which is undefined.
    EventEmitter,
}

impl Renamed {
    /// The old name that a message is about.
    pub(super) fn of(kind: &str, message: &str) -> Option<Self> {
        let undefined_parent = message
            .starts_with("The \"superCtor\" argument must be of type function. Received undefined")
            || message.starts_with("Class extends value undefined");
        match kind {
            "DeprecationWarning" if message.starts_with("sys is deprecated") => Some(Self::Sys),
            "TypeError" if undefined_parent => Some(Self::EventEmitter),
            _ => None,
        }
    }

    /// A word of every file that uses the old name.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Sys => "sys",
            Self::EventEmitter => "EventEmitter",
        }
    }

    /// What to do, and why.
    pub(super) fn describe(self) -> (String, String) {
        let (what, why) = match self {
            Self::Sys => {
                ("load the module util instead of sys", "Node deprecates the module sys, which is util (DEP0025)")
            }
            Self::EventEmitter => {
                ("use EventEmitter of the module events", "Node 6 removed the property EventEmitter of process")
            }
        };
        (what.to_owned(), why.to_owned())
    }

    /// The source with the new name; `None` if it does not use the old one.
    pub(super) fn repair(self, source: &[u8], anchor: Option<usize>) -> Option<Vec<u8>> {
        std::str::from_utf8(source).ok()?;
        let tokens = lex(source)?;
        let mut edits = Vec::new();
        for (index, token) in tokens.list.iter().enumerate() {
            let uses = |name: &str| !tokens.follows(index, ".") && tokens.is(index, name);
            if self == Self::Sys && uses("require") && is_require(&tokens, index, &["sys"]) {
                let module = tokens.list.get(index + 2)?;
                // The quotes stay.
                edits.push(Edit::replace(module.end - 4..module.end - 1, "util"));
            }
            let is_emitter = uses("process") && tokens.is(index + 1, ".") && tokens.is(index + 2, "EventEmitter");
            if self == Self::EventEmitter && is_emitter && !tokens.is(index + 3, "=") {
                edits.push(Edit::replace(
                    token.start..tokens.list.get(index + 2)?.end,
                    "require('events').EventEmitter",
                ));
            }
        }
        if self == Self::EventEmitter && !is_global(&tokens, "process", &["process"]) {
            return None;
        }
        finish(source, edits, anchor)
    }
}
