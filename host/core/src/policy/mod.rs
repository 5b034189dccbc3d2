//! The policy: which paths may change, within which limits, and why.
//!
//! What must stay true: deny wins over allow; a path that no rule covers is denied; nothing overrides the built-in
//! list; and a key that cannot be enforced stops the host (invariants 7 and 10).

mod built_in;
mod compiled;
mod decision;
mod enforceable;
mod error;
mod narrowing;
mod phase;
mod table;
mod warnings;

pub use built_in::{BUILT_IN_DENY, BUILT_IN_NAMES, NameRule};
pub use compiled::Policy;
pub use decision::{Decision, Source};
pub use error::PolicyError;
pub use phase::{Governance, GovernanceCheck, MIN_SUCCESS_PERCENT, Phase, PhaseTable, PhasesTable, governance};
pub use table::{PolicyTable, TestTreatment, Treatment, ValidationTable};

pub(crate) use narrowing::Narrowing;

pub use crate::pattern::PatternError;
