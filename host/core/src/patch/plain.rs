//! A patch without a `diff --git` line, as `diff -u`, Subversion and Mercurial write it: two names, and hunks.

use super::cursor::Cursor;
use super::header::{Refusal, checked, sides, without_cr};
use super::side::{Name, Side};
use super::{ChangeKind, FilePatch, Hunk, ParseErrorKind as Kind, hunk, name};
use crate::path::RepoPath;
use crate::tree::FileMode;

/// Reads one.
pub(super) fn file(cursor: &mut Cursor<'_>) -> Result<FilePatch, Refusal> {
    without_cr(cursor)?;
    let index = cursor.take_prefixed("Index: ");
    if cursor.peek().is_some_and(|line| line.starts_with("====") && line.bytes().all(|b| b == b'=')) {
        cursor.advance();
    }
    without_cr(cursor)?;
    let command = cursor.take_prefixed("diff ");
    let (old, new) = sides(cursor)?.ok_or(Kind::MissingNewName)?;
    check_claims(index, command, &old, &new)?;
    let (kind, old_path, new_path) = names(&old, &new)?;
    let hunks = hunk::all(cursor)?;
    let emptied = hunks.iter().any(|hunk| hunk.new_start == 0 && hunk.new_count == 0);
    if kind == ChangeKind::Modify && emptied {
        return Err(Kind::EmptyOrDeleted.into());
    }
    let new_mode = (kind == ChangeKind::Add).then_some(FileMode::Regular);
    let from_nothing = |hunk: &Hunk| hunk.old_start == 0 && hunk.old_count == 0;
    let may_create = kind == ChangeKind::Modify && !hunks.is_empty() && hunks.iter().all(from_nothing);
    Ok(checked(FilePatch { kind, old_path, new_path, old_mode: None, new_mode, may_create, hunks }, true)?)
}

/// The lines before `---` name the files too, and some readers go by them.
fn check_claims(index: Option<&str>, command: Option<&str>, old: &Side, new: &Side) -> Result<(), Kind> {
    let (old, new) = (spelled(old), spelled(new));
    let is_name =
        |name: &str| name == old || name == new || [old, new].into_iter().any(|n| name::strip_one(n) == Some(name));
    if index.is_some_and(|name| !is_name(name)) {
        return Err(Kind::HeadersDisagree("`Index:` names another file"));
    }
    if command.is_some_and(|command| !command.ends_with(&format!(" {old} {new}")) && !is_mercurial(command, is_name)) {
        return Err(Kind::HeadersDisagree("the `diff` line names other files"));
    }
    Ok(())
}

fn spelled(side: &Side) -> &str {
    match side {
        Side::Absent => "/dev/null",
        Side::NotYet(name) => name,
        Side::Name(name) => &name.text,
    }
}

/// `diff -r 0123456789ab NAME` or `diff -r 0123456789ab -r cdef01234567 NAME`.
fn is_mercurial(command: &str, is_name: impl Fn(&str) -> bool) -> bool {
    let revision = |text: &str| -> Option<usize> {
        let id = text.strip_prefix("-r ")?.split(' ').next()?;
        (id.len() == 12 && id.bytes().all(|b| b.is_ascii_hexdigit())).then_some("-r ".len() + id.len() + 1)
    };
    let skip = |text: &str| revision(text).and_then(|len| text.get(len..).map(str::to_owned));
    let Some(rest) = skip(command) else {
        return false;
    };
    is_name(&skip(&rest).unwrap_or(rest))
}

type Names = (ChangeKind, Option<RepoPath>, Option<RepoPath>);

/// What the two sides come to. A name with the epoch's date is of a file that is not there, and still must be the same
/// as the other one.
fn names(old: &Side, new: &Side) -> Result<Names, Kind> {
    match (old, new) {
        (Side::Absent | Side::NotYet(_), Side::Absent | Side::NotYet(_)) => {
            Err(Kind::HeadersDisagree("the file is there on neither side"))
        }
        (Side::Absent, Side::Name(new)) => Ok((ChangeKind::Add, None, Some(lone_name(new)?))),
        (Side::Name(old), Side::Absent) => Ok((ChangeKind::Delete, Some(lone_name(old)?), None)),
        (Side::NotYet(old), Side::Name(new)) => Ok((ChangeKind::Add, None, Some(common_name(old, closed(new)?)?))),
        (Side::Name(old), Side::NotYet(new)) => Ok((ChangeKind::Delete, Some(common_name(closed(old)?, new)?), None)),
        (Side::Name(old), Side::Name(new)) => {
            let path = common_name(closed(old)?, closed(new)?)?;
            Ok((ChangeKind::Modify, Some(path.clone()), Some(path)))
        }
    }
}

fn common_name(old: &str, new: &str) -> Result<RepoPath, Kind> {
    let (old, new) = name::strip_pair(old, new).ok_or(Kind::Prefix)?;
    if old != new {
        return Err(Kind::HeadersDisagree("`---` and `+++` name different files"));
    }
    name::path(new)
}

fn lone_name(name: &Name) -> Result<RepoPath, Kind> {
    let name = closed(name)?;
    // An absolute name has no prefix to take off; saying so tells more than the missing prefix would.
    let stripped = if name.starts_with('/') { Some(name) } else { name::strip_one(name) };
    name::path(stripped.ok_or(Kind::Prefix)?)
}

/// The text of a name that ends at one place only.
fn closed(name: &Name) -> Result<&str, Kind> {
    if name.open { Err(Kind::OpenName) } else { Ok(&name.text) }
}
