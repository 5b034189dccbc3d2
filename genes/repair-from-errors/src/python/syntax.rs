//! Adds what the Python parser misses: a colon at the end of a header, or one closing parenthesis.
//!
//! The file does not parse, so only the faulty line is read as code. Afterwards the whole file must lex.

use super::lexer::lex;
use super::lines::{HEADERS, indentation, lines};
use super::tokens::{Flaw, Kind, Tokens};
use crate::edit::{Edit, apply, physical_lines};

/// The source with a colon added to the header on physical line `number` (from 0). `caret` is where the parser points, in
/// characters from the beginning of the line's code. `None` unless only the colon is missing, the parser points at the end
/// of the header, and an indented block follows.
pub(crate) fn colon(source: &[u8], number: usize, caret: Option<usize>) -> Option<Vec<u8>> {
    let physical = physical_lines(source);
    let place = physical.get(number)?.clone();
    let tokens = lex(source.get(place.clone())?);
    if tokens.flaw.is_some() || !is_header(&tokens) {
        return None;
    }
    let last = tokens.list.iter().rposition(|token| token.kind != Kind::Newline)?;
    let (first, end) = (tokens.list.first()?, tokens.list.get(last)?);
    let outer_colon = tokens.list.iter().enumerate().any(|(index, token)| token.depth == 0 && tokens.is(index, ":"));
    let closes = tokens.is(last, ")") || tokens.is(last, "]") || tokens.is(last, "}");
    if outer_colon || (end.kind == Kind::Op && !closes) || has_assignment(&tokens) || has_gap(&tokens) {
        return None;
    }
    let code = String::from_utf8_lossy(source.get(place.start + first.start..place.start + end.end)?).chars().count();
    let points_at_end = caret.is_none_or(|caret| caret + 1 >= code);
    let deeper = block_indent(source, &physical, number)? > width(source.get(place.clone())?);
    let result = apply(source, vec![Edit::insert(place.start + end.end, ":")])?;
    (points_at_end && deeper && lex(&result).flaw.is_none()).then_some(result)
}

/// Repairs what older versions of Python call `invalid syntax`: a header without its colon or, if the parser points at the
/// first word of a line, a bracket that the previous line of code does not close.
pub(crate) fn colon_or_bracket(source: &[u8], number: usize, caret: Option<usize>) -> Option<Vec<u8>> {
    caret?;
    colon(source, number, caret).or_else(|| {
        let physical = physical_lines(source);
        let is_code = |index: &usize| {
            let line = physical.get(*index).and_then(|line| source.get(line.clone())).unwrap_or_default().trim_ascii();
            !line.is_empty() && !line.starts_with(b"#")
        };
        let above = (0..number).rev().find(is_code).filter(|_| caret == Some(0))?;
        bracket(source, above)
    })
}

/// The source with the open parenthesis on physical line `number` closed at the end of that line. `None` unless there is
/// only one place for it: no other bracket is open there, the parenthesis belongs to a call with a plain list of arguments,
/// and the next line begins a new statement.
pub(crate) fn bracket(source: &[u8], number: usize) -> Option<Vec<u8>> {
    let physical = physical_lines(source);
    let place = physical.get(number)?.clone();
    let text = source.get(place.clone())?;
    let tokens = lex(text);
    let Some(Flaw::Unclosed(open)) = tokens.flaw else {
        return None;
    };
    let at = tokens.list.iter().position(|token| token.start == open)?;
    let depth = tokens.list.get(at)?.depth;
    if !tokens.is(at, "(") || depth != 0 || !is_plain_call(&tokens, at) {
        return None;
    }
    let mut last = tokens.list.iter().rposition(|token| token.kind != Kind::Newline)?;
    let header = is_header(&tokens);
    if header {
        if !tokens.is(last, ":") {
            return None;
        }
        last = last.checked_sub(1)?;
    }
    let end = tokens.list.get(last)?;
    let ends_argument =
        last > at && (end.kind != Kind::Op || [")", "]", "}"].iter().any(|close| tokens.is(last, close)));
    let next = next_code(source, &physical, number);
    let follows = next.is_none_or(|line| {
        let indent = width(line);
        if header { indent > width(text) } else { indent <= width(text) && begins_statement(line) }
    });
    let result = apply(source, vec![Edit::insert(place.start + end.end, ")")])?;
    let sound = {
        let whole = lex(&result);
        whole.flaw.is_none() && lines(&whole).iter().all(|line| indentation(&whole, line).trim().is_empty())
    };
    (ends_argument && follows && sound && (next.is_some() || !header)).then_some(result)
}

