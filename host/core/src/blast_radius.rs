//! The size of a change, as the gate, capsules, evolution events and the log state it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How far a change reaches (seed 001), without rename detection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct BlastRadius {
    /// Files touched.
    pub files: u64,
    /// Lines added and deleted.
    pub lines: u64,
}
