//! The changes of a parsed against the base: what each path is before and after, as bytes.
//!
//! What must stay true: the canonical patch is made from the bytes that apply will write (invariant 3).

use std::collections::BTreeSet;

use super::fit::Fitting;
use super::parsed_change::Part;
use super::{ApprovedChange, Base, Violation};
use crate::patch::{ChangeKind, FilePatch, Patch, count_lines, emit};
use crate::path::RepoPath;

/// What a parsed's changes come to.
#[derive(Debug)]
pub(super) struct Resolved {
    /// What does not fit. With any, `changes` and `patch` hold for a change that does not fit what could be seen of
    /// it, so that the layers can say more, and nothing of it is ever approved.
    pub(super) wrong: Vec<Violation>,
    /// Sorted by path; none without a difference.
    pub(super) changes: Vec<ApprovedChange>,
    /// The canonical patch, one file for each of the changes, in their order.
    pub(super) patch: Patch,
    /// Every path that the changes name as changed, with a difference or not.
    pub(super) touched: BTreeSet<RepoPath>,
    /// Files that were copied from.
    pub(super) sources: BTreeSet<RepoPath>,
    /// Hunks that were moved.
    pub(super) moved: Vec<Violation>,
    /// Lines of diff text: as it came, or canonical where content came.
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
