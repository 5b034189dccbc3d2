//! A patch with a `diff --git` line: git's own headers, which say what kind of change it is.

use super::cursor::Cursor;
use super::extended::Extended;
use super::header::{Refusal, checked, sides, without_cr};
use super::side::Side;
use super::{ChangeKind, FilePatch, Hunk, ParseErrorKind as Kind, hunk, name, prose};
use crate::path::RepoPath;

/// Reads one.
pub(super) fn file(cursor: &mut Cursor<'_>) -> Result<FilePatch, Refusal> {
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
    if cursor.peek().is_some_and(prose::is_binary) {
        return Err(cursor.error(Kind::Binary).into());
    }
    let kind = headers.kind()?;
    let (old, new) = names(line, &headers)?;
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
        may_create: false,
        hunks,
    };
    Ok(checked(patch, has_sides)?)
}

/// The names before and after, by `rename` and `copy` headers and by the `diff --git` line, which must agree.
fn names(line: &str, headers: &Extended) -> Result<(RepoPath, RepoPath), Kind> {
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
        _ if !name::has_prefix(line) => Err(Kind::Prefix),
        _ => Err(Kind::HeadersDisagree("the `diff --git` line names other files")),
    }
}

/// `---` and `+++` must say what the headers above them said. The names stand there already, so a bare one with a space
/// ends where they say.
fn check_sides(sides: &(Side, Side), kind: ChangeKind, old: &RepoPath, new: &RepoPath) -> Result<(), Kind> {
    let agree = match (kind, sides) {
        (ChangeKind::Add, (Side::Absent, Side::Name(name))) => name::strip_one(&name.text) == Some(new.as_str()),
        (ChangeKind::Delete, (Side::Name(name), Side::Absent)) => name::strip_one(&name.text) == Some(old.as_str()),
        (ChangeKind::Modify | ChangeKind::Rename | ChangeKind::Copy, (Side::Name(from), Side::Name(to))) => {
            name::strip_pair(&from.text, &to.text) == Some((old.as_str(), new.as_str()))
        }
        _ => false,
    };
    if agree { Ok(()) } else { Err(Kind::HeadersDisagree("`---` and `+++` say otherwise than the `diff --git` block")) }
}
