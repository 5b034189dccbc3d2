//! Earlier attempts to repair something. Capability `history`.

pub use crate::host::history::{Attempt, AttemptOutcome, attempts};
