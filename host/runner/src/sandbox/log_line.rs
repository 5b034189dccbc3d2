//! What a gene writes for the operator.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a gene meant a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// For its author.
    Debug,
    /// For whoever wants to know.
    Info,
    /// Something is odd.
    Warn,
    /// Something failed.
    Error,
    /// Printed on its standard output or error.
    Output,
}

impl LogLevel {
    /// The word on disk and for a person.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
            Self::Output => "output",
        }
    }
}

/// A line that a gene wrote for the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogLine {
    /// How it was meant.
    pub level: LogLevel,
    /// The text, without control characters.
    pub message: String,
}
