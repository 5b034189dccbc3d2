//! Ways to weaken a test that are the same in all languages. Each of them is a file.
//!
//! They compare changed lines word by word, after the rules that know frameworks by name found nothing.

mod failure;
mod guards;
mod nothing;
mod own_answer;
mod rows;
mod stands_in;
mod waits;

use super::changed::Changed;
use super::pairs::Pair;
use super::phrase::Phrase;

/// The changed lines of a test file.
pub(super) struct Edit<'e, 'f> {
    pub(super) file: &'e Changed<'f>,
    /// Lines in the place of others.
    pub(super) pairs: &'e [Pair<'e>],
    /// All lines that are gone, and all that have come.
    pub(super) removed: &'e [Phrase<'e>],
    pub(super) added: &'e [Phrase<'e>],
    /// Those of them that are not in pairs.
    pub(super) gone: &'e [&'e Phrase<'e>],
    pub(super) come: &'e [&'e Phrase<'e>],
}

impl Edit<'_, '_> {
    /// Whether a stretch of changed lines has lines that are new.
    fn adds_in(&self, run: usize) -> bool {
        let mut added = self.file.lines.added.iter().zip(&self.file.lines.added_at);
        added.any(|((_, said), place)| place.run == run && !said.trim().is_empty())
    }

    /// Whether a line is new and belongs to a test that is new: no line of its stretch replaces one.
    fn is_of_new_test(&self, line: &Phrase<'_>) -> bool {
        let own = |other: &&Phrase<'_>| other.place.run == line.place.run && other.place.line < line.place.line;
        self.come.iter().copied().filter(own).any(|other| other.names_of_tests() > 0)
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
const LOOPS: &[&str] = &[
    "cases",
    "doseq",
    "dotimes",
    "each",
    "enumerate",
    "for",
    "foreach",
    "ipairs",
    "map",
    "pairs",
    "parametrize",
    "range",
    "repeat",
    "step",
    "times",
    "until",
    "upto",
    "with",
    "while",
];

/// Whether a line begins a loop, or hands values on one by one. What it goes through says nothing by its own name.
fn goes_through(phrase: &Phrase<'_>, through: &str) -> bool {
    phrase.names().any(|(_, name)| name != through && super::phrase::has(name, LOOPS))
}

/// Whether a text goes through what has this name.
fn is_gone_through(edit: &Edit<'_, '_>, name: &str) -> bool {
    edit.file.after.with(name).any(|line| line.tokens.contains(&name) && goes_through(line, name))
}
