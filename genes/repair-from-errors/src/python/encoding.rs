//! Repairs encodings: of the source itself, and of files that the source opens.

use std::ops::Range;

use super::calls::Call;
use super::file::File;
use super::lines::checks_version;
use super::shape::function_around;
use super::tokens::Kind;
use crate::edit::{Edit, apply, line_ending};

/// What is wrong with an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// The source is not UTF-8 and does not say what it is.
    Source,
    /// A file begins with a byte order mark.
    Mark,
    /// A file is UTF-8, and the locale's encoding is another one.
    Utf8,
}

impl Encoding {
    /// What a message says about an encoding.
    pub(crate) fn for_message(kind: &str, message: &str) -> Option<Self> {
        let source = message.starts_with("Non-UTF-8 code starting with")
            || message.starts_with("(unicode error) 'utf-8' codec can't decode byte");
        match kind {
            "SyntaxError" if source => Some(Self::Source),
            "JSONDecodeError" if message.starts_with("Unexpected UTF-8 BOM") => Some(Self::Mark),
            "UnicodeDecodeError" => ["'ascii' codec can't decode byte", "'charmap' codec can't decode byte"]
                .iter()
                .any(|start| message.starts_with(start))
                .then_some(Self::Utf8),
            _ => None,
        }
    }

    /// The source with the encoding declared, or named where the file is opened.
    pub(crate) fn repair(self, source: &[u8], anchor: Option<usize>) -> Option<Vec<u8>> {
        if self == Self::Source {
            return declared(source);
        }
        let file = File::read(source, anchor)?;
        let (callee, call) = opened(&file)?;
        let edit =
            if self == Self::Mark { marked(&file, callee, &call)? } else { named(&file, callee, &call, "utf-8")? };
        apply(source, vec![edit])
    }

    /// What to do, as an instruction, and why that is right.
    pub(crate) fn describe(self) -> (String, String) {
        let (what, why) = match self {
            Self::Source => {
                ("declare the encoding of the source", "the source is not UTF-8, which is Python's default")
            }
            Self::Mark => ("open the file with the encoding utf-8-sig", "the file begins with a byte order mark"),
            Self::Utf8 => {
                ("open the file with the encoding utf-8", "the file is UTF-8 whatever the locale's encoding is")
            }
        };
        (what.to_owned(), why.to_owned())
    }
}

/// The name of the file that the failing line opens, if the source writes it out.
pub(crate) fn opened_file(source: &[u8], anchor: usize) -> Option<String> {
    let file = File::read(source, Some(anchor))?;
    let (_, call) = opened(&file)?;
    let path = call.arguments.first()?;
    let last = path.clone().rev().find(|index| file.tokens.is_kind(*index, Kind::Text))?;
    let text = literal(&file, last)?;
    let name = text.rsplit('/').next()?;
    (!name.is_empty() && !name.contains(['{', '%', '*', '?', '[', '\\'])).then(|| name.to_owned())
}

/// The source with a declaration of its encoding. `None` unless the bytes look like a text of Western Europe: letters beyond
/// ASCII stand alone or in pairs.
fn declared(source: &[u8]) -> Option<Vec<u8>> {
    let declares = |line: &[u8]| line.starts_with(b"#") && line.windows(6).any(|part| part == b"coding");
    let is_utf8 = std::str::from_utf8(source).is_ok();
    if is_utf8 || source.contains(&0) || source.split(|byte| *byte == b'\n').take(2).any(declares) {
        return None;
    }
    let runs = source.split(u8::is_ascii).map(<[u8]>::len).max()?;
    let in_windows = source.iter().any(|byte| matches!(byte, 0x80..=0x9f));
    let undefined = source.iter().any(|byte| matches!(byte, 0x81 | 0x8d | 0x8f | 0x90 | 0x9d));
    if runs > 2 || undefined {
        return None;
    }
    let encoding = if in_windows { "cp1252" } else { "latin-1" };
    let shebang = source.starts_with(b"#!");
    let at = if shebang { source.iter().position(|byte| *byte == b'\n')? + 1 } else { 0 };
    apply(source, vec![Edit::insert(at, format!("# -*- coding: {encoding} -*-{}", line_ending(source, 0)))])
}

