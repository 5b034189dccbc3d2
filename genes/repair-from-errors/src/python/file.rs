//! A Python file, parsed as far as repairs need it.

use std::ops::Range;

use super::imports::{Import, imports};
use super::lexer::lex;
use super::lines::{Guard, Line, line_at, lines};
use super::tokens::{Kind, Tokens};
use crate::edit::{Edit, apply, line_ending, physical_lines};

/// A file that lexes completely: every string ends and all brackets match.
#[derive(Debug)]
pub(crate) struct File<'a> {
    /// Its tokens.
    pub(crate) tokens: Tokens<'a>,
    /// Its logical lines.
    pub(crate) lines: Vec<Line>,
    /// Its imports.
    pub(crate) imports: Vec<Import>,
    /// The logical line that the error points at, if it is in this file.
    pub(crate) anchor: Option<usize>,
}

impl<'a> File<'a> {
    /// Reads a source. `anchor` is the physical line, from 0, that an error points at. `None` if the source does not lex,
    /// if there is no code on that line, or if the code handles the failure there.
    pub(crate) fn read(source: &'a [u8], anchor: Option<usize>) -> Option<Self> {
        let file = Self::parse(source, anchor)?;
        let expected =
            file.anchor.and_then(|line| file.lines.get(line)).is_some_and(|line| line.guard == Guard::Expected);
        (!expected).then_some(file)
    }

    /// The same, also if the code handles the failure: no code of a file can handle that the file does not parse.
    pub(crate) fn parse(source: &'a [u8], anchor: Option<usize>) -> Option<Self> {
        let tokens = lex(source);
        if tokens.flaw.is_some() || !is_ascii_based(source) {
            return None;
        }
        let mut lines = lines(&tokens);
        let mut imports = imports(&tokens, &lines);
        open_obsolete(&tokens, &mut lines, &mut imports);
        let anchor = match anchor {
            Some(physical) => {
                let place = physical_lines(source).get(physical)?.clone();
                Some(line_at(&tokens, &lines, place)?)
            }
            None => None,
        };
        Some(Self { tokens, lines, imports, anchor })
    }

    /// Whether code on this line may be changed: nothing guards it, or it is the line that failed.
    pub(crate) fn is_open(&self, line: usize) -> bool {
        self.anchor == Some(line) || self.lines.get(line).is_some_and(|line| line.guard == Guard::None)
    }

    /// The logical line that a token is on.
    pub(crate) fn line_of(&self, token: usize) -> usize {
        self.lines.partition_point(|line| line.tokens.end <= token)
    }

    /// Bytes from the start of one token to the end of another.
    pub(crate) fn span(&self, first: usize, last: usize) -> Option<Range<usize>> {
        Some(self.tokens.list.get(first)?.start..self.tokens.list.get(last)?.end)
    }

    /// The uses of a dotted name (`parts` joined by dots) that are not an attribute of something else, each by the index
    /// of its first token.
    pub(crate) fn dotted_uses(&self, parts: &[&str]) -> Vec<usize> {
        let matches = |start: usize| {
            parts.iter().enumerate().all(|(place, part)| {
                let at = start + 2 * place;
                self.tokens.is(at, part) && (place == 0 || self.tokens.is(at - 1, "."))
            })
        };
        (0..self.tokens.list.len())
            .filter(|index| {
                self.tokens.is_kind(*index, Kind::Name) && !self.tokens.follows(*index, ".") && matches(*index)
            })
            .collect()
    }

