//! One error and its places.

/// Most frames of one traceback: the innermost ones.
pub(super) const MAX_FRAMES: usize = 32;

/// The language of a traceback.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// Python.
    Python,
    /// JavaScript under Node.
    Node,
}

/// One place in a traceback.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Frame {
    /// The path as the log spells it, with forward slashes.
    pub(crate) path: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The source line as the log shows it, without white space around it.
    pub(crate) shown: Option<String>,
    /// Where the marks under the line begin, in characters from the beginning of its code.
    pub(crate) caret: Option<usize>,
}

/// One error and its places.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Its language.
    pub(crate) language: Language,
    /// The type of the exception without its module.
    pub(crate) kind: String,
    /// The message after the type.
    pub(crate) message: String,
    /// Its places, innermost first.
    pub(crate) frames: Vec<Frame>,
}
