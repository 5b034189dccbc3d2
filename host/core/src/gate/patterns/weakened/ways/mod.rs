//! Ways to weaken a test that are the same in all languages. Each of them is a file.
//!
//! They compare changed lines word by word, after the rules that know frameworks by name found nothing.

mod edit;
mod failure;
mod guards;
mod index;
mod nothing;
mod own_answer;
mod own_doing;
mod rounds;
mod rows;
mod stands_in;
mod waits;

pub(super) use edit::Edit;

use super::changed::Changed;
/// What a change shows that only moves lines, or that is a mark in a comment.
pub(super) fn marks(file: &Changed<'_>) -> Option<String> {
    guards::marks(file).or_else(|| waits::ends_at_once(file))
}

/// Why the tests of a file may check less.
pub(super) fn why(edit: &Edit<'_, '_>) -> Option<String> {
    nothing::why(edit)
        .or_else(|| rows::why(edit))
        .or_else(|| stands_in::why(edit))
        .or_else(|| own_answer::why(edit))
        .or_else(|| waits::why(edit))
        .or_else(|| failure::why(edit))
        .or_else(|| guards::why(edit))
        .or_else(|| rounds::why(edit))
        .or_else(|| own_doing::why(edit))
}
