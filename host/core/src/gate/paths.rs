//! Layer 1: every path that the change names, on both sides, may change; and modes stay as they are.

use std::collections::BTreeSet;

use super::resolve::Resolved;
use super::{ApprovedChange, FileMode, Finding};
use crate::grant;
use crate::path::RepoPath;
use crate::policy::{Policy, Source};

/// Decides on every named path. It needs no base, so it runs even where the structure is unsound.
pub(super) fn check(paths: &BTreeSet<RepoPath>, resolved: Option<&Resolved>, policy: &Policy) -> Vec<Finding> {
    let mut findings: Vec<Finding> = paths.iter().filter_map(|path| decide(path, policy)).collect();
    let changes = resolved.map(|resolved| resolved.changes.as_slice()).unwrap_or_default();
    findings.extend(changes.iter().filter_map(|change| mode(change, policy)));
    findings
}

fn decide(path: &RepoPath, policy: &Policy) -> Option<Finding> {
    let decision = policy.decide(path);
    let (rule, hint) = match decision.source {
        Source::PolicyAllow => return None,
        Source::BuiltIn => ("path-built-in", "leave this path out".to_owned()),
        Source::PolicyDeny => ("path-denied", "leave this path out".to_owned()),
        Source::Phase if decision.allowed => return None,
        Source::Phase => ("path-outside-phase", "leave this path out, or see `gephost policy promote`".to_owned()),
        Source::NotAllowed => ("path-not-allowed", format!("to allow it, add {:?} to `[policy] allow`", decision.rule)),
        Source::GeneForbids => ("path-forbidden-by-gene", "leave this path out".to_owned()),
        Source::NotGranted => {
            let table = grant::table_name(policy.gene().unwrap_or_default());
            (
                "path-not-granted",
                format!("to allow it, add {:?} to `write` in `{table}` of gephost.toml", decision.rule),
            )
        }
    };
    Some(Finding::reject(rule, format!("`{path}` {}", decision.reason()), hint).at(path))
}

fn mode(change: &ApprovedChange, policy: &Policy) -> Option<Finding> {
    let path = &change.path;
    let after = change.after.as_ref()?.mode;
    match &change.before {
        Some(before) if before.mode != after => {
            let message = format!("the mode of `{path}` changes");
            let hint = "leave modes as they are, or set `mode_changes = true` in `[policy]`";
            let finding = Finding::reject("mode-change", message, hint).at(path);
            (!policy.table().mode_changes).then_some(finding)
        }
        None if after == FileMode::Executable => {
            let message = format!("`{path}` is new and executable");
            Some(Finding::flag("new-executable", message, "look at what it runs").at(path))
        }
        _ => None,
    }
}