    /// Adds a statement after an import, on a line of its own with the same indentation if that is possible.
    pub(crate) fn statement_after(&self, import: &Import, statement: &str) -> Option<Edit> {
        let end = self.tokens.list.get(import.tokens.end.checked_sub(1)?)?.end;
        if !import.alone {
            return Some(Edit::insert(end, format!("; {statement}")));
        }
        let bytes = self.tokens.bytes;
        let rest = bytes.get(end..)?;
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).unwrap_or(rest.len());
        let indentation = super::lines::indentation(&self.tokens, self.lines.get(import.line)?);
        Some(Edit::insert(end + length, format!("{}{indentation}{statement}", line_ending(bytes, end))))
    }

    /// The physical lines of a statement; `None` if they hold anything else.
    pub(crate) fn whole_lines(&self, statement: &Range<usize>) -> Option<Range<usize>> {
        let bytes = self.tokens.bytes;
        let span = self.span(statement.start, statement.end.checked_sub(1)?)?;
        let start = bytes.get(..span.start)?.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let rest = bytes.get(span.end..)?;
        let end = span.end + rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
        let blank = |part: Range<usize>| bytes.get(part).is_some_and(|part| part.iter().all(u8::is_ascii_whitespace));
        (blank(start..span.start) && blank(span.end..end)).then_some(start..end)
    }

    /// Removes the statement of a line. The first one of a block becomes `pass`, because others may not follow.
    pub(crate) fn without(&self, number: usize) -> Option<Edit> {
        let line = self.lines.get(number)?;
        let above = number.checked_sub(1).and_then(|above| self.lines.get(above));
        if above.is_some_and(|above| above.indent < line.indent) {
            return Some(Edit::replace(self.span(line.tokens.start, line.tokens.end.checked_sub(1)?)?, "pass"));
        }
        Some(Edit::replace(self.whole_lines(&line.tokens)?, ""))
    }

    /// Carries out the edits, where one of them is on the line that failed and the result still lexes.
    pub(crate) fn finish(&self, edits: Vec<Edit>) -> Option<Vec<u8>> {
        if let Some(line) = self.anchor.and_then(|line| self.lines.get(line)) {
            let span = self.span(line.tokens.start, line.tokens.end.checked_sub(1)?)?;
            if !edits.iter().any(|edit| span.start <= edit.start && edit.start <= span.end) {
                return None;
            }
        }
        let result = apply(self.tokens.bytes, edits)?;
        lex(&result).flaw.is_none().then_some(result)
    }
}

/// Opens the body of each `try` whose handler imports only what no maintained version of Python has: neither branch
/// serves one, so the body is what must change. `try: import thread` with `dummy_thread` in its handler is an example.
fn open_obsolete(tokens: &Tokens<'_>, lines: &mut [Line], imports: &mut [Import]) {
    let is_lost = |import: &Import| match &import.from {
        Some((module, _)) => {
            let is_moved = |name: &str| {
                let since = super::table::moved(module, name).map(|entry| entry.since);
                since.is_some_and(|since| super::table::Since::Maintained.includes(since))
            };
            super::table::is_gone(module) || import.clauses.iter().all(|clause| is_moved(&clause.name))
        }
        None => import.clauses.iter().all(|clause| super::table::is_gone(&clause.name)),
    };
    for start in 0..lines.len() {
        let Some(first) = lines.get(start).filter(|line| tokens.is(line.tokens.start, "try")) else { continue };
        let indent = first.indent;
        let after = |from: usize| {
            let rest = lines.iter().enumerate().skip(from);
            rest.clone().find(|(_, line)| line.indent <= indent).map_or(lines.len(), |(at, _)| at)
        };
        let body_end = after(start + 1);
        let Some(handler) = lines.get(body_end).filter(|line| line.indent == indent) else { continue };
        let catches = handler.tokens.clone().any(|index| tokens.is(index, "ImportError"));
        if !tokens.is(handler.tokens.start, "except") || !catches {
            continue;
        }
        let block = body_end + 1..after(body_end + 1);
        let ends = lines.get(block.end).is_none_or(|line| {
            line.indent < indent || !["except", "else"].iter().any(|word| tokens.is(line.tokens.start, word))
        });
        let mut inside = imports.iter().filter(|import| block.contains(&import.line)).peekable();
        if !ends || inside.peek().is_none() || !inside.all(is_lost) {
            continue;
        }
        for line in lines.get_mut(start + 1..body_end).unwrap_or_default() {
            line.guard = Guard::None;
        }
        for import in imports.iter_mut().filter(|import| (start + 1..body_end).contains(&import.line)) {
            import.guard = Guard::None;
        }
    }
}

/// Whether a source cannot be read, or handles a failure on this physical line (from 0).
pub(crate) fn expects_failure(source: &[u8], line: usize) -> bool {
    File::read(source, Some(line)).is_none()
}

/// UTF-8, or declared as an encoding in which every byte below 128 is ASCII and stands alone, or ASCII but for comments.
fn is_ascii_based(source: &[u8]) -> bool {
    if std::str::from_utf8(source).is_ok() {
        return !source.contains(&0);
    }
    let lines = || source.split(|byte| *byte == b'\n');
    let mut declared = lines().take(2).map(|line| String::from_utf8_lossy(line).to_ascii_lowercase());
    let declared = declared.find(|line| line.starts_with('#') && line.contains("coding"));
    let alike = ["latin-1", "latin1", "iso-8859", "iso8859", "cp125", "windows-125"];
    // Python reads over comments whatever their encoding is, if the source says that it is UTF-8 or nothing.
    let is_comment = |line: &[u8]| line.split(|byte| *byte == b'#').next().unwrap_or_default().is_ascii();
    let fits = match declared {
        Some(line) => alike.iter().any(|name| line.contains(name)) || line.contains("utf") && lines().all(is_comment),
        None => lines().all(is_comment),
    };
    fits && !source.contains(&0)
}
