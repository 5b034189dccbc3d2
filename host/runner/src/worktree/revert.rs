//! Makes the commit that undoes a landed change, on top of what `HEAD` names. In memory, as every commit.
//!
//! Nothing is parsed and nothing is judged anew: the change is the inverse of one that the gate approved, taken from its
//! commit, and what later work did to the same lines stays or stops it.

use std::sync::Arc;

use gephost_core::gate::{ApprovedChange, BlobState, FileMode};
use gephost_core::path::RepoPath;
use git2::{MergeFileInput, Odb, Oid, merge_file};

use super::apply::{Committed, commit_changes};
use super::apply_error::ApplyError;
use super::difference::{Leaf, difference};
use super::tree_object::{EntryKind, TreeEntry, TreeError, read_tree};
use super::{CommitMessage, GitError, Identity, Project};

/// Why there is no such commit.
#[derive(Debug, thiserror::Error)]
pub enum RevertError {
    /// Later work has changed the same lines or the same file.
    #[error("{path} was changed later where this change was: undo that first, or change it by hand")]
    DependedOn {
        /// The file, from the repository's root.
        path: String,
    },
    /// Nothing is left of it.
    #[error("nothing of it is left at HEAD: it was undone already")]
    Undone,
    /// A path that gephost cannot have written.
    #[error("{path} is not in this project")]
    Outside {
        /// The file, from the repository's root.
        path: String,
    },
    /// The commit cannot be made.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// git failed.
    #[error("{0}")]
    Git(#[from] GitError),
    /// A broken tree.
    #[error("{0}")]
    Tree(String),
}

impl From<git2::Error> for RevertError {
    fn from(error: git2::Error) -> Self {
        Self::Git(error.into())
    }
}

impl From<TreeError> for RevertError {
    fn from(error: TreeError) -> Self {
        Self::Tree(error.to_string())
    }
}

/// Whether what `HEAD` names has this commit in its history.
pub fn is_in_head(project: &Project, commit: &str) -> Result<bool, GitError> {
    let head = project.head()?.commit;
    let (head, commit) = (Oid::from_str(&head)?, Oid::from_str(commit)?);
    Ok(head == commit || project.repository().graph_descendant_of(head, commit)?)
}

/// The commit that undoes `commit`, which is in the history of `HEAD`.
pub fn revert(
    project: &Project,
    commit: &str,
    message: &CommitMessage,
    identity: &Identity,
) -> Result<Committed, RevertError> {
    let head = project.head()?.commit;
    let changes = inverse(project, commit, &head)?;
    if changes.is_empty() {
        return Err(RevertError::Undone);
    }
    Ok(commit_changes(project, &head, &changes, message, identity)?)
}

fn inverse(project: &Project, commit: &str, head: &str) -> Result<Vec<ApprovedChange>, RevertError> {
    let repository = project.repository();
    let odb = repository.odb()?;
    let commit = repository.find_commit(Oid::from_str(commit)?)?;
    let head = repository.find_commit(Oid::from_str(head)?)?.tree_id();
    let mut changes = Vec::new();
    for (path, (before, after)) in difference(&odb, commit.parent(0)?.tree_id(), commit.tree_id())? {
        let now = leaf_at(&odb, head, &path)?;
        if now == before {
            continue;
        }
        let shown = String::from_utf8_lossy(&path).into_owned();
        let wanted = if now == after {
            state(&odb, before)?
        } else {
            Some(without(&odb, before, after, now)?.ok_or_else(|| RevertError::DependedOn { path: shown.clone() })?)
        };
        let below = within(project.prefix(), &path).and_then(|path| RepoPath::new(path).ok());
        let below = below.ok_or(RevertError::Outside { path: shown })?;
        changes.push(ApprovedChange { path: below, before: state(&odb, now)?, after: wanted });
    }
    Ok(changes)
}

/// A file of now without what the change did to it; nothing where later work touches the same lines.
fn without(
    odb: &Odb<'_>,
    before: Option<Leaf>,
    after: Option<Leaf>,
    now: Option<Leaf>,
) -> Result<Option<BlobState>, RevertError> {
    let (Some(before), Some(after), Some(now)) = (state(odb, before)?, state(odb, after)?, state(odb, now)?) else {
        return Ok(None);
    };
    let symlink = [&before, &after, &now].iter().any(|state| state.mode == FileMode::Symlink);
    if symlink || before.mode != after.mode {
        return Ok(None);
    }
    let (mut ancestor, mut ours, mut theirs) = (MergeFileInput::new(), MergeFileInput::new(), MergeFileInput::new());
    ancestor.content(&after.content);
    ours.content(&now.content);
    theirs.content(&before.content);
    let merged = merge_file(&ancestor, &ours, &theirs, None)?;
    Ok(merged.is_automergeable().then(|| BlobState { mode: now.mode, content: Arc::from(merged.content()) }))
}

fn state(odb: &Odb<'_>, leaf: Option<Leaf>) -> Result<Option<BlobState>, RevertError> {
    let Some((mode, id)) = leaf else { return Ok(None) };
    let mode = match (TreeEntry { mode, name: Vec::new(), id }).kind() {
        EntryKind::Executable => FileMode::Executable,
        EntryKind::Symlink => FileMode::Symlink,
        EntryKind::Regular => FileMode::Regular,
        _ => return Err(RevertError::Tree(format!("object {id} is not a file"))),
    };
    Ok(Some(BlobState { mode, content: Arc::from(odb.read(id)?.data()) }))
}

fn leaf_at(odb: &Odb<'_>, tree: Oid, path: &[u8]) -> Result<Option<Leaf>, TreeError> {
    let mut names = path.split(|&byte| byte == b'/').peekable();
    let mut tree = tree;
    while let Some(name) = names.next() {
        let Some(entry) = read_tree(odb, tree)?.into_iter().find(|entry| entry.name == name) else { return Ok(None) };
        match (names.peek().is_some(), entry.kind() == EntryKind::Directory) {
            (true, true) => tree = entry.id,
            (false, false) => return Ok(Some((entry.mode, entry.id))),
            _ => return Ok(None),
        }
    }
    Ok(None)
}

fn within<'a>(prefix: &[Vec<u8>], path: &'a [u8]) -> Option<&'a str> {
    let mut rest = path;
    for folder in prefix {
        rest = rest.strip_prefix(folder.as_slice())?.strip_prefix(b"/")?;
    }
    std::str::from_utf8(rest).ok()
}

