//! Finds and opens the repository that a project lies in. Reads only.
//!
//! The repository is found by path alone: `GIT_DIR`, `GIT_INDEX_FILE` and their kind are not looked at. The project
//! may be a folder inside the repository; its path from the repository's root is the *prefix*, and every
//! [`RepoPath`](gephost_core::path::RepoPath) of this crate counts from there.
//!
//! The user's own and the system's git configuration stay readable on purpose: `safe.directory` stands there, and of
//! the rest only the reflog settings have a say in the calls that this module makes.

#![expect(clippy::disallowed_methods, reason = "a repository is found by path")]

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use git2::{ErrorCode, Repository, RepositoryOpenFlags};

use super::{GitError, objects};
use crate::{git_pointer, regular_file};

/// An open repository with one commit at least, and the folder in it that is the project.
#[derive(Clone)]
pub struct Project {
    repository: Arc<Mutex<Repository>>,
    root: PathBuf,
    prefix: Vec<Vec<u8>>,
}

/// Where `HEAD` stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// Full hexadecimal id of the commit.
    pub commit: String,
    /// Name of the checked-out branch, without `refs/heads/`; `None` when detached.
    pub branch: Option<String>,
}

/// Why a folder cannot be worked in. None of these changed anything.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The folder is missing or cannot be entered.
    #[error("open folder {}: {source}", dir.display())]
    Folder {
        /// As it was given.
        dir: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// No repository here or above.
    #[error("{} is not in a git repository: run `git init` there and commit, or name another folder with -C", dir.display())]
    NotARepository {
        /// Where the search began.
        dir: PathBuf,
    },
    /// A repository without a checkout.
    #[error("{} is a bare repository: name a folder with a checkout of it", git_dir.display())]
    Bare {
        /// The repository.
        git_dir: PathBuf,
    },
    /// Nothing was committed yet.
    #[error("{} has no commit yet: commit once, so that there is a base to work from", dir.display())]
    NoCommit {
        /// The project.
        dir: PathBuf,
    },
    /// The folder is the repository's own store.
    #[error("{} is inside the .git folder of {}: name a folder of the checkout", dir.display(), checkout.display())]
    InsideGitFolder {
        /// The folder.
        dir: PathBuf,
        /// Where the checkout is.
        checkout: PathBuf,
    },
    /// The repository's checkout is elsewhere (`core.worktree`).
    #[error("{} is not in the checkout of its repository, which is {}", dir.display(), checkout.display())]
    OutsideCheckout {
        /// The folder.
        dir: PathBuf,
        /// Where the checkout is.
        checkout: PathBuf,
    },
    /// libgit2 cannot open it: another owner, an unknown format, a broken file.
    #[error("open the repository of {}: {source}", dir.display())]
    Unreadable {
        /// The folder.
        dir: PathBuf,
        /// The reason.
        source: GitError,
    },
}

impl Project {
    /// Opens the repository that holds `dir`, searching upwards as git does, without leaving the file system.
    pub fn open(dir: &Path) -> Result<Self, OpenError> {
        let root = std::fs::canonicalize(dir)
            .and_then(|path| std::fs::read_dir(&path).map(|_| path))
            .map_err(|source| OpenError::Folder { dir: dir.to_owned(), source })?;
        refuse_special_files(&root)?;
        let repository = find_repository(&root)?;
        if repository.is_bare() {
            return Err(OpenError::Bare { git_dir: repository.path().to_owned() });
        }
        let prefix = prefix_within_checkout(&repository, &root)?;
        keep_config(&repository)
            .and_then(|()| objects::keep_in_memory(&repository))
            .map_err(|error| OpenError::Unreadable { dir: root.clone(), source: error.into() })?;
        match repository.head().and_then(|head| head.peel_to_commit()) {
            Ok(_) => {}
            Err(error) if error.code() == ErrorCode::UnbornBranch => {
                return Err(OpenError::NoCommit { dir: root });
            }
            Err(error) => {
                return Err(OpenError::Unreadable { dir: root, source: error.into() });
            }
        }
        Ok(Self { repository: Arc::new(Mutex::new(repository)), root, prefix })
    }

    /// The project's folder, absolute, without symbolic links.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where `HEAD` stands now.
    pub fn head(&self) -> Result<Head, GitError> {
        let repository = self.repository();
        let head = repository.head()?;
        let commit = head.peel_to_commit()?.id().to_string();
        let branch = head.is_branch().then(|| String::from_utf8_lossy(head.shorthand_bytes()).into_owned());
        Ok(Head { commit, branch })
    }

