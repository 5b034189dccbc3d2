//! Resolves a parsed change against the base: the bytes of each path before and after.
//!
//! What must stay true: the canonical patch is made from the bytes that apply will write (invariant 3).

use std::collections::BTreeSet;

use super::fit::Fitting;
use super::parsed_change::Part;
use super::{ApprovedChange, Base, Violation};
use crate::patch::{ChangeKind, FilePatch, Patch, count_lines, emit};
use crate::path::RepoPath;

/// A change, resolved against its base.
#[derive(Debug)]
pub(super) struct Resolved {
    /// What does not fit. If there is anything, `changes` and `patch` hold the visible part of the changes that do not
    /// fit, so that the layers can report more; nothing of it is ever approved.
    pub(super) wrong: Vec<Violation>,
    /// Sorted by path; each one differs.
    pub(super) changes: Vec<ApprovedChange>,
    /// The canonical patch, one file for each of the changes, in their order.
    pub(super) patch: Patch,
    /// Every path that the change names as changed, whether it differs or not.
    pub(super) touched: BTreeSet<RepoPath>,
    /// The sources of copies.
    pub(super) sources: BTreeSet<RepoPath>,
    /// Hunks that apply away from their stated place.
    pub(super) moved: Vec<Violation>,
    /// Lines of diff text: of the proposed diff, or of the canonical one for a change given as content.
    pub(super) text_lines: u64,
    /// The same in bytes.
    pub(super) text_bytes: u64,
}

/// Fits all parts to the base.
pub(super) fn resolve<'a>(parts: impl Iterator<Item = &'a Part>, base: &Base) -> Resolved {
    let mut fitting = Fitting::new(base);
    let (mut touched, mut sources, mut by_content) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    let (mut text_lines, mut text_bytes) = (0, 0);
    for part in parts {
        match part {
            Part::Diff { patch, lines, bytes } => {
                text_lines += lines;
                text_bytes += bytes;
                for file in &patch.files {
                    let names = if file.kind == ChangeKind::Copy { &mut sources } else { &mut touched };
                    names.extend(file.old_path.clone());
                    touched.extend(file.new_path.clone());
                    fitting.add_file(file);
                }
            }
            Part::Content { path, content } => {
                by_content.insert(path.clone());
                fitting.add_content(path, content);
            }
            Part::Delete { path } => {
                by_content.insert(path.clone());
                fitting.add_deletion(path);
            }
        }
    }
    let (changes, patch, wrong, moved) = fitting.finish();
    for file in patch.files.iter().filter(|file| file.paths().any(|path| by_content.contains(path))) {
        let (lines, bytes) = text_size(file);
        text_lines += lines;
        text_bytes += bytes;
    }
    touched.extend(by_content);
    Resolved { wrong, changes, patch, touched, sources, moved, text_lines, text_bytes }
}

/// Lines and bytes of a file's canonical diff.
fn text_size(file: &FilePatch) -> (u64, u64) {
    let text = emit(&Patch { files: vec![file.clone()] });
    (count_lines(&text) as u64, text.len() as u64)
}
