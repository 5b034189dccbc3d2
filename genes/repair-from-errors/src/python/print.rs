//! Turns the print statements of Python 2 into calls.

use std::ops::Range;

use super::file::File;
use super::lines::statements;
use super::tokens::Kind;
use crate::edit::Edit;

/// The source with every print statement turned into a call; `None` if one of them is not understood.
pub(crate) fn repair(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let mut edits = Vec::new();
    for line in &file.lines {
        let starts = statements(tokens, line);
        for (place, start) in starts.iter().enumerate() {
            if !tokens.is(*start, "print") {
                continue;
            }
            let mut end = starts.get(place + 1).copied().unwrap_or(line.tokens.end);
            while end > start + 1 && tokens.is(end - 1, ";") {
                end -= 1;
            }
            statement(file, *start..end, &mut edits)?;
        }
    }
    file.finish(edits)
}

/// Adds the edits of one statement that starts with `print`.
fn statement(file: &File<'_>, range: Range<usize>, edits: &mut Vec<Edit>) -> Option<()> {
    let tokens = &file.tokens;
    let keyword = tokens.list.get(range.start)?;
    let (first, last) = (range.start + 1, range.end - 1);
    if first > last {
        edits.push(Edit::insert(keyword.end, "()"));
        return Some(());
    }
    if is_expression(file, first) {
        return Some(());
    }
    let (mut from, mut extra) = (first, String::new());
    if tokens.is(first, ">>") {
        let comma = (first..=last).find(|index| tokens.is(*index, ",") && is_outer(file, *index));
        let stop = comma.unwrap_or(last + 1);
        let stream = file.span(first + 1, stop - 1)?;
        extra = format!("file={}", std::str::from_utf8(tokens.bytes.get(stream)?).ok()?);
        from = stop + 1;
    }
    let mut to = last;
    if from <= to && tokens.is(to, ",") {
        to -= 1;
        extra = if extra.is_empty() { "end=\" \"".to_owned() } else { format!("end=\" \", {extra}") };
    }
    let open = tokens.list.get(first)?.start;
    let close = tokens.list.get(last)?.end;
    if from > to {
        edits.push(Edit::replace(keyword.end..close, format!("({extra})")));
        return Some(());
    }
    let arguments = file.span(from, to)?;
    let tail = if extra.is_empty() { ")".to_owned() } else { format!(", {extra})") };
    edits.push(Edit::replace(keyword.end..open, "("));
    edits.push(Edit::replace(open..arguments.start, ""));
    edits.push(Edit::replace(arguments.end..close, tail));
    Some(())
}

/// Whether the next token makes `print` an ordinary name: in a call, an attribute, an assignment or an operation.
fn is_expression(file: &File<'_>, next: usize) -> bool {
    let tokens = &file.tokens;
    let operand = ["-", "+", "~", "[", "{", "`", "..."];
    let word = tokens.is_kind(next, Kind::Name)
        && !["in", "is", "and", "or", "if", "for"].iter().any(|word| tokens.is(next, word));
    let literal = tokens.is_kind(next, Kind::Number) || tokens.is_kind(next, Kind::Text);
    !(word || literal || tokens.is(next, ">>") || operand.iter().any(|op| tokens.is(next, op)))
}

fn is_outer(file: &File<'_>, index: usize) -> bool {
    file.tokens.list.get(index).is_some_and(|token| token.depth == 0)
}
