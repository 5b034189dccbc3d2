//! Repairs calls of renamed methods.

use super::file::File;
use super::table::assertion;
use super::tokens::Kind;
use crate::edit::Edit;

/// The source with the removed aliases of `unittest.TestCase` replaced, on `self` and `cls`. `None` if the file does not use
/// unittest, or if it defines such a name itself.
pub(crate) fn repair_assertions(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let indexes = 0..tokens.list.len();
    let is_test =
        indexes.clone().any(|index| tokens.is(index, "unittest") || tokens.text(index).ends_with(b"TestCase"));
    let mut edits = Vec::new();
    for index in indexes {
        let Some(new) = assertion(tokens.text(index)).filter(|_| tokens.is_kind(index, Kind::Name)) else {
            continue;
        };
        if tokens.follows(index, "def") || tokens.is(index + 1, "=") && !tokens.is(index.wrapping_sub(1), "(") {
            return None;
        }
        let on_self = index.checked_sub(2).is_some_and(|owner| tokens.is(owner, "self") || tokens.is(owner, "cls"));
        if on_self && tokens.follows(index, ".") && file.is_open(file.line_of(index)) {
            edits.push(Edit::replace(file.span(index, index)?, new));
        }
    }
    if is_test { file.finish(edits) } else { None }
}

/// The source with every call of `.old` replaced by `.new`; `None` if the file defines such a name itself, unless it
/// defines the other one as well.
pub(crate) fn repair_method(file: &File<'_>, old: &str, new: &str) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let serves = (0..tokens.list.len()).any(|index| tokens.is(index, new) && tokens.follows(index, "def"));
    let mut edits = Vec::new();
    for index in 0..tokens.list.len() {
        if !tokens.is(index, old) {
            continue;
        }
        if tokens.follows(index, "def") && !serves {
            return None;
        }
        let borrowed = index.checked_sub(2).is_some_and(|owner| tokens.is(owner, "six") || tokens.is(owner, "compat"));
        if tokens.follows(index, ".") && tokens.is(index + 1, "(") && !borrowed && file.is_open(file.line_of(index)) {
            edits.push(Edit::replace(file.span(index, index)?, new));
        }
    }
    file.finish(edits)
}

/// The source with every attribute `.old` replaced by `.new`; `None` if the file defines such a name itself.
pub(crate) fn repair_attribute(file: &File<'_>, old: &str, new: &str) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let mut edits = Vec::new();
    for index in 0..tokens.list.len() {
        if tokens.is(index, old) && tokens.follows(index, ".") && file.is_open(file.line_of(index)) {
            edits.push(Edit::replace(file.span(index, index)?, new));
        }
    }
    file.finish(edits)
}
