//! Whether a landing would touch anything that a person has not committed. Changes nothing.

#![expect(clippy::disallowed_methods, reason = "libgit2 names checkouts by path")]

use git2::{Index, IndexEntry, IndexEntryExtendedFlag, IndexEntryFlag};

use super::super::refs::current;
use super::super::rollback::{checkout_of, checkouts_of};
use super::super::state::operation_name;
use super::super::tree_object::EntryKind;
use super::conversion::conversion;
use super::error::{LandError, io, refused};
use super::files::Stands;
use super::path::as_path;
use super::scene::{Scene, Step, entry_at};

/// Refuses with the first reason that there is.
pub(super) fn check(scene: &Scene<'_>, index: &Index) -> Result<(), LandError> {
    if let Some(operation) = operation_name(scene.repository.state()) {
        return Err(LandError::InProgress(operation));
    }
    check_branch(scene)?;
    if index.has_conflicts() {
        return Err(LandError::Unmerged);
    }
    let config = scene.repository.config()?;
    let is = |key| config.get_bool(key).unwrap_or(false);
    let habits = Habits {
        folds_case: is("core.ignorecase"),
        no_links: !config.get_bool("core.symlinks").unwrap_or(true),
        sparse: is("core.sparsecheckout") || index.iter().any(|entry| is_left_out(&entry)),
    };
    scene.steps.iter().try_for_each(|step| check_step(scene, index, &habits, step))
}

/// What this checkout does otherwise than most.
struct Habits {
    /// Names that differ in case only are one (`core.ignorecase`).
    folds_case: bool,
    /// Links are written as files (`core.symlinks`).
    no_links: bool,
    /// Not every file is there.
    sparse: bool,
}

fn check_branch(scene: &Scene<'_>) -> Result<(), LandError> {
    let into = scene.forward.into;
    let name = scene.ref_name();
    let head = scene.repository.find_reference("HEAD")?;
    let at = current(scene.repository, &name)?;
    if head.symbolic_target_bytes() != Some(name.as_bytes()) || at != Some(scene.from) {
        return Err(LandError::Moved { into: into.to_owned(), from: scene.forward.from.to_owned() });
    }
    let common = scene.repository.commondir();
    let checkouts =
        checkouts_of(common, &name).map_err(|source| LandError::Io { path: common.display().to_string(), source })?;
    // The git folder of a submodule is not in its checkout.
    let here = std::fs::canonicalize(scene.repository.path()).ok();
    match checkouts.into_iter().find(|other| std::fs::canonicalize(other).ok() != here) {
        Some(other) => Err(LandError::CheckedOutTwice { into: into.to_owned(), checkout: checkout_of(&other) }),
        None => Ok(()),
    }
}

fn check_step(scene: &Scene<'_>, index: &Index, habits: &Habits, step: &Step) -> Result<(), LandError> {
    let no = |why| Err(refused(&step.path, why));
    let failed = io(as_path(&step.path));
    for content in [&step.old, &step.new].into_iter().flatten() {
        match content.kind() {
            EntryKind::Regular | EntryKind::Executable => {
                if let Some(why) = conversion(scene.repository, &step.path, content.bytes())? {
                    return no(why);
                }
            }
            EntryKind::Symlink if habits.no_links => {
                return no("this checkout has no symbolic links (core.symlinks is false)");
            }
            EntryKind::Symlink => {}
            _ => return no("it is not a file"),
        }
    }
    if let Some(entry) = index.get_path(as_path(&step.path), 0) {
        if is_left_out(&entry) {
            return no("it is not checked out here (sparse checkout)");
        }
        if entry.flags & IndexEntryFlag::VALID.bits() != 0 {
            return no("git assumes that it does not change (assume-unchanged)");
        }
    } else if step.before.is_none() && habits.sparse {
        return no("this checkout is sparse, and git may want to leave the new file out");
    }
    if entry_at(index, &step.path) != step.before {
        return no("it has staged changes");
    }
    if step.before.is_none() {
        check_new_name(index, habits, &step.path)?;
    }
    if scene.checkout.is_in_another_repository(&step.path).map_err(&failed)? {
        return no("another repository is checked out there");
    }
    match (scene.checkout.stands(&step.path, step.old.as_ref()).map_err(failed)?, step.before) {
        (Stands::AsExpected, _) => Ok(()),
        (Stands::Nothing, _) => no("it was deleted, and that is not committed"),
        (Stands::Other, Some(_)) => no("it has changes that are not committed"),
        (Stands::Other, None) => no("a file that is not tracked is in the way"),
    }
}

/// Whether the index has room for a new name.
fn check_new_name(index: &Index, habits: &Habits, path: &[u8]) -> Result<(), LandError> {
    let no = |why| Err(refused(path, why));
    for (at, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
        if path.get(..at).is_some_and(|folder| index.get_path(as_path(folder), 0).is_some()) {
            return no("the index has a file or a submodule where this change needs a folder");
        }
    }
    let below = [path, b"/"].concat();
    for entry in index.iter() {
        if entry.path.starts_with(&below) {
            return no("the index has a folder in its place");
        }
        let folded = habits.folds_case && entry.path.len() >= path.len();
        if folded && entry.path.get(..path.len()).is_some_and(|start| start.eq_ignore_ascii_case(path)) {
            return no("a tracked name differs from it in case only, and this checkout ignores case");
        }
    }
    Ok(())
}

fn is_left_out(entry: &IndexEntry) -> bool {
    entry.flags_extended & IndexEntryExtendedFlag::SKIP_WORKTREE.bits() != 0
}
