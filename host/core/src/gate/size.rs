//! Layer 2: files, lines and bytes of the change, against the policy's limits.

use super::renames::changed_lines;
use super::resolve::Resolved;
use super::{BlastRadius, Finding};
use crate::patch::Patch;
use crate::policy::PolicyTable;

/// Files and lines that a patch touches; a rename counts as a deletion and an addition (GEP.md section 6).
pub(super) fn blast_radius(patch: &Patch) -> BlastRadius {
    BlastRadius { files: patch.files.len() as u64, lines: patch.files.iter().map(changed_lines).sum() }
}

pub(super) fn check(resolved: &Resolved, limits: &PolicyTable) -> Vec<Finding> {
    let counts = [
        ("max-files", "files", resolved.changes.len() as u64, limits.max_files, "max_files"),
        ("max-patch-lines", "lines of diff", resolved.text_lines, limits.max_patch_lines, "max_patch_lines"),
        ("max-patch-bytes", "bytes of diff", resolved.text_bytes, limits.max_patch_bytes, "max_patch_bytes"),
    ];
    let over = counts.into_iter().filter(|(_, _, count, limit, _)| count > limit);
    over.map(|(rule, what, count, limit, key)| {
        let message = format!("{count} {what}; `{key}` is {limit}");
        Finding::reject(rule, message, "make the change smaller, or split it")
    })
    .collect()
}
