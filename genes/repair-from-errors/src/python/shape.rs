//! Whether the successor of a name fits a use of it, and what else must change so that it does.

use std::ops::Range;

use super::calls::{Call, closing, is_primary};
use super::file::File;
use super::table::{Move, Shape};
use super::tokens::{Kind, Tokens};
use crate::edit::Edit;

/// How a use changes.
pub(crate) enum Fit {
    /// The callee gets its new name, and these edits come with it.
    Renamed(Vec<Edit>),
    /// These edits replace the whole call.
    Rewritten(Vec<Edit>),
}

/// How a use changes; `None` if the successor would not mean the same. `first` and `last` are the first and the last token of
/// the callee.
pub(crate) fn fitting(file: &File<'_>, first: usize, last: usize, entry: &Move) -> Option<Fit> {
    let tokens = &file.tokens;
    match entry.shape {
        Shape::Any => Some(Fit::Renamed(Vec::new())),
        Shape::Escape => escape(tokens, first, last).map(Fit::Renamed),
        Shape::ArgSpec => arg_spec(file, first, last).map(Fit::Renamed),
        Shape::One => {
            let call = Call::at(tokens, last + 1)?;
            (call.arguments.len() == 1 && !call.has_special(tokens)).then(|| Fit::Renamed(Vec::new()))
        }
        Shape::Compared => {
            let asks = |index: usize| tokens.is(index, "isinstance") || tokens.is(index, "issubclass");
            let holds =
                |index: usize| Call::at(tokens, index + 1).is_some_and(|call| (index..call.close).contains(&first));
            let line = file.lines.get(file.line_of(first))?;
            let is_asked = line.tokens.clone().any(|index| asks(index) && holds(index));
            (!is_asked).then(|| Fit::Renamed(Vec::new()))
        }
        Shape::Merged => merged(file, first, last).map(Fit::Renamed),
        Shape::Bound => bound(tokens, last).map(Fit::Renamed),
        Shape::Method => method(file, first, last, entry).map(Fit::Rewritten),
        Shape::Join => join(file, first, last).map(Fit::Rewritten),
    }
}

/// `copy_tree(from, to)` also wrote into a folder that exists, and gave the names of the files.
fn merged(file: &File<'_>, first: usize, last: usize) -> Option<Vec<Edit>> {
    let tokens = &file.tokens;
    let call = Call::at(tokens, last + 1).filter(|call| !call.has_special(tokens))?;
    let line = file.lines.get(file.line_of(first))?;
    let [_, to] = call.arguments.as_slice() else { return None };
    let is_statement = line.tokens == (first..call.close + 1);
    is_statement.then(|| Some(vec![Edit::insert(tokens.list.get(to.end - 1)?.end, ", dirs_exist_ok=True")]))?
}

/// `new.instancemethod(f, object, class)` takes no class any more, and no method is without an object.
fn bound(tokens: &Tokens<'_>, last: usize) -> Option<Vec<Edit>> {
    let call = Call::at(tokens, last + 1).filter(|call| !call.has_special(tokens))?;
    let object = call.arguments.get(1).filter(|object| !tokens.is(object.start, "None"))?;
    match call.arguments.len() {
        2 => Some(Vec::new()),
        3 => {
            let end = tokens.list.get(object.end - 1)?.end;
            Some(vec![Edit::replace(end..tokens.list.get(call.close)?.start, "")])
        }
        _ => None,
    }
}

/// `string.lower(x)` becomes `x.lower()`, and `string.lower` without a call `str.lower`.
fn method(file: &File<'_>, first: usize, last: usize, entry: &Move) -> Option<Vec<Edit>> {
    let tokens = &file.tokens;
    if !tokens.is(last + 1, "(") {
        let callee = file.span(first, last)?;
        return (entry.module == "string").then(|| vec![Edit::replace(callee, format!("str.{}", entry.to_name))]);
    }
    let call = Call::at(tokens, last + 1)?;
    let owner = call.arguments.first().filter(|_| !call.has_special(tokens))?;
    let (open, close) = if is_primary(tokens, owner) { ("", "") } else { ("(", ")") };
    let begin = tokens.list.get(first)?.start..tokens.list.get(owner.start)?.start;
    let rest = call.arguments.get(1).map_or(call.close, |next| next.start);
    let middle = tokens.list.get(owner.end - 1)?.end..tokens.list.get(rest)?.start;
    Some(vec![Edit::replace(begin, open), Edit::replace(middle, format!("{close}.{}(", entry.to_name))])
}

/// `string.join(words, mark)` becomes `mark.join(words)`, and without a mark `' '.join(words)`.
fn join(file: &File<'_>, first: usize, last: usize) -> Option<Vec<Edit>> {
    let tokens = &file.tokens;
    let call = Call::at(tokens, last + 1)?;
    let words = call.arguments.first().filter(|_| call.arguments.len() <= 2 && !call.has_special(tokens))?;
    let mark = match call.arguments.get(1) {
        None => "' '".to_owned(),
        Some(mark) => {
            let text = std::str::from_utf8(tokens.bytes.get(file.span(mark.start, mark.end - 1)?)?).ok()?;
            if is_primary(tokens, mark) { text.to_owned() } else { format!("({text})") }
        }
    };
    let begin = tokens.list.get(first)?.start..tokens.list.get(words.start)?.start;
    let end = tokens.list.get(words.end - 1)?.end..tokens.list.get(call.close)?.start;
    Some(vec![Edit::replace(begin, format!("{mark}.join(")), Edit::replace(end, "")])
}

