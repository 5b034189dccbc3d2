//! Applying: approved candidates become commits, are validated side by side in work copies, and the best-ranked one that
//! holds is published as a branch; of the others nothing stays.
//!
//! Order, and what is true when it stops in between (invariant 5): the cycle is in the journal and the intent of each
//! candidate in the log, synced, before its first effect; commits are in memory until one is published; the branch is one
//! compare-and-swap; log and assets follow. What stops half-way, by an error or a crash, is settled by the same code
//! ([`gephost_runner::journal`]), now or at the next start. Before each of these effects the stop signs are looked at.

mod alone;
mod applier;
mod assets;
mod begin;
mod candidate;
mod candidates;
mod contest;
mod failure;
mod further;
mod ids;
mod layers;
mod next_step;
mod publish;
mod saved;
mod search;
mod session;
mod trial;

pub(crate) use alone::{Tried, try_alone};
pub use applier::{Applier, Tools};
pub use candidate::{Candidate, Ended, Intent, Subject};
pub(crate) use candidates::{Repair, by_finding, finding_of};
pub use failure::ApplyFailure;
pub(crate) use further::Accepted;
pub use saved::{SavedApply, SavedEnding};
pub(crate) use search::Searcher;
pub use session::{ApplyOptions, ApplySession};
