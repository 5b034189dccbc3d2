//! The headers of one file's patch. They say the same thing up to five times over; here they must all agree.

use super::cursor::Cursor;
use super::side::{Side, side};
use super::{ChangeKind, FilePatch, Hunk, ParseError, ParseErrorKind as Kind};

/// A refusal of one line, or of the headers as a whole.
pub(super) enum Refusal {
    At(ParseError),
    Header(Kind),
}

impl From<ParseError> for Refusal {
    fn from(error: ParseError) -> Self {
        Self::At(error)
    }
}

impl From<Kind> for Refusal {
    fn from(kind: Kind) -> Self {
        Self::Header(kind)
    }
}

/// Refuses a header line that was converted to CRLF: its name would end in a carriage return.
pub(super) fn without_cr(cursor: &Cursor<'_>) -> Result<(), ParseError> {
    if cursor.peek().is_some_and(|line| line.ends_with('\r')) {
        return Err(cursor.error(Kind::CarriageReturn));
    }
    Ok(())
}

/// Reads `---` and `+++`, if they are next.
pub(super) fn sides(cursor: &mut Cursor<'_>) -> Result<Option<(Side, Side)>, ParseError> {
    without_cr(cursor)?;
    let Some(old) = cursor.take_prefixed("--- ") else {
        return Ok(None);
    };
    let old = side(old).map_err(|kind| cursor.error_before(kind))?;
    without_cr(cursor)?;
    let new = cursor.take_prefixed("+++ ").ok_or_else(|| cursor.error_before(Kind::MissingNewName))?;
    let new = side(new).map_err(|kind| cursor.error_before(kind))?;
    Ok(Some((old, new)))
}

/// What the kind of change says about the hunks.
pub(super) fn checked(patch: FilePatch, has_sides: bool) -> Result<FilePatch, Kind> {
    let nothing = patch.hunks.is_empty();
    if nothing && (has_sides || patch.kind == ChangeKind::Modify && patch.new_mode.is_none()) {
        return Err(Kind::NoChange);
    }
    let whole = |count: fn(&Hunk) -> u32| patch.hunks.len() <= 1 && patch.hunks.iter().all(|h| count(h) == 0);
    let fits = match patch.kind {
        ChangeKind::Add => whole(|hunk| hunk.old_count),
        ChangeKind::Delete => whole(|hunk| hunk.new_count),
        _ => true,
    };
    if fits { Ok(patch) } else { Err(Kind::HunkOfWrongKind) }
}
