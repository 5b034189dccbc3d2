//! Taking published changes back.
//!
//! It needs no request to apply: it takes back only what gephost published. `dry_run = true` in the config blocks it as it
//! blocks everything. A landed change is undone by a commit on a branch of its own, which the user merges as the change
//! itself was merged, or has landed at once.

mod failure;
mod take_back;
mod use_case;

pub use failure::RollbackFailure;
pub use take_back::{TakenBack, Way};
pub use use_case::{LastTakenBack, RollbackOptions, RollbackReport, Undone, WaitingRevert};