/// `html.escape` escapes quotes by default, `cgi.escape` did not.
fn escape(tokens: &Tokens<'_>, first: usize, last: usize) -> Option<Vec<Edit>> {
    let is_value = [",", ")", "]", "}"].iter().any(|sign| tokens.is(last + 1, sign));
    if is_value || tokens.is_kind(last + 1, Kind::Newline) {
        let (start, end) = (tokens.list.get(first)?.start, tokens.list.get(last)?.end);
        let before = Edit::insert(start, "(lambda text, quote=False: ");
        return Some(vec![before, Edit::insert(end, "(text, quote))")]);
    }
    let close = closing(tokens, last + 1)?;
    let depth = tokens.list.get(close)?.depth + 1;
    let inner = last + 2..close;
    if inner.is_empty() || inner.clone().any(|index| tokens.is(index, "*") || tokens.is(index, "**")) {
        return None;
    }
    let outer = |index: usize| tokens.list.get(index).is_some_and(|token| token.depth == depth);
    let commas: Vec<usize> = inner.clone().filter(|index| tokens.is(*index, ",") && outer(*index)).collect();
    let at = tokens.list.get(close)?.start;
    match commas.as_slice() {
        [] => Some(vec![Edit::insert(at, ", quote=False")]),
        [comma] if comma + 1 == close => Some(vec![Edit::insert(at, " quote=False")]),
        [_] => Some(Vec::new()),
        _ => None,
    }
}

/// `getfullargspec` returns seven fields. The first four are those of `getargspec`, and one of them has another name.
fn arg_spec(file: &File<'_>, first: usize, last: usize) -> Option<Vec<Edit>> {
    let tokens = &file.tokens;
    let close = closing(tokens, last + 1)?;
    let next = close + 1;
    if let Some(edits) = field(tokens, next) {
        return Some(edits);
    }
    let line = file.lines.get(file.line_of(first))?;
    let whole = next == line.tokens.end && tokens.follows(first, "=");
    if whole && first == line.tokens.start + 2 {
        return named(file, line.tokens.start);
    }
    (whole && unpacks_four(tokens, line.tokens.start, first.checked_sub(1)?)).then(|| {
        let at = tokens.list.get(close).map_or(0, |token| token.end);
        vec![Edit::insert(at, "[:4]")]
    })
}

/// The edits for a use of one of the first four fields, by name or by index; `None` if there is no such use at `next`.
fn field(tokens: &Tokens<'_>, next: usize) -> Option<Vec<Edit>> {
    if tokens.is(next, ".") {
        return match tokens.text(next + 1) {
            b"args" | b"varargs" | b"defaults" => Some(Vec::new()),
            b"keywords" => {
                let name = tokens.list.get(next + 1)?;
                Some(vec![Edit::replace(name.start..name.end, "varkw")])
            }
            _ => None,
        };
    }
    let item = matches!(tokens.text(next + 1), b"0" | b"1" | b"2" | b"3") && tokens.is(next + 2, "]");
    let slice = tokens.is(next + 1, ":")
        && matches!(tokens.text(next + 2), b"1" | b"2" | b"3" | b"4")
        && tokens.is(next + 3, "]");
    (tokens.is(next, "[") && (item || slice)).then(Vec::new)
}

/// The edits for a result that is assigned to a variable: every use of the variable in the function must be a field, or a
/// check whether there is a result.
fn named(file: &File<'_>, target: usize) -> Option<Vec<Edit>> {
    let tokens = &file.tokens;
    let name = std::str::from_utf8(tokens.text(target)).ok().filter(|_| tokens.is_kind(target, Kind::Name))?;
    let mut edits = Vec::new();
    for index in function_around(file, target) {
        if index == target || !tokens.is(index, name) || tokens.follows(index, ".") {
            continue;
        }
        let is_asked = tokens.is(index + 1, "and") || tokens.follows(index, "not");
        match field(tokens, index + 1) {
            Some(more) => edits.extend(more),
            None if is_asked => {}
            None => return None,
        }
    }
    Some(edits)
}

/// The tokens of the innermost function around a token; all tokens if there is none.
pub(crate) fn function_around(file: &File<'_>, token: usize) -> Range<usize> {
    let own = file.line_of(token);
    let mut indent = file.lines.get(own).map_or(0, |line| line.indent);
    for (number, line) in file.lines.iter().enumerate().take(own).rev() {
        if line.indent >= indent {
            continue;
        }
        indent = line.indent;
        let first = line.tokens.start + usize::from(file.tokens.is(line.tokens.start, "async"));
        if file.tokens.is(first, "def") {
            let after = file.lines.iter().skip(number + 1).find(|line| line.indent <= indent);
            return line.tokens.start..after.map_or(file.tokens.list.len(), |line| line.tokens.start);
        }
    }
    0..file.tokens.list.len()
}

/// Whether these tokens are four names separated by commas.
fn unpacks_four(tokens: &Tokens<'_>, start: usize, end: usize) -> bool {
    let bracketed = tokens.is(start, "(") && end.checked_sub(1).is_some_and(|close| tokens.is(close, ")"));
    let inner = if bracketed { start + 1..end - 1 } else { start..end };
    inner.len() == 7
        && inner.enumerate().all(
            |(place, index)| {
                if place % 2 == 0 { tokens.is_kind(index, Kind::Name) } else { tokens.is(index, ",") }
            },
        )
}
