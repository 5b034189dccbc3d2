//! What a gene writes for the operator.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The level of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// For the author of the gene.
    Debug,
    /// For information.
    Info,
    /// Something is unusual.
    Warn,
    /// Something failed.
    Error,
    /// Printed on its standard output or error.
    Output,
}

impl LogLevel {
    /// The name on disk and in texts.
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
    /// Its level.
    pub level: LogLevel,
    /// The text, without control characters.
    pub message: String,
}
