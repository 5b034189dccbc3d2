//! Which clone a project is, so that its worktrees share one state and nobody else's.
//!
//! What must stay true: a folder's content cannot make it another clone. A `.git` file counts only if the git folder that
//! it names knows the worktree too; otherwise the project is a clone of its own.

#![expect(clippy::disallowed_methods, reason = "a clone is identified by the path of its git folder")]

use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use gephost_core::digest::sha256_hex;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::git_pointer;

/// Most linked worktrees of a clone that are looked for.
const MAX_WORKTREES: usize = 1000;
/// Most characters of the clone's own name in its id.
const MAX_NAME: usize = 40;
/// Hexadecimal digits of the hash in an id.
const DIGITS: usize = 16;

/// A clone, or a folder without git, and the project's place in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The git folder that all worktrees of the clone share; the project's folder if there is no git.
    pub path: PathBuf,
    /// The project's folder, from the top of its worktree.
    pub within: PathBuf,
    /// The device that `path` was on.
    pub device: u64,
    /// The inode of `path`. Unlike the path it stays the same when the clone is moved on one file system.
    pub inode: u64,
}

impl Identity {
    /// Of the project in a folder, given by its canonical path.
    pub fn of(root: &Path) -> io::Result<Self> {
        let top = root.ancestors().find(|folder| fs::symlink_metadata(folder.join(".git")).is_ok());
        let path = top.map_or_else(|| root.to_owned(), shared_git_folder);
        let within = top.and_then(|top| root.strip_prefix(top).ok()).unwrap_or(Path::new("")).to_owned();
        let found: Metadata = fs::symlink_metadata(&path)?;
        Ok(Self { path, within, device: found.dev(), inode: found.ino() })
    }

    /// The name of its state's folder: the clone's own name, for people, and a hash over the paths.
    pub fn id(&self) -> String {
        let is_git = self.path.file_name().is_some_and(|name| name == ".git");
        let named = if is_git { self.path.parent() } else { Some(self.path.as_path()) };
        let named = named.and_then(Path::file_name).unwrap_or_default().to_string_lossy().to_lowercase();
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '_' { c } else { '-' };
        let name: String = named.chars().take(MAX_NAME).map(plain).collect();
        let both = [self.path.as_os_str().as_bytes(), &[0], self.within.as_os_str().as_bytes()].concat();
        let hash: String = sha256_hex(&both).chars().take(DIGITS).collect();
        format!("{}-{hash}", name.trim_matches('-'))
    }

    /// The project's folder in every worktree of the clone: `root` first, which is the one that this identity was made of.
    pub fn folders(&self, root: &Path) -> Vec<PathBuf> {
        let main = self.path.parent().filter(|_| self.path.ends_with(".git")).map(Path::to_owned);
        let listed = fs::read_dir(self.path.join("worktrees")).into_iter().flatten().flatten().take(MAX_WORKTREES);
        let linked = listed.filter_map(|entry| {
            Some(Path::new(&git_pointer::read(&entry.path().join("gitdir"), "")?).parent()?.to_owned())
        });
        let mut folders = vec![root.to_owned()];
        for top in main.into_iter().chain(linked) {
            let Ok(folder) = fs::canonicalize(top.join(&self.within)) else { continue };
            let is_ours = Self::of(&folder)
                .is_ok_and(|found| (found.path, found.within) == (self.path.clone(), self.within.clone()));
            if is_ours && !folders.contains(&folder) {
                folders.push(folder);
            }
        }
        folders
    }

    /// Whether both are the same folder on disk, whatever its path.
    pub fn is_same_folder(&self, other: &Self) -> bool {
        (self.inode, &self.within) == (other.inode, &other.within)
    }

    /// Whether the folder can have been there at this time. A new folder may have the inode of one that was removed; most file
    /// systems know when it was made.
    pub fn may_have_been_there(&self, at: Timestamp) -> bool {
        let made = fs::symlink_metadata(&self.path).and_then(|found| found.created());
        made.ok().and_then(|made| Timestamp::try_from(made).ok()).is_none_or(|made| made <= at)
    }

    /// Whether the folder is still where it was.
    pub fn is_there(&self) -> bool {
        fs::symlink_metadata(&self.path).is_ok_and(|found| found.ino() == self.inode)
    }
}

/// The git folder that the worktree in `top` shares with others.
fn shared_git_folder(top: &Path) -> PathBuf {
    let git = top.join(".git");
    let is_file = fs::symlink_metadata(&git).is_ok_and(|found| found.is_file());
    if is_file { of_linked_worktree(top).unwrap_or(git) } else { git }
}

