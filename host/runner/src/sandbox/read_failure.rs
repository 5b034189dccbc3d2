//! Why a listed file cannot be read.

use serde::{Deserialize, Serialize};

use super::bindings::gephost::gene::types::HostError;

/// Why a file has no bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum ReadFailure {
    /// It does not exist, or may not be shown: a gene cannot tell these apart.
    #[error("not found")]
    NotFound,
    /// It exists and cannot be read, for this reason.
    #[error("{0}")]
    Failed(String),
}

impl From<String> for ReadFailure {
    fn from(reason: String) -> Self {
        Self::Failed(reason)
    }
}

impl From<ReadFailure> for HostError {
    fn from(failure: ReadFailure) -> Self {
        match failure {
            ReadFailure::NotFound => Self::NotFound,
            ReadFailure::Failed(reason) => Self::Failed(reason),
        }
    }
}
