//! Whether a tree holds what was approved, and nothing else (invariant 3). Reads the object store only.

use std::collections::BTreeMap;

use gephost_core::gate::{ApprovedChange, BlobState, FileMode};
use gephost_core::path::RepoPath;
use git2::{ObjectType, Odb, Oid};

use super::apply_error::ApplyError;
use super::difference::{Difference, Leaf as DiffLeaf, difference};
use super::tree_object::{EntryKind, TreeEntry};

/// What the raw difference of the commit must be, from the approved list alone.
pub(super) fn expected_difference(prefix: &[Vec<u8>], changes: &[ApprovedChange]) -> Result<Difference, git2::Error> {
    let leaf = |state: &Option<BlobState>| -> Result<Option<DiffLeaf>, git2::Error> {
        let Some(state) = state else { return Ok(None) };
        Ok(Some((git_mode(state.mode), Oid::hash_object(ObjectType::Blob, &state.content)?)))
    };
    let mut expected = BTreeMap::new();
    for change in changes {
        expected.insert(full_path(prefix, &change.path), (leaf(&change.before)?, leaf(&change.after)?));
    }
    Ok(expected)
}

fn full_path(prefix: &[Vec<u8>], path: &RepoPath) -> Vec<u8> {
    let mut full = Vec::new();
    for folder in prefix {
        full.extend_from_slice(folder);
        full.push(b'/');
    }
    full.extend_from_slice(path.as_str().as_bytes());
    full
}

pub(super) fn verify(
    odb: &Odb<'_>,
    base: Oid,
    tree: Oid,
    expected: &Difference,
    changes: &[ApprovedChange],
) -> Result<(), ApplyError> {
    let actual: Difference = difference(odb, base, tree)?
        .into_iter()
        .map(|(path, (before, after))| (path, (before.map(with_plain_mode), after)))
        .collect();
    let differs = |path: &&Vec<u8>| actual.get(*path) != expected.get(*path);
    if let Some(path) = expected.keys().chain(actual.keys()).find(differs) {
        return Err(ApplyError::NotAsApproved { path: String::from_utf8_lossy(path).into_owned() });
    }
    for change in changes {
        let Some(state) = &change.after else { continue };
        let stored = odb.read(Oid::hash_object(ObjectType::Blob, &state.content)?)?;
        if stored.data() != &*state.content {
            return Err(ApplyError::NotAsApproved { path: change.path.to_string() });
        }
    }
    Ok(())
}

/// Old trees hold modes such as 100664, which the gate was shown as 100644; so it is compared.
fn with_plain_mode((mode, id): DiffLeaf) -> DiffLeaf {
    let plain = match (TreeEntry { mode, name: Vec::new(), id }).kind() {
        EntryKind::Regular => git_mode(FileMode::Regular),
        EntryKind::Executable => git_mode(FileMode::Executable),
        _ => mode,
    };
    (plain, id)
}

/// The mode that git stores.
pub(super) fn git_mode(mode: FileMode) -> u32 {
    match mode {
        FileMode::Regular => 0o100_644,
        FileMode::Executable => 0o100_755,
        FileMode::Symlink => 0o120_000,
    }
}
