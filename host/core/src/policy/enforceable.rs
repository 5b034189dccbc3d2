//! Refuses values that would be read but not enforced (invariant 10).

use super::error::PolicyError;
use super::table::{PolicyTable, ValidationTable};
use crate::validation::Network;

/// Refuses values that would be read but not enforced.
pub(super) fn check_enforceable(policy: &PolicyTable, validation: &ValidationTable) -> Result<(), PolicyError> {
    let only_false = [
        ("[policy] symlinks", policy.symlinks),
        ("[policy] submodules", policy.submodules),
        ("[policy] binary", policy.binary),
    ];
    if let Some((key, _)) = only_false.into_iter().find(|(_, value)| *value) {
        let remedy = "write `false` or leave it out";
        return Err(PolicyError::CannotEnforce { key, value: "true".to_owned(), remedy });
    }
    if policy.phase.is_none() && !policy.phases.is_empty() {
        return Err(PolicyError::PhasesWithoutPhase);
    }
    if let Some(phase) = policy.phase.filter(|phase| policy.phases.of(*phase).allow.is_empty()) {
        return Err(PolicyError::PhaseWithoutPaths { phase });
    }
    if policy.max_risk > 100 {
        let (key, value) = ("[policy] max_risk", policy.max_risk.into());
        return Err(PolicyError::Range { key, value, range: "0 to 100" });
    }
    check_validation(validation)
}

fn check_validation(table: &ValidationTable) -> Result<(), PolicyError> {
    let bounds = [
        ("[validation] timeout_s", table.timeout_s, 1..=3600, "1 to 3600"),
        ("[validation] disk_mib", table.disk_mib, 1..=1_048_576, "1 to 1048576"),
        ("[validation] processes", table.processes, 8..=65_536, "8 to 65536"),
        ("[validation] memory_mib", table.memory_mib.unwrap_or(64), 64..=16_777_216, "64 to 16777216"),
        ("[validation] reruns", table.reruns, 0..=10, "0 to 10"),
    ];
    if let Some((key, value, _, range)) = bounds.into_iter().find(|(_, value, range, _)| !range.contains(value)) {
        return Err(PolicyError::Range { key, value, range });
    }
    let is_full = |path: &&String| path.starts_with('/') && path.split('/').all(|name| name != "..");
    if let Some(path) = table.read.iter().find(|path| !is_full(path)) {
        let (key, value) = ("[validation] read", format!("{path:?}"));
        return Err(PolicyError::CannotEnforce { key, value, remedy: "write a full path without `..`" });
    }
    let needed = table.network.map(Network::least_level).filter(|needed| *needed > table.sandbox.most());
    if let (Some(network), Some(_)) = (table.network, needed) {
        let (key, value) = ("[validation] network", format!("{:?}", network.as_str()));
        let remedy = "raise `sandbox`: \"none\" takes L1, \"loopback\" takes L2";
        return Err(PolicyError::CannotEnforce { key, value, remedy });
    }
    if let Some(value) = table.parallel.filter(|parallel| !(1..=64).contains(parallel)) {
        return Err(PolicyError::Range { key: "[validation] parallel", value, range: "1 to 64" });
    }
    Ok(())
}
