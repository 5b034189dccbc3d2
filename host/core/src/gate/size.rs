//! The layer `size`: files, lines and bytes of the change are within the policy's limits.

use super::layer::Layer;
use super::renames::{self, changed_lines};
use super::resolve::Resolved;
use super::review::Review;
use super::{BlastRadius, Violation};
use crate::patch::Patch;
use crate::policy::PolicyTable;

/// Files and lines that a patch touches; a rename counts as a deletion and an addition.
fn blast_radius(patch: &Patch) -> BlastRadius {
    BlastRadius { files: patch.files.len() as u64, lines: patch.files.iter().map(changed_lines).sum() }
}

pub(super) const LAYER: Layer = Layer { name: "size", purpose: "The change is small enough.", check };

/// Counts the change, and compares it with the limits.
fn check(review: &mut Review<'_>) -> Option<Vec<Violation>> {
    let resolved = review.resolved.as_ref()?;
    let radius = blast_radius(&resolved.patch);
    review.measured.blast_radius = radius;
    review.measured.with_renames = renames::count(&resolved.changes, &resolved.patch, radius);
    Some(over_limit(resolved, review.policy.table()))
}

fn over_limit(resolved: &Resolved, limits: &PolicyTable) -> Vec<Violation> {
    let counts = [
        ("max-files", "files", resolved.changes.len() as u64, limits.max_files, "max_files"),
        ("max-patch-lines", "lines of diff", resolved.text_lines, limits.max_patch_lines, "max_patch_lines"),
        ("max-patch-bytes", "bytes of diff", resolved.text_bytes, limits.max_patch_bytes, "max_patch_bytes"),
    ];
    let over = counts.into_iter().filter(|(_, _, count, limit, _)| count > limit);
    over.map(|(rule, what, count, limit, key)| {
        let message = format!("{count} {what}, more than `{key}` allows ({limit})");
        Violation::reject(rule, message, "make the change smaller, or split it")
    })
    .collect()
}
