//! The stages of a cycle up to the verdict: diagnose, select, propose and gate. Nothing outside memory changes.
//!
//! What must stay true: whatever a stage is given, a gene sees what its grant covers and nothing else, and every proposal
//! goes through the gate against the base commit.

mod diagnose;
mod material;
mod propose;
mod search;
mod source;
mod stage;

pub use material::{Clue, adopt, selection};
pub(crate) use propose::answered;
pub use propose::{Judged, ProposeError, Proposed, gate, gene_history};
pub use search::{Search, Trials};
pub use source::Source;
pub use stage::{Diagnosed, Stage};
