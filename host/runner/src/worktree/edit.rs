//! Rewrites a tree with a few entries set or removed. Every other entry keeps its bytes. Writes objects only.

use std::collections::BTreeMap;

use git2::{Odb, Oid};

use super::tree_object::{EntryKind, TreeEntry, TreeError, read_tree, write_tree};

/// Mode of a folder.
const DIRECTORY: u32 = 0o040_000;

/// What must be at one name of one folder.
#[derive(Debug, Default)]
pub(super) struct Edit {
    /// What the name itself becomes; `None` where only something below it changes.
    own: Option<Leaf>,
    /// What changes below it.
    below: BTreeMap<Vec<u8>, Edit>,
}

/// What becomes of a file.
#[derive(Debug, Clone, Copy)]
pub(super) enum Leaf {
    Set { mode: u32, id: Oid },
    Remove,
}

/// Why a tree cannot be rewritten as asked.
#[derive(Debug, thiserror::Error)]
pub(super) enum EditError {
    #[error(transparent)]
    Tree(#[from] TreeError),
    #[error("there is a file where a folder is needed, or a folder where a file is needed")]
    Conflict,
    #[error("the folder names an entry twice: run `git fsck`")]
    NamedTwice,
}

impl Edit {
    /// Adds one file's change, by the names on the way to it.
    pub(super) fn add<'a>(&mut self, names: impl IntoIterator<Item = &'a [u8]>, leaf: Leaf) {
        let mut at = self;
        for name in names {
            at = at.below.entry(name.to_vec()).or_default();
        }
        at.own = Some(leaf);
    }

    /// The new id of `tree` after the change; `None` when nothing is left in it. `written` gathers the new objects.
    pub(super) fn rewrite(
        &self,
        odb: &Odb<'_>,
        tree: Option<Oid>,
        written: &mut Vec<Oid>,
    ) -> Result<Option<Oid>, EditError> {
        let mut entries = tree.map_or(Ok(Vec::new()), |id| read_tree(odb, id))?;
        for (name, edit) in &self.below {
            let old = take(&mut entries, name)?;
            if let Some(new) = edit.entry(odb, name, old, written)? {
                entries.push(new);
            }
        }
        if entries.is_empty() {
            return Ok(None);
        }
        let id = write_tree(odb, entries).map_err(TreeError::Git)?;
        written.push(id);
        Ok(Some(id))
    }

    fn entry(
        &self,
        odb: &Odb<'_>,
        name: &[u8],
        old: Option<TreeEntry>,
        written: &mut Vec<Oid>,
    ) -> Result<Option<TreeEntry>, EditError> {
        let (old_folder, old_file) = match old {
            Some(entry) if entry.kind() == EntryKind::Directory => (Some(entry), None),
            other => (None, other),
        };
        let mode = old_folder.as_ref().map_or(DIRECTORY, |entry| entry.mode);
        let old_tree = old_folder.map(|entry| entry.id);
        let tree = if self.below.is_empty() { old_tree } else { self.rewrite(odb, old_tree, written)? };
        let file = match self.own {
            Some(Leaf::Set { mode, id }) => Some(TreeEntry { mode, name: name.to_vec(), id }),
            Some(Leaf::Remove) => None,
            None => old_file,
        };
        match (file, tree) {
            (Some(_), Some(_)) => Err(EditError::Conflict),
            (Some(file), None) => Ok(Some(file)),
            (None, tree) => Ok(tree.map(|id| TreeEntry { mode, name: name.to_vec(), id })),
        }
    }
}

fn take(entries: &mut Vec<TreeEntry>, name: &[u8]) -> Result<Option<TreeEntry>, EditError> {
    let mut taken = entries.extract_if(.., |entry| entry.name == name);
    let first = taken.next();
    match taken.next() {
        Some(_) => Err(EditError::NamedTwice),
        None => Ok(first),
    }
}
