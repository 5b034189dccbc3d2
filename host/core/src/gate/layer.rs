//! A layer of the gate and its report.

use schemars::JsonSchema;
use serde::Serialize;

use super::review::Review;
use super::violation::{Severity, Violation, scrub};

/// Most violations that a layer lists.
const MAX_VIOLATIONS: usize = 100;

/// A layer's function. It returns violations, or `None` if it cannot look because a part of the change is unreadable.
pub(super) type Check = fn(&mut Review<'_>) -> Option<Vec<Violation>>;

/// One layer of the gate.
#[derive(Debug, Clone, Copy)]
pub struct Layer {
    /// Its name in verdicts.
    pub name: &'static str,
    /// What is true of a change that passes it, as a sentence.
    pub purpose: &'static str,
    pub(super) check: Check,
}

/// The report of one layer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LayerReport {
    /// The name of the layer, as verdicts and the documentation have it.
    pub layer: &'static str,
    /// Whether it could look: an unreadable change has nothing to look at.
    pub ran: bool,
    /// Whether it ran and no violation rejects.
    pub passed: bool,
    /// Rejections first, each kind in the order of the change; at most 100, then a note that counts the others.
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

/// The violation, with secrets in its texts replaced.
fn scrubbed(violation: Violation) -> Violation {
    Violation {
        path: violation.path.as_deref().map(scrub),
        message: scrub(&violation.message),
        hint: scrub(&violation.hint),
        ..violation
    }
}
