//! Applies the parts of a change to the base, one after another, in memory.
//!
//! What must stay true: no path changes twice, and no path leads through or replaces a symlink or a submodule.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::misfit::Misfit;
use super::{ApprovedChange, Base, BaseEntry, BlobState, FileMode, Violation};
use crate::patch::{ChangeKind, FilePatch, Hunk, Line, MakeError, Patch, apply, make};
use crate::path::RepoPath;
use crate::pattern::fold_case;

/// The changes so far.
pub(super) struct Fitting<'a> {
    base: &'a Base,
    changes: BTreeMap<RepoPath, ApprovedChange>,
    /// The visible part of changes that do not fit.
    seen: Vec<(ApprovedChange, FilePatch)>,
    moved: Vec<Violation>,
    wrong: Vec<Violation>,
}

impl<'a> Fitting<'a> {
    pub(super) fn new(base: &'a Base) -> Self {
        Self { base, changes: BTreeMap::new(), seen: Vec::new(), moved: Vec::new(), wrong: Vec::new() }
    }

    /// Sets a file's whole content; its mode stays.
    pub(super) fn add_content(&mut self, path: &RepoPath, content: &Arc<[u8]>) {
        let put = self.before(path).map(Option::<&BlobState>::cloned).and_then(|before| {
            let mode = before.as_ref().map_or(FileMode::Regular, |blob| blob.mode);
            self.put(path, before, Some(BlobState { mode, content: Arc::clone(content) }))
        });
        if let Err(misfit) = put {
            let after = BlobState { mode: FileMode::Regular, content: Arc::clone(content) };
            let file = make(None, Some(&after), path).ok();
            let change = ApprovedChange { path: path.clone(), before: None, after: Some(after) };
            self.misfit(&misfit, change, file);
        }
    }

    /// Deletes a file.
    pub(super) fn add_deletion(&mut self, path: &RepoPath) {
        let before = self.existing(path).cloned();
        if let Err(misfit) = before.and_then(|before| self.put(path, Some(before), None)) {
            let change = ApprovedChange { path: path.clone(), before: None, after: None };
            self.misfit(&misfit, change, None);
        }
    }

    /// Applies a file's patch.
    pub(super) fn add_file(&mut self, file: &FilePatch) {
        let Some(path) = file.new_path.as_ref().or(file.old_path.as_ref()) else {
            return;
        };
        if let Err(misfit) = self.fit_file(file) {
            let side = |of: fn(&Line) -> bool| BlobState { mode: FileMode::Regular, content: visible(&file.hunks, of) };
            let before = file.old_path.as_ref().map(|_| side(Line::is_old));
            let after = file.new_path.as_ref().map(|_| side(Line::is_new));
            let change = ApprovedChange { path: path.clone(), before, after };
            self.misfit(&misfit, change, Some(file.clone()));
        }
    }

    fn misfit(&mut self, misfit: &Misfit, change: ApprovedChange, file: Option<FilePatch>) {
        self.wrong.push(misfit.violation(&change.path));
        self.seen.extend(file.map(|file| (change, file)));
    }

    fn fit_file(&mut self, file: &FilePatch) -> Result<(), Misfit> {
        if [file.old_mode, file.new_mode].contains(&Some(FileMode::Symlink)) {
            return Err(Misfit::Symlink);
        }
        match (file.kind, &file.old_path, &file.new_path) {
            (ChangeKind::Delete, Some(old), _) => self.delete_file(file, old),
            (ChangeKind::Rename | ChangeKind::Copy, Some(old), Some(new)) => self.move_file(file, old, new),
            (_, _, Some(new)) => self.edit_file(file, new),
            _ => Ok(()),
        }
    }

