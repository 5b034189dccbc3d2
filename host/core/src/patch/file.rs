//! One file's patch: which of the two forms it has.

use super::cursor::Cursor;
use super::header::Refusal;
use super::{FilePatch, ParseError, git, plain, prose};

/// Whether the next line opens the patch of a file.
pub(super) fn starts(cursor: &Cursor<'_>) -> bool {
    let Some(line) = cursor.peek() else {
        return false;
    };
    let named = line.starts_with("--- ") && cursor.peek_second().is_some_and(|next| next.starts_with("+++ "));
    let plain = |next: &str| next.starts_with("--- ") || next.starts_with("====");
    let led = line.starts_with("diff ") || line.starts_with("Index: ");
    named || line.starts_with("diff --git ") || led && cursor.peek_second().is_some_and(plain)
}

/// Reads the patch of one file.
pub(super) fn read(cursor: &mut Cursor<'_>) -> Result<FilePatch, ParseError> {
    let start = cursor.number();
    let line = cursor.peek().unwrap_or_default();
    let read = if line.starts_with("diff --git ") {
        git::file(cursor)
    } else if starts(cursor) {
        plain::file(cursor)
    } else {
        return Err(cursor.error(prose::reason_after_hunk(line)));
    };
    read.map_err(|refusal| match refusal {
        Refusal::At(error) => error,
        Refusal::Header(kind) => ParseError { line: start, kind },
    })
}
