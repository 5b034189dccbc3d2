//! What the operator says to this gene. Always granted.

pub use crate::bindings::imports::gephost::gene::settings::{Setting, Value, all};
