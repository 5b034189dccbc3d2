//! How much a finding explains.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a finding covers of the observation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scope {
    /// Failed calls and exceptions that it explains.
    pub failures: u64,
    /// All of the observation that were not meant to happen.
    pub failures_total: u64,
    /// Sessions in which it was seen.
    pub sessions: u64,
    /// All sessions of the observation.
    pub sessions_total: u64,
    /// The time of its oldest event, if the log has one: RFC 3339, in UTC.
    pub first: Option<String>,
    /// The time of its newest event.
    pub last: Option<String>,
    /// Tokens of the requests that led to its events, if the logs say what requests used. A cached token counts as a tenth.
    pub tokens: Option<u64>,
    /// How much it matters, from 0 to 100; see [`Finding::priority`](super::Finding::priority).
    pub priority: f64,
}
