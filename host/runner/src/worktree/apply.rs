//! Makes the commit of an approved change, in memory: [`publish`](super::publish()) writes it to disk.
//!
//! The commit is built from the parsed change alone (invariant 3): blobs from its bytes, trees from the base's raw
//! trees. Then it is read back, and its raw difference from the base must equal the approved list.

use gephost_core::gate::{Approved, ApprovedChange};
use git2::{ObjectType, Odb, Oid, Repository};

use super::apply_error::ApplyError;
use super::edit::{Edit, Leaf};
use super::verify::{expected_difference, git_mode, verify};
use super::{CommitMessage, GitError, Identity, Project};

/// A commit that was made and read back, and that nothing names yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    commit: String,
    base: String,
    /// Every object that it may have brought.
    objects: Vec<Oid>,
}

impl Committed {
    /// Full hexadecimal id of the commit.
    pub fn commit(&self) -> &str {
        &self.commit
    }

    /// Full hexadecimal id of its one parent.
    pub fn base(&self) -> &str {
        &self.base
    }

    pub(super) fn objects(&self) -> &[Oid] {
        &self.objects
    }
}

/// Makes the commit of an approved change, on the base that it was judged against. Nothing is written to disk.
pub fn apply(
    project: &Project,
    approved: &Approved,
    message: &CommitMessage,
    identity: &Identity,
) -> Result<Committed, ApplyError> {
    commit_changes(project, approved.base_commit(), approved.changes(), message, identity)
}

pub(super) fn commit_changes(
    project: &Project,
    base: &str,
    changes: &[ApprovedChange],
    message: &CommitMessage,
    identity: &Identity,
) -> Result<Committed, ApplyError> {
    if changes.is_empty() {
        return Err(ApplyError::Empty);
    }
    let repository = project.repository();
    let no_base = |error| ApplyError::NoBase { commit: base.to_owned(), source: GitError::from(error) };
    let parent = Oid::from_str(base).and_then(|id| repository.find_commit(id)).map_err(no_base)?;
    let odb = repository.odb()?;

    let mut written = Vec::new();
    let tree = write_tree(&odb, parent.tree_id(), project.prefix(), changes, &mut written)?;
    verify(&odb, parent.tree_id(), tree, &expected_difference(project.prefix(), changes)?, changes)?;

    let tree = repository.find_tree(tree)?;
    let commit = write_commit(&repository, &tree, &parent, message, identity)?;
    read_back(&repository, commit, &tree, parent.id())?;
    written.push(commit);
    Ok(Committed { commit: commit.to_string(), base: parent.id().to_string(), objects: written })
}

fn write_commit(
    repository: &Repository,
    tree: &git2::Tree<'_>,
    parent: &git2::Commit<'_>,
    message: &CommitMessage,
    identity: &Identity,
) -> Result<Oid, ApplyError> {
    let by = identity.signature()?;
    let Some(signer) = identity.signer() else {
        return Ok(repository.commit(None, &by, &by, message.as_str(), tree, &[parent])?);
    };
    let unsigned = repository.commit_create_buffer(&by, &by, message.as_str(), tree, &[parent])?;
    let unsigned = String::from_utf8_lossy(&unsigned).into_owned();
    Ok(repository.commit_signed(&unsigned, &signer.sign(&unsigned)?, None)?)
}

fn write_tree(
    odb: &Odb<'_>,
    base: Oid,
    prefix: &[Vec<u8>],
    changes: &[ApprovedChange],
    written: &mut Vec<Oid>,
) -> Result<Oid, ApplyError> {
    let mut edit = Edit::default();
    for change in changes {
        let leaf = match &change.after {
            None => Leaf::Remove,
            Some(state) => {
                let id = odb.write(ObjectType::Blob, &state.content)?;
                written.push(id);
                Leaf::Set { mode: git_mode(state.mode), id }
            }
        };
        let names = change.path.as_str().split('/').map(str::as_bytes);
        edit.add(prefix.iter().map(Vec::as_slice).chain(names), leaf);
    }
    if let Some(tree) = edit.rewrite(odb, Some(base), written)? {
        return Ok(tree);
    }
    // Every file was deleted: git names the empty tree.
    let empty = odb.write(ObjectType::Tree, &[])?;
    written.push(empty);
    Ok(empty)
}

