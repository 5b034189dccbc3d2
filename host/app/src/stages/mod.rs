//! The stages of a cycle up to the verdict: diagnose, select, propose and gate. Nothing outside memory changes.
//!
//! What must stay true: whatever a stage is given, a gene sees what its grant covers and nothing else, and every proposal
//! goes through the gate against the base commit.

mod ask;
mod diagnose;
mod judged;
mod material;
mod propose;
mod propose_error;
mod reuse;
mod search;
mod source;
mod stage;
mod unwanted;

pub use judged::{Judged, gate};
pub use material::{Clue, adopt, selection};
pub use propose::Proposed;
pub(crate) use propose::answered;
pub use propose_error::ProposeError;
pub use search::{Search, Trials};
pub use source::Source;
pub use stage::{Diagnosed, Stage};
