//! The layer's violations in order: each rule once per line, and a bounded number of times in all. So memory stays
//! bounded for any change, and every broken rule is still shown.

use std::collections::{BTreeMap, HashMap};

use super::super::{Severity, Violation};
use super::rules::Group;

/// Most violations of one rule that are kept.
const MAX_PER_RULE: usize = 500;

/// Languages that ids of rules begin with. A file of a language that is not known is read as several.
const LANGUAGES: &[&str] = &["go", "js", "other", "py", "rs", "sh"];

/// Violations by file, line and act.
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
        let key = (self.file, violation.line, act(&violation.rule).to_owned());
        let is_known = |(_, known): &(Group, Violation)| {
            known.severity == Severity::Reject || violation.severity == Severity::Flag
        };
        if self.violations.get(&key).is_some_and(is_known) {
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

/// What a rule is about, whatever the language: `sh-eval` and `other-eval` on one line are one finding.
fn act(rule: &str) -> &str {
    rule.split_once('-').filter(|(language, _)| LANGUAGES.contains(language)).map_or(rule, |(_, act)| act)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_act_on_one_line_is_one_finding() {
        let mut found = Found::default();
        for (rule, line) in [("sh-network", 1), ("py-network", 1), ("py-network", 2), ("sh-sudo", 1)] {
            found.add(Group::Patterns, Violation::flag(rule, "", "").on_line(line));
        }
        found.add(Group::Patterns, Violation::reject("other-network", "", "").on_line(2));
        let kept: Vec<(String, Severity)> = found.into_violations().map(|(_, one)| (one.rule, one.severity)).collect();
        let kept: Vec<(&str, Severity)> = kept.iter().map(|(rule, severity)| (rule.as_str(), *severity)).collect();
        let expected =
            [("sh-network", Severity::Flag), ("sh-sudo", Severity::Flag), ("other-network", Severity::Reject)];
        assert_eq!(kept, expected);
    }
}
