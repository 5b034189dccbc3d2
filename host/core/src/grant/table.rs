//! `[genes.grants."id"]` as it stands in a file. A key that is left out leaves the default; an empty list is an answer.

use serde::{Deserialize, Serialize};

use crate::config::BudgetsTable;
use crate::gene::Capability;

/// `[genes.grants."id"]`: what one gene is granted.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GrantTable {
    /// Capabilities it may have if it asks for them, in place of `[genes] grant`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<Capability>>,
    /// Patterns of what it is shown, of that which the policy does not deny. Exact in letter case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Vec<String>>,
    /// Patterns of what its proposals may change, of that which the policy allows. Exact in letter case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Vec<String>>,
    /// Budgets of its own.
    pub limits: LimitsTable,
}

/// `[genes.grants."id".limits]`: the keys of `[budgets]`, each in place of the one there, higher or lower.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsTable {
    /// Milliseconds of wall time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
    /// Units of fuel, about one an instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// MiB of linear memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<usize>,
    /// MiB of log lines and answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_mib: Option<u64>,
    /// Calls of host functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_calls: Option<u64>,
}

impl LimitsTable {
    /// These limits, and the general ones where it has none.
    pub(super) fn over(&self, general: &BudgetsTable) -> BudgetsTable {
        BudgetsTable {
            wall_ms: self.wall_ms.unwrap_or(general.wall_ms),
            fuel: self.fuel.unwrap_or(general.fuel),
            memory_mib: self.memory_mib.unwrap_or(general.memory_mib),
            output_mib: self.output_mib.unwrap_or(general.output_mib),
            host_calls: self.host_calls.unwrap_or(general.host_calls),
        }
    }
}
