//! Takes a published branch away again. Deletes one ref, by compare-and-swap, and only one that gephost made.

use std::fs;
use std::path::{Path, PathBuf};

use git2::{ErrorCode, Oid};

use super::{GitError, Project, durable};

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
    /// git failed.
    #[error("drop branch {branch}: {source}")]
    Git {
        /// The branch.
        branch: String,
        /// The reason.
        source: GitError,
    },
    /// A file cannot be read or synced.
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

/// Deletes a branch, if it still names the commit that was published and is checked out nowhere. The commit's objects
/// stay until git's own cleaning.
pub fn drop_branch(project: &Project, branch: &str, expected: &str) -> Result<(), DropError> {
    if !branch.starts_with("evo/") {
        return Err(DropError::NotOurs { branch: branch.to_owned() });
    }
    let repository = project.repository();
    let name = format!("refs/heads/{branch}");
    let git = |error: git2::Error| DropError::Git { branch: branch.to_owned(), source: error.into() };
    let mut reference = repository.find_reference(&name).map_err(|error| match error.code() {
        ErrorCode::NotFound => DropError::Gone { branch: branch.to_owned() },
        _ => git(error),
    })?;
    let actual = reference.target();
    if actual != Some(Oid::from_str(expected).map_err(git)?) {
        return Err(DropError::Moved {
            branch: branch.to_owned(),
            expected: expected.to_owned(),
            actual: actual.map_or_else(|| "another ref".to_owned(), |id| id.to_string()),
        });
    }
    let io = |path: &Path, source| DropError::Io { branch: branch.to_owned(), path: path.to_owned(), source };
    let common = repository.commondir();
    if let Some(checkout) = checked_out_in(common, &name).map_err(|source| io(common, source))? {
        return Err(DropError::CheckedOut { branch: branch.to_owned(), checkout });
    }
    // libgit2 compares the value that was read above once more, under the ref's lock.
    reference.delete().map_err(git)?;
    durable::sync_ref(common, &name).map_err(|source| io(common, source))
}

/// The checkout whose `HEAD` names the ref: the main one, or a linked one.
fn checked_out_in(common: &Path, name: &str) -> std::io::Result<Option<PathBuf>> {
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
    for folder in folders {
        // A folder without a readable HEAD is no checkout.
        let head = fs::read_to_string(folder.join("HEAD")).unwrap_or_default();
        if head.trim_end().strip_prefix("ref:").is_some_and(|target| target.trim_start() == name) {
            return Ok(Some(checkout_of(&folder)));
        }
    }
    Ok(None)
}

fn checkout_of(folder: &Path) -> PathBuf {
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
        scratch.git(&["branch", "evo/t-x"]);
        let project = Project::open(&scratch.root).expect("a repository");
        let head = scratch.head();
        (scratch, project, head)
    }

    #[test]
    fn a_branch_goes_loose_or_packed() {
        for pack in [false, true] {
            let (scratch, project, head) = scratch_with_branch();
            if pack {
                scratch.git(&["pack-refs", "--all"]);
            }
            drop_branch(&project, "evo/t-x", &head).expect("it goes");
            assert_eq!(scratch.git(&["branch", "--list", "evo/*"]), "");
            assert!(matches!(drop_branch(&project, "evo/t-x", &head), Err(DropError::Gone { .. })));
        }
    }

    #[test]
    fn a_branch_that_moved_stays() {
        let (scratch, project, head) = scratch_with_branch();
        scratch.write("later", "work");
        scratch.commit("later");
        scratch.git(&["branch", "-f", "evo/t-x"]);
        assert!(matches!(drop_branch(&project, "evo/t-x", &head), Err(DropError::Moved { .. })));
        assert_eq!(scratch.git(&["rev-parse", "evo/t-x"]), scratch.head());
    }

    #[test]
    fn a_branch_of_the_user_stays() {
        let (scratch, project, head) = scratch_with_branch();
        assert!(matches!(drop_branch(&project, "main", &head), Err(DropError::NotOurs { .. })));
        assert_eq!(scratch.git(&["rev-parse", "main"]), head);
    }

    #[test]
    fn a_branch_that_is_checked_out_stays_and_the_checkout_is_named() {
        let (scratch, project, head) = scratch_with_branch();
        let refused = |at: &Path| match drop_branch(&project, "evo/t-x", &head) {
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
}
