//! Variables of comprehensions that a file deletes. In Python 2 they were left over.

use super::bindings::is_bound_here;
use super::file::File;
use super::lines::{Line, statements};
use super::shape::function_around;
use super::tokens::Kind;
use crate::edit::{Edit, apply};

/// The source without the statements that delete variables of comprehensions, which were left over in Python 2: the failing
/// one, and all others of the file that nothing else binds.
pub(crate) fn repair(file: &File<'_>, name: &str) -> Option<Vec<u8>> {
    let mut edits = Vec::new();
    for (number, line) in file.lines.iter().enumerate() {
        let is_failing = file.anchor == Some(number);
        let is_left = |index: usize| {
            is_leaked(file, index, line) || is_failing && file.tokens.is(index, name) && leaks(file, index)
        };
        let mut starts = statements(&file.tokens, line).into_iter();
        let are_left = starts.all(|start| deleted(file, start).is_some_and(is_left));
        // The block must not be left without a statement.
        let is_followed = number.checked_sub(1).and_then(|above| file.lines.get(above)).map(|above| above.indent)
            == Some(line.indent);
        if are_left && is_followed {
            edits.push(Edit::replace(file.whole_lines(&line.tokens)?, ""));
        } else if is_failing {
            return None;
        }
    }
    apply(file.tokens.bytes, edits)
}

/// The only name that a statement deletes.
fn deleted(file: &File<'_>, start: usize) -> Option<usize> {
    let tokens = &file.tokens;
    let open = usize::from(tokens.is(start + 1, "("));
    let end = start + 2 + 2 * open;
    let ends = tokens.is(end, ";") || tokens.is_kind(end, Kind::Newline);
    (tokens.is(start, "del") && ends && tokens.is_kind(start + 1 + open, Kind::Name)).then_some(start + 1 + open)
}

/// Whether a comprehension before a name has a variable of that name.
fn leaks(file: &File<'_>, name: usize) -> bool {
    let tokens = &file.tokens;
    (0..name).any(|index| {
        let inner = tokens.list.get(index).is_some_and(|token| token.depth > 0);
        let mut targets = (index + 1..name).take_while(|at| !tokens.is(*at, "in"));
        inner && tokens.is(index, "for") && targets.any(|at| tokens.text(at) == tokens.text(name))
    })
}

/// Whether only comprehensions bind a name that a line deletes.
fn is_leaked(file: &File<'_>, name: usize, line: &Line) -> bool {
    let text = std::str::from_utf8(file.tokens.text(name)).unwrap_or_default();
    let binds = |other: &Line| {
        let outer = |index: usize| file.tokens.list.get(index).is_some_and(|token| token.depth == 0);
        let bound = |index: usize| outer(index) && is_bound_here(&file.tokens, other, index, text);
        other.tokens.clone().any(bound)
    };
    // What a function binds is another variable than one of the module.
    let is_inner = |other: &Line| {
        let is_function = function_around(file, other.tokens.start).len() < file.tokens.list.len();
        let mut headers = other.tokens.clone().filter(|index| file.tokens.is(*index, "def"));
        line.indent == 0 && (is_function || headers.any(|index| !file.tokens.is(index + 1, text)))
    };
    let is_same = |other: &Line| other.tokens == line.tokens || is_inner(other);
    let imported =
        file.imports.iter().flat_map(|it| &it.clauses).any(|it| it.alias.as_deref().unwrap_or(&it.name) == text);
    leaks(file, name) && !imported && !file.lines.iter().any(|other| !is_same(other) && binds(other))
}
