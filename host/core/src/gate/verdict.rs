//! The gate's verdict on a proposal, and its form as JSON.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Serialize, Serializer};

use super::risk::WEAKENED;
use super::{Approved, BlastRadius, LayerReport, Risk, RiskPart, Severity, Violation, WithRenames};

/// What the gate decides about a whole proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Every layer ran and passed, so there is an `Approved`.
    Pass,
    /// At least one layer did not pass.
    Reject,
}

/// The gate's verdict on one proposal. It serialises as `gephost.verdict/1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub(super) proposal_id: String,
    pub(super) layers: Vec<LayerReport>,
    pub(super) blast_radius: BlastRadius,
    pub(super) with_renames: WithRenames,
    pub(super) risk: Risk,
    pub(super) diff: String,
    pub(super) approved: Option<Approved>,
}

impl Verdict {
    /// Id of the proposal; empty if it cannot be read.
    pub fn proposal_id(&self) -> &str {
        &self.proposal_id
    }

    /// Whether every layer ran and passed.
    pub fn decision(&self) -> Decision {
        if self.layers.iter().all(|layer| layer.passed) { Decision::Pass } else { Decision::Reject }
    }

    /// All layers, in order.
    pub fn layers(&self) -> &[LayerReport] {
        &self.layers
    }

    /// The violations that reject, in order; empty for a pass.
    pub fn reasons(&self) -> impl Iterator<Item = &Violation> {
        self.violations().filter(|violation| violation.severity == Severity::Reject)
    }

    /// All violations, in order.
    pub fn violations(&self) -> impl Iterator<Item = &Violation> {
        self.layers.iter().flat_map(|layer| &layer.violations)
    }

    /// The size of the change; zeros if a part of it cannot be read.
    pub fn blast_radius(&self) -> BlastRadius {
        self.blast_radius
    }

    /// The same with renames detected, for display only. Limits and records use [`Self::blast_radius`].
    pub fn with_renames(&self) -> &WithRenames {
        &self.with_renames
    }

    /// The risk that the gate computed, from 0 to 100, with what it is the sum of.
    pub fn risk(&self) -> &Risk {
        &self.risk
    }

    /// Whether a flagged violation says that a test is weakened. A person decides about such a change.
    pub fn weakens_tests(&self) -> bool {
        self.risk.parts.iter().any(|part| part.name == WEAKENED)
    }

    /// The canonical diff, for people to read.
    ///
    /// For a proposal that passed it is complete. Its removed and unchanged lines come from the file and may contain
    /// the file's secrets, so redact it before you store it. For a rejected proposal it holds whole files up to 256
    /// KiB, with secrets replaced by their kinds; it is empty if the change cannot be read.
    pub fn diff(&self) -> &str {
        &self.diff
    }

    /// The input of apply; `None` for a reject, and for an assumed base ([`super::Base::assumed`]).
    pub fn approved(&self) -> Option<&Approved> {
        self.approved.as_ref()
    }

    /// What was approved, taken out of the verdict; `None` if it was rejected.
    pub fn into_approved(self) -> Option<Approved> {
        self.approved
    }
}

/// The gate's verdict on one proposal.
#[derive(Serialize, JsonSchema)]
struct Document<'a> {
    /// `gephost.verdict/1`.
    schema: &'static str,
    /// Id of the proposal; empty if it cannot be read.
    proposal_id: &'a str,
    /// Pass or reject.
    verdict: Decision,
    /// Every layer, in order.
    layers: &'a [LayerReport],
    /// How far the change reaches.
    blast_radius: Radius<'a>,
    /// The computed risk, 0 to 100.
    risk_score: u8,
    /// The addends of the risk that are not 0.
    risk_parts: &'a [RiskPart],
}

/// How far a change reaches, without and with rename detection.
#[derive(Serialize, JsonSchema)]
struct Radius<'a> {
    /// Files touched.
    files: u64,
    /// Lines added and deleted.
    lines: u64,
    /// The same if a renamed file counts once.
    with_renames: &'a WithRenames,
}

impl JsonSchema for Verdict {
    fn schema_name() -> Cow<'static, str> {
        "Verdict".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Document::json_schema(generator)
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let document = Document {
            schema: "gephost.verdict/1",
            proposal_id: &self.proposal_id,
            verdict: self.decision(),
            layers: &self.layers,
            blast_radius: Radius {
                files: self.blast_radius.files,
                lines: self.blast_radius.lines,
                with_renames: &self.with_renames,
            },
            risk_score: self.risk.score,
            risk_parts: &self.risk.parts,
        };
        document.serialize(serializer)
    }
}
