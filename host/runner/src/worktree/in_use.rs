//! Whether a published change is part of what is checked out. Reads objects only.

use git2::{Delta, Oid};

use super::{GitError, Project};

impl Project {
    /// Whether the commit of `HEAD` holds a change that was published as `commit`: it descends from it, or, after a
    /// squash or a rebase, has the same content in every file that the change touches.
    pub fn is_in_use(&self, commit: &str) -> Result<bool, GitError> {
        let repository = self.repository();
        let head = repository.head()?.peel_to_commit()?;
        // Deleted with its branch and cleaned away by git: nobody can have it.
        let Ok(change) = Oid::from_str(commit).and_then(|id| repository.find_commit(id)) else { return Ok(false) };
        if head.id() == change.id() || repository.graph_descendant_of(head.id(), change.id())? {
            return Ok(true);
        }
        let Ok(parent) = change.parent(0) else { return Ok(false) };
        let (before, after, now) = (parent.tree()?, change.tree()?, head.tree()?);
        let difference = repository.diff_tree_to_tree(Some(&before), Some(&after), None)?;
        for delta in difference.deltas() {
            let file = if delta.status() == Delta::Deleted { delta.old_file() } else { delta.new_file() };
            let Some(path) = file.path() else { return Ok(false) };
            let there = now.get_path(path).ok().map(|entry| entry.id());
            let wanted = (delta.status() != Delta::Deleted).then(|| delta.new_file().id());
            if there != wanted {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Project;
    use super::super::scratch::Scratch;

    #[test]
    fn a_change_is_in_use_once_it_is_merged_squashed_or_rebased_and_not_before() {
        let scratch = Scratch::new();
        scratch.git(&["checkout", "-q", "-b", "evo/x"]);
        scratch.write("a.txt", "two\n");
        std::fs::remove_file(scratch.root.join("sub/b.py")).expect("a file");
        let change = scratch.commit("change");
        scratch.git(&["checkout", "-q", "main"]);
        let project = Project::open(&scratch.root).expect("a repository");
        let is_in_use = || project.is_in_use(&change).expect("it can be told");
        assert!(!is_in_use());
        scratch.write("other.txt", "later\n");
        scratch.commit("later");
        assert!(!is_in_use());
        scratch.git(&["cherry-pick", &change]);
        assert!(is_in_use(), "the same content under another commit");
        scratch.git(&["reset", "-q", "--hard", "HEAD^"]);
        scratch.git(&["merge", "-q", "--no-edit", "evo/x"]);
        scratch.write("a.txt", "three\n");
        scratch.commit("on top");
        assert!(is_in_use(), "merged, and worked on since");
        assert!(!project.is_in_use(&"0".repeat(40)).expect("it can be told"), "a commit that is not there");
    }
}
