//! A single edit of a file.

use crate::template::Template;

/// Replaces bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edit {
    /// The kind.
    pub(crate) template: Template,
    /// The first byte of what is replaced.
    pub(crate) start: usize,
    /// The byte behind it.
    pub(crate) end: usize,
    /// What stands there afterwards.
    pub(crate) text: String,
    /// The line that makes it suspicious, from 1.
    pub(crate) line: usize,
}

impl Edit {
    /// The file afterwards.
    pub(crate) fn apply(&self, text: &str) -> Option<String> {
        Some([text.get(..self.start)?, &self.text, text.get(self.end..)?].concat())
    }
}
