//! What git writes between `diff --git` and `---`: modes, renames, copies, similarity and ids.

use super::{ChangeKind, ParseErrorKind as Kind, name};
use crate::path::RepoPath;
use crate::tree::FileMode;

/// What git writes between `diff --git` and `---`.
#[derive(Default)]
pub(super) struct Extended {
    pub(super) old_mode: Option<FileMode>,
    pub(super) new_mode: Option<FileMode>,
    pub(super) new_file: Option<FileMode>,
    pub(super) deleted_file: Option<FileMode>,
    pub(super) rename_from: Option<RepoPath>,
    pub(super) rename_to: Option<RepoPath>,
    pub(super) copy_from: Option<RepoPath>,
    pub(super) copy_to: Option<RepoPath>,
    similarity: Option<()>,
    dissimilarity: Option<()>,
    index: Option<()>,
}

impl Extended {
    /// Takes one header line; false where the line is not one.
    pub(super) fn take(&mut self, line: &str) -> Result<bool, Kind> {
        let after = |prefix| line.strip_prefix(prefix);
        if let Some(text) = after("old mode ") {
            set(&mut self.old_mode, mode(text)?)?;
        } else if let Some(text) = after("new mode ") {
            set(&mut self.new_mode, mode(text)?)?;
        } else if let Some(text) = after("new file mode ") {
            set(&mut self.new_file, mode(text)?)?;
        } else if let Some(text) = after("deleted file mode ") {
            set(&mut self.deleted_file, mode(text)?)?;
        } else if let Some(text) = after("rename from ") {
            set(&mut self.rename_from, name::bare(text)?)?;
        } else if let Some(text) = after("rename to ") {
            set(&mut self.rename_to, name::bare(text)?)?;
        } else if let Some(text) = after("copy from ") {
            set(&mut self.copy_from, name::bare(text)?)?;
        } else if let Some(text) = after("copy to ") {
            set(&mut self.copy_to, name::bare(text)?)?;
        } else if let Some(text) = after("similarity index ") {
            set(&mut self.similarity, percentage(text)?)?;
        } else if let Some(text) = after("dissimilarity index ") {
            set(&mut self.dissimilarity, percentage(text)?)?;
        } else if let Some(text) = after("index ") {
            set(&mut self.index, index(text)?)?;
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    /// Which kind of change the headers tell, if they tell one.
    pub(super) fn kind(&self) -> Result<ChangeKind, Kind> {
        if self.rename_from.is_some() != self.rename_to.is_some() || self.copy_from.is_some() != self.copy_to.is_some()
        {
            return Err(Kind::HeadersDisagree("`from` and `to` come together"));
        }
        if self.old_mode.is_some() != self.new_mode.is_some() {
            return Err(Kind::HeadersDisagree("`old mode` and `new mode` come together"));
        }
        if self.old_mode.is_some() && self.old_mode == self.new_mode {
            return Err(Kind::HeadersDisagree("`old mode` and `new mode` are the same"));
        }
        let told = [
            (self.new_file.is_some(), ChangeKind::Add),
            (self.deleted_file.is_some(), ChangeKind::Delete),
            (self.rename_from.is_some(), ChangeKind::Rename),
            (self.copy_from.is_some(), ChangeKind::Copy),
        ];
        let mut told = told.into_iter().filter_map(|(is, kind)| is.then_some(kind));
        let kind = told.next().unwrap_or(ChangeKind::Modify);
        let moded = matches!(kind, ChangeKind::Add | ChangeKind::Delete) && self.old_mode.is_some();
        if told.next().is_some() || moded {
            return Err(Kind::HeadersDisagree("new, deleted, renamed, copied and changed mode exclude each other"));
        }
        Ok(kind)
    }
}

fn set<T>(slot: &mut Option<T>, value: T) -> Result<(), Kind> {
    match slot.replace(value) {
        None => Ok(()),
        Some(_) => Err(Kind::DuplicateHeader),
    }
}

fn mode(text: &str) -> Result<FileMode, Kind> {
    match text {
        "100644" => Ok(FileMode::Regular),
        "100755" => Ok(FileMode::Executable),
        "120000" => Ok(FileMode::Symlink),
        "160000" => Err(Kind::Submodule),
        _ => Err(Kind::IllegalMode),
    }
}

fn percentage(text: &str) -> Result<(), Kind> {
    let number = text.strip_suffix('%').and_then(|digits| digits.parse::<u8>().ok());
    if number.is_some_and(|n| n <= 100) { Ok(()) } else { Err(Kind::UnexpectedHeader) }
}

/// `index OLD..NEW` or `index OLD..NEW MODE`. The ids say nothing that the base does not say better; the mode is the
/// file's unchanged one.
fn index(text: &str) -> Result<(), Kind> {
    let (ids, unchanged) = text.split_once(' ').map_or((text, None), |(ids, mode)| (ids, Some(mode)));
    let is_id = |id: &str| (4..=64).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_hexdigit());
    if !ids.split_once("..").is_some_and(|(old, new)| is_id(old) && is_id(new)) {
        return Err(Kind::UnexpectedHeader);
    }
    match unchanged.map(mode).transpose()? {
        Some(FileMode::Symlink) => Err(Kind::SymlinkChange),
        _ => Ok(()),
    }
}
