//! Strings that a newer version refuses.

use std::ops::Range;

use super::super::file::File;
use super::super::tokens::Kind;
use crate::edit::Edit;

/// A string: its token, and the position of the text between its quotes.
struct Literal<'a> {
    token: usize,
    inner: Range<usize>,
    text: &'a str,
}

/// The strings among some tokens, without bytes and f-strings.
fn literals<'a>(file: &File<'a>, range: Range<usize>) -> Vec<Literal<'a>> {
    let read = |index: usize| {
        let tokens = &file.tokens;
        let token = tokens.list.get(index).filter(|token| token.kind == Kind::Text)?;
        let text = std::str::from_utf8(tokens.text(index)).ok()?;
        let prefix = text.find(['"', '\''])?;
        let quote = text.get(prefix..=prefix)?;
        let width = if text[prefix..].starts_with(&quote.repeat(3)) && text.len() >= prefix + 6 { 3 } else { 1 };
        let inner = prefix + width..text.len().checked_sub(width)?;
        let plain = text[..prefix].chars().all(|c| "rRuU".contains(c)) && inner.start <= inner.end;
        let alone = !tokens.is_kind(index + 1, Kind::Text)
            && !index.checked_sub(1).is_some_and(|it| tokens.is_kind(it, Kind::Text));
        let place = token.start + inner.start..token.start + inner.end;
        (plain && alone).then(|| Literal { token: index, inner: place, text: &text[inner] })
    };
    range.filter_map(read).collect()
}

/// The failing line without the flag `LOCALE` in a sum of flags, or in a place of its own after the pattern.
pub(super) fn locale(file: &File<'_>) -> Option<Vec<u8>> {
    let tokens = &file.tokens;
    let mut edits = Vec::new();
    for last in file.lines.get(file.anchor?)?.tokens.clone() {
        let is_flag = tokens.is(last, "LOCALE") || tokens.is(last, "L") && tokens.follows(last, ".");
        let first = if tokens.follows(last, ".") { last.checked_sub(2)? } else { last };
        let joins = |index: usize| tokens.is(index, "|") || tokens.is(index, "+");
        let before = first.checked_sub(1).filter(|_| is_flag);
        let Some(before) = before else { continue };
        edits.push(match (joins(before), joins(last + 1)) {
            (true, _) => Edit::replace(tokens.list.get(before - 1)?.end..tokens.list.get(last)?.end, ""),
            (_, true) => Edit::replace(tokens.list.get(first)?.start..tokens.list.get(last + 2)?.start, ""),
            _ if tokens.is(before, ",") && tokens.is(last + 1, ")") => Edit::replace(file.span(before, last)?, ""),
            _ => return None,
        });
    }
    if edits.len() == 1 { file.finish(edits) } else { None }
}

/// The source with the global flags of a regular expression at its start. The expression is on the failing line, or it is the
/// only one of the file with flags at this position.
pub(super) fn flags(file: &File<'_>, position: usize) -> Option<Vec<u8>> {
    let line = file.lines.get(file.anchor?)?.tokens.clone();
    let misplaced = |range: Range<usize>| -> Vec<(Literal<'_>, Range<usize>)> {
        let found = literals(file, range).into_iter();
        found.filter_map(|literal| misplaced_flags(literal.text, position).map(|flags| (literal, flags))).collect()
    };
    let mut found = misplaced(line);
    if found.is_empty() {
        found = misplaced(0..file.tokens.list.len());
    }
    let [(literal, flags)] = found.as_slice() else { return None };
    // A part of a longer expression: the start of this string is not the start of the whole.
    let joined =
        ["+", "%"].iter().any(|op| file.tokens.is(literal.token + 1, op) || file.tokens.follows(literal.token, op));
    if joined {
        return None;
    }
    let moved = literal.text.get(flags.clone())?;
    let edits = vec![
        Edit::insert(literal.inner.start, moved),
        Edit::replace(literal.inner.start + flags.start..literal.inner.start + flags.end, ""),
    ];
    crate::edit::apply(file.tokens.bytes, edits)
}

/// The only group of global flags in a pattern, if it is at this position and not at the start.
fn misplaced_flags(text: &str, position: usize) -> Option<Range<usize>> {
    let mut found = None;
    for (start, _) in text.match_indices("(?") {
        let rest = text.get(start + 2..)?;
        let length = rest.find(|c: char| !"aiLmsux".contains(c)).unwrap_or(rest.len());
        let is_flags = length > 0 && rest.get(length..).is_some_and(|rest| rest.starts_with(')'));
        let escaped = text.get(..start)?.ends_with('\\');
        if is_flags && !escaped {
            if found.is_some() {
                return None;
            }
            found = Some(start..start + length + 3);
        }
    }
    found.filter(|flags| flags.start > 0 && text.get(..flags.start).is_some_and(|it| it.chars().count() == position))
}

/// The source with the mode `U` removed from the only call on the failing line that has it.
pub(super) fn mode(file: &File<'_>) -> Option<Vec<u8>> {
    let line = file.lines.get(file.anchor?)?.tokens.clone();
    let modes = ["U", "rU", "Ur", "rbU", "rUb", "Urb", "rtU", "rUt", "br U"];
    let found: Vec<Literal<'_>> = literals(file, line).into_iter().filter(|it| modes.contains(&it.text)).collect();
    let [literal] = found.as_slice() else { return None };
    let now: String = literal.text.chars().filter(|c| *c != 'U').collect();
    let now = if now.is_empty() { "r".to_owned() } else { now };
    file.finish(vec![Edit::replace(literal.inner.clone(), now)])
}

/// The source with a seaborn style of Matplotlib under its new name.
pub(super) fn style(file: &File<'_>) -> Option<Vec<u8>> {
    let line = file.lines.get(file.anchor?)?.tokens.clone();
    let old = |text: &str| text == "seaborn" || text.starts_with("seaborn-") && !text.starts_with("seaborn-v0_8");
    let found: Vec<Literal<'_>> = literals(file, line).into_iter().filter(|it| old(it.text)).collect();
    let [literal] = found.as_slice() else { return None };
    file.finish(vec![Edit::insert(literal.inner.start + "seaborn".len(), "-v0_8")])
}
