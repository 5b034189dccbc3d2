//! Hunks: the header's counts decide what is a line of the hunk, and the body must fill them exactly.

use super::cursor::Cursor;
use super::{Hunk, Line, LineKind, ParseError, ParseErrorKind as Kind};

/// Reads every hunk of a file.
pub(super) fn all(cursor: &mut Cursor<'_>) -> Result<Vec<Hunk>, ParseError> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let mut place = Place::default();
    while cursor.peek().is_some_and(|line| line.starts_with("@@")) {
        let hunk = one(cursor, &mut place)?;
        hunks.push(hunk);
    }
    Ok(hunks)
}

/// How far the hunks of a file have come.
#[derive(Default)]
struct Place {
    /// Old lines before this index are behind us.
    old_end: u64,
    /// The same for new lines; the lines between hunks move both on.
    new_end: u64,
    /// The old file ended without a line feed.
    old_ended: bool,
    /// The new file ended without a line feed.
    new_ended: bool,
}

fn one(cursor: &mut Cursor<'_>, place: &mut Place) -> Result<Hunk, ParseError> {
    let mut hunk = cursor.peek().map_or(Err(Kind::BadHunkHeader), header).map_err(|kind| cursor.error(kind))?;
    place.enter(&hunk).map_err(|kind| cursor.error(kind))?;
    let header_line = cursor.number();
    cursor.advance();
    let (mut old_left, mut new_left) = (hunk.old_count, hunk.new_count);
    while old_left > 0 || new_left > 0 {
        let line = body_line(cursor, old_left, new_left)?;
        old_left -= u32::from(line.is_old());
        new_left -= u32::from(line.is_new());
        if line.is_old() && place.old_ended || line.is_new() && place.new_ended {
            return Err(cursor.error_before(Kind::MisplacedNoNewline));
        }
        place.old_ended |= line.is_old() && line.no_newline;
        place.new_ended |= line.is_new() && line.no_newline;
        hunk.lines.push(line);
    }
    if hunk.lines.iter().all(|line| line.kind == LineKind::Context) {
        return Err(ParseError { line: header_line, kind: Kind::HunkWithoutChange });
    }
    Ok(hunk)
}

/// Reads one line and the `\ No newline` note after it. The counts say whether it may be an old or a new one.
fn body_line(cursor: &mut Cursor<'_>, old_left: u32, new_left: u32) -> Result<Line, ParseError> {
    let short = Kind::HunkTooShort { old: old_left, new: new_left };
    let Some(text) = cursor.peek() else {
        return Err(cursor.error(short));
    };
    let kind = match text.bytes().next() {
        // Mailers take the only space off an empty context line, and every reader puts it back.
        Some(b' ') | None => LineKind::Context,
        Some(b'+') => LineKind::Add,
        Some(b'-') => LineKind::Delete,
        Some(b'\\') => return Err(cursor.error(Kind::MisplacedNoNewline)),
        Some(_) => return Err(cursor.error(short)),
    };
    let mut line = Line { kind, text: text.get(1..).unwrap_or_default().to_owned(), no_newline: false };
    if line.is_old() && old_left == 0 || line.is_new() && new_left == 0 {
        return Err(cursor.error(Kind::HunkTooLong));
    }
    cursor.advance();
    if cursor.peek().is_some_and(|next| next.starts_with("\\ ")) {
        line.no_newline = true;
        cursor.advance();
    }
    Ok(line)
}

impl Place {
    /// Moves on over a hunk, whose line numbers must follow from the hunks before it.
    fn enter(&mut self, hunk: &Hunk) -> Result<(), Kind> {
        let old = index(hunk.old_start, hunk.old_count).ok_or(Kind::BadHunkHeader)?;
        let new = index(hunk.new_start, hunk.new_count).ok_or(Kind::BadHunkHeader)?;
        let (old_gap, new_gap) = (old.checked_sub(self.old_end), new.checked_sub(self.new_end));
        if old_gap.is_none() || old_gap != new_gap {
            return Err(Kind::HunkPosition);
        }
        self.old_end = old + u64::from(hunk.old_count);
        self.new_end = new + u64::from(hunk.new_count);
        Ok(())
    }
}

/// Index of the first line that a side of a hunk covers, from 0. Start 0 is for sides without lines only.
fn index(start: u32, count: u32) -> Option<u64> {
    if count == 0 { Some(start.into()) } else { u64::from(start).checked_sub(1) }
}

/// Reads `@@ -a,b +c,d @@ section`; the section is a hint for people and not kept.
fn header(line: &str) -> Result<Hunk, Kind> {
    let ranges = line.strip_prefix("@@ -").ok_or(Kind::BadHunkHeader)?;
    let (ranges, section) = ranges.split_once(" @@").ok_or(Kind::BadHunkHeader)?;
    let (old, new) = ranges.split_once(" +").ok_or(Kind::BadHunkHeader)?;
    if section == "\r" {
        return Err(Kind::CarriageReturn);
    }
    if !section.is_empty() && !section.starts_with(' ') {
        return Err(Kind::BadHunkHeader);
    }
    let (old_start, old_count) = range(old).ok_or(Kind::BadHunkHeader)?;
    let (new_start, new_count) = range(new).ok_or(Kind::BadHunkHeader)?;
    Ok(Hunk { old_start, old_count, new_start, new_count, lines: Vec::new() })
}

fn range(text: &str) -> Option<(u32, u32)> {
    match text.split_once(',') {
        None => Some((number(text)?, 1)),
        Some((start, count)) => Some((number(start)?, number(count)?)),
    }
}

/// Digits only: the standard parser would take a sign as well.
fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}
