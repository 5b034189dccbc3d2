//! Landlock: which files a process may use. Everything that the newest known version can refuse is refused, except for
//! the listed paths.

#![expect(clippy::disallowed_methods, reason = "Landlock rules are made for paths")]

use std::path::PathBuf;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, LandlockStatus, PathBeneath, PathFd,
    Ruleset, RulesetAttr as _, RulesetCreatedAttr as _, RulesetStatus, Scope,
};
use serde::{Deserialize, Serialize};

use super::error::ConfineError;

/// Which files a process may use. Any other file cannot be opened, listed, created, linked or removed. TCP, signals to
/// processes outside and abstract sockets of others are refused completely, as far as the kernel supports it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRules {
    /// Files and folders that may be read and executed, with everything below them.
    pub readable: Vec<PathBuf>,
    /// Files and folders that may also be changed.
    pub writable: Vec<PathBuf>,
    /// Whether TCP is allowed.
    pub tcp: bool,
}

/// The newest Landlock version whose rights are known here. An older kernel enforces the rights that it knows. The
/// system-call filter handles what it cannot refuse.
const KNOWN: ABI = ABI::V7;

/// Applies the rules to this thread and its children. Returns the version that the kernel enforces; `None` if it has no
/// Landlock.
pub(super) fn apply(rules: &FileRules, strict: bool) -> Result<Option<u8>, ConfineError> {
    let everything = AccessFs::from_all(KNOWN);
    let mut ruleset = Ruleset::default().set_compatibility(CompatLevel::BestEffort).handle_access(everything)?;
    if !rules.tcp {
        ruleset = ruleset.handle_access(AccessNet::from_all(KNOWN))?;
    }
    let mut ruleset = ruleset.scope(Scope::from_all(KNOWN))?.create()?;
    let read = AccessFs::from_read(KNOWN);
    for (paths, access) in [(&rules.readable, read), (&rules.writable, everything)] {
        for path in paths {
            ruleset = ruleset.add_rule(PathBeneath::new(PathFd::new(path)?, fitting(path, access)))?;
        }
    }
    let status = ruleset.restrict_self()?;
    let enforced = match (status.ruleset, status.landlock) {
        (RulesetStatus::NotEnforced, _) => None,
        (_, LandlockStatus::Available { effective_abi, .. }) => u8::try_from(effective_abi as i32).ok(),
        _ => None,
    };
    if enforced.is_none() && strict { Err(ConfineError::NoLandlock) } else { Ok(enforced) }
}

/// The rights that apply to this path. A file has no entries, and Landlock rejects rights that cannot apply.
fn fitting(path: &std::path::Path, access: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
    if path.is_dir() { access } else { access & AccessFs::from_file(KNOWN) }
}
