//! How many assets were looked at.

use schemars::JsonSchema;
use serde::Serialize;

/// What was looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LookedAt {
    /// All capsules.
    pub capsules: u64,
    /// Those that count.
    pub counted: u64,
    /// Those of changes that failed.
    pub failed: u64,
    /// Those whose asset id does not verify.
    pub unverified: u64,
    /// External candidates, which were not asked for.
    pub external: u64,
    /// Those that no signal, or none of the asked ones, triggered.
    pub without_signal: u64,
    /// Those that were there before under the same id.
    pub repeated: u64,
    /// Those that count but are not looked at, because there are too many.
    pub left_out: u64,
    /// Genes, events and reports of the counted capsules that are not looked at, because there are too many.
    pub left_out_others: u64,
}
