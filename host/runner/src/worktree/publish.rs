//! Gives a commit its branch. Owns the one ref update of a cycle: a compare-and-swap from "does not exist".
//!
//! Before it there is no branch, after it the branch is complete: a kill at any instruction leaves one of the two.

use git2::{Oid, Repository};

use super::objects::{PersistError, persist};
use super::refs::{RefError, Update, clean_after, current, release_locks, update};
use super::{Committed, GitError, Identity, Mark, Project, objects};

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
    /// What the change was judged against is not what `HEAD` names now.
    #[error(
        "HEAD moved from {from} to {to} meanwhile, and the change was judged against the first: run the command again"
    )]
    BaseMoved {
        /// The base.
        from: String,
        /// Where `HEAD` is.
        to: String,
    },
    /// The objects cannot be written.
    #[error("write the objects of branch {branch}: {source}")]
    Objects {
        /// The branch.
        branch: String,
        /// The reason.
        source: PersistError,
    },
    /// The ref cannot be made; a lock file of another git process is one reason.
    #[error("create branch {branch}: {source}")]
    Ref {
        /// The branch.
        branch: String,
        /// The reason.
        source: RefError,
    },
    /// git failed.
    #[error("create branch {branch}: {source}")]
    Git {
        /// The branch.
        branch: String,
        /// The reason.
        source: GitError,
    },
}

/// Writes the commit to disk and creates the branch, under a name of its own, if `HEAD` still is where the change was
/// judged. `branch` is what [`branch_name`](super::branch_name()) gave. Afterwards the branch survives a power cut.
pub fn publish(
    project: &Project,
    committed: &Committed,
    branch: &str,
    by: &Identity,
    mark: &Mark,
) -> Result<Published, PublishError> {
    let head = project.head().map_err(|source| PublishError::Git { branch: branch.to_owned(), source })?;
    if head.commit != committed.base() {
        return Err(PublishError::BaseMoved { from: committed.base().to_owned(), to: head.commit });
    }
    let repository = project.repository();
    let commit = Oid::from_str(committed.commit()).map_err(|error| git_error(branch, error))?;
    if let Some(taken) = branch_in_the_way(&repository, branch) {
        return Err(PublishError::InTheWay { branch: branch.to_owned(), taken });
    }
    persist(&repository, committed.objects(), mark)
        .map_err(|source| PublishError::Objects { branch: branch.to_owned(), source })?;
    for branch in names(branch) {
        if create(&repository, &branch, commit, by, mark)? {
            return Ok(Published { branch, commit: committed.commit().to_owned() });
        }
    }
    Err(PublishError::Taken { branch: branch.to_owned() })
}

/// The names that are tried, in order.
fn names(branch: &str) -> impl Iterator<Item = String> {
    (1..=MAX_ATTEMPTS).map(move |attempt| match attempt {
        1 => branch.to_owned(),
        more => format!("{branch}-{more}"),
    })
}

