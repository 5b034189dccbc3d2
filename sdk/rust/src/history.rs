//! Earlier attempts to repair something. Capability `history`.

pub use crate::bindings::imports::gephost::gene::history::{Attempt, AttemptOutcome, attempts};
