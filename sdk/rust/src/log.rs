//! Lines for the operator. They count against the output budget of the call.

use crate::bindings::imports::gephost::gene::logging::{Level, log};

/// For the gene's author.
pub fn debug(message: &str) {
    log(Level::Debug, message);
}

/// For whoever wants to know what the gene did.
pub fn info(message: &str) {
    log(Level::Info, message);
}

/// Something was left out.
pub fn warn(message: &str) {
    log(Level::Warn, message);
}

/// The gene is about to fail.
pub fn error(message: &str) {
    log(Level::Error, message);
}
