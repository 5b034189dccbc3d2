//! What the gate needs to know of the base to judge one patch, as data.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use gephost_core::gate::{Base, BaseEntry, BlobState, FileMode, LoaderSearch, ParsedChange};
use gephost_core::path::RepoPath;
use unicode_normalization::UnicodeNormalization;

use super::{BaseTree, Node, ReadError};

/// Most files of the base that are searched for a program that runs a changed text.
const MOST_SEARCHED: usize = 4_096;

/// Most bytes of them together.
const MOST_SEARCHED_BYTES: u64 = 32 << 20;

/// Most bytes of one of them. Longer files are not searched.
const LONGEST_SEARCHED: u64 = 1 << 20;

impl BaseTree {
    /// What the gate needs for a change: [`Self::snapshot`] of its paths, and the programs of the commit that run a text
    /// of the change. Up to 4,096 programs and 32 MiB are searched for these, the nearest to the text first. The base
    /// counts the programs that were left out.
    pub fn snapshot_for(&self, change: &ParsedChange, max_bytes: u64) -> Result<Base, ReadError> {
        let mut base = self.snapshot(&change.base_paths(), max_bytes)?;
        if let Some(search) = LoaderSearch::of(change) {
            let (found, unsearched) = self.loaders(&search, MOST_SEARCHED);
            base.unsearched = unsearched;
            for (path, state) in found {
                base.entries.entry(path).or_insert(BaseEntry::Blob(state));
            }
        }
        Ok(base)
    }

    /// The programs that the search finds among the nearest `most`, and the number of those that were not searched. A file
    /// that cannot be read or is too long counts as not searched.
    fn loaders(&self, search: &LoaderSearch, most: usize) -> (Vec<(RepoPath, BlobState)>, u64) {
        let is_program = |(path, mode): &(&RepoPath, FileMode)| *mode != FileMode::Symlink && search.reads(path);
        let mut programs: Vec<_> = self.files().filter(is_program).collect();
        programs.sort_by_key(|(path, _)| Reverse(search.nearness(path)));
        let (mut found, mut bytes, mut searched) = (Vec::new(), 0, 0);
        let all = programs.len() as u64;
        for (path, mode) in programs.into_iter().take(most) {
            let Ok(content) = self.read(path, LONGEST_SEARCHED) else { continue };
            bytes += content.len() as u64;
            searched += 1;
            let state = BlobState { mode, content };
            if search.finds(path, &state) {
                found.push((path.clone(), state));
            }
            if bytes > MOST_SEARCHED_BYTES {
                break;
            }
        }
        (found, all - searched)
    }

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
        Ok(Base { commit: self.commit().to_owned(), entries, case_collisions: self.collisions(&new), unsearched: 0 })
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
    fn programs_that_run_a_changed_text_come_along() {
        use gephost_core::proposal::{Change, Proposal};
        let scratch = Scratch::new();
        scratch.write("scripts/build.sh", "set -e\nbash docs/steps.md\n");
        scratch.write("scripts/other.sh", "cp docs/steps.md out\n");
        scratch.write("docs/steps.md", "echo\n");
        scratch.commit("a program that runs a text");
        let project = Project::open(&scratch.root).expect("a repository");
        let base = |path: &str| {
            let changes = vec![Change::NewContent { path: path.to_owned(), content: b"x\n".to_vec() }];
            let change = ParsedChange::read(Proposal { changes, ..Proposal::from_diff("") });
            project.base(&scratch.head()).expect("a base").snapshot_for(&change, 1 << 20).expect("a snapshot")
        };
        let with = base("docs/steps.md");
        assert!(
            with.entries.contains_key(&path("scripts/build.sh"))
                && !with.entries.contains_key(&path("scripts/other.sh"))
        );
        assert!(!base("docs/more.md").entries.contains_key(&path("scripts/build.sh")));
        assert!(!base("sub/x.py").entries.contains_key(&path("scripts/build.sh")));
        assert_eq!(base("docs/steps.md").unsearched, 0);
    }

    #[test]
    fn programs_that_were_not_searched_are_counted() {
        use gephost_core::proposal::{Change, Proposal};
        let scratch = Scratch::new();
        for name in ["docs/near.sh", "a/far.sh", "b/far.sh"] {
            scratch.write(name, "true\n");
        }
        scratch.write("docs/long.sh", &"# long\n".repeat(200_000));
        scratch.write("docs/steps.md", "echo\n");
        scratch.commit("programs");
        let project = Project::open(&scratch.root).expect("a repository");
        let base = project.base(&scratch.head()).expect("a base");
        let changes = vec![Change::NewContent { path: "docs/steps.md".to_owned(), content: b"x\n".to_vec() }];
        let change = ParsedChange::read(Proposal { changes, ..Proposal::from_diff("") });
        assert_eq!(base.snapshot_for(&change, 1 << 20).expect("a snapshot").unsearched, 1, "one is too long");
        let search = LoaderSearch::of(&change).expect("a text");
        let all = base.loaders(&search, MOST_SEARCHED).1;
        assert!(base.loaders(&search, 1).1 > all, "and more of them with a lower bound");
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
