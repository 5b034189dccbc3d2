//! Ways to weaken a test that are the same in all languages. Each of them is a file.
//!
//! They compare changed lines word by word, after the rules that know frameworks by name found nothing.

mod edit;
mod failure;
mod guards;
mod index;
mod nothing;
mod own_answer;
mod rows;
mod stands_in;
mod waits;

pub(super) use edit::Edit;
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
