//! The headers of one file's patch. They say the same thing up to five times over; here they must all agree.

use super::extended::Extended;
use super::name::{self, Side};
use super::parse::Cursor;
use super::{ChangeKind, FilePatch, Hunk, ParseError, ParseErrorKind as Kind, hunk};
use crate::gate::FileMode;
use crate::path::RepoPath;

/// Whether the next line opens the patch of a file.
pub(super) fn starts_file(cursor: &Cursor<'_>) -> bool {
    let Some(line) = cursor.peek() else {
        return false;
    };
    let named = line.starts_with("--- ") && cursor.peek_second().is_some_and(|next| next.starts_with("+++ "));
    let plain = |next: &str| next.starts_with("--- ") || next.starts_with("====");
    let led = line.starts_with("diff ") || line.starts_with("Index: ");
    named || line.starts_with("diff --git ") || led && cursor.peek_second().is_some_and(plain)
}

/// Reads the patch of one file.
pub(super) fn file(cursor: &mut Cursor<'_>) -> Result<FilePatch, ParseError> {
    let start = cursor.number();
    let line = cursor.peek().unwrap_or_default();
    let read = if line.starts_with("diff --git ") {
        git_file(cursor)
    } else if starts_file(cursor) {
        plain_file(cursor)
    } else {
        return Err(cursor.error(unexpected(line)));
    };
    read.map_err(|refusal| match refusal {
        Refusal::At(error) => error,
        Refusal::Header(kind) => ParseError { line: start, kind },
    })
}