/// Cleans away what a killed [`publish`] left, and gives the branch if it was made: the one of these names that is at
/// the commit. May be asked any number of times.
pub fn settle_published(
    project: &Project,
    branch: &str,
    commit: &str,
    mark: &Mark,
) -> Result<Option<Published>, PublishError> {
    let repository = project.repository();
    let io = |path: &str, source| PublishError::Ref {
        branch: branch.to_owned(),
        source: RefError::Io { path: path.to_owned(), source },
    };
    objects::remove_left(&repository, mark).map_err(|source| io("objects", source))?;
    let commit = Oid::from_str(commit).map_err(|error| git_error(branch, error))?;
    let mut found = None;
    for branch in names(branch) {
        let name = format!("refs/heads/{branch}");
        release_locks(repository.commondir(), &name, mark).map_err(|source| io(&name, source))?;
        match current(&repository, &name).map_err(|error| git_error(&branch, error))? {
            Some(at) if at == commit => {
                found = Some(Published { branch, commit: commit.to_string() });
                break;
            }
            Some(_) => {}
            None => {
                clean_after(repository.commondir(), &name).map_err(|source| io(&name, source))?;
                break;
            }
        }
    }
    Ok(found)
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
fn create(
    repository: &Repository,
    branch: &str,
    commit: Oid,
    by: &Identity,
    mark: &Mark,
) -> Result<bool, PublishError> {
    let name = format!("refs/heads/{branch}");
    match update(repository, Update { name: &name, old: None, new: commit, by, why: "gephost: publish" }, mark) {
        Ok(()) => Ok(true),
        Err(RefError::Moved { .. }) => Ok(false),
        Err(source) => Err(PublishError::Ref { branch: branch.to_owned(), source }),
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
            assert_eq!(
                publish(&project, &committed, "evo/t-x", &identity(), &Mark::of("x")).expect("a branch").branch,
                branch
            );
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
            assert_eq!(
                publish(&project, &committed, "evo/t-x", &identity(), &Mark::of("x")).expect("a branch").branch,
                "evo/t-x-2"
            );
            assert_eq!(scratch.git(&["rev-parse", "evo/t-x"]), head);
        }
    }

    #[test]
    fn a_branch_that_holds_the_same_commit_is_not_taken_for_ours() {
        let scratch = Scratch::new();
        let (project, committed) = committed(&scratch, "1");
        persist(&project.repository(), committed.objects(), &Mark::of("x")).expect("on disk, for git to see");
        scratch.git(&["branch", "evo/t-x", committed.commit()]);
        assert_eq!(
            publish(&project, &committed, "evo/t-x", &identity(), &Mark::of("x")).expect("a branch").branch,
            "evo/t-x-2"
        );
    }

    #[test]
    fn a_branch_named_evo_is_named_as_the_obstacle() {
        let scratch = Scratch::new();
        let (project, committed) = committed(&scratch, "1");
        scratch.git(&["branch", "evo"]);
        let refused = publish(&project, &committed, "evo/t-x", &identity(), &Mark::of("x"));
        assert!(matches!(refused, Err(PublishError::InTheWay { taken, .. }) if taken == "evo"));
    }

    #[test]
    fn a_ref_that_another_git_holds_locked_is_not_written() {
        let scratch = Scratch::new();
        let (project, committed) = committed(&scratch, "1");
        scratch.write(".git/refs/heads/evo/t-x.lock", "");
        let refused = publish(&project, &committed, "evo/t-x", &identity(), &Mark::of("x"));
        assert!(matches!(refused, Err(PublishError::Ref { source: RefError::Locked { .. }, .. })), "{refused:?}");
        assert!(!scratch.root.join(".git/refs/heads/evo/t-x").exists());
    }

    #[test]
    fn a_base_that_moved_meanwhile_is_not_published_on() {
        let scratch = Scratch::new();
        let (project, committed) = committed(&scratch, "1");
        scratch.commit("meanwhile");
        let refused = publish(&project, &committed, "evo/t-x", &identity(), &Mark::of("x"));
        assert!(matches!(refused, Err(PublishError::BaseMoved { .. })), "{refused:?}");
        assert_eq!(scratch.git(&["branch", "--list", "evo/*"]), "");
        scratch.git_fails(&["cat-file", "-e", committed.commit()]);
    }

    #[test]
    fn what_a_kill_left_is_settled_as_often_as_it_is_asked() {
        let scratch = Scratch::new();
        let (project, committed) = committed(&scratch, "1");
        let mark = Mark::of("x");
        scratch.git(&["branch", "evo/t-x"]);
        let settle = || settle_published(&project, "evo/t-x", committed.commit(), &mark).expect("settled");
        assert_eq!((settle(), settle()), (None, None));
        let published = publish(&project, &committed, "evo/t-x", &identity(), &mark).expect("a branch");
        assert_eq!(published.branch, "evo/t-x-2");
        assert_eq!((settle(), settle()), (Some(published.clone()), Some(published)));
    }
}
