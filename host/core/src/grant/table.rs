//! `[genes]`, `[genes.grants."id"]` and `[budgets]` as they stand in a file. A key that is left out leaves the default;
//! an empty list is an answer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::gene::{Capability, Settings};

/// `genes.isolation`: where genes run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// In a process of their own that the kernel confines.
    Process,
    /// In the host's process, confined by WebAssembly alone.
    Thread,
}

/// `[genes]`: which components run, and what they are granted.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GenesTable {
    /// Component files, from the project's root, beside the bundled ones.
    pub files: Vec<String>,
    /// Capabilities that a gene may have if it asks for them.
    pub grant: Vec<Capability>,
    /// `[genes.grants."id"]`: the answer for one gene, by its id.
    pub grants: BTreeMap<String, GrantTable>,
    /// `[genes.settings."id"]`: what one gene is told, by its id.
    pub settings: BTreeMap<String, Settings>,
    /// Which state of the files genes see.
    pub reads: Reads,
    /// Where they run. `process` needs Landlock and seccomp, and stops the host without them; where nothing is said,
    /// genes run in processes that are confined as far as the kernel can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
}

/// `[genes] reads`: which state of the files genes see.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Reads {
    /// The base commit, which proposals are judged against.
    #[default]
    Commit,
    /// The present bytes, in the working tree, of what git tracks. Proposals are judged against the base commit still.
    Checkout,
}

impl Default for GenesTable {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            grant: vec![Capability::RunLog, Capability::Workspace, Capability::History],
            grants: BTreeMap::new(),
            settings: BTreeMap::new(),
            reads: Reads::default(),
            isolation: None,
        }
    }
}

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

/// `[budgets]`: what one call of a gene may use.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetsTable {
    /// Milliseconds of wall time.
    pub wall_ms: u64,
    /// Units of fuel, about one an instruction.
    pub fuel: u64,
    /// MiB of linear memory.
    pub memory_mib: usize,
    /// MiB of log lines and answer.
    pub output_mib: u64,
    /// Calls of host functions.
    pub host_calls: u64,
}

impl BudgetsTable {
    /// The first key that is out of its range, what it is, and what it must be.
    pub(crate) fn out_of_range(&self) -> Option<(&'static str, u64, &'static str)> {
        let bounds = [
            ("wall_ms", self.wall_ms, 600_000, "it must be 1 to 600000"),
            ("fuel", self.fuel, u64::MAX, "it must be at least 1"),
            ("memory_mib", self.memory_mib as u64, 4096, "it must be 1 to 4096"),
            ("output_mib", self.output_mib, 1024, "it must be 1 to 1024"),
            ("host_calls", self.host_calls, u64::MAX, "it must be at least 1"),
        ];
        let out = bounds.into_iter().find(|(_, value, most, _)| !(1..=*most).contains(value));
        out.map(|(key, value, _, rule)| (key, value, rule))
    }
}

impl Default for BudgetsTable {
    fn default() -> Self {
        Self { wall_ms: 10_000, fuel: 20_000_000_000, memory_mib: 256, output_mib: 8, host_calls: 100_000 }
    }
}
