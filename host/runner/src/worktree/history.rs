//! Finds the commit that was checked out at a time, as far as history tells.

use git2::Oid;
use jiff::Timestamp;

use super::{GitError, Project};

/// Most commits that are looked at.
const MAX_COMMITS: usize = 1_000_000;

/// The commit of a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitAt {
    /// Full hexadecimal id.
    pub commit: String,
    /// Whether even this one, the oldest that there is, is newer than the time.
    pub is_newer: bool,
}

impl Project {
    /// The newest commit that is no newer than `at`, following first parents from `HEAD`, by committer's time; the oldest
    /// commit if all are newer. A clock that went back between two commits makes the answer newer than it could be.
    pub fn commit_at(&self, at: Timestamp) -> Result<CommitAt, GitError> {
        let repository = self.repository();
        let mut id: Oid = repository.head()?.peel_to_commit()?.id();
        for _ in 0..MAX_COMMITS {
            let commit = repository.find_commit(id)?;
            if commit.time().seconds() <= at.as_second() {
                return Ok(CommitAt { commit: id.to_string(), is_newer: false });
            }
            // The parents of a shallow clone's last commit are not there.
            match commit.parent(0) {
                Ok(parent) => id = parent.id(),
                Err(_) => break,
            }
        }
        Ok(CommitAt { commit: id.to_string(), is_newer: true })
    }
}

#[cfg(test)]
mod tests {
    use super::super::scratch::Scratch;
    use super::*;

    #[test]
    fn the_commit_of_a_time_is_the_newest_that_is_no_newer() {
        let scratch = Scratch::unborn();
        let at = |second: i64| Timestamp::from_second(second).expect("a time");
        let repository = git2::Repository::open(&scratch.root).expect("a repository");
        let tree = repository.treebuilder(None).and_then(|builder| builder.write()).expect("an empty tree");
        let tree = repository.find_tree(tree).expect("the tree");
        let mut commits: Vec<String> = Vec::new();
        for second in [1000, 2000, 3000] {
            let by = git2::Signature::new("a", "a@b", &git2::Time::new(second, 60)).expect("a signature");
            let parent =
                commits.last().map(|id| repository.find_commit(Oid::from_str(id).expect("an id")).expect("a commit"));
            let parents: Vec<&git2::Commit<'_>> = parent.iter().collect();
            let id = repository.commit(Some("HEAD"), &by, &by, "change", &tree, &parents).expect("a commit");
            commits.push(id.to_string());
        }
        let project = Project::open(&scratch.root).expect("a project");
        let found = |second: i64| project.commit_at(at(second)).expect("a commit");
        for (second, commit, is_newer) in
            [(5000, 2, false), (3000, 2, false), (2999, 1, false), (1000, 0, false), (999, 0, true)]
        {
            let expect = CommitAt { commit: commits[commit].clone(), is_newer };
            assert_eq!(found(second), expect, "{second}");
        }
    }
}
