//! Turns the print statements of Python 2 into calls.

use std::ops::Range;

use super::calls::closing;
use super::file::File;
use super::lines::statements;
use super::tokens::Kind;
use crate::edit::Edit;

/// The edits that turn every print statement into a call, and whether one of the statements is certainly of Python 2: a bare
/// `print`, `print >>x` and `print (x), y` are valid in Python 3 as well. `None` if one of them is not understood.
pub(crate) fn edits(file: &File<'_>) -> Option<(Vec<Edit>, bool)> {
    let tokens = &file.tokens;
    let mut edits = Vec::new();
    let mut certain = false;
    let is_function = |import: &super::imports::Import| {
        import.is_from("__future__") && import.clauses.iter().any(|clause| clause.name == "print_function")
    };
    if file.imports.iter().any(is_function) {
        return Some((edits, false));
    }
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
            let before = edits.len();
            statement(file, *start..end, &mut edits)?;
            let doubtful = end == start + 1 || [">>", "("].iter().any(|next| tokens.is(start + 1, next));
            certain |= edits.len() > before && !doubtful;
        }
    }
    Some((edits, certain))
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
    if is_expression(file, first) && !continues_bracket(file, first, range.end) {
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

/// Whether a bracket after `print` is only the beginning of what is printed: `print ("%s") % x` or `print (a), b`.
fn continues_bracket(file: &File<'_>, first: usize, end: usize) -> bool {
    let tokens = &file.tokens;
    let next = closing(tokens, first).map_or(end, |close| close + 1);
    let continues = [",", "%", "+"].iter().any(|op| tokens.is(next, op));
    next < end && continues && !(next..end).any(|index| tokens.is(index, "print"))
}

fn is_outer(file: &File<'_>, index: usize) -> bool {
    file.tokens.list.get(index).is_some_and(|token| token.depth == 0)
}
