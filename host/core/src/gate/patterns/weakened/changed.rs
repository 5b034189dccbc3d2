//! A test file of which lines have changed.

use std::collections::BTreeSet;

use super::balance::Lines;
use super::phrase::Phrase;
use super::text::Text;

/// What is known of such a file.
pub(super) struct Changed<'a> {
    pub(super) lines: &'a Lines,
    /// The stem of its name, as `queue` for `queue.spec.ts`.
    pub(super) stem: &'a str,
    pub(super) before: Text<'a>,
    pub(super) after: Text<'a>,
    /// Whether its tests are compared by their outlines as well.
    pub(super) is_outlined: bool,
    /// Whether its lines are sentences, in which any word may stand.
    pub(super) is_prose: bool,
    /// Whether its format is none that gephost knows: there, every line may check something.
    pub(super) is_foreign: bool,
    /// The functions of the file that check something, if its tests are read.
    pub(super) helpers: BTreeSet<&'a str>,
}

impl Changed<'_> {
    /// Whether a line calls a function that checks something.
    pub(super) fn calls_helper(&self, line: &Phrase<'_>) -> bool {
        line.called().any(|name| self.helpers.contains(name))
    }
}
