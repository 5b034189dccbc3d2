//! Findings of the heuristic genes, their order, and which of them count.

mod bundled;
mod reference;
mod thresholds;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use bundled::{heuristic_id, thresholds};
pub use reference::FindingRef;
pub use thresholds::{AT_LEAST, DiagnoseTable};

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Number of the event within the observation, from 0.
    pub event: u64,
    /// One line for a person.
    pub line: String,
}

/// One failure pattern.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Stable name within the diagnosis.
    pub id: String,
    /// Id of the gene that found it.
    pub gene: String,
    /// The kind of pattern.
    pub kind: String,
    /// One line for a person.
    pub title: String,
    /// Its severity.
    pub severity: Severity,
    /// From 0 to 1.
    pub confidence: f64,
    /// Root-cause hypothesis.
    pub hypothesis: String,
    /// The events that it rests on.
    pub evidence: Vec<Evidence>,
    /// A suggested direction for a repair.
    pub direction: String,
    /// The signals that it raises.
    pub signals: Vec<String>,
    /// How often it was seen.
    pub occurrences: u32,
}

/// All findings, most important first, and the signals of the observation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Diagnosis {
    /// Most important first.
    pub findings: Vec<Finding>,
    /// Names of the signals.
    pub signals: Vec<String>,
}

impl Finding {
    /// The priority, highest first: `(severity + 1) × confidence × (1 + ⌊log₂ occurrences⌋ / 16)`, with severities
    /// numbered from 0 (`info`) to 4 (`critical`). From 0 to 14.7; sixteen times as often raises it by a quarter.
    pub fn priority(&self) -> f64 {
        let often = 1.0 + f64::from(self.occurrences.max(1).ilog2()) / 16.0;
        f64::from(self.severity as u8 + 1) * self.confidence * often
    }
}

/// Orders findings by [`Finding::priority`], highest first, then by occurrences, gene and id.
pub fn prioritise(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        b.priority()
            .total_cmp(&a.priority())
            .then(b.occurrences.cmp(&a.occurrences))
            .then_with(|| (&a.gene, &a.id).cmp(&(&b.gene, &b.id)))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn finding(id: &str, severity: Severity, confidence: f64, occurrences: u32) -> Finding {
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
    fn priority_is_the_formula() {
        let of = |severity, confidence, occurrences| finding("x", severity, confidence, occurrences).priority();
        let is = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a} is not {b}");
        is(of(Severity::Info, 0.5, 1), 0.5);
        is(of(Severity::Info, 0.5, 0), 0.5);
        is(of(Severity::High, 0.5, 1), 2.0);
        is(of(Severity::High, 0.5, 16), 2.5);
        is(of(Severity::High, 0.5, 31), 2.5);
        is(of(Severity::Critical, 1.0, u32::MAX), 5.0 * (1.0 + 31.0 / 16.0));
        assert!(of(Severity::Low, 0.9, 1000) < of(Severity::High, 0.9, 3), "a nuisance stays one");
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
