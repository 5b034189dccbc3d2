//! Short ways to make what a strategy returns.

use crate::{Change, FileContent, Finding, Proposal, RiskLevel};

impl Finding {
    /// Whether the finding raises a signal.
    pub fn raises(&self, signal: &str) -> bool {
        self.signals.iter().any(|raised| raised == signal)
    }
}

impl Change {
    /// The whole new content of a file, by its path from the workspace root.
    pub fn new_content(path: impl Into<String>, content: impl Into<Vec<u8>>) -> Self {
        Self::NewContent(FileContent { path: path.into(), content: content.into() })
    }

    /// A file to delete, by its path from the workspace root.
    pub fn deletion(path: impl Into<String>) -> Self {
        Self::Delete(path.into())
    }
}

impl Proposal {
    /// A candidate for a finding, with its evidence and a low risk. Without changes, the files that the gene wrote are the
    /// change.
    pub fn new(finding: &Finding, title: impl Into<String>, objective: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            objective: objective.into(),
            evidence: finding.evidence.iter().map(|evidence| evidence.line.clone()).collect(),
            finding: finding.id.clone(),
            risk_level: RiskLevel::Low,
            changes: Vec::new(),
            tests_to_run: Vec::new(),
            rollback_plan: "Revert the commit".to_owned(),
        }
    }

    /// The candidate with these changes.
    #[must_use]
    pub fn with_changes(self, changes: Vec<Change>) -> Self {
        Self { changes, ..self }
    }

    /// The candidate with these commands, which must succeed afterwards.
    #[must_use]
    pub fn with_tests(self, tests_to_run: Vec<String>) -> Self {
        Self { tests_to_run, ..self }
    }
}
