//! The gate's word on a proposal, and its form as JSON.

use serde::{Serialize, Serializer};

use super::{Approved, BlastRadius, Finding, LayerReport, Severity};

/// Pass or reject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// Every layer passed.
    Pass,
    /// At least one did not.
    Reject,
}

/// One addend of the risk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct RiskPart {
    /// What it counts.
    pub name: &'static str,
    /// Its points.
    pub points: u8,
    /// Why so many.
    pub why: String,
}

/// The computed risk: from the change and the gene's history, never from the proposal's own word.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Risk {
    /// 0 to 100: the sum of the parts, capped.
    pub score: u8,
    /// The addends that are not 0.
    pub parts: Vec<RiskPart>,
}

/// The gate's word on one proposal. Serialises as `gephost.verdict/1`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    pub(super) proposal_id: String,
    pub(super) layers: Vec<LayerReport>,
    pub(super) blast_radius: BlastRadius,
    pub(super) risk: Risk,
    pub(super) diff: String,
    pub(super) approved: Option<Approved>,
}

impl Verdict {
    /// Id of the proposal.
    pub fn proposal_id(&self) -> &str {
        &self.proposal_id
    }

    /// Pass or reject.
    pub fn decision(&self) -> Decision {
        if self.approved.is_some() { Decision::Pass } else { Decision::Reject }
    }

    /// All layers, in order.
    pub fn layers(&self) -> &[LayerReport] {
        &self.layers
    }

    /// The findings that reject, in order; empty for a pass.
    pub fn reasons(&self) -> impl Iterator<Item = &Finding> {
        self.findings().filter(|finding| finding.severity == Severity::Reject)
    }

    /// All findings, in order.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        self.layers.iter().flat_map(|layer| &layer.findings)
    }

    /// How far the change reaches; zeros where the structure is unsound.
    pub fn blast_radius(&self) -> BlastRadius {
        self.blast_radius
    }

    /// The computed risk.
    pub fn risk(&self) -> &Risk {
        &self.risk
    }

    /// The canonical diff of a proposal that passed, for a person to read; empty for a reject. Its removed and
    /// unchanged lines are the file's own and may hold what the file holds: redact it before it is stored.
    pub fn diff(&self) -> &str {
        &self.diff
    }

    /// What apply takes; `None` for a reject.
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
    blast_radius: BlastRadius,
    risk_score: u8,
    risk_parts: &'a [RiskPart],
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let document = Document {
            schema: "gephost.verdict/1",
            proposal_id: &self.proposal_id,
            verdict: self.decision(),
            layers: &self.layers,
            blast_radius: self.blast_radius,
            risk_score: self.risk.score,
            risk_parts: &self.risk.parts,
        };
        document.serialize(serializer)
    }
}