#[cfg(test)]
mod tests {
    use super::super::objects::persist;
    use super::super::scratch::{Scratch, change, identity, message};
    use super::super::{Mark, Project};
    use super::*;

    const BASE: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

    /// A repository in which a change of line 2, a new file and a deletion have landed.
    fn landed() -> (Scratch, Project, String) {
        let scratch = Scratch::new();
        scratch.write("n.txt", BASE);
        scratch.commit("numbers");
        let project = Project::open(&scratch.root).expect("a repository");
        let changes = [
            change("a.txt", Some("one\n"), None),
            change("n.txt", Some(BASE), Some(&BASE.replace('2', "two"))),
            change("new.txt", None, Some("new\n")),
        ];
        let committed = commit_changes(&project, &scratch.head(), &changes, &message(), &identity()).expect("a commit");
        persist(&project.repository(), committed.objects(), &Mark::of("x")).expect("on disk");
        scratch.git(&["merge", "-q", "--ff-only", committed.commit()]);
        (scratch, project, committed.commit().to_owned())
    }

    #[test]
    fn a_revert_takes_back_its_change_and_keeps_later_work() {
        let (scratch, project, commit) = landed();
        assert!(is_in_head(&project, &commit).expect("a look"));
        scratch.write("n.txt", &BASE.replace('2', "two").replace('9', "nine"));
        scratch.write("other", "later\n");
        scratch.commit("later work");
        let reverted = revert(&project, &commit, &message(), &identity()).expect("a commit");
        persist(&project.repository(), reverted.objects(), &Mark::of("y")).expect("on disk");
        let show = |path: &str| scratch.git(&["show", &format!("{}:{path}", reverted.commit())]);
        assert_eq!(show("n.txt"), BASE.replace('9', "nine").trim_end());
        assert_eq!((show("a.txt").as_str(), show("other").as_str()), ("one", "later"));
        scratch.git_fails(&["cat-file", "-e", &format!("{}:new.txt", reverted.commit())]);
        scratch.git(&["fsck", "--strict"]);
    }

    #[test]
    fn later_work_on_the_same_lines_or_files_stops_it_and_is_named() {
        for (path, content) in [("n.txt", BASE.replace('2', "zwei")), ("new.txt", "built upon\n".to_owned())] {
            let (scratch, project, commit) = landed();
            scratch.write(path, &content);
            scratch.commit("later work");
            let refused = revert(&project, &commit, &message(), &identity()).expect_err(path).to_string();
            assert!(refused.starts_with(path), "{refused}");
        }
        let (scratch, project, commit) = landed();
        scratch.git(&["revert", "--no-edit", &commit]);
        assert!(matches!(revert(&project, &commit, &message(), &identity()), Err(RevertError::Undone)));
    }
}
