//! The gate: reads a proposal against a base and a policy, and says pass or reject, layer by layer.
//!
//! It is pure and has no effect half. What must stay true: [`review`] is the only maker of [`Approved`] (invariant
//! 2), and what it hands on is what it looked at, as bytes (invariant 3).

mod added;
mod approved;
mod base;
mod candidate;
mod finding;
mod fit;
mod misfit;
mod paths;
mod patterns;
mod resolve;
mod risk;
mod secrets;
mod size;
mod structure;
mod verdict;

pub use approved::{Approved, ApprovedChange, BlastRadius, BlobState, FileMode};
pub use base::{Base, BaseEntry};
pub use candidate::Candidate;
pub use finding::{Finding, Layer, LayerReport, Severity};
pub use verdict::{Decision, Risk, RiskPart, Verdict};

use crate::command::ValidationCommand;
use crate::patch::emit;
use crate::policy::Policy;
use resolve::Resolved;

/// How a gene's proposals fared before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct GeneHistory {
    /// Proposals that were applied and validated.
    pub tries: u32,
    /// Those that held.
    pub successes: u32,
}

/// Reviews a candidate. `base` must hold what [`Candidate::base_paths`] names.
pub fn review(candidate: &Candidate, base: &Base, policy: &Policy, history: GeneHistory) -> Verdict {
    let structure = structure::check(candidate, base, policy);
    let named = structure::named_paths(candidate);
    let paths = paths::check(&named, structure.resolved.as_ref(), policy);
    let mut layers = vec![LayerReport::ran(Layer::Structure, structure.findings.clone())];
    let Some(resolved) = structure.resolved else {
        layers.push(LayerReport::ran(Layer::Paths, paths));
        let unseen = [Layer::Size, Layer::Secrets, Layer::Patterns, Layer::Risk];
        layers.extend(unseen.map(LayerReport::not_run));
        return rejected(candidate, layers);
    };
    let radius = size::blast_radius(&resolved.patch);
    let size = size::check(&resolved, policy.table());
    let secrets = secrets::check(candidate.proposal(), &resolved);
    let patterns = patterns::check(&resolved, policy.table());
    let all: Vec<Finding> =
        [&structure.findings, &paths, &size, &secrets, &patterns].into_iter().flatten().cloned().collect();
    let risk = risk::score(candidate, &resolved, radius, &all, history);
    layers.push(LayerReport::ran(Layer::Paths, paths));
    layers.push(LayerReport::ran(Layer::Size, size));
    layers.push(LayerReport::ran(Layer::Secrets, secrets));
    layers.push(LayerReport::ran(Layer::Patterns, patterns));
    layers.push(LayerReport::ran(Layer::Risk, risk::check(&risk, policy.table().max_risk)));
    let verdict = Verdict { blast_radius: radius, risk, ..rejected(candidate, layers) };
    if verdict.layers.iter().all(|layer| layer.passed) {
        approve(verdict, resolved, structure.commands, base)
    } else {
        verdict
    }
}

fn rejected(candidate: &Candidate, layers: Vec<LayerReport>) -> Verdict {
    Verdict {
        proposal_id: candidate.proposal().id.clone(),
        layers,
        blast_radius: BlastRadius::default(),
        risk: Risk::default(),
        diff: String::new(),
        approved: None,
    }
}

/// The one place where an [`Approved`] is made.
fn approve(verdict: Verdict, resolved: Resolved, commands: Vec<ValidationCommand>, base: &Base) -> Verdict {
    let approved = Approved {
        proposal_id: verdict.proposal_id.clone(),
        base_commit: base.commit.clone(),
        changes: resolved.changes,
        commands,
        blast_radius: verdict.blast_radius,
        risk_score: verdict.risk.score,
    };
    Verdict { diff: emit(&resolved.patch), approved: Some(approved), ..verdict }
}
