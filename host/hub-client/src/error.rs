//! Why a hub gave nothing that is of use.

use std::time::Duration;

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ClientError {
    /// The hub was not reached, or the connection broke.
    #[error("the hub was not reached: {reason}")]
    Network {
        /// Why.
        reason: String,
    },
    /// The hub refused.
    #[error("the hub refused ({status} {code}): {message}")]
    Refused {
        /// The HTTP status.
        status: u16,
        /// The protocol's code, or the status as text.
        code: String,
        /// What the hub says, on one line.
        message: String,
        /// What the hub says to do.
        correction: Option<String>,
        /// The member that the hub names.
        field: Option<String>,
        /// How long to wait.
        retry_after: Option<Duration>,
    },
    /// The answer is not what the protocol says.
    #[error("the hub's answer is not that of GEP-A2A: {reason}")]
    Foreign {
        /// Why.
        reason: String,
    },
    /// The answer is larger than what is read.
    #[error("the hub's answer has more than {limit} bytes")]
    TooLarge {
        /// The most bytes.
        limit: u64,
    },
}

impl ClientError {
    /// Whether the same call may work later.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Network { .. } => true,
            Self::Refused { status, .. } => matches!(status, 408 | 429 | 500..=599),
            Self::Foreign { .. } | Self::TooLarge { .. } => false,
        }
    }

    /// How long the hub asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::Refused { retry_after, .. } => *retry_after,
            _ => None,
        }
    }
}
