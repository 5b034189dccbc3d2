//! The settings of this gene: those that its manifest declares, with the operator's values or the defaults. Always granted.

pub use crate::host::settings::{Setting, Value, all};
