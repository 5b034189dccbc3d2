//! Patches as plain data: read from text once, then never text again (invariant 3).
//!
//! [`parse`] is the only reader of unified diffs, [`apply`] carries one file's patch out in memory, [`make`] compares
//! two states of a file, and [`emit`] writes the one canonical form. What must stay true: `parse(emit(p)) == p`, and
//! whatever two readers could take differently does not parse. A file that is not UTF-8 is read and shown as Latin-1
//! ([`text`]); git does not apply the text of such a patch.

mod apply;
mod cursor;
mod diff;
mod emit;
mod error;
mod extended;
mod file;
mod git;
mod header;
mod hunk;
mod make;
mod name;
mod parse;
mod plain;
mod prose;
mod side;
mod text;

pub use apply::{Applied, ApplyError, MAX_OFFSET, apply};
pub use cursor::Limits;
pub use emit::emit;
pub use error::{ParseError, ParseErrorKind};
pub use make::{MakeError, is_text, make};
pub use parse::parse;

pub(crate) use cursor::count_lines;
pub(crate) use text::{is_foreign, shown};

use crate::path::RepoPath;
use crate::tree::FileMode;

/// Changes of one or more files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Patch {
    /// In the order of the text.
    pub files: Vec<FilePatch>,
}

/// What happens to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ChangeKind {
    /// The file is new.
    Add,
    /// Its content or its mode changes.
    Modify,
    /// The file is deleted.
    Delete,
    /// It moves, and may change on the way.
    Rename,
    /// Another file appears with its content, which may change on the way.
    Copy,
}

/// Changes of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatch {
    /// Whether the file is added, changed, deleted, renamed or copied.
    pub kind: ChangeKind,
    /// Where the content comes from; `None` for [`ChangeKind::Add`].
    pub old_path: Option<RepoPath>,
    /// Where the content goes; `None` for [`ChangeKind::Delete`].
    pub new_path: Option<RepoPath>,
    /// The mode before, where the patch states it.
    pub old_mode: Option<FileMode>,
    /// The mode after: always for [`ChangeKind::Add`], else where it changes.
    pub new_mode: Option<FileMode>,
    /// Whether the file need not be there before. A plain diff from no lines, under one name on both sides, is a new
    /// file to every reader where there is none, and an edit of an empty one where there is; git's own diffs say which.
    pub may_create: bool,
    /// In ascending order, without overlap.
    pub hunks: Vec<Hunk>,
}

impl FilePatch {
    /// Every path that the patch names, once each.
    pub fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        let new = self.new_path.as_ref().filter(|new| self.old_path.as_ref() != Some(new));
        self.old_path.as_ref().into_iter().chain(new)
    }
}

/// One run of changed lines with its surroundings. Line numbers start at 1; with a count of 0, the start is the line
/// before the gap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Number of the first line before the change, from 1. If there is none, that of the line before the place.
    pub old_start: u32,
    /// How many lines of before the hunk covers.
    pub old_count: u32,
    /// Number of the first line after the change, from 1. If there is none, that of the line before the place.
    pub new_start: u32,
    /// How many lines of after the hunk covers.
    pub new_count: u32,
    /// The lines, as many as the counts say.
    pub lines: Vec<Line>,
}

/// What a line of a hunk is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineKind {
    /// There before and after.
    Context,
    /// There after only.
    Add,
    /// There before only.
    Delete,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Whether it is context, or a line that is added or deleted.
    pub kind: LineKind,
    /// The line without its line feed; a carriage return is part of it.
    pub text: String,
    /// Whether the file ends here without a line feed.
    pub no_newline: bool,
}

impl Line {
    /// Whether it belongs to the file before.
    pub fn is_old(&self) -> bool {
        self.kind != LineKind::Add
    }

    /// Whether it belongs to the file after.
    pub fn is_new(&self) -> bool {
        self.kind != LineKind::Delete
    }
}
