//! Which repair an error of Node calls for, and what it changes in a file.

use super::removed::{self, Removed};
use super::{buffer, natives};
use crate::fault::Fault;

/// A repair of a JavaScript file. The same value repairs every file that has the same fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Repair {
    /// The deprecated constructor `Buffer`.
    Buffer,
    /// The source text of one of Node's own modules, which a file evaluates.
    Natives,
    /// A function that was removed from a module.
    Function(Removed),
}

impl Repair {
    /// The repair for a fault; `None` if no single repair is known to be right.
    pub(crate) fn for_fault(fault: &Fault) -> Option<Self> {
        let message = fault.message.as_str();
        if message.starts_with("Buffer() is deprecated") || message == "Buffer is not a constructor" {
            return Some(Self::Buffer);
        }
        match fault.kind.as_str() {
            "ReferenceError" if natives::is_named(message) => Some(Self::Natives),
            "TypeError" => removed::removed(message).map(Self::Function),
            _ => None,
        }
    }

    /// The file's new content; `None` if this repair does not apply to it. `anchor` is the physical line (from 0) that failed;
    /// without it the whole file is repaired.
    pub(crate) fn apply(&self, source: &[u8], anchor: Option<usize>) -> Option<Vec<u8>> {
        match self {
            Self::Buffer => buffer::repair(source, anchor),
            // The error is in the evaluated text; another line of the file must change.
            Self::Natives => natives::repair(source),
            Self::Function(entry) => removed::repair(source, *entry, anchor),
        }
    }

    /// A word that every other file with the same fault contains.
    pub(crate) fn word(&self) -> &str {
        match self {
            Self::Buffer => "Buffer",
            Self::Natives => "natives",
            Self::Function(entry) => entry.name(),
        }
    }

    /// Whether it only replaces a name by its successor, so that the code behaves as it did before.
    pub(crate) fn is_plain_rename(&self) -> bool {
        matches!(self, Self::Function(_))
    }

    /// What to do, as an instruction, and why that is right.
    pub(crate) fn describe(&self) -> (String, String) {
        match self {
            Self::Buffer => (
                "use Buffer.from and Buffer.alloc instead of new Buffer".to_owned(),
                "Node deprecates the Buffer constructor (DEP0005)".to_owned(),
            ),
            Self::Natives => (
                "use the exports of Node's modules instead of their source text".to_owned(),
                "since Node 12 the sources of Node's own modules run only under Node's loader".to_owned(),
            ),
            Self::Function(entry) => {
                let (old, now) = entry.describe();
                (format!("call {now} instead of {old}"), format!("Node removed {old}"))
            }
        }
    }
}
