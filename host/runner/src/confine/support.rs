//! What this kernel has, found by trying: containers and old kernels lack parts of it, and no version number says so.

use landlock::{ABI, Access as _, AccessFs, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, Scope};
use serde::Serialize;

/// Versions of Landlock's interface, newest first, with their numbers.
const VERSIONS: &[(ABI, u8)] =
    &[(ABI::V7, 7), (ABI::V6, 6), (ABI::V5, 5), (ABI::V4, 4), (ABI::V3, 3), (ABI::V2, 2), (ABI::V1, 1)];

/// Parts of the kernel that confine a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Support {
    /// The newest version of Landlock's interface that works here, of those that gephost knows.
    pub landlock: Option<u8>,
    /// Whether system calls can be filtered.
    pub seccomp: bool,
}

impl Support {
    /// Tries. Changes nothing: a rule set that is made and dropped binds nobody.
    pub fn measure() -> Self {
        let landlock = VERSIONS.iter().find(|(abi, _)| works(*abi)).map(|(_, number)| *number);
        // The kernel lists what a filter may do, if it has filters at all.
        let actions = std::fs::read_to_string("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default();
        let has = |action: &str| actions.split_whitespace().any(|word| word == action);
        Self { landlock, seccomp: has("kill_process") && has("errno") }
    }

    /// Whether both are there.
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
