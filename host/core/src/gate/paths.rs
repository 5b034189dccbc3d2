//! The layer `paths`: the policy allows every path that the change names, on both sides, and modes stay as they are.

use std::collections::BTreeSet;

use super::layer::Layer;
use super::parsed_change::Part;
use super::review::Review;
use super::{ApprovedChange, FileMode, Violation};
use crate::grant;
use crate::path::RepoPath;
use crate::policy::{Policy, Source};

/// The rule that refuses a path which the policy does not allow.
pub const PATH_NOT_ALLOWED: &str = "path-not-allowed";

pub(super) const LAYER: Layer = Layer { name: "paths", purpose: "Every path may change.", check };

/// Decides on every path that the change names. It needs no base, so it runs even if the structure is unsound.
#[expect(clippy::unnecessary_wraps, reason = "every layer has this signature")]
fn check(review: &mut Review<'_>) -> Option<Vec<Violation>> {
    let named: BTreeSet<&RepoPath> = review.parsed.parts().iter().flatten().flat_map(Part::paths).collect();
    let mut violations: Vec<Violation> = named.into_iter().filter_map(|path| decide(path, review.policy)).collect();
    let changes = review.resolved.iter().flat_map(|resolved| &resolved.changes);
    violations.extend(changes.filter_map(|change| mode(change, review.policy)));
    Some(violations)
}

fn decide(path: &RepoPath, policy: &Policy) -> Option<Violation> {
    let decision = policy.decide(path);
    let (rule, hint) = match decision.source {
        Source::PolicyAllow => return None,
        Source::BuiltIn => ("path-built-in", "leave this path out".to_owned()),
        Source::PolicyDeny => ("path-denied", "leave this path out".to_owned()),
        Source::Phase if decision.allowed => return None,
        Source::Phase => ("path-outside-phase", "leave this path out, or see `gephost policy promote`".to_owned()),
        Source::NotAllowed => (PATH_NOT_ALLOWED, format!("to allow it, add {:?} to `[policy] allow`", decision.rule)),
        Source::GeneForbids => ("path-forbidden-by-gene", "leave this path out".to_owned()),
        Source::NotGranted => {
            let table = grant::table_name(policy.gene().unwrap_or_default());
            (
                "path-not-granted",
                format!("to allow it, add {:?} to `write` in `{table}` of gephost.toml", decision.rule),
            )
        }
    };
    Some(Violation::reject(rule, decision.reason(), hint).at(path))
}

fn mode(change: &ApprovedChange, policy: &Policy) -> Option<Violation> {
    let path = &change.path;
    let after = change.after.as_ref()?.mode;
    match &change.before {
        Some(before) if before.mode != after => {
            let message = "the file's mode changes";
            let hint = "leave modes as they are, or set `mode_changes = true` in `[policy]`";
            let violation = Violation::reject("mode-change", message, hint).at(path);
            (!policy.table().mode_changes).then_some(violation)
        }
        None if after == FileMode::Executable => {
            let message = "the file is new and executable";
            Some(Violation::flag("new-executable", message, "review what it runs").at(path))
        }
        _ => None,
    }
}
