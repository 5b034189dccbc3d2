//! Removes names from the list of a `from … import …`, whatever its layout.

use super::imports::{Clause, Import};
use crate::edit::Edit;

/// The edits that remove the clauses at these places (ascending). `None` if no clause would remain, or if it is unclear
/// which clause a comment belongs to.
pub(crate) fn removal(bytes: &[u8], import: &Import, places: &[usize]) -> Option<Vec<Edit>> {
    if places.len() >= import.clauses.len() {
        return None;
    }
    let mut edits = Vec::new();
    let mut rest = places;
    while let Some(first) = rest.first().copied() {
        let run = rest.iter().zip(first..).take_while(|(place, expected)| **place == *expected).count();
        rest = rest.get(run..)?;
        let last = first + run - 1;
        let start = import.clauses.get(first)?.span.start;
        edits.push(match import.clauses.get(last + 1) {
            Some(next) => Edit::replace(start..next.span.start, ""),
            None => tail(bytes, import.clauses.get(first.checked_sub(1)?)?, start, import.clauses.get(last)?.span.end)?,
        });
    }
    Some(edits)
}

/// Removes the end of a list: everything after the last name that stays, or, if there is a comment, whole lines.
fn tail(bytes: &[u8], kept: &Clause, start: usize, end: usize) -> Option<Edit> {
    if !bytes.get(kept.span.end..start)?.contains(&b'#') {
        return Some(Edit::replace(kept.span.end..end, ""));
    }
    let line_start = bytes.get(..start)?.iter().rposition(|byte| *byte == b'\n')? + 1;
    let after = bytes.get(end..)?;
    let line_end = after.iter().position(|byte| *byte == b'\n')?;
    let trailing = after.get(..line_end)?;
    let is_own_line = trailing.iter().all(|byte| matches!(byte, b',' | b' ' | b'\t' | b'\r'));
    (is_own_line && line_start > kept.span.end).then(|| Edit::replace(line_start..end + line_end + 1, ""))
}
