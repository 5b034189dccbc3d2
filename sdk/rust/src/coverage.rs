//! Which lines the failing command executes. Capability `coverage`.

pub use crate::host::coverage::{Executed, Measured, lines};
