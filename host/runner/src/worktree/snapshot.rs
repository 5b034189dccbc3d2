//! What the gate needs to know of the base to judge one patch, as data.

use std::collections::{BTreeMap, BTreeSet};

use gephost_core::gate::{Base, BaseEntry, BlobState};
use gephost_core::path::RepoPath;
use unicode_normalization::UnicodeNormalization;

use super::{BaseTree, Node, ReadError};

impl BaseTree {
    /// The entries at the given paths and at every folder above them, with the bytes of files up to `max_bytes` each,
    /// and the paths of the commit that a case-insensitive file system could not tell from a new one (or from a new
    /// folder above it).
    pub fn snapshot(&self, paths: &[RepoPath], max_bytes: u64) -> Result<Base, ReadError> {
        let wanted: BTreeSet<RepoPath> = paths.iter().flat_map(|path| with_folders_above(path.as_str())).collect();
        let mut entries = BTreeMap::new();
        let mut new = Vec::new();
        for path in wanted {
            let entry = match self.get(&path) {
                None => {
                    new.push(path);
                    continue;
                }
                Some(Node::Directory) => BaseEntry::Directory,
                Some(Node::Gitlink) => BaseEntry::Gitlink,
                Some(Node::File { mode, .. }) => {
                    BaseEntry::Blob(BlobState { mode, content: self.read(&path, max_bytes)? })
                }
            };
            entries.insert(path, entry);
        }
        Ok(Base { commit: self.commit().to_owned(), entries, case_collisions: self.collisions(&new) })
    }

    fn collisions(&self, new: &[RepoPath]) -> Vec<RepoPath> {
        let keys: BTreeSet<String> = new.iter().map(|path| collision_key(path.as_str())).collect();
        if keys.is_empty() {
            return Vec::new();
        }
        self.entries()
            .map(|(path, _)| path)
            .filter(|path| keys.contains(&collision_key(path.as_str())))
            .cloned()
            .collect()
    }
}

fn with_folders_above(path: &str) -> impl Iterator<Item = RepoPath> + '_ {
    let folders = path.match_indices('/').filter_map(|(at, _)| path.get(..at));
    // A part of a path that passed is a path that passes.
    folders.chain([path]).filter_map(|part| RepoPath::new(part).ok())
}

/// Equal for two names that the file systems of macOS or Windows take for one.
fn collision_key(path: &str) -> String {
    if path.is_ascii() {
        return path.to_ascii_lowercase();
    }
    path.nfd().collect::<String>().to_lowercase().nfd().collect()
}

#[cfg(test)]
mod tests {
    use super::super::Project;
    use super::super::scratch::{Scratch, blob, path};
    use super::*;

    fn snapshot(scratch: &Scratch, paths: &[&str]) -> Base {
        let project = Project::open(&scratch.root).expect("a repository");
        let paths: Vec<RepoPath> = paths.iter().map(|text| path(text)).collect();
        project.base(&scratch.head()).expect("a base").snapshot(&paths, 1 << 20).expect("a snapshot")
    }

    #[test]
    fn a_path_brings_the_folders_above_it() {
        let base = snapshot(&Scratch::new(), &["sub/deep/c.txt", "sub/new/d.txt"]);
        let expected = BTreeMap::from([
            (path("sub"), BaseEntry::Directory),
            (path("sub/deep"), BaseEntry::Directory),
            (path("sub/deep/c.txt"), BaseEntry::Blob(blob("c\n"))),
        ]);
        assert_eq!(base.entries, expected);
        assert_eq!(base.case_collisions, []);
    }

    #[test]
    fn a_file_in_the_way_of_a_folder_is_told() {
        let base = snapshot(&Scratch::new(), &["a.txt/x"]);
        assert_eq!(base.entries, BTreeMap::from([(path("a.txt"), BaseEntry::Blob(blob("one\n")))]));
    }

    #[test]
    fn new_names_collide_by_case_beyond_ascii_too() {
        let scratch = Scratch::new();
        scratch.write("Caf\u{e9}.txt", "x");
        scratch.commit("composed");
        for (new, old) in
            [("A.TXT", "a.txt"), ("SUB/x", "sub"), ("sub/B.py", "sub/b.py"), ("CAF\u{c9}.txt", "Caf\u{e9}.txt")]
        {
            assert_eq!(snapshot(&scratch, &[new]).case_collisions, [path(old)], "{new}");
        }
        assert_eq!(snapshot(&scratch, &["a.txt", "b.txt"]).case_collisions, []);
    }
}
