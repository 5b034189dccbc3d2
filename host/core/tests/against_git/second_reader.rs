//! The same question to diffy, a reader of diffs that shares nothing with git's or ours: what it would change and we do
//! not list is a fault of ours.

use std::borrow::Cow;

use diffy::apply_bytes;
use diffy::patch_set::{FileMode, FileOperation, ParseOptions, PatchSet};

use super::scene::Tree;

/// The tree after diffy, or nothing where it does not read the diff or does not find the places.
pub(crate) fn apply(diff: &str, tree: &Tree) -> Option<Tree> {
    let is_git = diff.lines().any(|line| line.starts_with("diff --git "));
    let options = if is_git { ParseOptions::gitdiff() } else { ParseOptions::unidiff() };
    let mut after = tree.clone();
    for patch in PatchSet::parse_bytes(diff.as_bytes(), options) {
        let patch = patch.ok()?;
        let (from, to) = sides(patch.operation())?;
        let before = match &from {
            Some(name) => tree.get(name)?.clone(),
            None => (Vec::new(), false),
        };
        let content = apply_bytes(&before.0, patch.patch().as_text()?).ok()?;
        let executable = patch.new_mode().map_or(before.1, |mode| *mode == FileMode::Executable);
        if let Some(from) = from.filter(|_| !patch.operation().is_copy()) {
            after.remove(&from);
        }
        after.extend(to.map(|name| (name, (content, executable))));
    }
    Some(after)
}

/// The names before and after. Those of renames and copies have no prefix.
fn sides(operation: &FileOperation<'_, [u8]>) -> Option<(Option<String>, Option<String>)> {
    let text = |name: &Cow<'_, [u8]>| String::from_utf8(name.to_vec()).ok();
    Some(match operation {
        FileOperation::Rename { from, to } | FileOperation::Copy { from, to } => (Some(text(from)?), Some(text(to)?)),
        other => match other.strip_prefix(1) {
            FileOperation::Delete(name) => (Some(text(&name)?), None),
            FileOperation::Create(name) => (None, Some(text(&name)?)),
            FileOperation::Modify { original, modified } => (Some(text(&original)?), Some(text(&modified)?)),
            FileOperation::Rename { .. } | FileOperation::Copy { .. } => return None,
        },
    })
}
