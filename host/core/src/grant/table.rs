//! `[genes]`, `[genes.grants."id"]` and `[budgets]` as a file has them. A missing key keeps the default; an empty list
//! grants nothing.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::gene_entry::GeneEntry;
use crate::gene::{Capability, Settings};

/// `genes.isolation`: where genes run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Isolation {
    /// In processes of their own, which the kernel confines.
    Process,
    /// In the host's process, confined by WebAssembly alone.
    Thread,
}

/// `[genes]`: which components run, and what they are granted.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GenesTable {
    /// Gene files, relative to the project's root, in the order in which they run: each a path, or a table
    /// `{ path = "…", sha256 = "…" }`, which stops gephost if the file has another digest.
    pub files: Vec<GeneEntry>,
    /// Whether the bundled genes run, before those of `files`. Without them, a gene of `files` may have the id of a bundled
    /// one.
    pub bundled: bool,
    /// Capabilities that every gene gets if it requests them.
    pub grant: Vec<Capability>,
    /// `[genes.grants."id"]`: the grant of one gene, by its id.
    pub grants: BTreeMap<String, GrantTable>,
    /// `[genes.settings."id"]`: the settings of one gene, by its id. They need no grant, and recordings hold them.
    pub settings: BTreeMap<String, Settings>,
    /// Which state of the files genes read: the base commit, or the current bytes of tracked files.
    pub reads: Reads,
    /// Where genes run. `process` stops the host if the kernel lacks Landlock or seccomp. Without this key, genes run
    /// in processes that are confined as far as the kernel can.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Isolation>,
}

/// `[genes] reads`: which state of the files genes read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Reads {
    /// The base commit, against which the gate judges proposals.
    #[default]
    Commit,
    /// The current bytes of tracked files in the working tree. The gate still judges proposals against the base commit.
    Checkout,
}

impl Default for GenesTable {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            bundled: true,
            grant: vec![Capability::RunLog, Capability::Workspace, Capability::History, Capability::Coverage],
            grants: BTreeMap::new(),
            settings: BTreeMap::new(),
            reads: Reads::default(),
            isolation: None,
        }
    }
}

/// `[genes.grants."id"]`: the grant of one gene. A missing key keeps its default; an empty list grants nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct GrantTable {
    /// Capabilities that it gets if it requests them. Replaces `[genes] grant`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capabilities: Option<Vec<Capability>>,
    /// Patterns of the files that it may see, among those that the policy does not deny. Exact in letter case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read: Option<Vec<String>>,
    /// Patterns of the files that its proposals may change, among those that the policy allows. Exact in letter case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub write: Option<Vec<String>>,
    /// Budgets of its own.
    pub limits: LimitsTable,
}

/// `[genes.grants."id".limits]`: replaces single keys of `[budgets]` for one gene, with higher or lower values.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LimitsTable {
    /// Milliseconds of wall time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wall_ms: Option<u64>,
    /// Units of fuel; an instruction costs about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fuel: Option<u64>,
    /// MiB of linear memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<usize>,
    /// MiB of log lines, written files and results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_mib: Option<u64>,
    /// Calls of host functions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host_calls: Option<u64>,
}

impl LimitsTable {
    /// These limits, completed with the general ones.
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

/// `[budgets]`: the budgets of one gene call.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetsTable {
    /// Milliseconds of wall time, 1 to 600,000.
    pub wall_ms: u64,
    /// Units of fuel; an instruction costs about one.
    pub fuel: u64,
    /// MiB of linear memory, 1 to 4,096.
    pub memory_mib: usize,
    /// MiB of log lines, written files and results, 1 to 1,024.
    pub output_mib: u64,
    /// Calls of host functions.
    pub host_calls: u64,
}

impl BudgetsTable {
    /// The first key that is out of range, its value, and the rule that it breaks.
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
        Self { wall_ms: 30_000, fuel: 100_000_000_000, memory_mib: 256, output_mib: 8, host_calls: 100_000 }
    }
}
