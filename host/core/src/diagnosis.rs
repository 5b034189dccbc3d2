//! What the heuristic genes found: findings, their order, and the limits they must keep.

use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// A nuisance.
    Low,
    /// Costs time.
    Medium,
    /// Stops work.
    High,
    /// Stops all work.
    Critical,
}

/// One event that a finding rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Number of the event within the observation, from 0.
    pub event: u64,
    /// One line for a person.
    pub line: String,
}

/// One failure pattern.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Stable name within the diagnosis.
    pub id: String,
    /// Which gene found it.
    pub gene: String,
    /// What kind of pattern.
    pub kind: String,
    /// One line for a person.
    pub title: String,
    /// How much it matters.
    pub severity: Severity,
    /// From 0 to 1.
    pub confidence: f64,
    /// Root-cause hypothesis.
    pub hypothesis: String,
    /// What it rests on.
    pub evidence: Vec<Evidence>,
    /// Which way to look for a repair.
    pub direction: String,
    /// Signals it raises.
    pub signals: Vec<String>,
    /// How often it was seen.
    pub occurrences: u32,
}

/// All findings, most important first, and the signals of the observation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Diagnosis {
    /// Most important first.
    pub findings: Vec<Finding>,
    /// Names of the signals.
    pub signals: Vec<String>,
}

/// Orders findings: severity × confidence first, then how often, then id. The formula is `(severity + 1) × confidence`
/// with severities numbered from 0, so that a sure nuisance ranks below an uncertain blocker of twice its severity.
pub fn prioritise(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        weight(b).total_cmp(&weight(a)).then(b.occurrences.cmp(&a.occurrences)).then_with(|| a.id.cmp(&b.id))
    });
}

fn weight(finding: &Finding) -> f64 {
    f64::from(finding.severity as u8 + 1) * finding.confidence
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(id: &str, severity: Severity, confidence: f64, occurrences: u32) -> Finding {
        Finding {
            id: id.to_owned(),
            gene: String::new(),
            kind: String::new(),
            title: String::new(),
            severity,
            confidence,
            hypothesis: String::new(),
            evidence: Vec::new(),
            direction: String::new(),
            signals: Vec::new(),
            occurrences,
        }
    }

    #[test]
    fn severity_and_confidence_come_before_frequency_and_ties_break_by_id() {
        let mut findings = [
            finding("often", Severity::Low, 0.5, 99),
            finding("b", Severity::High, 0.9, 1),
            finding("a", Severity::High, 0.9, 1),
            finding("sure", Severity::Medium, 1.0, 2),
        ];
        prioritise(&mut findings);
        assert_eq!(findings.map(|finding| finding.id), ["a", "b", "sure", "often"]);
    }
}
