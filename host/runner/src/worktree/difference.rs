//! The raw difference of two trees: names, modes and blob ids. No rename detection, nothing left out. Reads only.

use std::collections::BTreeMap;

use git2::{Odb, Oid};

use super::tree_object::{EntryKind, TreeEntry, TreeError, read_tree};

/// Mode and object id of something that is no folder.
pub(super) type Leaf = (u32, Oid);
/// Path from the root of the trees, with what is there before and after.
pub(super) type Difference = BTreeMap<Vec<u8>, (Option<Leaf>, Option<Leaf>)>;

/// Everything that is not the same in both. Folders that share an id are not entered, so the cost is that of the
/// difference.
pub(super) fn difference(odb: &Odb<'_>, before: Oid, after: Oid) -> Result<Difference, TreeError> {
    let mut found = Difference::new();
    let mut waiting = vec![(Vec::new(), Some(before), Some(after))];
    while let Some((above, before, after)) = waiting.pop() {
        if before == after {
            continue;
        }
        for (name, (old, new)) in pair_up(entries_of(odb, before)?, entries_of(odb, after)?) {
            let mut path = above.clone();
            path.extend_from_slice(&name);
            let (old_tree, old_leaf) = split(old);
            let (new_tree, new_leaf) = split(new);
            if old_leaf != new_leaf {
                found.insert(path.clone(), (old_leaf, new_leaf));
            }
            path.push(b'/');
            waiting.push((path, old_tree, new_tree));
        }
    }
    Ok(found)
}

type Pair = (Option<TreeEntry>, Option<TreeEntry>);

fn entries_of(odb: &Odb<'_>, tree: Option<Oid>) -> Result<Vec<TreeEntry>, TreeError> {
    tree.map_or(Ok(Vec::new()), |id| read_tree(odb, id))
}

fn pair_up(before: Vec<TreeEntry>, after: Vec<TreeEntry>) -> BTreeMap<Vec<u8>, Pair> {
    let mut pairs: BTreeMap<Vec<u8>, Pair> = BTreeMap::new();
    for entry in before {
        let pair = pairs.entry(entry.name.clone()).or_default();
        pair.0 = Some(entry);
    }
    for entry in after {
        let pair = pairs.entry(entry.name.clone()).or_default();
        pair.1 = Some(entry);
    }
    pairs
}

fn split(entry: Option<TreeEntry>) -> (Option<Oid>, Option<Leaf>) {
    match entry {
        None => (None, None),
        Some(entry) if entry.kind() == EntryKind::Directory => (Some(entry.id), None),
        Some(entry) => (None, Some((entry.mode, entry.id))),
    }
}
