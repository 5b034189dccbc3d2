//! `[diagnose]`: which reported patterns count as findings. Genes report what they see; the operator sets what counts.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Finding, Severity, bundled, prioritise};
use crate::gene::Settings;

/// The default number of occurrences that a finding needs to count, by kind. Every other kind needs one.
pub const AT_LEAST: [(&str, u32); 4] =
    [("edit_ping_pong", 3), ("failure_place", 3), ("loop", 3), ("tool_failure_rate", 3)];

/// `[diagnose]`: which findings count. `docs/src/reference/thresholds.md` has all defaults.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DiagnoseTable {
    /// Findings of a lower severity do not count.
    pub min_severity: Severity,
    /// Findings of a lower confidence, from 0.0 to 1.0, do not count.
    pub min_confidence: f64,
    /// The most findings, 1 to 1,000. Those with the highest priority count, but if several genes report findings, each has
    /// an equal share, which another gene gets only as far as it is not used.
    pub max_findings: usize,
    /// The least number of occurrences by kind of finding; kinds without a value have a default ([`AT_LEAST`]).
    pub at_least: BTreeMap<String, u32>,
    /// The values at which genes report a pattern; a missing one has a default ([`super::thresholds`]).
    pub thresholds: BTreeMap<String, f64>,
}

impl Default for DiagnoseTable {
    fn default() -> Self {
        Self {
            min_severity: Severity::Info,
            min_confidence: 0.0,
            max_findings: 50,
            at_least: BTreeMap::new(),
            thresholds: BTreeMap::new(),
        }
    }
}

impl DiagnoseTable {
    /// The first key that is unknown or out of range, with the rule that it breaks.
    pub(crate) fn out_of_range(&self) -> Option<String> {
        if !(0.0..=1.0).contains(&self.min_confidence) {
            return Some("`diagnose.min_confidence` must be 0 to 1".to_owned());
        }
        if !(1..=1000).contains(&self.max_findings) {
            return Some("`diagnose.max_findings` must be 1 to 1000".to_owned());
        }
        bundled::refusal(&self.thresholds)
    }

    /// The settings for every heuristic gene: all thresholds with their values.
    pub fn settings(&self) -> Settings {
        bundled::settings(&self.thresholds)
    }

    /// The least number of occurrences for this kind of finding.
    pub fn at_least(&self, kind: &str) -> u32 {
        let default = || AT_LEAST.iter().find(|(known, _)| *known == kind).map(|(_, count)| *count);
        self.at_least.get(kind).copied().or_else(default).unwrap_or(1)
    }

    /// The findings that count, in order of priority, and the number of the others. A finding that stands for several
    /// errors is not cut off by `max_findings`, as long as its gene has not more than twice its share.
    pub fn shortlist(&self, mut findings: Vec<Finding>) -> (Vec<Finding>, usize) {
        let before = findings.len();
        findings.retain(|finding| self.counts(finding));
        prioritise(&mut findings);
        let is_kept = self.shared_out(&findings);
        let mut is_kept = is_kept.into_iter();
        findings.retain(|_| is_kept.next().unwrap_or(false));
        let left_out = before - findings.len();
        (findings, left_out)
    }

    /// Which findings stay: of each gene as many as its share, then the others by priority until there are enough, then
    /// those that stand for several errors.
    fn shared_out(&self, findings: &[Finding]) -> Vec<bool> {
        let mut of_gene: BTreeMap<&str, usize> = findings.iter().map(|finding| (finding.gene.as_str(), 0)).collect();
        let share = (self.max_findings / of_gene.len().max(1)).max(1);
        let mut is_kept = vec![false; findings.len()];
        let (mut room, mut unbounded) = (self.max_findings, usize::MAX);
        let mut pass = |is_wanted: &dyn Fn(&Finding, usize) -> bool, room: &mut usize| {
            for (kept, finding) in is_kept.iter_mut().zip(findings) {
                let count = of_gene.entry(&finding.gene).or_default();
                if *room > 0 && !*kept && is_wanted(finding, *count) {
                    *kept = true;
                    *count += 1;
                    *room -= 1;
                }
            }
        };
        pass(&|_, count| count < share, &mut room);
        pass(&|_, _| true, &mut room);
        pass(&|finding, count| finding.absorbed.len() > 1 && count < 2 * share, &mut unbounded);
        is_kept
    }

