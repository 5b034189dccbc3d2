//! Messages to the operator. They count against the output budget of the call.

use crate::host::logging::{Level, log};

/// Logs a message for the gene's author.
pub fn debug(message: &str) {
    log(Level::Debug, message);
}

/// Logs what the gene did.
pub fn info(message: &str) {
    log(Level::Info, message);
}

/// Logs that the gene left something out, or did not understand something.
pub fn warn(message: &str) {
    log(Level::Warn, message);
}

/// Logs why the gene is about to fail.
pub fn error(message: &str) {
    log(Level::Error, message);
}
