//! The changed lines of a test file, as every way asks for them.

use super::super::changed::Changed;
use super::super::loops::LOOPS;
use super::super::pairs::Pair;
use super::super::phrase::{Phrase, has};
use super::index::{Index, Places};

/// The changed lines of a test file.
pub(in super::super) struct Edit<'e, 'f> {
    pub(super) file: &'e Changed<'f>,
    /// Lines in the place of others.
    pub(super) pairs: &'e [Pair<'e>],
    /// All lines that are gone, and all that have come.
    pub(super) removed: &'e [Phrase<'e>],
    pub(super) added: &'e [Phrase<'e>],
    /// Those of them that are not in pairs.
    pub(super) gone: &'e [&'e Phrase<'e>],
    pub(super) come: &'e [&'e Phrase<'e>],
    pub(super) index: Index<'e, 'f>,
}

impl<'e, 'f> Edit<'e, 'f> {
    /// The changed lines, all of them, and those that are not in pairs.
    pub(in super::super) fn of(
        file: &'e Changed<'f>,
        pairs: &'e [Pair<'e>],
        [removed, added]: [&'e [Phrase<'e>]; 2],
        [gone, come]: [&'e [&'e Phrase<'e>]; 2],
    ) -> Self {
        Self { file, pairs, removed, added, gone, come, index: Index::default() }
    }
}

impl<'e> Edit<'e, '_> {
    fn places(&self) -> &Places<'e> {
        self.index.places(self.file, self.come, self.added)
    }

    /// Whether a stretch of changed lines has lines that are new.
    pub(super) fn adds_in(&self, run: usize) -> bool {
        self.places().adding.contains(&run)
    }

    /// How many lines of a stretch are gone.
    pub(super) fn removes_in(&self, run: usize) -> usize {
        self.places().removed.get(&run).copied().unwrap_or_default()
    }

    /// Whether a token stands in a new line.
    pub(super) fn adds(&self, token: &str) -> bool {
        self.places().tokens.contains(token)
    }

    /// Whether a line is new and belongs to a test that is new: no line of its stretch replaces one.
    pub(super) fn is_of_new_test(&self, line: &Phrase<'_>) -> bool {
        self.places().tests.get(&line.place.run).is_some_and(|first| *first < line.place.line)
    }
}

/// What is said of a line.
pub(super) fn about(line: &str, why: &str) -> String {
    format!("`{line}` {why}")
}

/// Whether a line begins a loop, or hands values on one by one.
pub(super) fn goes_through(phrase: &Phrase<'_>) -> bool {
    phrase.names().any(|(_, name)| has(name, LOOPS))
}

/// Whether a text goes through what has this name.
pub(super) fn is_gone_through(edit: &Edit<'_, '_>, name: &str) -> bool {
    edit.index.goes_through(edit.file, name)
}
