//! Why logs, or one of them, could not be read.

use std::io;
use std::path::Path;

use schemars::JsonSchema;

/// Why nothing was read.
#[derive(Debug, thiserror::Error)]
pub enum ObserveError {
    /// The path does not exist.
    #[error("no log at {0}: give a file, a folder or a pattern that exists")]
    NotFound(String),
    /// The run store cannot be listed.
    #[error(transparent)]
    Store(#[from] crate::run_store::RunStoreError),
    /// The pattern is invalid.
    #[error("invalid pattern {pattern}: {reason}")]
    Pattern {
        /// The pattern as given.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
}

/// A file that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, JsonSchema)]
pub struct Unreadable {
    /// Path of the file.
    pub path: String,
    /// The system's error message.
    pub reason: String,
}

pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Unreadable {
    Unreadable { path: path.to_string_lossy().into_owned(), reason: error.to_string() }
}
