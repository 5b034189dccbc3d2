//! What `gephost record` noted of a run of a command. A validation runs the command in the same place, and compares.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How a recorded command ended, and where it ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RecordedRun {
    /// The exit code, or 128 plus the number of the signal that ended it.
    pub exit_code: i32,
    /// The line of its output that names the error, redacted; absent if no line does.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub error: Option<String>,
    /// The folder in which it ran, from the project's root; absent for the root and for a folder outside.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub folder: Option<String>,
    /// The virtual environment of Python that was active: from the project's root, or its full path if it is outside.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub environment: Option<String>,
    /// The limit that the operator gave it, in seconds; absent if none. A validation gives it no longer.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub timeout_s: Option<u64>,
}
