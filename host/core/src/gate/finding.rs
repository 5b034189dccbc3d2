//! Findings and the layers that report them: a rule, a place and a remedy for each.

use serde::Serialize;

use crate::secret::find_secrets;

/// Most findings that a layer lists.
const MAX_FINDINGS: usize = 100;

/// The layers, in the order they are reported (seed 003; structure is checked before all).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Layer {
    /// The change reads as one patch that fits the base, and the claims about it are true.
    Structure,
    /// Every path may change.
    Paths,
    /// The change is small enough.
    Size,
    /// Nothing that is added is a secret.
    Secrets,
    /// Nothing that is added is suspicious.
    Patterns,
    /// The computed risk is within the policy's bound.
    Risk,
}

/// What a finding does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The proposal does not pass.
    Reject,
    /// It is shown, and adds to the risk.
    Flag,
}

/// One finding. Texts never hold a secret's value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Stable id of the rule.
    pub rule: String,
    /// What it does.
    pub severity: Severity,
    /// The file.
    pub path: Option<String>,
    /// Line from 1: of the file after the change where a path is given, else of the diff.
    pub line: Option<u64>,
    /// What is wrong, for a person.
    pub message: String,
    /// What to do.
    pub hint: String,
}

impl Finding {
    /// A finding that rejects.
    pub(super) fn reject(rule: impl Into<String>, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let (rule, message, hint) = (rule.into(), message.into(), hint.into());
        Self { rule, severity: Severity::Reject, path: None, line: None, message, hint }
    }

    /// A finding that is only shown.
    pub(super) fn flag(rule: impl Into<String>, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { severity: Severity::Flag, ..Self::reject(rule, message, hint) }
    }

    /// The same finding in a file.
    pub(super) fn at(self, path: impl AsRef<str>) -> Self {
        Self { path: Some(path.as_ref().to_owned()), ..self }
    }

    /// The same finding at a line.
    pub(super) fn on_line(self, line: u64) -> Self {
        Self { line: Some(line), ..self }
    }

    fn scrubbed(self) -> Self {
        Self { path: self.path.as_deref().map(scrub), message: scrub(&self.message), hint: scrub(&self.hint), ..self }
    }
}

/// Text with each secret replaced by its kind. Paths and names can be secrets too, and messages repeat them.
pub(super) fn scrub(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut done = 0;
    for secret in find_secrets(text) {
        clean.push_str(text.get(done..secret.range.start).unwrap_or_default());
        clean.extend(["<", secret.kind, ">"]);
        done = secret.range.end;
    }
    clean.push_str(text.get(done..).unwrap_or_default());
    clean
}

/// What one layer found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LayerReport {
    /// Which layer.
    pub layer: Layer,
    /// Whether it could look at all: without a sound structure there is nothing to look at.
    pub ran: bool,
    /// Whether it ran and nothing rejects.
    pub passed: bool,
    /// In the order of the change, rejections first; at most 100 and a note of how many more.
    pub findings: Vec<Finding>,
}

impl LayerReport {
    pub(super) fn ran(layer: Layer, findings: Vec<Finding>) -> Self {
        let passed = findings.iter().all(|finding| finding.severity == Severity::Flag);
        let (mut kept, flags): (Vec<_>, Vec<_>) =
            findings.into_iter().partition(|finding| finding.severity == Severity::Reject);
        kept.extend(flags);
        let more = kept.len().saturating_sub(MAX_FINDINGS);
        kept.truncate(MAX_FINDINGS);
        let mut findings: Vec<_> = kept.into_iter().map(Finding::scrubbed).collect();
        if more > 0 {
            findings.push(Finding::flag("more-findings", format!("{more} more findings are not listed"), ""));
        }
        Self { layer, ran: true, passed, findings }
    }

    pub(super) fn not_run(layer: Layer) -> Self {
        Self { layer, ran: false, passed: false, findings: Vec::new() }
    }
}
