//! Determines what this kernel supports by trying it. Containers and old kernels lack parts, and no version number
//! shows that.

#![expect(clippy::disallowed_methods, reason = "the kernel reports what it supports in files")]

use landlock::{ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, Scope};
use serde::Serialize;

/// Versions of Landlock's interface with their numbers, newest first.
const VERSIONS: &[(ABI, u8)] =
    &[(ABI::V7, 7), (ABI::V6, 6), (ABI::V5, 5), (ABI::V4, 4), (ABI::V3, 3), (ABI::V2, 2), (ABI::V1, 1)];

/// Parts of the kernel that confine a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Support {
    /// The newest version of Landlock's interface that works here and that gephost knows.
    pub landlock: Option<u8>,
    /// Whether system calls can be filtered.
    pub seccomp: bool,
}

impl Support {
    /// Tries each part. Changes nothing: a rule set that is created and dropped has no effect.
    pub fn measure() -> Self {
        let landlock = VERSIONS.iter().find(|(abi, _)| works(*abi)).map(|(_, number)| *number);
        // The kernel lists the actions of filters if it supports filters.
        let actions = std::fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default();
        let has = |action: &str| actions.split_whitespace().any(|word| word == action);
        Self { landlock, seccomp: has("kill_process") && has("errno") }
    }

    /// Whether both are available.
    pub fn is_whole(&self) -> bool {
        self.landlock.is_some() && self.seccomp
    }
}

fn works(abi: ABI) -> bool {
    let ruleset = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
    let handled = ruleset.handle_access(AccessFs::from_all(abi)).and_then(|ruleset| {
        let scopes = Scope::from_all(abi);
        if scopes.is_empty() { Ok(ruleset) } else { ruleset.scope(scopes) }
    });
    handled.and_then(Ruleset::create).is_ok()
}
