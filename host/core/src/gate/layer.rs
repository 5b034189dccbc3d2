//! A layer of the gate and its report.

use serde::Serialize;

use super::review::Review;
use super::violation::{Severity, Violation, scrub};

/// Most violations that a layer lists.
const MAX_VIOLATIONS: usize = 100;

/// What a layer looks at: its violations, or `None` if it cannot look, because the change does not fit its base.
pub(super) type Check = fn(&mut Review<'_>) -> Option<Vec<Violation>>;

/// One layer of the gate.
#[derive(Debug, Clone, Copy)]
pub struct Layer {
    /// Its name in verdicts.
    pub name: &'static str,
    /// What holds for a change that passes it, as a sentence.
    pub purpose: &'static str,
    pub(super) check: Check,
}

/// What one layer found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LayerReport {
    /// Which layer.
    pub layer: &'static str,
    /// Whether it could look at all: without a sound structure there is nothing to look at.
    pub ran: bool,
    /// Whether it ran and nothing rejects.
    pub passed: bool,
    /// In the order of the change, rejections first; at most 100 and a note of how many more.
    #[serde(rename = "findings")]
    pub violations: Vec<Violation>,
}

impl LayerReport {
    pub(super) fn ran(layer: &Layer, violations: Vec<Violation>) -> Self {
        let passed = violations.iter().all(|violation| violation.severity == Severity::Flag);
        let (mut kept, flags): (Vec<_>, Vec<_>) =
            violations.into_iter().partition(|violation| violation.severity == Severity::Reject);
        kept.extend(flags);
        let more = kept.len().saturating_sub(MAX_VIOLATIONS);
        kept.truncate(MAX_VIOLATIONS);
        let mut violations: Vec<_> = kept.into_iter().map(scrubbed).collect();
        if more > 0 {
            violations.push(Violation::flag("more-findings", format!("{more} more violations are not listed"), ""));
        }
        Self { layer: layer.name, ran: true, passed, violations }
    }

    pub(super) fn not_run(layer: &Layer) -> Self {
        Self { layer: layer.name, ran: false, passed: false, violations: Vec::new() }
    }
}

/// The violation without secrets, wherever it repeats one.
fn scrubbed(violation: Violation) -> Violation {
    Violation {
        path: violation.path.as_deref().map(scrub),
        message: scrub(&violation.message),
        hint: scrub(&violation.hint),
        ..violation
    }
}