    /// The repository, for one operation.
    pub(super) fn repository(&self) -> MutexGuard<'_, Repository> {
        self.repository.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The names of the folders from the repository's root to the project's.
    pub(super) fn prefix(&self) -> &[Vec<u8>] {
        &self.prefix
    }
}

/// Files that libgit2 opens before anything else, in a git folder. It waits for ever if one of them is a pipe.
const READ_FIRST: [&str; 13] = [
    "HEAD",
    "config",
    "config.worktree",
    "commondir",
    "gitdir",
    "index",
    "packed-refs",
    "shallow",
    "info/exclude",
    "info/attributes",
    "info/sparse-checkout",
    "logs/HEAD",
    "objects/info/alternates",
];
/// Folders in which it opens whatever is there.
const READ_WHOLE: [&str; 3] = ["refs", "logs/refs", "objects/pack"];
/// How deep these are searched, and how many names are looked at. Others wait until a signal ends gephost.
const DEEPEST: usize = 8;
const MOST_NAMES: usize = 20_000;

/// Refuses a repository whose own files are pipes, sockets or devices.
fn refuse_special_files(root: &Path) -> Result<(), OpenError> {
    let Some(dot_git) = root.ancestors().map(|folder| folder.join(".git")).find(|path| path.symlink_metadata().is_ok())
    else {
        return Ok(());
    };
    let unreadable = |source: std::io::Error| OpenError::Folder { dir: dot_git.clone(), source };
    regular_file::refuse_special(&dot_git).map_err(unreadable)?;
    let git_dir = match git_pointer::read(&dot_git, "gitdir:") {
        Some(folder) => dot_git.with_file_name("").join(folder),
        None => dot_git.clone(),
    };
    let common = git_pointer::read(&git_dir.join("commondir"), "").map(|folder| git_dir.join(folder));
    for folder in [Some(&git_dir), common.as_ref()].into_iter().flatten() {
        let branch = git_pointer::read(&git_dir.join("HEAD"), "ref:");
        for name in READ_FIRST.into_iter().map(Path::new).chain(branch.as_deref().map(Path::new)) {
            regular_file::refuse_special(&folder.join(name)).map_err(unreadable)?;
        }
        for name in READ_WHOLE {
            let mut most = MOST_NAMES;
            regular_file::refuse_special_below(&folder.join(name), DEEPEST, &mut most).map_err(unreadable)?;
        }
    }
    for name in [".gitignore", ".gitattributes", ".gitmodules"] {
        regular_file::refuse_special(&dot_git.with_file_name(name)).map_err(unreadable)?;
    }
    Ok(())
}

fn find_repository(root: &Path) -> Result<Repository, OpenError> {
    let no_ceiling: [&std::ffi::OsStr; 0] = [];
    Repository::open_ext(root, RepositoryOpenFlags::empty(), no_ceiling).map_err(|error| match error.code() {
        ErrorCode::NotFound => OpenError::NotARepository { dir: root.to_owned() },
        _ => OpenError::Unreadable { dir: root.to_owned(), source: error.into() },
    })
}

/// Makes the repository's configuration stay what it is now. libgit2 otherwise reads the file again whenever it has changed,
/// and crashes if it can no longer be read (`get_entry` in its `config.c`, version 1.9).
fn keep_config(repository: &Repository) -> Result<(), git2::Error> {
    let now = repository.config()?.snapshot()?;
    repository.set_config(&now)
}

