//! The `[policy]` and `[validation]` tables as a file has them. Every key is either enforced or refused.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::phase::{Phase, PhasesTable};
use crate::validation::{Cache, Demand, Network};

/// What the gate does about a violation of an adjustable group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Treatment {
    /// The proposal is rejected.
    Reject,
    /// It is reported and adds to the risk.
    Flag,
    /// The gate does not look for it.
    Allow,
}

impl fmt::Display for Treatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reject => "reject",
            Self::Flag => "flag",
            Self::Allow => "allow",
        })
    }
}

/// What the gate does about a violation of `weakened_tests`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TestTreatment {
    /// Every change that may weaken a test is rejected.
    Reject,
    /// What can only weaken tests is rejected: a deleted test file, tests that are turned off as a whole, a check that is
    /// replaced by a constant, a failure that no longer counts. The rest is flagged.
    RejectCertain,
    /// It is reported, and waits for a person.
    Flag,
    /// The gate does not look for it.
    Allow,
}

impl fmt::Display for TestTreatment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Reject => "reject",
            Self::RejectCertain => "reject-certain",
            Self::Flag => "flag",
            Self::Allow => "allow",
        })
    }
}

/// `[policy]`: what a proposal may change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a key of the table that an operator writes")]
pub struct PolicyTable {
    /// The paths that may change at most; every other key can only narrow it. Without `allow`, everything that the
    /// phase allows may change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase: Option<Phase>,
    /// The table `[policy.phases]`.
    #[serde(skip_serializing_if = "PhasesTable::is_empty")]
    pub phases: PhasesTable,
    /// Patterns of paths that may change, as in `.gitignore`, exact in letter case. An empty list means that nothing may change.
    pub allow: Vec<String>,
    /// Patterns of paths that may not change, in any letter case. They win over `allow`.
    pub deny: Vec<String>,
    /// Most files a proposal may touch; a rename counts as two.
    pub max_files: u64,
    /// Most lines of the diff's text, headers and context included (seed 004 section 5.1).
    pub max_patch_lines: u64,
    /// Most bytes of the diff's text.
    pub max_patch_bytes: u64,
    /// Highest risk that passes, 0 to 100.
    pub max_risk: u8,
    /// Whether a change may add or remove the executable bit.
    pub mode_changes: bool,
    /// Whether symlinks may be made. Only `false` can be enforced.
    pub symlinks: bool,
    /// Whether submodules may be made. Only `false` can be enforced.
    pub submodules: bool,
    /// Whether binary content may change. Only `false` can be enforced.
    pub binary: bool,
    /// What the gate does about tests that are deleted, skipped, emptied or reconfigured. With `"reject-certain"`, it rejects
    /// only what cannot be anything else, such as a deleted test file. What is flagged is above the default risk of
    /// autopilot, and `run --apply` leaves it to a person.
    pub weakened_tests: TestTreatment,
    /// What it does about dependencies that are added or changed, and lock files.
    pub new_dependencies: Treatment,
    /// What it does about files and keys by which tools, editors, pipelines and agents run something. Flagged, they are
    /// still above the default risk of autopilot.
    pub tool_files: Treatment,
    /// What it does about suspicious code.
    pub patterns: Treatment,
    /// What it does about added e-mail addresses, telephone and card numbers.
    pub personal_data: Treatment,
    /// Files of secret rules in gitleaks' format, in addition to the bundled rules. Paths are relative to the folder of
    /// the config.
    pub secret_rules: Vec<String>,
}

impl Default for PolicyTable {
    /// Nothing is allowed; at most 20 files, 500 lines and 256 KiB; every group but personal data is
    /// rejected; of weakened tests, what is certain.
    fn default() -> Self {
        Self {
            phase: None,
            phases: PhasesTable::default(),
            allow: Vec::new(),
            deny: Vec::new(),
            max_files: 20,
            max_patch_lines: 500,
            max_patch_bytes: 256 * 1024,
            max_risk: 80,
            mode_changes: false,
            symlinks: false,
            submodules: false,
            binary: false,
            weakened_tests: TestTreatment::RejectCertain,
            new_dependencies: Treatment::Reject,
            tool_files: Treatment::Reject,
            patterns: Treatment::Reject,
            personal_data: Treatment::Flag,
            secret_rules: Vec::new(),
        }
    }
}

/// `[validation]`: which commands must pass, and how they are confined.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ValidationTable {
    /// Programs that may run. Without it, those of the built-in table.
    pub programs: Option<Vec<String>>,
    /// The operator's own validation commands, run for every proposal.
    pub commands: Vec<String>,
    /// Seconds that each command may take, 1 to 3,600 (180 in seed 000).
    pub timeout_s: u64,
    /// How far the operating system confines commands. `"auto"` takes the highest level that works here; `"L0"`, `"L1"` and
    /// `"L2"` set the highest level; `"required:L1"` and `"required:L2"` refuse anything lower.
    pub sandbox: Demand,
    /// The network that commands may reach; `"none"` needs L1 and `"loopback"` needs L2. Without it, none if the level can
    /// enforce that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<Network>,
    /// Caches that commands may read: `"cargo"`, `"npm"`, `"pip"`, `"go"`, or a folder of the project that git does not
    /// track.
    pub caches: Vec<Cache>,
    /// Further files and folders that commands may read, by full path, such as a toolchain in an unusual place.
    pub read: Vec<String>,
    /// MiB that a command may add to its work copy, 1 to 1,048,576.
    pub disk_mib: u64,
    /// Processes that a command may have at once, 8 to 65,536.
    pub processes: u64,
    /// MiB of memory that the processes of a command may use together, 64 to 16,777,216. Without it, three quarters of
    /// what is free when the command starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<u64>,
    /// How often a failing command is run again, 0 to 10.
    pub reruns: u64,
    /// Most candidates that are validated at once, 1 to 64. Without it, as many as cores and free memory allow.
    pub parallel: Option<u64>,
}

impl Default for ValidationTable {
    fn default() -> Self {
        Self {
            programs: None,
            commands: Vec::new(),
            timeout_s: 180,
            sandbox: Demand::default(),
            network: None,
            caches: Vec::new(),
            read: Vec::new(),
            disk_mib: 4096,
            processes: 512,
            memory_mib: None,
            reruns: 2,
            parallel: None,
        }
    }
}
