//! A policy narrowed for one gene: by the operator's `write` grant, and by the paths that its own manifest forbids.
//!
//! What must stay true: narrowing only removes permissions. It applies after the policy has allowed a path, so that a
//! grant neither lifts a denial nor allows what `[policy] allow` does not.

use std::sync::Arc;

use super::decision::{Decision, Source, anchored};
use crate::gene::Constraints;
use crate::path::RepoPath;
use crate::pattern::{Case, PatternError, PatternSet};

/// Which of the allowed paths one gene's proposals may change.
#[derive(Debug, Clone)]
pub(crate) struct Narrowing {
    /// The gene's id.
    gene: String,
    /// The grant's `write`; `None` if the grant has no such key. An empty set allows nothing.
    write: Option<Arc<PatternSet>>,
    /// The gene's own `constraints.forbidden_paths`, in any letter case.
    forbidden: PatternSet,
    /// The gene's own `constraints.max_files`.
    max_files: Option<u64>,
}

impl Narrowing {
    /// From a gene's grant and its own constraints. An error names the forbidden path that is not a valid pattern.
    pub(crate) fn new(
        gene: &str,
        write: Option<Arc<PatternSet>>,
        own: &Constraints,
    ) -> Result<Self, (String, PatternError)> {
        let forbidden = PatternSet::new(own.forbidden_paths.iter().map(String::as_str), Case::Folded)?;
        Ok(Self { gene: gene.to_owned(), write, forbidden, max_files: own.max_files })
    }

    /// The gene that it is for.
    pub(super) fn gene(&self) -> &str {
        &self.gene
    }

    /// The most files that the gene's own manifest allows.
    pub(super) fn max_files(&self) -> Option<u64> {
        self.max_files
    }

    /// The denial of a path that the policy allows; `None` leaves it allowed.
    pub(super) fn decide(&self, path: &RepoPath) -> Option<Decision> {
        if let Some(rule) = self.forbidden.find(path.as_str()) {
            return Some(Decision { allowed: false, rule: rule.to_owned(), source: Source::GeneForbids });
        }
        let granted = self.write.as_ref().is_none_or(|write| write.find(path.as_str()).is_some());
        (!granted).then(|| Decision { allowed: false, rule: anchored(path), source: Source::NotGranted })
    }
}
