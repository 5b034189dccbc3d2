//! The gate's word on a proposal, and its form as JSON.

use serde::{Serialize, Serializer};

use super::{Approved, BlastRadius, LayerReport, Risk, RiskPart, Severity, Violation, WithRenames};

/// Pass or reject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Every layer passed.
    Pass,
    /// At least one did not.
    Reject,
}

/// The gate's word on one proposal. Serialises as `gephost.verdict/1`.
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
    /// Id of the proposal; empty for one that cannot be read.
    pub fn proposal_id(&self) -> &str {
        &self.proposal_id
    }

    /// Pass or reject.
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

    /// How far the change reaches; zeros where the structure is unsound.
    pub fn blast_radius(&self) -> BlastRadius {
        self.blast_radius
    }

    /// The same with moved files detected, for display: limits and records go by [`Self::blast_radius`].
    pub fn with_renames(&self) -> &WithRenames {
        &self.with_renames
    }

    /// The computed risk.
    pub fn risk(&self) -> &Risk {
        &self.risk
    }

    /// The canonical diff, for a person to read. Of a proposal that passed it is whole, and its removed and unchanged
    /// lines are the file's own and may hold what the file holds: redact it before it is stored. Of a rejected one it is
    /// what could be made of the change: whole files up to 256 KiB, secrets replaced by their kinds; empty where the
    /// change could not be read.
    pub fn diff(&self) -> &str {
        &self.diff
    }

    /// What apply takes; `None` for a reject, and where no commit was compared with ([`super::Base::assumed`]).
    pub fn approved(&self) -> Option<&Approved> {
        self.approved.as_ref()
    }

    /// The same, owned.
    pub fn into_approved(self) -> Option<Approved> {
        self.approved
    }
}

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    proposal_id: &'a str,
    verdict: Decision,
    layers: &'a [LayerReport],
    blast_radius: Radius<'a>,
    risk_score: u8,
    risk_parts: &'a [RiskPart],
}

#[derive(Serialize)]
struct Radius<'a> {
    files: u64,
    lines: u64,
    with_renames: &'a WithRenames,
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
