//! Marks in a verdict the files whose uncommitted edits a gene read.
//!
//! Genes may read the checkout (`[genes] reads = "checkout"`), but the gate knows only the base commit. What must stay
//! true: this adds violations and hints to a verdict; it never makes a verdict pass.

use std::collections::BTreeSet;

use super::layer::LayerReport;
use super::structure;
use super::{Verdict, Violation};
use crate::path::RepoPath;

/// Rules whose violations an uncommitted edit can explain.
const EXPLAINED: &[&str] =
    &["context-mismatch", "path-missing", "path-exists", "path-kind", "mode-mismatch", "symlink"];

/// The hint of a violation that such an edit explains.
const EXPLANATION: &str = "the gene read this file in the checkout, which has an uncommitted edit: commit the edit, or \
                           set `reads = \"commit\"` in `[genes]`";

impl Verdict {
    /// The verdict on a change by a gene that read the checkout. `edited` are the paths of the change that differ there
    /// from the base commit.
    #[must_use]
    pub fn with_uncommitted(mut self, edited: &BTreeSet<RepoPath>) -> Self {
        let Some(structure) = self.layers.iter_mut().find(|layer| layer.layer == structure::LAYER.name) else {
            return self;
        };
        let mut violations = std::mem::take(&mut structure.violations);
        for violation in violations.iter_mut().filter(|violation| EXPLAINED.contains(&violation.rule.as_str())) {
            if violation.path.as_deref().is_some_and(|path| edited.contains(path)) {
                EXPLANATION.clone_into(&mut violation.hint);
            }
        }
        violations.extend(edited.iter().map(|path| {
            let message =
                "the checkout has an uncommitted edit of this file; the change is judged against the base commit";
            Violation::flag("uncommitted-edit", message, "check that the change does not contain parts of the edit")
                .at(path)
        }));
        // The report is made anew, so that the same scrubbing and bounds apply to the added violations.
        *structure = LayerReport::ran(&structure::LAYER, violations);
        self
    }
}
