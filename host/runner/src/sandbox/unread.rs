//! Why a file that was listed is not read.

use serde::{Deserialize, Serialize};

use super::bindings::gephost::gene::types::HostError;

/// Why a file has no bytes to give.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Unread {
    /// It is not there, or not to be shown: for a gene the two look the same.
    #[error("not found")]
    Gone,
    /// It is there and cannot be read, for this reason.
    #[error("{0}")]
    Failed(String),
}

impl From<String> for Unread {
    fn from(reason: String) -> Self {
        Self::Failed(reason)
    }
}

impl From<Unread> for HostError {
    fn from(unread: Unread) -> Self {
        match unread {
            Unread::Gone => Self::NotFound,
            Unread::Failed(reason) => Self::Failed(reason),
        }
    }
}
