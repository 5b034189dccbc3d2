//! What the layer found, in order: each rule once a line, and each rule a bounded number of times, so that a change
//! made of hits fills no memory and still shows every rule it breaks.

use std::collections::{BTreeMap, HashMap};

use super::super::Finding;
use super::rules::Group;

/// Most findings of one rule that are kept.
const MAX_PER_RULE: usize = 500;

/// Findings by file, line and rule.
#[derive(Default)]
pub(super) struct Found {
    file: usize,
    findings: BTreeMap<(usize, Option<u64>, String), (Group, Finding)>,
    counts: HashMap<String, usize>,
}

impl Found {
    /// What is added from now on is of the next file.
    pub(super) fn next_file(&mut self) {
        self.file += 1;
    }

    pub(super) fn add(&mut self, group: Group, finding: Finding) {
        let key = (self.file, finding.line, finding.rule.clone());
        if self.findings.contains_key(&key) {
            return;
        }
        let count = self.counts.entry(finding.rule.clone()).or_default();
        if *count < MAX_PER_RULE {
            *count += 1;
            self.findings.insert(key, (group, finding));
        }
    }

    pub(super) fn into_findings(self) -> impl Iterator<Item = (Group, Finding)> {
        self.findings.into_values()
    }
}
