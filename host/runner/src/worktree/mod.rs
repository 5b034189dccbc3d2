//! The user's repository: what genes see of it, and the one branch that gephost adds to it. Owns every git operation.
//!
//! What must stay true (invariants 3 and 4): but for [`land`], nothing here touches the checkout, the index, `HEAD`,
//! another ref, the stash, the configuration or an untracked file. Reading goes to the object store, and for the list of
//! tracked files to the index, and never to the checkout; writing is plumbing (blobs, trees, one commit), followed by one
//! compare-and-swap of one new ref. [`land`] moves the checked-out branch with its index and files, where a person asked
//! for it and no local edit is in the way. So no hook, filter,
//! attribute, fsmonitor or credential helper of the user can run: libgit2 starts no process for any of these calls.
//!
//! One operation a file. Tests stand in each file, on throw-away repositories, with the git command line as oracle.

mod apply;
mod apply_error;
mod base;
mod branch_name;
mod checkout;
mod difference;
mod edit;
mod fixture;
mod history;
mod in_use;
mod land;
mod load;
mod lock_file;
mod mark;
mod materialise;
mod message;
mod objects;
mod project;
mod publish;
mod refs;
mod remove;
mod revert;
mod rollback;
mod sign;
mod snapshot;
mod state;
mod sync;
mod tracked;
mod tree_object;
mod verify;
mod workcopy;

#[cfg(test)]
mod fingerprint;
#[cfg(test)]
pub(crate) mod scratch;

pub use apply::{Committed, apply};
pub use apply_error::ApplyError;
pub use base::{BaseTree, ReadError};
pub use branch_name::branch_name;
pub use fixture::{FixtureFile, commit_fixture};
pub use history::CommitAt;
pub use land::{Forward, LandError, check_landable, land, landing_branch, settle_landed};
pub use load::Node;
pub use mark::Mark;
pub use materialise::MaterialiseError;
pub use message::{CommitMessage, Identity, IdentityError};
pub use project::{Head, OpenError, Project};
pub use publish::{PublishError, Published, publish, settle_published};
pub use refs::RefError;
pub use revert::{RevertError, is_in_head, revert};
pub use rollback::{DropError, check_droppable, drop_branch, settle_dropped};
pub use sign::{SignError, Signer};
pub use state::CheckoutState;
pub use tracked::is_tracked;
pub use workcopy::{WorkCopy, WorkCopyError, WorkFolder};

/// What libgit2 said, without its numeric codes.
#[derive(Debug, thiserror::Error)]
#[error("git: {}", .0.message())]
pub struct GitError(#[from] git2::Error);
