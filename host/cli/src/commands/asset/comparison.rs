//! The result of comparing an asset's id with its content.

use gephost_core::digest::Verification;
use schemars::JsonSchema;
use serde::Serialize;

/// Whether an asset states the id of its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(super) enum Comparison {
    /// It does.
    Match,
    /// It states another one.
    Mismatch,
    /// It states none.
    Missing,
}

impl Comparison {
    pub(super) fn of(verification: &Verification) -> Self {
        match verification {
            Verification::Match => Self::Match,
            Verification::Mismatch { .. } => Self::Mismatch,
            Verification::Missing { .. } => Self::Missing,
        }
    }
}
