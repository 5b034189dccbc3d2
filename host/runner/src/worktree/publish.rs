//! Gives a commit its branch. Owns the one ref update of a cycle: a compare-and-swap from "does not exist".
//!
//! Before it there is no branch, after it the branch is complete: a kill at any instruction leaves one of the two.

use git2::{ErrorCode, Oid, Repository};

use super::{Committed, GitError, Project, durable};

/// Branches of one name that are tried, with `-2`, `-3` and so on at the end.
const MAX_ATTEMPTS: u32 = 100;

/// A branch that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Its name, without `refs/heads/`.
    pub branch: String,
    /// The commit that it names.
    pub commit: String,
}

/// Why no branch was made. No ref has changed, unless it says so.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// A branch has the name of the folder.
    #[error("branch {taken} is in the way of {branch}: rename it with `git branch -m {taken} NEW-NAME`")]
    InTheWay {
        /// The branch to be made.
        branch: String,
        /// The branch that is there.
        taken: String,
    },
    /// Every name that was tried is taken.
    #[error("{MAX_ATTEMPTS} branches named {branch} exist")]
    Taken {
        /// The first name.
        branch: String,
    },
    /// git failed; a lock file of another git process is one reason.
    #[error("create branch {branch}: {source}")]
    Git {
        /// The branch.
        branch: String,
        /// The reason.
        source: GitError,
    },
    /// The branch is there and may not survive a power cut.
    #[error("sync branch {branch}, which was created: {source}")]
    Sync {
        /// The branch.
        branch: String,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Creates the branch, under a name of its own. `branch` is what [`branch_name`](super::branch_name()) gave.
pub fn publish(project: &Project, committed: &Committed, branch: &str) -> Result<Published, PublishError> {
    let repository = project.repository();
    let commit = Oid::from_str(committed.commit()).map_err(|error| git_error(branch, error))?;
    if let Some(taken) = branch_in_the_way(&repository, branch) {
        return Err(PublishError::InTheWay { branch: branch.to_owned(), taken });
    }
    for attempt in 1..=MAX_ATTEMPTS {
        let branch = if attempt == 1 { branch.to_owned() } else { format!("{branch}-{attempt}") };
        if create(&repository, &branch, commit)? {
            durable::sync_ref(repository.commondir(), &format!("refs/heads/{branch}"))
                .map_err(|source| PublishError::Sync { branch: branch.clone(), source })?;
            return Ok(Published { branch, commit: committed.commit().to_owned() });
        }
    }
    Err(PublishError::Taken { branch: branch.to_owned() })
}

/// A branch `evo` leaves no room for `evo/…`: refs are files and folders.
fn branch_in_the_way(repository: &Repository, branch: &str) -> Option<String> {
    let folders = branch.match_indices('/').filter_map(|(at, _)| branch.get(..at));
    folders
        .filter(|folder| repository.find_reference(&format!("refs/heads/{folder}")).is_ok())
        .map(str::to_owned)
        .next()
}

/// Whether the branch was made; false when there is one of that name.
fn create(repository: &Repository, branch: &str, commit: Oid) -> Result<bool, PublishError> {
    let name = format!("refs/heads/{branch}");
    // "Not forced" is looked at before the ref is locked. An old value of zero is compared under the lock.
    match repository.reference_matching(&name, commit, true, Oid::ZERO_SHA1, "gephost: publish") {
        Ok(_) => Ok(true),
        Err(error) if matches!(error.code(), ErrorCode::Modified | ErrorCode::Exists) => Ok(false),
        Err(error) => Err(git_error(branch, error)),
    }
}

fn git_error(branch: &str, error: git2::Error) -> PublishError {
    PublishError::Git { branch: branch.to_owned(), source: error.into() }
}

#[cfg(test)]
mod tests {
    use super::super::apply::commit_changes;
    use super::super::scratch::{Scratch, change, identity, message};
    use super::*;

    fn committed(scratch: &Scratch, content: &str) -> (Project, Committed) {
        let project = Project::open(&scratch.root).expect("a repository");
        let changes = [change("x", None, Some(content))];
        let committed = commit_changes(&project, &scratch.head(), &changes, &message(), &identity());
        (project, committed.expect("a commit"))
    }

    #[test]
    fn f8_two_in_a_row_each_start_from_the_base_and_have_a_branch_each() {
        let scratch = Scratch::new();
        let head = scratch.head();
        for (content, branch) in [("1", "evo/t-x"), ("2", "evo/t-x-2"), ("3", "evo/t-x-3")] {
            let (project, committed) = committed(&scratch, content);
            assert_eq!(committed.base(), head);
            assert_eq!(publish(&project, &committed, "evo/t-x").expect("a branch").branch, branch);
            assert_eq!(scratch.git(&["rev-parse", branch]), committed.commit());
            assert_eq!(scratch.git(&["rev-parse", &format!("{branch}^")]), head);
        }
    }

    #[test]
    fn a_branch_that_is_there_stays_loose_or_packed() {
        for pack in [false, true] {
            let scratch = Scratch::new();
            let head = scratch.head();
            scratch.git(&["branch", "evo/t-x"]);
            if pack {
                scratch.git(&["pack-refs", "--all"]);
            }
            let (project, committed) = committed(&scratch, "1");
            assert_eq!(publish(&project, &committed, "evo/t-x").expect("a branch").branch, "evo/t-x-2");
            assert_eq!(scratch.git(&["rev-parse", "evo/t-x"]), head);
        }
    }

    #[test]
    fn a_branch_that_holds_the_same_commit_is_not_taken_for_ours() {
        let scratch = Scratch::new();
        let (project, committed) = committed(&scratch, "1");
        scratch.git(&["branch", "evo/t-x", committed.commit()]);
        assert_eq!(publish(&project, &committed, "evo/t-x").expect("a branch").branch, "evo/t-x-2");
    }

    #[test]
    fn a_branch_named_evo_is_named_as_the_obstacle() {
        let scratch = Scratch::new();
        let (project, committed) = committed(&scratch, "1");
        scratch.git(&["branch", "evo"]);
        let refused = publish(&project, &committed, "evo/t-x");
        assert!(matches!(refused, Err(PublishError::InTheWay { taken, .. }) if taken == "evo"));
    }

    #[test]
    fn a_ref_that_another_git_holds_locked_is_not_written() {
        let scratch = Scratch::new();
        let (project, committed) = committed(&scratch, "1");
        scratch.write(".git/refs/heads/evo/t-x.lock", "");
        let refused = publish(&project, &committed, "evo/t-x");
        assert!(matches!(refused, Err(PublishError::Git { .. })), "{refused:?}");
        assert!(!scratch.root.join(".git/refs/heads/evo/t-x").exists());
    }
}
