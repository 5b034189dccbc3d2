//! A git tree object as its raw bytes say: names and modes are kept exactly, whether or not git would write them.
//!
//! libgit2's own tree builder refuses or rewrites odd entries; here an entry that nobody asked to change comes out as
//! it went in, byte for byte. No I/O but the one read and the one write of an object.

use git2::{ObjectType, Odb, Oid};

/// Kind bits of a mode, as git stores them.
const KIND_MASK: u32 = 0o170_000;
const DIRECTORY: u32 = 0o040_000;
const REGULAR: u32 = 0o100_000;
const SYMLINK: u32 = 0o120_000;
const GITLINK: u32 = 0o160_000;
/// Bytes of an object id. Repositories of the SHA-256 format do not open with the libgit2 that is built in.
const ID_BYTES: usize = 20;

/// One entry, raw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeEntry {
    /// Mode digits as they stand in the object.
    pub(super) mode: u32,
    /// Name, without a slash in any tree that git made.
    pub(super) name: Vec<u8>,
    /// What it names.
    pub(super) id: Oid,
}

/// What an entry is, by its mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    Directory,
    Regular,
    Executable,
    Symlink,
    Gitlink,
    /// A mode that git does not know.
    Unknown,
}

/// Why a tree cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum TreeError {
    #[error("{0}")]
    Git(#[from] super::GitError),
    #[error("tree object {0} is malformed: run `git fsck`")]
    Malformed(Oid),
    #[error("object {0} is named as a folder and is not a tree: run `git fsck`")]
    NotATree(Oid),
}

impl TreeEntry {
    pub(super) fn kind(&self) -> EntryKind {
        match self.mode & KIND_MASK {
            DIRECTORY => EntryKind::Directory,
            REGULAR if self.mode & 0o100 != 0 => EntryKind::Executable,
            REGULAR => EntryKind::Regular,
            SYMLINK => EntryKind::Symlink,
            GITLINK => EntryKind::Gitlink,
            _ => EntryKind::Unknown,
        }
    }

    /// git's order: by name, a folder as if its name ended in a slash.
    fn sort_key(&self) -> impl Iterator<Item = u8> + '_ {
        let slash = (self.kind() == EntryKind::Directory).then_some(b'/');
        self.name.iter().copied().chain(slash)
    }
}

/// Reads and parses one tree.
pub(super) fn read_tree(odb: &Odb<'_>, id: Oid) -> Result<Vec<TreeEntry>, TreeError> {
    let (_, kind) = odb.read_header(id).map_err(super::GitError)?;
    if kind != ObjectType::Tree {
        return Err(TreeError::NotATree(id));
    }
    let object = odb.read(id).map_err(super::GitError)?;
    parse_tree(object.data()).ok_or(TreeError::Malformed(id))
}

/// Writes one tree; the entries are put in git's order.
pub(super) fn write_tree(odb: &Odb<'_>, mut entries: Vec<TreeEntry>) -> Result<Oid, super::GitError> {
    entries.sort_by(|a, b| a.sort_key().cmp(b.sort_key()));
    Ok(odb.write(ObjectType::Tree, &encode_tree(&entries))?)
}

fn encode_tree(entries: &[TreeEntry]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for entry in entries {
        bytes.extend_from_slice(format!("{:o} ", entry.mode).as_bytes());
        bytes.extend_from_slice(&entry.name);
        bytes.push(0);
        bytes.extend_from_slice(entry.id.as_bytes());
    }
    bytes
}

fn parse_tree(mut rest: &[u8]) -> Option<Vec<TreeEntry>> {
    let mut entries = Vec::new();
    while !rest.is_empty() {
        let space = rest.iter().take(8).position(|&byte| byte == b' ')?;
        let mode = u32::from_str_radix(std::str::from_utf8(rest.get(..space)?).ok()?, 8).ok()?;
        rest = rest.get(space + 1..)?;
        let end = rest.iter().position(|&byte| byte == 0)?;
        let name = rest.get(..end).filter(|name| !name.is_empty())?.to_vec();
        rest = rest.get(end + 1..)?;
        let (id, after) = rest.split_at_checked(ID_BYTES)?;
        entries.push(TreeEntry { mode, name, id: Oid::from_bytes(id).ok()? });
        rest = after;
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(mode: u32, name: &[u8]) -> TreeEntry {
        TreeEntry { mode, name: name.to_vec(), id: Oid::from_bytes(&[7; ID_BYTES]).expect("20 bytes") }
    }

    #[test]
    fn odd_names_and_modes_come_back_as_they_were() {
        let entries = vec![entry(0o100_664, b"\xff\xfe"), entry(0o100_600, b"a\nb"), entry(0o12, b".git")];
        assert_eq!(parse_tree(&encode_tree(&entries)), Some(entries));
    }

    #[test]
    fn every_cut_of_a_tree_is_malformed_or_whole_entries() {
        let bytes = encode_tree(&[entry(0o100_644, b"a"), entry(0o040_000, b"b")]);
        let whole = bytes.len();
        let first = encode_tree(&[entry(0o100_644, b"a")]).len();
        for cut in 0..=whole {
            let parsed = parse_tree(&bytes[..cut]);
            assert_eq!(parsed.is_some(), [0, first, whole].contains(&cut), "cut at {cut}");
        }
    }

    #[test]
    fn a_folder_sorts_as_if_a_slash_ended_it() {
        let mut entries = [entry(0o040_000, b"a"), entry(0o100_644, b"a.txt"), entry(0o100_644, b"a0")];
        entries.sort_by(|a, b| a.sort_key().cmp(b.sort_key()));
        let names: Vec<_> = entries.iter().map(|e| e.name.as_slice()).collect();
        assert_eq!(names, [b"a.txt".as_slice(), b"a", b"a0"]);
    }

    #[test]
    fn modes_tell_the_kind() {
        for (mode, kind) in [
            (0o100_644, EntryKind::Regular),
            (0o100_664, EntryKind::Regular),
            (0o100_755, EntryKind::Executable),
            (0o120_000, EntryKind::Symlink),
            (0o160_000, EntryKind::Gitlink),
            (0o040_000, EntryKind::Directory),
            (0o060_000, EntryKind::Unknown),
            (0, EntryKind::Unknown),
        ] {
            assert_eq!(entry(mode, b"x").kind(), kind, "{mode:o}");
        }
    }
}
