//! Takes a published branch away again: one ref, by compare-and-swap, and only one that gephost made.

#![expect(clippy::disallowed_methods, reason = "libgit2 names the git folder by path")]

use std::fs;
use std::path::{Path, PathBuf};

use git2::{ErrorCode, Oid, Repository};

use super::refs::{RefError, clean_after, delete, release_locks};
use super::{GitError, Mark, Project};

/// Why a branch stays. Nothing has changed, unless it says so.
#[derive(Debug, thiserror::Error)]
pub enum DropError {
    /// Not one of ours.
    #[error("branch {branch} was not made by gephost: only branches under evo/ are dropped")]
    NotOurs {
        /// The branch.
        branch: String,
    },
    /// Gone already.
    #[error("there is no branch {branch}")]
    Gone {
        /// The branch.
        branch: String,
    },
    /// Someone built on it.
    #[error("branch {branch} is at {actual} and no longer at {expected}: look at it, then delete it yourself")]
    Moved {
        /// The branch.
        branch: String,
        /// Where it should be.
        expected: String,
        /// Where it is.
        actual: String,
    },
    /// Someone works on it.
    #[error("branch {branch} is checked out in {}: switch to another one there first", checkout.display())]
    CheckedOut {
        /// The branch.
        branch: String,
        /// The folder of that checkout, or its administrative one.
        checkout: PathBuf,
    },
    /// It is part of another ref, so that dropping it takes nothing back.
    #[error("branch {branch} is in {other}: what it brought is there")]
    Merged {
        /// The branch.
        branch: String,
        /// A ref that holds its commit.
        other: String,
    },
    /// The ref cannot be deleted; a lock file of another git process is one reason.
    #[error("drop branch {branch}: {source}")]
    Ref {
        /// The branch.
        branch: String,
        /// The reason.
        source: RefError,
    },
    /// git failed.
    #[error("drop branch {branch}: {source}")]
    Git {
        /// The branch.
        branch: String,
        /// The reason.
        source: GitError,
    },
    /// A file cannot be read.
    #[error("drop branch {branch}: {}: {source}", path.display())]
    Io {
        /// The branch.
        branch: String,
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Whether [`drop_branch`] would take a branch away: it still names the commit that was published, is checked out
/// nowhere and is part of no other ref.
pub fn check_droppable(project: &Project, branch: &str, expected: &str) -> Result<(), DropError> {
    droppable(project, branch, expected).map(drop)
}

/// Deletes a branch that [`check_droppable`]. The commit's objects stay until git's own cleaning.
pub fn drop_branch(project: &Project, branch: &str, expected: &str, mark: &Mark) -> Result<(), DropError> {
    let commit = droppable(project, branch, expected)?;
    let name = format!("refs/heads/{branch}");
    // The value that was read above is compared once more, under the ref's lock.
    delete(&project.repository(), &name, commit, mark).map_err(|source| match source {
        RefError::Moved { actual } => moved(branch, expected, actual),
        source => DropError::Ref { branch: branch.to_owned(), source },
    })
}

/// Cleans away what a killed [`drop_branch`] left, and says whether the branch is gone. May be asked any number of times.
pub fn settle_dropped(project: &Project, branch: &str, mark: &Mark) -> Result<bool, DropError> {
    let repository = project.repository();
    let common = repository.commondir();
    let name = format!("refs/heads/{branch}");
    let io = |source| DropError::Io { branch: branch.to_owned(), path: common.join(&name), source };
    release_locks(common, &name, mark).map_err(io)?;
    let gone = matches!(repository.find_reference(&name), Err(error) if error.code() == ErrorCode::NotFound);
    if gone {
        clean_after(common, &name).map_err(io)?;
    }
    Ok(gone)
}

fn droppable(project: &Project, branch: &str, expected: &str) -> Result<Oid, DropError> {
    if !branch.starts_with("evo/") {
        return Err(DropError::NotOurs { branch: branch.to_owned() });
    }
    let repository = project.repository();
    let name = format!("refs/heads/{branch}");
    let git = |error: git2::Error| DropError::Git { branch: branch.to_owned(), source: error.into() };
    let reference = repository.find_reference(&name).map_err(|error| match error.code() {
        ErrorCode::NotFound => DropError::Gone { branch: branch.to_owned() },
        _ => git(error),
    })?;
    let commit = Oid::from_str(expected).map_err(git)?;
    if reference.target() != Some(commit) {
        return Err(moved(branch, expected, reference.target()));
    }
    let common = repository.commondir();
    let io = |source| DropError::Io { branch: branch.to_owned(), path: common.to_owned(), source };
    if let Some(checkout) = checkouts_of(common, &name).map_err(io)?.first().map(|folder| checkout_of(folder)) {
        return Err(DropError::CheckedOut { branch: branch.to_owned(), checkout });
    }
    match holder(&repository, commit, &name).map_err(git)? {
        Some(other) => Err(DropError::Merged { branch: branch.to_owned(), other }),
        None => Ok(commit),
    }
}

fn moved(branch: &str, expected: &str, actual: Option<Oid>) -> DropError {
    DropError::Moved {
        branch: branch.to_owned(),
        expected: expected.to_owned(),
        actual: actual.map_or_else(|| "another ref".to_owned(), |id| id.to_string()),
    }
}

/// A ref other than `except` whose history holds the commit: a branch, a tag, or the `HEAD` of a checkout without one.
pub(super) fn holder(repository: &Repository, commit: Oid, except: &str) -> Result<Option<String>, git2::Error> {
    let mut refs = Vec::new();
    for reference in repository.references()? {
        let reference = reference?;
        let name = String::from_utf8_lossy(reference.name_bytes()).into_owned();
        let symbolic_remote = reference.target().is_none();
        // A copy of the branch elsewhere is no work that holds it.
        let pushed = name.starts_with("refs/remotes/")
            && except.strip_prefix("refs/heads").is_some_and(|end| name.ends_with(end));
        if name != except
            && !symbolic_remote
            && !pushed
            && let Ok(at) = reference.peel_to_commit()
        {
            refs.push((name, at.id()));
        }
    }
    if let Ok(head) = repository.head().and_then(|head| head.peel_to_commit())
        && repository.head_detached()?
    {
        refs.push(("HEAD".to_owned(), head.id()));
    }
    for (name, at) in refs {
        if at == commit || repository.graph_descendant_of(at, commit)? {
            return Ok(Some(name));
        }
    }
    Ok(None)
}

/// The git folders of the checkouts whose `HEAD` names the ref: of the main one, and of linked ones.
pub(super) fn checkouts_of(common: &Path, name: &str) -> std::io::Result<Vec<PathBuf>> {
    let mut folders = vec![common.to_owned()];
    match fs::read_dir(common.join("worktrees")) {
        Ok(worktrees) => {
            for worktree in worktrees {
                folders.push(worktree?.path());
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    // A folder without a readable HEAD is no checkout.
    folders.retain(|folder| {
        let head = fs::read_to_string(folder.join("HEAD")).unwrap_or_default();
        head.trim_end().strip_prefix("ref:").is_some_and(|target| target.trim_start() == name)
    });
    Ok(folders)
}

/// The checkout of a git folder. That of a submodule has it in its config.
pub(super) fn checkout_of(folder: &Path) -> PathBuf {
    let configured = || git2::Config::open(&folder.join("config")).ok()?.get_path("core.worktree").ok();
    if let Some(checkout) = configured().and_then(|checkout| fs::canonicalize(folder.join(checkout)).ok()) {
        return checkout;
    }
    let dot_git = fs::read_to_string(folder.join("gitdir")).map(|text| PathBuf::from(text.trim_end()));
    let dot_git = dot_git.unwrap_or_else(|_| folder.to_owned());
    dot_git.parent().map_or(dot_git.clone(), Path::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::scratch::Scratch;
    use super::*;

    fn scratch_with_branch() -> (Scratch, Project, String) {
        let scratch = Scratch::new();
        let commit = scratch.git(&["commit-tree", "-p", "HEAD", "-m", "published", "HEAD^{tree}"]);
        scratch.git(&["branch", "evo/t-x", &commit]);
        let project = Project::open(&scratch.root).expect("a repository");
        (scratch, project, commit)
    }

    #[test]
    fn a_branch_goes_loose_or_packed() {
        for pack in [false, true] {
            let (scratch, project, head) = scratch_with_branch();
            if pack {
                scratch.git(&["pack-refs", "--all"]);
            }
            drop_branch(&project, "evo/t-x", &head, &Mark::of("x")).expect("it goes");
            assert_eq!(scratch.git(&["branch", "--list", "evo/*"]), "");
            assert!(matches!(drop_branch(&project, "evo/t-x", &head, &Mark::of("x")), Err(DropError::Gone { .. })));
        }
    }

    #[test]
    fn a_branch_that_moved_stays() {
        let (scratch, project, head) = scratch_with_branch();
        scratch.write("later", "work");
        scratch.commit("later");
        scratch.git(&["branch", "-f", "evo/t-x"]);
        assert!(matches!(drop_branch(&project, "evo/t-x", &head, &Mark::of("x")), Err(DropError::Moved { .. })));
        assert_eq!(scratch.git(&["rev-parse", "evo/t-x"]), scratch.head());
    }

    #[test]
    fn a_branch_of_the_user_stays() {
        let (scratch, project, head) = scratch_with_branch();
        assert!(matches!(drop_branch(&project, "main", &head, &Mark::of("x")), Err(DropError::NotOurs { .. })));
        assert_eq!(scratch.git(&["rev-parse", "main"]), scratch.head());
    }

    #[test]
    fn a_branch_that_is_checked_out_stays_and_the_checkout_is_named() {
        let (scratch, project, head) = scratch_with_branch();
        let refused = |at: &Path| match drop_branch(&project, "evo/t-x", &head, &Mark::of("x")) {
            Err(DropError::CheckedOut { checkout, .. }) => {
                assert_eq!(fs::canonicalize(checkout).expect("it is"), at);
            }
            other => panic!("{other:?}"),
        };
        scratch.git(&["worktree", "add", "-q", "../linked", "evo/t-x"]);
        refused(&scratch.root.with_file_name("linked"));
        scratch.git(&["worktree", "remove", "../linked"]);
        scratch.git(&["checkout", "-q", "evo/t-x"]);
        refused(&scratch.root);
    }

    #[test]
    fn a_branch_that_is_in_another_ref_stays() {
        for take in [["merge", "-q", "--ff-only", "evo/t-x"].as_slice(), &["tag", "-m", "t", "v1", "evo/t-x"]] {
            let (scratch, project, head) = scratch_with_branch();
            scratch.git(take);
            let refused = drop_branch(&project, "evo/t-x", &head, &Mark::of("x"));
            assert!(matches!(refused, Err(DropError::Merged { .. })), "{take:?}: {refused:?}");
        }
    }

    #[test]
    fn what_a_kill_left_of_a_drop_is_settled() {
        let (scratch, project, head) = scratch_with_branch();
        let mark = Mark::of("x");
        assert!(!settle_dropped(&project, "evo/t-x", &mark).expect("a look"));
        // Killed after the ref was gone and before its reflog was.
        scratch.write(".git/logs/refs/heads/evo/t-x", "left\n");
        fs::remove_file(scratch.root.join(".git/refs/heads/evo/t-x")).expect("our ref");
        assert!(settle_dropped(&project, "evo/t-x", &mark).expect("a look"));
        assert!(settle_dropped(&project, "evo/t-x", &mark).expect("a second look"));
        assert!(!scratch.root.join(".git/logs/refs/heads/evo").exists());
        assert!(matches!(drop_branch(&project, "evo/t-x", &head, &mark), Err(DropError::Gone { .. })));
    }
}
