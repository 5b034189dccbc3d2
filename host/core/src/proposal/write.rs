//! Writes proposals and computes their ids. The same content gives the same id and the same bytes on any machine.

use schemars::JsonSchema;
use serde::Serialize;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;

use super::document::ChangeDocument;
use super::{Change, Proposal, RiskLevel};
use crate::digest::{canonical_text, sha256_hex};

/// The gate's decision (seed 003).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GateStatus {
    /// The gate has not judged it.
    #[default]
    Pending,
    /// Every layer of the gate passed.
    Passed,
    /// At least one layer of the gate did not pass.
    Rejected,
}

/// The outcome of the proposal (seed 003).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ApplyStatus {
    /// It was not applied yet.
    #[default]
    NotApplied,
    /// It is published on a branch.
    Applied,
    /// Its validation failed, and it was dropped.
    RolledBack,
}

/// The state of a saved proposal, for people and other tools. gephost never reads it back.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Status {
    /// The computed risk, once the gate has judged it.
    pub risk_score: Option<u8>,
    /// Whether the gate passed it.
    pub gate: GateStatus,
    /// What became of it when it was applied.
    pub apply: ApplyStatus,
}

/// The members that the id is computed from: what the proposal does and why, but not its time.
#[derive(Serialize)]
struct Content<'a> {
    title: &'a str,
    objective: &'a str,
    evidence: &'a [String],
    risk_level: RiskLevel,
    files_touched: Option<&'a [String]>,
    changes: Vec<ChangeDocument>,
    tests_to_run: &'a [String],
    rollback_plan: &'a str,
    gene: Option<&'a str>,
    diagnosis_ref: Option<&'a str>,
    agent: Option<&'a str>,
}

/// A proposal as a document: members in the order of seed 004, then those of 003.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ProposalDocument<'a> {
    /// `gep-` and 16 hex digits of the content's SHA-256, or the document's own id.
    id: &'a str,
    /// One line.
    title: &'a str,
    /// What it achieves.
    objective: &'a str,
    /// The evidence, one line each.
    evidence: &'a [String],
    /// The proposer's own estimate.
    risk_level: RiskLevel,
    /// The files that the proposer claims to touch.
    #[serde(skip_serializing_if = "Option::is_none")]
    files_touched: Option<&'a [String]>,
    /// The change, if it is one diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    unified_diff: Option<&'a str>,
    /// The changes, if they are not one diff.
    #[serde(skip_serializing_if = "Option::is_none")]
    changes: Option<Vec<ChangeDocument>>,
    /// Commands that show whether it holds.
    tests_to_run: &'a [String],
    /// How to undo it, in the proposer's words.
    rollback_plan: &'a str,
    /// The computed risk, once the gate has judged it.
    #[serde(skip_serializing_if = "Option::is_none")]
    risk_score: Option<u8>,
    /// The gate's decision.
    gate_status: GateStatus,
    /// The outcome.
    apply_status: ApplyStatus,
    /// Id of the gene that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    gene: Option<&'a str>,
    /// The diagnosis that it answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnosis_ref: Option<&'a str>,
    /// When it was made.
    #[serde(skip_serializing_if = "Option::is_none")]
    created_at: Option<&'a str>,
    /// The agent that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<&'a str>,
}

impl Proposal {
    #[expect(clippy::missing_panics_doc, reason = "a document of strings and lists always serialises")]
    /// `gep-` and 16 hex digits of the SHA-256 over the canonical JSON of everything but id and time.
    pub fn content_id(&self) -> String {
        let content = Content {
            title: &self.title,
            objective: &self.objective,
            evidence: &self.evidence,
            risk_level: self.risk_level,
            files_touched: self.files_touched.as_deref(),
            changes: self.changes.iter().map(written).collect(),
            tests_to_run: &self.tests_to_run,
            rollback_plan: &self.rollback_plan,
            gene: self.gene.as_deref(),
            diagnosis_ref: self.diagnosis_ref.as_deref(),
            agent: self.agent.as_deref(),
        };
        let content = serde_json::to_value(&content).expect("strings and lists always serialise");
        let canonical = canonical_text(&content).expect("every value has a canonical text");
        format!("gep-{:.16}", sha256_hex(canonical.as_bytes()))
    }

    /// The same proposal with the id of its content.
    #[must_use]
    pub fn with_content_id(mut self) -> Self {
        self.id = self.content_id();
        self
    }

    /// The proposal as a document.
    pub fn document(&self, status: &Status) -> ProposalDocument<'_> {
        let only_diff = match self.changes.as_slice() {
            [Change::UnifiedDiff(diff)] if !diff.is_empty() => Some(diff.as_str()),
            _ => None,
        };
        let changes = || self.changes.iter().map(written).collect();
        ProposalDocument {
            id: &self.id,
            title: &self.title,
            objective: &self.objective,
            evidence: &self.evidence,
            risk_level: self.risk_level,
            files_touched: self.files_touched.as_deref(),
            unified_diff: only_diff,
            changes: only_diff.is_none().then(changes),
            tests_to_run: &self.tests_to_run,
            rollback_plan: &self.rollback_plan,
            risk_score: status.risk_score,
            gate_status: status.gate,
            apply_status: status.apply,
            gene: self.gene.as_deref(),
            diagnosis_ref: self.diagnosis_ref.as_deref(),
            created_at: self.created_at.as_deref(),
            agent: self.agent.as_deref(),
        }
    }

    #[expect(clippy::missing_panics_doc, reason = "a document of strings and lists always serialises")]
    /// The proposal as JSON of several lines, without a line feed at the end. [`Proposal::from_json`] reads it back to
    /// the same value.
    pub fn to_json(&self, status: &Status) -> String {
        serde_json::to_string_pretty(&self.document(status)).expect("strings and lists always serialise")
    }
}

fn written(change: &Change) -> ChangeDocument {
    match change {
        Change::UnifiedDiff(diff) => ChangeDocument::UnifiedDiff { diff: diff.clone() },
        Change::Delete { path } => ChangeDocument::Delete { path: path.clone() },
        Change::NewContent { path, content } => {
            let text = std::str::from_utf8(content).ok().map(str::to_owned);
            let content_base64 = text.is_none().then(|| BASE64.encode(content));
            ChangeDocument::Content { path: path.clone(), content: text, content_base64 }
        }
    }
}
