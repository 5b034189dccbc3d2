//! What was tried before. Capability `history`.

pub use crate::bindings::imports::gephost::gene::history::{Attempt, AttemptOutcome, attempts};