/// A refusal of one line, or of the headers as a whole.
enum Refusal {
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

/// Why a line between the patches of two files is refused.
fn unexpected(line: &str) -> Kind {
    if line.starts_with("--- ") {
        Kind::MissingNewName
    } else if line.starts_with("@@") {
        Kind::StrayHunk
    } else if line.starts_with([' ', '+', '-']) {
        Kind::HunkTooLong
    } else if line.starts_with('\\') {
        Kind::MisplacedNoNewline
    } else if is_binary(line) {
        Kind::Binary
    } else {
        Kind::Prose
    }
}

fn is_binary(line: &str) -> bool {
    line.starts_with("GIT binary patch") || line.starts_with("Binary files ") || line.starts_with("Files ")
}

/// Refuses a header line that was converted to CRLF: its name would end in a carriage return.
fn without_cr(cursor: &Cursor<'_>) -> Result<(), ParseError> {
    if cursor.peek().is_some_and(|line| line.ends_with('\r')) {
        return Err(cursor.error(Kind::CarriageReturn));
    }
    Ok(())
}

/// Reads `---` and `+++`, if they are next.
fn sides(cursor: &mut Cursor<'_>) -> Result<Option<(Side, Side)>, ParseError> {
    without_cr(cursor)?;
    let Some(old) = cursor.take_prefixed("--- ") else {
        return Ok(None);
    };
    let old = name::side(old).map_err(|kind| cursor.error_before(kind))?;
    without_cr(cursor)?;
    let new = cursor.take_prefixed("+++ ").ok_or_else(|| cursor.error_before(Kind::MissingNewName))?;
    let new = name::side(new).map_err(|kind| cursor.error_before(kind))?;
    Ok(Some((old, new)))
}

/// A patch without a `diff --git` line.
fn plain_file(cursor: &mut Cursor<'_>) -> Result<FilePatch, Refusal> {
    without_cr(cursor)?;
    let index = cursor.take_prefixed("Index: ");
    if cursor.peek().is_some_and(|line| line.len() > 3 && line.bytes().all(|b| b == b'=')) {
        cursor.advance();
    }
    without_cr(cursor)?;
    let command = cursor.take_prefixed("diff ");
    let (old, new) = sides(cursor)?.ok_or(Kind::MissingNewName)?;
    check_claims(index, command, &old, &new)?;
    let (kind, old_path, new_path) = plain_names(&old, &new)?;
    let hunks = hunk::all(cursor)?;
    let emptied = hunks.iter().any(|hunk| hunk.new_start == 0 && hunk.new_count == 0);
    if kind == ChangeKind::Modify && emptied {
        return Err(Kind::EmptyOrDeleted.into());
    }
    let new_mode = (kind == ChangeKind::Add).then_some(FileMode::Regular);
    Ok(checked(FilePatch { kind, old_path, new_path, old_mode: None, new_mode, hunks }, true)?)
}

/// The lines before `---` name the files too, and some readers go by them.
fn check_claims(index: Option<&str>, command: Option<&str>, old: &Side, new: &Side) -> Result<(), Kind> {
    let spelled = |side: &Side| match side {
        Side::Absent => "/dev/null".to_owned(),
        Side::Name(name) => name.clone(),
    };
    let (old, new) = (spelled(old), spelled(new));
    let is_name = |name: &str| name == old || name == new || name::strip_one(&new) == Some(name);
    if index.is_some_and(|name| !is_name(name)) {
        return Err(Kind::HeadersDisagree("`Index:` names another file"));
    }
    if command.is_some_and(|command| !command.ends_with(&format!(" {old} {new}"))) {
        return Err(Kind::HeadersDisagree("the `diff` line names other files"));
    }
    Ok(())
}

type Names = (ChangeKind, Option<RepoPath>, Option<RepoPath>);

fn plain_names(old: &Side, new: &Side) -> Result<Names, Kind> {
    match (old, new) {
        (Side::Absent, Side::Absent) => Err(Kind::HeadersDisagree("`/dev/null` on both sides")),
        (Side::Absent, Side::Name(new)) => Ok((ChangeKind::Add, None, Some(lone_name(new)?))),
        (Side::Name(old), Side::Absent) => Ok((ChangeKind::Delete, Some(lone_name(old)?), None)),
        (Side::Name(old), Side::Name(new)) => {
            let (old, new) = name::strip_pair(old, new).ok_or(Kind::Prefix)?;
            if old != new {
                return Err(Kind::HeadersDisagree("`---` and `+++` name different files"));
            }
            let path = name::path(new)?;
            Ok((ChangeKind::Modify, Some(path.clone()), Some(path)))
        }
    }
}

fn lone_name(name: &str) -> Result<RepoPath, Kind> {
    // An absolute name has no prefix to take off; saying so tells more than the missing prefix would.
    let stripped = if name.starts_with('/') { Some(name) } else { name::strip_one(name) };
    name::path(stripped.ok_or(Kind::Prefix)?)
}

/// A patch with a `diff --git` line.
fn git_file(cursor: &mut Cursor<'_>) -> Result<FilePatch, Refusal> {
    without_cr(cursor)?;
    let line = cursor.take_prefixed("diff --git ").unwrap_or_default();
    let mut headers = Extended::default();
    while let Some(line) = cursor.peek() {
        if !headers.take(line.strip_suffix('\r').unwrap_or(line)).map_err(|kind| cursor.error(kind))? {
            break;
        }
        without_cr(cursor)?;
        cursor.advance();
    }
    if cursor.peek().is_some_and(is_binary) {
        return Err(cursor.error(Kind::Binary).into());
    }
    let kind = headers.kind()?;
    let (old, new) = git_names(line, &headers)?;
    let sides = sides(cursor)?;
    let has_sides = sides.is_some();
    if let Some(sides) = sides {
        check_sides(&sides, kind, &old, &new)?;
    }
    let hunks: Vec<Hunk> = if has_sides { hunk::all(cursor)? } else { Vec::new() };
    let patch = FilePatch {
        kind,
        old_path: (kind != ChangeKind::Add).then_some(old),
        new_path: (kind != ChangeKind::Delete).then_some(new),
        old_mode: headers.old_mode.or(headers.deleted_file),
        new_mode: headers.new_mode.or(headers.new_file),
        hunks,
    };
    Ok(checked(patch, has_sides)?)
}

/// The names before and after, by `rename` and `copy` headers and by the `diff --git` line, which must agree.
fn git_names(line: &str, headers: &Extended) -> Result<(RepoPath, RepoPath), Kind> {
    let stated = headers.rename_from.as_ref().zip(headers.rename_to.as_ref());
    let stated = stated.or(headers.copy_from.as_ref().zip(headers.copy_to.as_ref()));
    let told = name::git_line(line)?;
    match (stated, told) {
        (Some((from, to)), _) if from == to => Err(Kind::HeadersDisagree("`from` and `to` are the same")),
        (Some((from, to)), Some((old, new))) if from.as_str() == old && to.as_str() == new => {
            Ok((from.clone(), to.clone()))
        }
        (Some((from, to)), None) if name::spells_pair(line, from.as_str(), to.as_str()) => {
            Ok((from.clone(), to.clone()))
        }
        (None, Some((old, new))) if old == new => {
            let path = name::path(&new)?;
            Ok((path.clone(), path))
        }
        _ => Err(Kind::HeadersDisagree("the `diff --git` line names other files")),
    }
}

/// `---` and `+++` must say what the headers above them said.
fn check_sides(sides: &(Side, Side), kind: ChangeKind, old: &RepoPath, new: &RepoPath) -> Result<(), Kind> {
    let agree = match (kind, sides) {
        (ChangeKind::Add, (Side::Absent, Side::Name(name))) => name::strip_one(name) == Some(new.as_str()),
        (ChangeKind::Delete, (Side::Name(name), Side::Absent)) => name::strip_one(name) == Some(old.as_str()),
        (ChangeKind::Modify | ChangeKind::Rename | ChangeKind::Copy, (Side::Name(from), Side::Name(to))) => {
            name::strip_pair(from, to) == Some((old.as_str(), new.as_str()))
        }
        _ => false,
    };
    if agree { Ok(()) } else { Err(Kind::HeadersDisagree("`---` and `+++` say otherwise than the `diff --git` block")) }
}

/// What the kind of change says about the hunks.
fn checked(patch: FilePatch, has_sides: bool) -> Result<FilePatch, Kind> {
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
