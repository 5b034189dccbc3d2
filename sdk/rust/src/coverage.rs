//! Which lines the failing command executes. Capability `coverage`.

pub use crate::bindings::imports::gephost::gene::coverage::{Executed, Measured, lines};