    /// The plain file that the base has at a path, if any. Anything else there is a misfit.
    fn before(&self, path: &RepoPath) -> Result<Option<&'a BlobState>, Misfit> {
        for parent in path.ancestors() {
            match self.base.entries.get(&parent) {
                None | Some(BaseEntry::Directory) => {}
                Some(BaseEntry::Gitlink) => return Err(Misfit::Submodule),
                Some(BaseEntry::Blob(blob)) if blob.mode == FileMode::Symlink => {
                    return Err(Misfit::BehindSymlink(parent));
                }
                Some(BaseEntry::Blob(_)) => return Err(Misfit::BelowFile(parent)),
            }
        }
        match self.base.entries.get(path) {
            None => Ok(None),
            Some(BaseEntry::Directory) => Err(Misfit::Directory),
            Some(BaseEntry::Gitlink) => Err(Misfit::Submodule),
            Some(BaseEntry::Blob(blob)) if blob.mode == FileMode::Symlink => Err(Misfit::Symlink),
            Some(BaseEntry::Blob(blob)) => Ok(Some(blob)),
        }
    }

    fn existing(&self, path: &RepoPath) -> Result<&'a BlobState, Misfit> {
        self.before(path)?.ok_or(Misfit::Missing)
    }

    fn absent(&self, path: &RepoPath) -> Result<(), Misfit> {
        if self.before(path)?.is_some() { Err(Misfit::Exists) } else { Ok(()) }
    }

    fn put(&mut self, path: &RepoPath, before: Option<BlobState>, after: Option<BlobState>) -> Result<(), Misfit> {
        if self.changes.contains_key(path) {
            return Err(Misfit::Twice);
        }
        self.changes.insert(path.clone(), ApprovedChange { path: path.clone(), before, after });
        Ok(())
    }

    /// Adds or edits a file.
    fn edit_file(&mut self, file: &FilePatch, path: &RepoPath) -> Result<(), Misfit> {
        let before = if file.kind == ChangeKind::Add {
            self.absent(path)?;
            None
        } else {
            self.before(path)?
        };
        if before.is_none() && file.kind != ChangeKind::Add && !file.may_create {
            return Err(Misfit::Missing);
        }
        let after = self.patched(file, path, before)?;
        self.put(path, before.cloned(), Some(after))
    }

    fn delete_file(&mut self, file: &FilePatch, path: &RepoPath) -> Result<(), Misfit> {
        let before = self.existing(path)?;
        if !self.patched(file, path, Some(before))?.content.is_empty() {
            return Err(Misfit::LeftOver);
        }
        self.put(path, Some(before.clone()), None)
    }

    fn move_file(&mut self, file: &FilePatch, old: &RepoPath, new: &RepoPath) -> Result<(), Misfit> {
        let before = self.existing(old)?;
        self.absent(new)?;
        let after = self.patched(file, new, Some(before))?;
        if file.kind == ChangeKind::Rename {
            self.put(old, Some(before.clone()), None)?;
        }
        self.put(new, None, Some(after))
    }

    /// The file after the hunks.
    fn patched(&mut self, file: &FilePatch, path: &RepoPath, before: Option<&BlobState>) -> Result<BlobState, Misfit> {
        if file.old_mode.is_some() && file.old_mode != before.map(|blob| blob.mode) {
            return Err(Misfit::Mode);
        }
        let content = before.map_or(&[][..], |blob| &blob.content);
        let done = apply(&file.hunks, content).map_err(Misfit::Apply)?;
        for (number, offset) in done.offsets.iter().enumerate().filter(|(_, offset)| **offset != 0) {
            let message = format!("hunk {} applies {offset:+} lines away from the place it states", number + 1);
            self.moved
                .push(Violation::flag("hunk-offset", message, "base the diff on the current base commit").at(path));
        }
        let mode = file.new_mode.or(before.map(|blob| blob.mode)).unwrap_or(FileMode::Regular);
        Ok(BlobState { mode, content: Arc::from(done.content) })
    }

    /// Checks what needs all paths: a path below another one, and paths that some systems treat as the same. Names of
    /// new folders count too. Two spellings that the base already has are not the change's fault.
    fn check_together(&mut self) {
        let stays = |path: &RepoPath| self.changes.get(path).is_some_and(|change| change.after.is_some());
        let goes = |path: &RepoPath| self.changes.get(path).is_some_and(|change| change.after.is_none());
        let key = |path: &RepoPath| fold_case(path.as_str()).into_owned();
        let there = self.base.case_collisions.iter().filter(|path| !goes(path));
        let mut spelled: HashMap<String, RepoPath> = there.map(|path| (key(path), path.clone())).collect();
        for path in self.changes.keys().filter(|path| stays(path)) {
            for part in std::iter::once(path.clone()).chain(path.ancestors()) {
                let known = self.base.entries.contains_key(&part);
                let other = spelled.entry(key(&part)).or_insert_with(|| part.clone());
                if *other != part && !known {
                    self.wrong.push(Misfit::Collision(other.clone()).violation(path));
                    break;
                }
            }
            if let Some(file) = path.ancestors().find(stays) {
                self.wrong.push(Misfit::BelowFile(file).violation(path));
            }
        }
    }

    /// The changes that make a difference, their canonical patch, the misfits, and the moved hunks.
    pub(super) fn finish(mut self) -> (Vec<ApprovedChange>, Patch, Vec<Violation>, Vec<Violation>) {
        self.check_together();
        let (mut changes, mut patch) = (Vec::new(), Patch::default());
        for (path, change) in self.changes.into_iter().filter(|(_, change)| change.before != change.after) {
            match make(change.before.as_ref(), change.after.as_ref(), &path) {
                Ok(file) => {
                    patch.files.push(file);
                    changes.push(change);
                }
                Err(MakeError::Converted) => self.wrong.push(Misfit::Converted.violation(&path)),
                Err(_) => self.wrong.push(Misfit::Binary.violation(&path)),
            }
        }
        for (change, file) in self.seen {
            changes.push(change);
            patch.files.push(file);
        }
        (changes, patch, self.wrong, self.moved)
    }
}

/// One side of the file, as far as the hunks show it.
fn visible(hunks: &[Hunk], of: fn(&Line) -> bool) -> Arc<[u8]> {
    let lines = hunks.iter().flat_map(|hunk| &hunk.lines).filter(|line| of(line));
    let text: String = lines.flat_map(|line| [line.text.as_str(), "\n"]).collect();
    Arc::from(text.into_bytes())
}