fn is_header(tokens: &Tokens<'_>) -> bool {
    let first = usize::from(tokens.is(0, "async"));
    HEADERS.iter().any(|word| tokens.is(first, word))
}

/// Whether there is a `=` or a `;` outside brackets. Then more is wrong than a missing colon.
fn has_assignment(tokens: &Tokens<'_>) -> bool {
    tokens
        .list
        .iter()
        .enumerate()
        .any(|(index, token)| token.depth == 0 && (tokens.is(index, "=") || tokens.is(index, ";")))
}

/// Whether two operands follow each other. Then more is missing than a colon.
fn has_gap(tokens: &Tokens<'_>) -> bool {
    const KEYWORDS: [&str; 27] = [
        "and", "as", "async", "await", "class", "def", "elif", "else", "except", "finally", "for", "from", "if", "in",
        "is", "lambda", "not", "or", "return", "try", "while", "with", "yield", "None", "True", "False", "import",
    ];
    let is_keyword = |index: usize| KEYWORDS.iter().any(|word| tokens.is(index, word));
    let is_operand = |index: usize| match tokens.list.get(index).map(|token| token.kind) {
        Some(Kind::Name) => !is_keyword(index),
        Some(Kind::Number | Kind::Text) => true,
        _ => false,
    };
    let ends_operand = |index: usize| is_operand(index) || [")", "]", "}"].iter().any(|close| tokens.is(index, close));
    let texts = |index: usize| tokens.is_kind(index, Kind::Text) && tokens.is_kind(index + 1, Kind::Text);
    (0..tokens.list.len()).any(|index| ends_operand(index) && is_operand(index + 1) && !texts(index))
}

/// Whether the bracket at `open` follows a name, and contains arguments without operators at its own level.
fn is_plain_call(tokens: &Tokens<'_>, open: usize) -> bool {
    const WORDS: [&str; 12] =
        ["if", "in", "not", "and", "or", "is", "return", "for", "else", "while", "elif", "import"];
    let Some(callee) = open.checked_sub(1) else {
        return false;
    };
    let calls = tokens.is_kind(callee, Kind::Name) && !WORDS.iter().any(|word| tokens.is(callee, word));
    let plain = tokens.list.iter().enumerate().skip(open + 1).all(|(index, token)| {
        let free = token.depth > 1 || token.kind != Kind::Op;
        let word = token.depth <= 1 && WORDS.iter().any(|word| tokens.is(index, word));
        let part = [",", ".", "=", "(", ")", "[", "]", "{", "}"].iter().any(|part| tokens.is(index, part));
        let header_end =
            tokens.is(index, ":") && tokens.list.get(index + 1).is_none_or(|next| next.kind == Kind::Newline);
        (free || part || header_end) && !word
    });
    calls && plain
}

/// The indentation of the next line with code.
fn block_indent(source: &[u8], physical: &[std::ops::Range<usize>], number: usize) -> Option<usize> {
    next_code(source, physical, number).map(width)
}

fn next_code<'a>(source: &'a [u8], physical: &[std::ops::Range<usize>], number: usize) -> Option<&'a [u8]> {
    physical.iter().skip(number + 1).filter_map(|line| source.get(line.clone())).find(|line| {
        let code = line.trim_ascii();
        !code.is_empty() && !code.starts_with(b"#")
    })
}

/// Columns of white space before the code, tabs to eight.
fn width(line: &[u8]) -> usize {
    let blank = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t'));
    blank.fold(0, |column, byte| if *byte == b'\t' { (column / 8 + 1) * 8 } else { column + 1 })
}

/// Whether a line can begin a statement and cannot continue an argument list.
fn begins_statement(line: &[u8]) -> bool {
    let tokens = lex(line);
    let word = tokens.is_kind(0, Kind::Name)
        && !["for", "if", "and", "or", "in", "is", "not", "else", "lambda"].iter().any(|word| tokens.is(0, word));
    let block = tokens.is(0, "if") || tokens.is(0, "for") || tokens.is(0, "else");
    let ends_in_colon =
        tokens.list.iter().rposition(|token| token.kind != Kind::Newline).is_some_and(|last| tokens.is(last, ":"));
    let list_item =
        tokens.list.iter().rposition(|token| token.kind != Kind::Newline).is_some_and(|last| tokens.is(last, ","));
    !list_item && (word || tokens.is(0, "@") || (block && ends_in_colon))
}
