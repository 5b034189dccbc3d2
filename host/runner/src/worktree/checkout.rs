//! Which paths git tracks now: the index. Reads the index file only.

use gephost_core::path::RepoPath;
use git2::Oid;

use super::{GitError, Project};

/// Bits of an entry's mode that say what it is, and the value of a submodule.
const KIND: u32 = 0o170_000;
const GITLINK: u32 = 0o160_000;

impl Project {
    /// The tracked files and links below the project's folder, each with the blob that the index has for it. Submodules
    /// are left out, and names that are no [`RepoPath`]. A path in conflict is there once, with one of its blobs.
    pub fn tracked(&self) -> Result<Vec<(RepoPath, Oid)>, GitError> {
        let repository = self.repository();
        let mut index = repository.index()?;
        // What the file says now, not what it said when the repository was opened.
        index.read(true)?;
        let mut prefix = self.prefix().join(&b'/');
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        let entries = index.iter().filter(|entry| entry.mode & KIND != GITLINK);
        let below = entries.filter_map(|entry| {
            let path = std::str::from_utf8(entry.path.strip_prefix(prefix.as_slice())?).ok()?;
            Some((RepoPath::new(path).ok()?, entry.id))
        });
        Ok(below.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::super::scratch::Scratch;
    use super::*;

    fn names(scratch: &Scratch, folder: &str) -> Vec<String> {
        let project = Project::open(&scratch.root.join(folder)).expect("a repository");
        project.tracked().expect("an index").into_iter().map(|(path, _)| path.as_str().to_owned()).collect()
    }

    #[test]
    fn the_tracked_are_those_of_git_ls_files() {
        let scratch = Scratch::new();
        scratch.write("untracked.txt", "x");
        scratch.write("staged.txt", "x");
        scratch.git(&["add", "staged.txt"]);
        for folder in ["", "sub", "sub/deep"] {
            let git = super::super::scratch::git_in(&scratch.root.join(folder), &["ls-files"]).expect("a list");
            assert_eq!(names(&scratch, folder), git.lines().collect::<Vec<_>>(), "{folder:?}");
        }
        assert!(names(&scratch, "").contains(&"staged.txt".to_owned()));
    }

    #[test]
    fn what_is_staged_after_the_repository_was_opened_counts() {
        let scratch = Scratch::new();
        let project = Project::open(&scratch.root).expect("a repository");
        let before = project.tracked().expect("an index").len();
        scratch.write("later.txt", "x");
        scratch.git(&["add", "later.txt"]);
        scratch.git(&["update-index", "--add", "--cacheinfo", &format!("160000,{},module", scratch.head())]);
        assert_eq!(project.tracked().expect("an index").len(), before + 1, "and no submodule");
    }

    #[test]
    fn a_broken_index_is_told() {
        let scratch = Scratch::new();
        let project = Project::open(&scratch.root).expect("a repository");
        std::fs::write(scratch.root.join(".git/index"), "DIRC nonsense").expect("our file");
        assert!(project.tracked().is_err());
    }
}
