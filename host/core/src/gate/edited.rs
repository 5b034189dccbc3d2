//! Says in a verdict where the files that a gene read were not those that it is judged against.
//!
//! Genes may read the checkout (`[genes] reads = "checkout"`), and the gate knows the base commit only. What must stay
//! true: this explains a verdict and adds to it; it never makes one pass.

use std::collections::BTreeSet;

use super::{Finding, Layer, LayerReport, Verdict};
use crate::path::RepoPath;

/// Rules whose findings an uncommitted edit explains.
const EXPLAINED: &[&str] =
    &["context-mismatch", "path-missing", "path-exists", "path-kind", "mode-mismatch", "symlink"];

impl Verdict {
    /// The verdict on a candidate of a gene that read a checkout in which these paths, of those that the candidate names,
    /// are not as in the base commit.
    #[must_use]
    pub fn with_uncommitted(mut self, edited: &BTreeSet<RepoPath>) -> Self {
        let Some(structure) = self.layers.iter_mut().find(|layer| layer.layer == Layer::Structure) else { return self };
        let mut findings = std::mem::take(&mut structure.findings);
        for finding in findings.iter_mut().filter(|finding| EXPLAINED.contains(&finding.rule.as_str())) {
            if let Some(path) = finding.path.as_deref().filter(|path| edited.contains(*path)) {
                finding.hint = format!(
                    "the gene read `{path}` in the checkout, where it has an uncommitted edit: commit that, or set \
                     `reads = \"commit\"` in `[genes]`"
                );
            }
        }
        findings.extend(edited.iter().map(|path| {
            let message = format!(
                "`{path}` has an uncommitted edit in the checkout, and the change is judged against the base commit"
            );
            Finding::flag("uncommitted-edit", message, "look whether the change holds parts of the edit").at(path)
        }));
        // Made anew, so that what is added passes through the same scrubbing and bounds.
        *structure = LayerReport::ran(Layer::Structure, findings);
        self
    }
}
