//! Ways to weaken a test that are the same in all languages. Each of them is a file.
//!
//! They compare changed lines word by word, after the rules that know frameworks by name found nothing.

mod failure;
mod guards;
mod index;
mod nothing;
mod own_answer;
mod rows;
mod stands_in;
mod waits;

use super::changed::Changed;
use super::pairs::Pair;
use super::phrase::Phrase;
use index::Index;

/// The changed lines of a test file.
pub(super) struct Edit<'e, 'f> {
    file: &'e Changed<'f>,
    /// Lines in the place of others.
    pairs: &'e [Pair<'e>],
    /// All lines that are gone, and all that have come.
    removed: &'e [Phrase<'e>],
    added: &'e [Phrase<'e>],
    /// Those of them that are not in pairs.
    gone: &'e [&'e Phrase<'e>],
    come: &'e [&'e Phrase<'e>],
    index: Index<'e, 'f>,
}

impl<'e, 'f> Edit<'e, 'f> {
    /// The changed lines, all of them, and those that are not in pairs.
    pub(super) fn of(
        file: &'e Changed<'f>,
        pairs: &'e [Pair<'e>],
        [removed, added]: [&'e [Phrase<'e>]; 2],
        [gone, come]: [&'e [&'e Phrase<'e>]; 2],
    ) -> Self {
        Self { file, pairs, removed, added, gone, come, index: Index::default() }
    }
}

pub(super) use guards::marks;

/// Why the tests of a file may check less.
pub(super) fn why(edit: &Edit<'_, '_>) -> Option<String> {
    nothing::why(edit)
        .or_else(|| rows::why(edit))
        .or_else(|| stands_in::why(edit))
        .or_else(|| own_answer::why(edit))
        .or_else(|| waits::why(edit))
        .or_else(|| failure::why(edit))
        .or_else(|| guards::why(edit))
}

/// What is said of a line.
fn about(line: &str, why: &str) -> String {
    format!("`{line}` {why}")
}

/// Words that begin a loop, or that hand each of several values to a function.
#[rustfmt::skip]
const LOOPS: &[&str] = &[
    "cases", "doseq", "dotimes", "each", "enumerate", "for", "foreach", "ipairs", "map", "pairs", "parametrize", "range",
    "repeat", "step", "times", "until", "upto", "with", "while",
];

/// Whether a line begins a loop, or hands values on one by one.
fn goes_through(phrase: &Phrase<'_>) -> bool {
    phrase.names().any(|(_, name)| super::phrase::has(name, LOOPS))
}

/// Whether a text goes through what has this name.
fn is_gone_through(edit: &Edit<'_, '_>, name: &str) -> bool {
    edit.index.goes_through(edit.file, name)
}