/// The only call that opens the file that the failing line reads: on that line, or where the variable that it uses is bound.
fn opened(file: &File<'_>) -> Option<(usize, Call)> {
    let tokens = &file.tokens;
    let line = file.lines.get(file.anchor?)?;
    let is_open = |index: usize| {
        let owned = tokens.follows(index, ".");
        let module = index.checked_sub(2).is_some_and(|it| tokens.is(it, "io") || tokens.is(it, "codecs"));
        let name = tokens.is(index, "open") && (!owned || module) || owned && tokens.is(index, "read_text");
        name && tokens.is(index + 1, "(")
    };
    let here: Vec<usize> = line.tokens.clone().filter(|index| is_open(*index)).collect();
    let found = match here.as_slice() {
        [index] => *index,
        [] => {
            let around = function_around(file, line.tokens.start);
            let bound: Vec<usize> = (around.start..line.tokens.start)
                .filter(|index| {
                    is_open(*index) && bound_name(file, *index).is_some_and(|name| uses(file, &line.tokens, name))
                })
                .collect();
            let [index] = bound.as_slice() else { return None };
            *index
        }
        _ => return None,
    };
    Some((found, Call::at(tokens, found + 1)?))
}

/// The name that a call's result is bound to: `with open(…) as name` or `name = open(…)`.
fn bound_name<'a>(file: &'a File<'_>, callee: usize) -> Option<&'a [u8]> {
    let tokens = &file.tokens;
    let close = Call::at(tokens, callee + 1)?.close;
    let first = if tokens.follows(callee, ".") { callee.checked_sub(2)? } else { callee };
    if tokens.is(close + 1, "as") {
        return Some(tokens.text(close + 2));
    }
    tokens.follows(first, "=").then(|| tokens.text(first.saturating_sub(2)))
}

fn uses(file: &File<'_>, range: &Range<usize>, name: &[u8]) -> bool {
    range.clone().any(|index| file.tokens.is_kind(index, Kind::Name) && file.tokens.text(index) == name)
}

/// The text of a string without a prefix.
fn literal<'a>(file: &File<'a>, index: usize) -> Option<&'a str> {
    let text = std::str::from_utf8(file.tokens.text(index)).ok().filter(|_| file.tokens.is_kind(index, Kind::Text))?;
    let text = text.trim_start_matches(['r', 'R', 'u', 'U']);
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    text.strip_prefix(quote)?.strip_suffix(quote)
}

/// Adds the argument `encoding` to a call that opens a file as text.
fn named(file: &File<'_>, callee: usize, call: &Call, encoding: &str) -> Option<Edit> {
    let tokens = &file.tokens;
    let builtin = tokens.is(callee, "open") && !tokens.follows(callee, ".");
    let supports_two = file.lines.iter().any(|line| checks_version(tokens, line));
    let unpacked = call.arguments.iter().any(|it| tokens.is(it.start, "*") || tokens.is(it.start, "**"));
    let codecs = callee.checked_sub(2).is_some_and(|owner| tokens.is(owner, "codecs"));
    if codecs || unpacked || (builtin && supports_two) || call.named(tokens, "encoding").is_some() {
        return None;
    }
    let positional = call.arguments.iter().filter(|it| !tokens.is(it.start + 1, "=")).count();
    let most = if tokens.is(callee, "open") { 3 } else { 0 };
    if positional > most || !is_text_mode(file, call, positional) {
        return None;
    }
    let quote = tokens.text(call.arguments.first().map_or(callee, |it| it.start)).first().copied();
    let quote = if quote == Some(b'\'') { '\'' } else { '"' };
    let argument = format!("encoding={quote}{encoding}{quote}");
    match call.arguments.last() {
        Some(last) => Some(Edit::insert(tokens.list.get(last.end - 1)?.end, format!(", {argument}"))),
        None => Some(Edit::insert(tokens.list.get(call.close)?.start, argument)),
    }
}

/// Whether the mode is missing, or a string for reading text.
fn is_text_mode(file: &File<'_>, call: &Call, positional: usize) -> bool {
    let mode = call.named(&file.tokens, "mode").map(|it| it.start + 2..it.end);
    let second = call.arguments.get(1).filter(|_| positional >= 2).cloned();
    mode.or(second)
        .is_none_or(|mode| mode.len() == 1 && literal(file, mode.start).is_some_and(|it| it == "r" || it == "rt"))
}

/// Names the encoding that skips a byte order mark.
fn marked(file: &File<'_>, callee: usize, call: &Call) -> Option<Edit> {
    let tokens = &file.tokens;
    let codecs = callee.checked_sub(2).is_some_and(|owner| tokens.is(owner, "codecs"));
    let third = call.arguments.get(2).filter(|_| codecs).cloned();
    let value = call.named(tokens, "encoding").map(|it| it.start + 2..it.end).or(third);
    let Some(value) = value else { return named(file, callee, call, "utf-8-sig") };
    let text = literal(file, value.start).filter(|_| value.len() == 1)?;
    let is_utf8 = ["utf-8", "utf8", "UTF-8", "UTF8"].contains(&text);
    let token = tokens.list.get(value.start)?;
    let quote = tokens.text(value.start).last().copied()? as char;
    is_utf8.then(|| Edit::replace(token.start..token.end, format!("{quote}utf-8-sig{quote}")))
}
