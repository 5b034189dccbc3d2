//! Collects the edits of a file.

use crate::edit::Edit;
use crate::file::File;
use crate::template::Template;

/// Collects edits.
pub(crate) struct Edits<'f, 't> {
    pub(crate) file: &'f File<'t>,
    /// The line of the token that is looked at.
    pub(crate) line: usize,
    pub(crate) found: Vec<Edit>,
}

impl Edits<'_, '_> {
    /// Adds an edit, unless it changes nothing.
    pub(crate) fn add(&mut self, template: Template, start: usize, end: usize, text: impl Into<String>) {
        let text = text.into();
        if self.file.text.get(start..end).is_some_and(|before| before != text) {
            self.found.push(Edit { template, start, end, text, line: self.line });
        }
    }

    /// Replaces a token.
    pub(crate) fn replace(&mut self, template: Template, at: usize, text: impl Into<String>) {
        if let Some(token) = self.file.get(at) {
            self.add(template, token.start, token.end(), text);
        }
    }
}
