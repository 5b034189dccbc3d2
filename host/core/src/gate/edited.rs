//! Says in a verdict where the files that a gene read were not those that it is judged against.
//!
//! Genes may read the checkout (`[genes] reads = "checkout"`), and the gate knows the base commit only. What must stay
//! true: this explains a verdict and adds to it; it never makes one pass.

use std::collections::BTreeSet;

use super::layer::LayerReport;
use super::structure;
use super::{Verdict, Violation};
use crate::path::RepoPath;

/// Rules whose violations an uncommitted edit explains.
const EXPLAINED: &[&str] =
    &["context-mismatch", "path-missing", "path-exists", "path-kind", "mode-mismatch", "symlink"];

/// What a violation says that such an edit explains.
const EXPLANATION: &str = "the gene read this file in the checkout, which has an uncommitted edit: commit the edit, or \
                           set `reads = \"commit\"` in `[genes]`";

impl Verdict {
    /// The verdict on a parsed of a gene that read a checkout in which these paths, of those that the parsed names,
    /// are not as in the base commit.
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
        // Made anew, so that what is added passes through the same scrubbing and bounds.
        *structure = LayerReport::ran(&structure::LAYER, violations);
        self
    }
}
