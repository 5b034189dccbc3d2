//! The gate: reads a proposal against a base and a policy, and says pass or reject, layer by layer.
//!
//! It is pure and has no effect half. What must stay true: [`review`] is the only maker of [`Approved`] (invariant
//! 2), and what it hands on is what it looked at, as bytes (invariant 3).

mod added;
mod approved;
mod assumed;
mod base;
mod candidate;
mod edited;
mod finding;
mod fit;
mod misfit;
mod paths;
mod patterns;
mod renames;
mod resolve;
mod risk;
mod secrets;
mod size;
mod structure;
mod verdict;

pub use approved::{Approved, ApprovedChange};
pub use base::{Base, BaseEntry};
pub use candidate::Candidate;
pub use finding::{Finding, Layer, LayerReport, Severity};
pub use renames::{Rename, WithRenames};
pub use risk::GeneHistory;
pub use secrets::TextFinding;
pub use verdict::{Decision, Risk, RiskPart, Verdict};

pub use crate::blast_radius::BlastRadius;
pub use crate::tree::{BlobState, FileMode};

use crate::command::ValidationCommand;
use crate::patch::{Patch, emit};
use crate::path::RepoPath;
use crate::policy::Policy;
use crate::secret::Ruleset;
use resolve::Resolved;

/// Most bytes of the diff that a rejection shows.
const MAX_REJECTED_DIFF: usize = 256 << 10;

/// Reviews a candidate. `base` must hold what [`Candidate::base_paths`] names.
pub fn review(candidate: &Candidate, base: &Base, policy: &Policy, history: GeneHistory) -> Verdict {
    let mut structure = structure::check(candidate, base, policy);
    structure.findings.extend(base.is_assumed().then(assumed::notice));
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
    let secrets = secrets::check(candidate.proposal(), &resolved, policy);
    let patterns = patterns::check(&resolved, policy.table());
    let all: Vec<Finding> =
        [&structure.findings, &paths, &size, &secrets, &patterns].into_iter().flatten().cloned().collect();
    let risk = risk::score(candidate, &resolved, radius, &all, history);
    layers.push(LayerReport::ran(Layer::Paths, paths));
    layers.push(LayerReport::ran(Layer::Size, size));
    layers.push(LayerReport::ran(Layer::Secrets, secrets));
    layers.push(LayerReport::ran(Layer::Patterns, patterns));
    layers.push(LayerReport::ran(Layer::Risk, risk::check(&risk, policy.table().max_risk)));
    let with_renames = renames::count(&resolved.changes, &resolved.patch, radius);
    let verdict = Verdict { blast_radius: radius, with_renames, risk, ..rejected(candidate, layers) };
    if verdict.layers.iter().all(|layer| layer.passed) {
        approve(verdict, resolved, structure.commands, base)
    } else {
        Verdict { diff: shown(&resolved.patch), ..verdict }
    }
}

/// Findings of layer 3 in a text, as if all of it were added to the file at `path`: secrets and personal data, each
/// with its column; none holds the value. Linear in the length of the text.
pub fn scan_secrets(rules: &Ruleset, path: Option<&str>, text: &str) -> Vec<TextFinding> {
    secrets::scan(rules, path, text)
}

/// Findings of layer 4 in a text, as if all of it were added to the file at `path`.
///
/// What only a change can show is not looked for: a dependency that was not there before, a test that is deleted, a
/// file that matters by its name. In the order of the lines; each rule once a line and at most 500 times. Linear in
/// the length of the text.
pub fn scan_patterns(path: &RepoPath, text: &str) -> Vec<Finding> {
    patterns::scan(path, text)
}

/// The canonical diff of a change that did not pass, for a person to read: whole files up to a bound, and no secret.
fn shown(patch: &Patch) -> String {
    let mut text = String::new();
    for file in &patch.files {
        let more = emit(&Patch { files: vec![file.clone()] });
        if text.len() + more.len() > MAX_REJECTED_DIFF {
            break;
        }
        text.push_str(&more);
    }
    finding::scrub(&text)
}

fn rejected(candidate: &Candidate, layers: Vec<LayerReport>) -> Verdict {
    Verdict {
        proposal_id: candidate.proposal().id.clone(),
        layers,
        blast_radius: BlastRadius::default(),
        with_renames: WithRenames::default(),
        risk: Risk::default(),
        diff: String::new(),
        approved: None,
    }
}

/// The one place where an [`Approved`] is made; over an assumed base none is.
fn approve(verdict: Verdict, resolved: Resolved, commands: Vec<ValidationCommand>, base: &Base) -> Verdict {
    let diff = emit(&resolved.patch);
    if base.is_assumed() {
        return Verdict { diff, ..verdict };
    }
    let approved = Approved {
        proposal_id: verdict.proposal_id.clone(),
        base_commit: base.commit.clone(),
        changes: resolved.changes,
        commands,
        blast_radius: verdict.blast_radius,
        risk_score: verdict.risk.score,
    };
    Verdict { diff, approved: Some(approved), ..verdict }
}