fn prefix_within_checkout(repository: &Repository, root: &Path) -> Result<Vec<Vec<u8>>, OpenError> {
    let checkout = repository.workdir().unwrap_or(repository.path());
    let checkout =
        std::fs::canonicalize(checkout).map_err(|source| OpenError::Folder { dir: checkout.to_owned(), source })?;
    let git_dir = std::fs::canonicalize(repository.path())
        .map_err(|source| OpenError::Folder { dir: repository.path().to_owned(), source })?;
    if root.starts_with(&git_dir) {
        return Err(OpenError::InsideGitFolder { dir: root.to_owned(), checkout });
    }
    match root.strip_prefix(&checkout) {
        Ok(prefix) => Ok(prefix.iter().map(|part| part.as_bytes().to_vec()).collect()),
        Err(_) => Err(OpenError::OutsideCheckout { dir: root.to_owned(), checkout }),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write as _;

    use super::super::scratch::{Scratch, git_in};
    use super::*;

    fn refusal(dir: &Path) -> OpenError {
        Project::open(dir).err().expect("this should be refused")
    }

    #[test]
    fn what_cannot_be_worked_in_is_refused_by_its_reason() {
        let scratch = Scratch::unborn();
        assert!(matches!(refusal(&scratch.root), OpenError::NoCommit { .. }));
        assert!(matches!(refusal(&scratch.root.join("none")), OpenError::Folder { .. }));
        assert!(matches!(refusal(scratch.outer.path()), OpenError::NotARepository { .. }));
        scratch.write("a", "a");
        scratch.commit("a");
        assert!(matches!(refusal(&scratch.root.join("a")), OpenError::Folder { .. }), "a file");
        assert!(matches!(refusal(&scratch.root.join(".git/refs")), OpenError::InsideGitFolder { .. }));
        git_in(scratch.outer.path(), &["clone", "-q", "--bare", "repo", "bare"]).expect("a clone");
        assert!(matches!(refusal(&scratch.outer.path().join("bare")), OpenError::Bare { .. }));
    }

    #[test]
    fn a_config_that_breaks_after_the_opening_changes_nothing() {
        let scratch = Scratch::new();
        scratch.write("a", "a");
        scratch.commit("a");
        let config = scratch.root.join(".git/config");
        let before = fs::read_to_string(&config).expect("a config");
        fs::write(&config, format!("{before}\n[x]\n\ty = kept\n")).expect("our file");
        let project = Project::open(&scratch.root).expect("a project");
        for text in ["gar[bage", "[x]\n\ty = other-value\n", "", "[include]\n\tpath = config\n"] {
            fs::write(&config, text).expect("our file");
            let now = project.repository().config().and_then(|config| config.get_string("x.y"));
            assert_eq!(now.ok().as_deref(), Some("kept"), "{text}");
            assert!(project.head().is_ok(), "{text}");
        }
        fs::remove_file(&config).expect("our file");
        assert!(project.head().is_ok());
    }

    #[test]
    fn formats_that_libgit2_does_not_know_are_refused_with_its_reason() {
        for (extension, value) in
            [("objectformat", "sha256"), ("refstorage", "reftable"), ("partialclone", "origin"), ("unheardof", "1")]
        {
            let scratch = Scratch::new();
            fs::write(
                scratch.root.join(".git/config"),
                format!("[core]\nrepositoryformatversion = 1\n[extensions]\n{extension} = {value}\n"),
            )
            .expect("our file");
            let error = refusal(&scratch.root);
            assert!(matches!(error, OpenError::Unreadable { .. }), "{extension}: {error}");
        }
    }

    #[test]
    fn a_repository_of_another_owner_is_refused() {
        if !rustix::process::geteuid().is_root() {
            let said = std::io::stderr().write_all(b"skipped: only root can give a folder away\n");
            return said.expect("an open stderr");
        }
        let scratch = Scratch::new();
        // Who calls every folder safe is believed, as by git itself.
        let config = git2::Config::open_default().expect("a config");
        let safe = config.entries(Some("safe.directory")).expect("a list");
        let mut is_everything = false;
        safe.for_each(|entry| is_everything |= entry.value() == Ok("*")).expect("readable entries");
        if is_everything {
            let said = std::io::stderr().write_all(b"skipped: the git config here calls every folder safe\n");
            return said.expect("an open stderr");
        }
        let other = rustix::fs::Uid::from_raw(12_345);
        for path in [scratch.root.clone(), scratch.root.join(".git")] {
            rustix::fs::chown(&path, Some(other), None).expect("root may");
        }
        let refused = refusal(&scratch.root).to_string();
        assert!(refused.contains("owned by"), "{refused}");
    }

    #[test]
    fn a_broken_head_is_refused() {
        let scratch = Scratch::new();
        fs::write(scratch.root.join(".git/refs/heads/main"), "0123456789012345678901234567890123456789\n")
            .expect("our file");
        assert!(matches!(refusal(&scratch.root), OpenError::Unreadable { .. }));
    }

    #[test]
    fn head_is_told_with_and_without_a_branch() {
        let scratch = Scratch::new();
        let project = Project::open(&scratch.root).expect("a repository");
        let head = project.head().expect("a head");
        assert_eq!((head.commit, head.branch.as_deref()), (scratch.head(), Some("main")));
        scratch.git(&["checkout", "-q", "--detach"]);
        assert_eq!(project.head().expect("a head").branch, None);
    }

    #[test]
    fn a_link_to_a_folder_of_the_checkout_is_that_folder() {
        let scratch = Scratch::new();
        let link = scratch.outer.path().join("link");
        std::os::unix::fs::symlink(scratch.root.join("sub"), &link).expect("a new link");
        let project = Project::open(&link).expect("a repository");
        assert_eq!(project.prefix(), [b"sub".to_vec()]);
        assert_eq!(project.root(), scratch.root.join("sub"));
    }
}
