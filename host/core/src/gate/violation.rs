//! Violations: the rule that a change breaks, where, and what to do.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

use crate::secret::find_secrets;

/// The effect of a violation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// It rejects the proposal.
    Reject,
    /// It is reported and adds to the risk.
    Flag,
}

/// One violation. Its texts never hold a secret's value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Violation {
    /// Stable id of the rule.
    pub rule: String,
    /// Whether it rejects the proposal or is only shown.
    pub severity: Severity,
    /// The file that it is about; `None` if it is about the whole proposal.
    pub path: Option<String>,
    /// Line from 1: of the file after the change if there is a path, else of the diff.
    pub line: Option<u64>,
    /// What is wrong, for a person; it does not repeat the path and the line.
    pub message: String,
    /// What the proposer can do about it, as a clause.
    pub hint: String,
}

impl Violation {
    /// A violation that rejects.
    pub(super) fn reject(rule: impl Into<String>, message: impl Into<String>, hint: impl Into<String>) -> Self {
        let (rule, message, hint) = (rule.into(), message.into(), hint.into());
        Self { rule, severity: Severity::Reject, path: None, line: None, message, hint }
    }

    /// A violation that is only reported.
    pub(super) fn flag(rule: impl Into<String>, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { severity: Severity::Flag, ..Self::reject(rule, message, hint) }
    }

    /// The same violation in a file.
    pub(super) fn at(self, path: impl AsRef<str>) -> Self {
        Self { path: Some(path.as_ref().to_owned()), ..self }
    }

    /// The same violation at a line.
    pub(super) fn on_line(self, line: u64) -> Self {
        Self { line: Some(line), ..self }
    }
}

impl fmt::Display for Violation {
    /// The place and the message: `src/x.py:3: a secret is added (aws_access_key)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.path, self.line) {
            (Some(path), Some(line)) => write!(f, "{path}:{line}: ")?,
            (Some(path), None) => write!(f, "{path}: ")?,
            (None, Some(line)) => write!(f, "line {line} of the diff: ")?,
            (None, None) => {}
        }
        f.write_str(&self.message)
    }
}

/// The text with each secret replaced by its kind. Paths and names can be secrets too, and texts may repeat them.
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