fn read_back(repository: &Repository, commit: Oid, tree: &git2::Tree<'_>, parent: Oid) -> Result<(), ApplyError> {
    let commit = repository.find_commit(commit)?;
    if commit.tree_id() == tree.id() && commit.parent_ids().eq([parent]) {
        return Ok(());
    }
    Err(ApplyError::NotAsApproved { path: format!("commit {}", commit.id()) })
}

#[cfg(test)]
mod tests {
    use super::super::objects::persist;
    use super::super::scratch::{Scratch, blob, change, identity, message, path};
    use super::super::{Mark, tree_object};
    use gephost_core::gate::{BlobState, FileMode};

    use super::super::tree_object::TreeEntry;
    use super::*;

    fn apply_to(scratch: &Scratch, folder: &str, changes: &[ApprovedChange]) -> Result<Committed, ApplyError> {
        let project = Project::open(&scratch.root.join(folder)).expect("a repository");
        let committed = commit_changes(&project, &scratch.head(), changes, &message(), &identity())?;
        scratch.git_fails(&["cat-file", "-e", committed.commit()]);
        persist(&project.repository(), committed.objects(), &Mark::of("x")).expect("on disk, for git to see");
        Ok(committed)
    }

    fn raw_difference(scratch: &Scratch, committed: &Committed) -> Vec<String> {
        let raw = scratch.git(&["diff-tree", "-r", "--raw", "--no-renames", committed.base(), committed.commit()]);
        raw.lines()
            .map(|line| {
                let mut fields = line.trim_start_matches(':').split_ascii_whitespace();
                let (old, new) = (fields.next().unwrap_or_default(), fields.next().unwrap_or_default());
                format!("{old} {new} {}", fields.skip(2).collect::<Vec<_>>().join(" "))
            })
            .collect()
    }

    #[test]
    fn every_kind_of_change_is_what_git_sees() {
        let scratch = Scratch::new();
        let mode = |mode, content: &str| Some(BlobState { mode, ..blob(content) });
        let changes = [
            change("a.txt", Some("one\n"), Some("two\n")),
            ApprovedChange { path: path("link"), before: mode(FileMode::Symlink, "a.txt"), after: None },
            ApprovedChange { path: path("new/deep/x"), before: None, after: mode(FileMode::Executable, "") },
            ApprovedChange { path: path("new/l"), before: None, after: mode(FileMode::Symlink, "deep/x") },
            change("sub/deep/c.txt", Some("c\n"), None),
        ];
        let committed = apply_to(&scratch, "", &changes).expect("a commit");
        assert_eq!(
            raw_difference(&scratch, &committed),
            [
                "100644 100644 M a.txt",
                "120000 000000 D link",
                "000000 100755 A new/deep/x",
                "000000 120000 A new/l",
                "100644 000000 D sub/deep/c.txt",
            ]
        );
        assert_eq!(scratch.git(&["show", &format!("{}:a.txt", committed.commit())]), "two");
        scratch.git(&["fsck", "--strict", "--no-dangling"]);
    }

    #[test]
    fn a_project_in_a_folder_changes_below_it_only() {
        let scratch = Scratch::new();
        let changes = [change("b.py", Some("import collections\n"), Some("x\n"))];
        let committed = apply_to(&scratch, "sub", &changes).expect("a commit");
        assert_eq!(raw_difference(&scratch, &committed), ["100644 100644 M sub/b.py"]);
    }

    #[test]
    fn a_file_may_become_a_folder_and_back() {
        let scratch = Scratch::new();
        let to_folder = [change("a.txt", Some("one\n"), None), change("a.txt/x", None, Some("x\n"))];
        let committed = apply_to(&scratch, "", &to_folder).expect("a commit");
        assert_eq!(raw_difference(&scratch, &committed), ["100644 000000 D a.txt", "000000 100644 A a.txt/x"]);
        scratch.git(&["fsck", "--strict", "--no-dangling"]);
        let to_file = [change("sub/deep", None, Some("file\n")), change("sub/deep/c.txt", Some("c\n"), None)];
        let committed = apply_to(&scratch, "", &to_file).expect("a commit");
        assert_eq!(
            raw_difference(&scratch, &committed),
            ["000000 100644 A sub/deep", "100644 000000 D sub/deep/c.txt"]
        );
    }

