//! One check, and its result.

use schemars::JsonSchema;
use serde::Serialize;

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Refused, as required.
    Ok,
    /// Works, but could be stricter.
    Warn,
    /// Not refused, or broken.
    Error,
    /// Cannot be tried on this machine.
    Unavailable,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Check {
    /// Name of the check, for programs.
    pub id: String,
    /// The result.
    pub status: Status,
    /// What was tried.
    pub tried: String,
    /// What happened.
    pub result: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Check {
    /// A check without a hint.
    pub fn new(id: impl Into<String>, status: Status, tried: impl Into<String>, result: impl Into<String>) -> Self {
        Self { id: id.into(), status, tried: tried.into(), result: result.into(), hint: None }
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
