//! The edits of a file, on lines that a failing test executes.
//!
//! Each is one change of one place. None returns a constant in the place of an expression, compares with a value of the
//! test, takes out an assertion or takes an error and goes on.

mod blocks;
mod operands;
mod signs;

use std::collections::BTreeSet;

use crate::edit::Edit;
use crate::file::File;
use crate::template::Template;

/// Collects edits.
pub(crate) struct Edits<'f, 't> {
    pub(crate) file: &'f File<'t>,
    /// The line of the token that is looked at.
    line: usize,
    found: Vec<Edit>,
}

/// All edits of tokens on these lines. Equal results of different kinds come once, with the heavier kind.
pub(crate) fn edits(file: &File<'_>, lines: &BTreeSet<usize>) -> Vec<Edit> {
    let mut edits = Edits { file, line: 0, found: Vec::new() };
    for (at, token) in file.tokens.iter().enumerate().filter(|(_, token)| lines.contains(&token.line)) {
        edits.line = token.line;
        // Only what is in a function: at the level of a module stand definitions.
        if file.functions_at(at).is_none() {
            continue;
        }
        signs::edits(&mut edits, at);
        operands::edits(&mut edits, at);
        blocks::edits(&mut edits, at);
    }
    let mut found = edits.found;
    found.sort_by(|a, b| {
        let key = |edit: &Edit| (edit.start, edit.end);
        key(a).cmp(&key(b)).then_with(|| a.text.cmp(&b.text)).then(b.template.weight().total_cmp(&a.template.weight()))
    });
    found.dedup_by(|b, a| (a.start, a.end, &a.text) == (b.start, b.end, &b.text));
    found
}

impl Edits<'_, '_> {
    /// Adds an edit, unless it changes nothing.
    fn add(&mut self, template: Template, start: usize, end: usize, text: impl Into<String>) {
        let text = text.into();
        if self.file.text.get(start..end).is_some_and(|before| before != text) {
            self.found.push(Edit { template, start, end, text, line: self.line });
        }
    }

    /// Replaces a token.
    fn replace(&mut self, template: Template, at: usize, text: impl Into<String>) {
        if let Some(token) = self.file.get(at) {
            self.add(template, token.start, token.end(), text);
        }
    }
}