    #[test]
    fn what_the_base_does_not_hold_makes_no_commit() {
        let scratch = Scratch::new();
        for (name, changes) in [
            ("another content", vec![change("a.txt", Some("other\n"), Some("two\n"))]),
            ("a file that is there", vec![change("a.txt", None, Some("two\n"))]),
            ("a file that is not", vec![change("none", Some("x"), Some("y"))]),
            ("no difference", vec![change("a.txt", Some("one\n"), Some("one\n"))]),
            ("a folder as a file", vec![change("sub", None, Some("x"))]),
            ("a file as a folder", vec![change("a.txt/x", None, Some("x"))]),
            ("a link as a folder", vec![change("link/x", None, Some("x"))]),
            ("delete nothing", vec![change("none", Some(""), None)]),
            ("delete a folder", vec![change("sub", Some(""), None)]),
            ("another mode", vec![change("run.sh", Some("#!/bin/sh\n"), Some("x"))]),
            ("one of two", vec![change("a.txt", Some("one\n"), Some("two\n")), change("z", Some("x"), None)]),
            ("nothing", vec![]),
        ] {
            assert!(apply_to(&scratch, "", &changes).is_err(), "{name}");
        }
    }

    #[test]
    fn a_base_that_is_gone_is_named() {
        let scratch = Scratch::new();
        let project = Project::open(&scratch.root).expect("a repository");
        let changes = [change("x", None, Some("x"))];
        for base in [&"0".repeat(40), "HEAD", ""] {
            let refused = commit_changes(&project, base, &changes, &message(), &identity());
            assert!(matches!(refused, Err(ApplyError::NoBase { .. })), "{base}: {refused:?}");
        }
    }

    #[test]
    fn every_file_may_go() {
        let scratch = Scratch::unborn();
        scratch.write("only", "x");
        scratch.commit("one file");
        let committed = apply_to(&scratch, "", &[change("only", Some("x"), None)]).expect("a commit");
        assert_eq!(scratch.git(&["ls-tree", "-r", committed.commit()]), "");
    }

    #[test]
    fn entries_that_nobody_asked_to_change_keep_their_bytes() {
        let scratch = Scratch::new();
        let repository = git2::Repository::open(&scratch.root).expect("a repository");
        let odb = repository.odb().expect("objects");
        let file = odb.write(ObjectType::Blob, b"x").expect("a blob");
        let entry = |mode, name: &[u8]| TreeEntry { mode, name: name.to_vec(), id: file };
        let odd = [entry(0o100_664, b"group"), entry(0o100_644, b"\xff\xfe"), entry(0o100_644, b"CON.")];
        let tree = tree_object::write_tree(&odb, odd.to_vec()).expect("a tree");
        let base = scratch.git(&["commit-tree", "-m", "odd", &tree.to_string()]);
        let project = Project::open(&scratch.root).expect("a repository");
        let changes = [change("new", None, Some("new"))];
        let committed = commit_changes(&project, &base, &changes, &message(), &identity()).expect("a commit");
        persist(&project.repository(), committed.objects(), &Mark::of("x")).expect("on disk");
        let id = Oid::from_str(committed.commit()).expect("an id");
        let tree = repository.find_commit(id).expect("a commit").tree_id();
        let entries = tree_object::read_tree(&odb, tree).expect("a tree");
        for entry in odd {
            assert!(entries.contains(&entry), "{entry:?}");
        }
        let changes = [change("group", Some("x"), Some("y"))];
        commit_changes(&project, &base, &changes, &message(), &identity()).expect("100664 is an ordinary file");
    }

    #[test]
    fn the_commit_says_who_when_and_why() {
        let scratch = Scratch::new();
        let committed = apply_to(&scratch, "", &[change("x", None, Some("x"))]).expect("a commit");
        let said = scratch.git(&["log", "-1", "--format=%an|%ae|%cn|%at|%P|%s|%(trailers)", committed.commit()]);
        let expected = format!("gephost|gephost@localhost|gephost|1|{}|Repair|Gene: g", scratch.head());
        assert_eq!(said.trim_end(), expected);
    }
}