    fn counts(&self, finding: &Finding) -> bool {
        finding.severity >= self.min_severity
            && finding.confidence >= self.min_confidence
            && finding.occurrences >= self.at_least(&finding.kind)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::finding;
    use super::*;

    fn of_kind(kind: &str, occurrences: u32) -> Finding {
        Finding { kind: kind.to_owned(), ..finding(kind, Severity::Medium, 0.8, occurrences) }
    }

    fn kept(table: &DiagnoseTable, findings: Vec<Finding>) -> (Vec<String>, usize) {
        let (findings, left_out) = table.shortlist(findings);
        (findings.into_iter().map(|finding| finding.id).collect(), left_out)
    }

    #[test]
    fn a_kind_counts_from_its_threshold_on() {
        let seen = |times| vec![of_kind("loop", times), of_kind("from-elsewhere", 1)];
        let default = DiagnoseTable::default();
        assert_eq!(kept(&default, seen(2)), (vec!["from-elsewhere".to_owned()], 1));
        assert_eq!(kept(&default, seen(3)).1, 0);
        for (least, left_out) in [(1, 0), (2, 0), (3, 1)] {
            let at_least = BTreeMap::from([("loop".to_owned(), least)]);
            assert_eq!(kept(&DiagnoseTable { at_least, ..default.clone() }, seen(2)).1, left_out, "{least}");
        }
    }

    #[test]
    fn severity_confidence_and_number_are_bounds() {
        let findings = || vec![finding("a", Severity::High, 0.5, 1), finding("b", Severity::Low, 0.9, 1)];
        let table = |change: &dyn Fn(&mut DiagnoseTable)| {
            let mut table = DiagnoseTable::default();
            change(&mut table);
            kept(&table, findings())
        };
        assert_eq!(table(&|table| table.min_severity = Severity::Medium), (vec!["a".to_owned()], 1));
        assert_eq!(table(&|table| table.min_confidence = 0.6), (vec!["b".to_owned()], 1));
        assert_eq!(table(&|table| table.max_findings = 1), (vec!["a".to_owned()], 1), "the first by priority");
        assert_eq!(table(&|_| ()).1, 0);
    }

    /// How many findings of each gene stay.
    fn shares(max_findings: usize, reported: &[(&str, u32)]) -> Vec<usize> {
        let of_gene = |(gene, count): &(&str, u32)| {
            let one = |number: u32| Finding {
                gene: (*gene).to_owned(),
                evidence: vec![crate::diagnosis::Evidence { event: 0, line: String::new() }],
                ..finding(&format!("{gene}-{number:03}"), Severity::Medium, 0.8, 1000 - number)
            };
            (0..*count).map(one).collect::<Vec<_>>()
        };
        let findings = reported.iter().flat_map(of_gene).collect();
        let (kept, _) = DiagnoseTable { max_findings, ..DiagnoseTable::default() }.shortlist(findings);
        assert!(kept.is_sorted_by_key(|finding| std::cmp::Reverse(finding.occurrences)), "still in order of priority");
        reported.iter().map(|(gene, _)| kept.iter().filter(|finding| finding.gene == *gene).count()).collect()
    }

    #[test]
    fn a_noisy_gene_does_not_crowd_the_others_out() {
        assert_eq!(shares(50, &[("noisy", 1000), ("quiet", 3)]), [47, 3]);
        assert_eq!(shares(10, &[("noisy", 1000), ("loud", 900)]), [5, 5]);
        assert_eq!(shares(10, &[("a", 2), ("noisy", 1000), ("b", 4)]), [2, 4, 4]);
        assert_eq!(shares(2, &[("a", 9), ("b", 9), ("c", 9)]), [1, 1, 0], "by priority, if there is no room for each");
        assert_eq!(shares(50, &[("alone", 60)]), [50]);
    }

    #[test]
    fn what_stands_for_several_errors_is_kept_within_bounds() {
        let absorbing = |errors: usize| {
            move |number: u32| Finding {
                absorbed: vec![crate::diagnosis::Absorbed { title: String::new(), occurrences: 1 }; errors],
                ..finding(&format!("{number}"), Severity::Medium, 0.8, 1)
            }
        };
        let table = DiagnoseTable { max_findings: 4, ..DiagnoseTable::default() };
        assert_eq!(kept(&table, (0..6).map(absorbing(2)).collect()).0.len(), 6);
        assert_eq!(kept(&table, (0..1000).map(absorbing(2)).collect()).0.len(), 8, "twice its share");
        assert_eq!(kept(&table, (0..6).map(absorbing(1)).collect()).0.len(), 4, "one error is nothing that it joins");
    }

    #[test]
    fn the_page_of_thresholds_shows_the_defaults() {
        let page = include_str!("../../../../docs/src/reference/thresholds.md");
        let block = page.split("```").find(|block| block.starts_with("toml\n[diagnose]")).expect("there is one");
        let shown = crate::config::Config::from_toml(block.trim_start_matches("toml")).unwrap().file.diagnose;
        assert!(AT_LEAST.iter().all(|(kind, count)| shown.at_least.get(*kind) == Some(count)));
        assert_eq!(shown.at_least.len(), AT_LEAST.len());
        assert_eq!(shown.settings(), DiagnoseTable::default().settings());
        assert_eq!(shown.thresholds.len(), super::super::thresholds().iter().count());
        let bare = DiagnoseTable { at_least: BTreeMap::new(), thresholds: BTreeMap::new(), ..shown };
        assert_eq!(bare, DiagnoseTable::default());
    }

    #[test]
    fn the_defaults_are_sorted_and_each_kind_stands_once() {
        assert!(AT_LEAST.is_sorted_by(|a, b| a.0 < b.0));
    }
}