/// Follows a `.git` file to the shared git folder and makes sure that this names the worktree too.
fn of_linked_worktree(top: &Path) -> Option<PathBuf> {
    let own = fs::canonicalize(top.join(git_pointer::read(&top.join(".git"), "gitdir:")?)).ok()?;
    let shared = fs::canonicalize(own.join(git_pointer::read(&own.join("commondir"), "")?)).ok()?;
    let back = fs::canonicalize(own.join(git_pointer::read(&own.join("gitdir"), "")?)).ok()?;
    let is_listed = own.parent() == Some(&shared.join("worktrees"));
    (is_listed && back == fs::canonicalize(top.join(".git")).ok()?).then_some(shared)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::worktree::scratch::{Scratch, git_in};

    #[test]
    fn a_folder_was_not_there_before_it_was_made() {
        let scratch = Scratch::new();
        let identity = Identity::of(&scratch.root).expect("a folder");
        assert!(identity.may_have_been_there(Timestamp::now()));
        let knows = fs::symlink_metadata(&identity.path).expect("a folder").created().is_ok();
        assert_eq!(identity.may_have_been_there(Timestamp::UNIX_EPOCH), !knows);
    }

    #[test]
    fn worktrees_of_a_clone_share_and_projects_in_it_do_not() {
        let scratch = Scratch::new();
        scratch.git(&["worktree", "add", "-q", "../tree", "-b", "tree"]);
        let tree = scratch.outer.path().canonicalize().expect("a folder").join("tree");
        let of = |folder: &Path| Identity::of(folder).expect("a folder");
        assert_eq!(of(&tree), of(&scratch.root));
        assert_eq!(of(&tree).path, scratch.root.join(".git"));
        assert!(of(&tree).id().starts_with("repo-"), "{}", of(&tree).id());
        assert_eq!(of(&tree.join("sub")).id(), of(&scratch.root.join("sub")).id());
        assert_ne!(of(&tree.join("sub")).id(), of(&tree).id());
        assert_eq!(of(&tree).folders(&tree), [tree.clone(), scratch.root.clone()]);
        assert_eq!(of(&scratch.root).folders(&scratch.root), [scratch.root.clone(), tree.clone()]);
        fs::create_dir_all(tree.join("sub")).expect("a folder");
        assert_eq!(of(&scratch.root.join("sub")).folders(&scratch.root.join("sub")).len(), 2);
        // A worktree that git does not know, and one that is gone.
        fs::remove_file(tree.join(".git")).expect("ours");
        assert_eq!(of(&scratch.root).folders(&scratch.root), std::slice::from_ref(&scratch.root));
        fs::remove_dir_all(&tree).expect("ours");
        assert_eq!(of(&scratch.root).folders(&scratch.root), std::slice::from_ref(&scratch.root));
    }

    #[test]
    fn a_git_file_that_the_clone_does_not_know_makes_a_clone_of_its_own() {
        let scratch = Scratch::new();
        scratch.git(&["worktree", "add", "-q", "../tree", "-b", "tree"]);
        let outer = scratch.outer.path().canonicalize().expect("a folder");
        let foreign = outer.join("foreign");
        fs::create_dir(&foreign).expect("a folder");
        for names in [scratch.root.join(".git"), scratch.root.join(".git/worktrees/tree")] {
            fs::write(foreign.join(".git"), format!("gitdir: {}\n", names.display())).expect("a file");
            let found = Identity::of(&foreign).expect("a folder");
            assert_eq!(found.path, foreign.join(".git"));
            assert_ne!(found.id(), Identity::of(&scratch.root).expect("a folder").id());
        }
        fs::remove_file(foreign.join(".git")).expect("ours");
        std::os::unix::fs::symlink(scratch.root.join(".git"), foreign.join(".git")).expect("a link");
        assert_eq!(Identity::of(&foreign).expect("a folder").path, foreign.join(".git"));
    }

    #[test]
    fn a_moved_clone_has_another_id_and_is_known_by_its_inode() {
        let scratch = Scratch::new();
        let before = Identity::of(&scratch.root).expect("a folder");
        let moved = scratch.root.with_file_name("moved");
        fs::rename(&scratch.root, &moved).expect("ours");
        let after = Identity::of(&moved).expect("a folder");
        assert_ne!(before.id(), after.id());
        assert!(before.is_same_folder(&after) && !before.is_there() && after.is_there());
    }

    #[test]
    fn a_folder_without_git_is_itself() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a folder").join("Ünder Way!");
        fs::create_dir(&root).expect("a folder");
        let found = Identity::of(&root).expect("a folder");
        assert_eq!(found.path, root);
        assert!(found.id().starts_with("nder-way-"), "{}", found.id());
        assert!(git_in(&root, &["status"]).is_err());
    }
}
