//! The layer's violations in order: each rule once per line, and a bounded number of times in all. So memory stays
//! bounded for any change, and every broken rule is still shown.

use std::collections::{BTreeMap, HashMap};

use super::super::Violation;
use super::rules::Group;

/// Most violations of one rule that are kept.
const MAX_PER_RULE: usize = 500;

/// Violations by file, line and rule.
#[derive(Default)]
pub(super) struct Found {
    file: usize,
    violations: BTreeMap<(usize, Option<u64>, String), (Group, Violation)>,
    counts: HashMap<String, usize>,
}

impl Found {
    /// Starts the next file.
    pub(super) fn next_file(&mut self) {
        self.file += 1;
    }

    pub(super) fn add(&mut self, group: Group, violation: Violation) {
        let key = (self.file, violation.line, violation.rule.clone());
        if self.violations.contains_key(&key) {
            return;
        }
        let count = self.counts.entry(violation.rule.clone()).or_default();
        if *count < MAX_PER_RULE {
            *count += 1;
            self.violations.insert(key, (group, violation));
        }
    }

    pub(super) fn into_violations(self) -> impl Iterator<Item = (Group, Violation)> {
        self.violations.into_values()
    }
}
