//! Walks the trees of a commit and keeps what can be shown of them. Reads the object store only.

use gephost_core::gate::FileMode;
use gephost_core::path::RepoPath;
use git2::{Odb, Oid};

use super::tree_object::{EntryKind, TreeEntry, TreeError, read_tree};

/// Entries that are shown of one commit, at most. Trees can be built that name billions with a few objects.
pub(super) const MAX_ENTRIES: usize = 1_000_000;
/// Bytes of one path, at most; nothing deeper is shown. Linux opens no longer one either.
const MAX_PATH_BYTES: usize = 4096;

/// What a path is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Node {
    /// A file or a symlink, and its blob.
    File {
        /// Its mode.
        mode: FileMode,
        /// Its blob.
        id: Oid,
    },
    /// A folder.
    Directory,
    /// A submodule.
    Gitlink,
}

/// The tree at a path of folders, if there is one.
pub(super) fn descend(odb: &Odb<'_>, root: Oid, path: &[Vec<u8>]) -> Result<Option<Oid>, TreeError> {
    let mut tree = root;
    for name in path {
        let entries = read_tree(odb, tree)?;
        match entries.iter().find(|entry| entry.name == *name && entry.kind() == EntryKind::Directory) {
            Some(entry) => tree = entry.id,
            None => return Ok(None),
        }
    }
    Ok(Some(tree))
}

/// Everything below a tree that can be shown, sorted; `None` when that is more than a project may have.
pub(super) fn load(odb: &Odb<'_>, root: Oid) -> Result<Option<Vec<(RepoPath, Node)>>, TreeError> {
    let mut found = Vec::new();
    let mut waiting = vec![(String::new(), root)];
    // What is hidden counts too, so that a tree of hidden names cannot keep this busy for ever.
    let mut seen = 0_usize;
    while let Some((above, tree)) = waiting.pop() {
        for entry in read_tree(odb, tree)? {
            seen += 1;
            if seen > MAX_ENTRIES {
                return Ok(None);
            }
            let Some((path, node)) = shown(&above, &entry) else {
                continue;
            };
            if node == Node::Directory {
                waiting.push((format!("{path}/"), entry.id));
            }
            found.push((path, node));
        }
    }
    found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    Ok(Some(found))
}

fn shown(above: &str, entry: &TreeEntry) -> Option<(RepoPath, Node)> {
    let node = match entry.kind() {
        EntryKind::Directory => Node::Directory,
        EntryKind::Gitlink => Node::Gitlink,
        EntryKind::Regular => Node::File { mode: FileMode::Regular, id: entry.id },
        EntryKind::Executable => Node::File { mode: FileMode::Executable, id: entry.id },
        EntryKind::Symlink => Node::File { mode: FileMode::Symlink, id: entry.id },
        EntryKind::Unknown => return None,
    };
    let name = std::str::from_utf8(&entry.name).ok().filter(|name| !name.contains('/'))?;
    if above.len() + name.len() > MAX_PATH_BYTES {
        return None;
    }
    Some((RepoPath::new(&format!("{above}{name}")).ok()?, node))
}
