//! From a parsed change to its verdict: asks every layer, and makes the [`Approved`] of one that passes all.

use super::approved::Approved;
use super::layer::LayerReport;
use super::layers::LAYERS;
use super::measured::{GeneHistory, Measured};
use super::review::Review;
use super::verdict::{Decision, Verdict};
use super::violation::{Violation, scrub};
use super::{Base, ParsedChange};
use crate::patch::{Patch, emit};
use crate::policy::Policy;
use crate::proposal::ProposalError;
use crate::validation::WeakenedTest;

/// Most bytes of the diff that a rejection shows.
const MAX_REJECTED_DIFF: usize = 256 << 10;

/// Reviews a parsed change. `base` must hold what [`ParsedChange::base_paths`] names.
pub fn review(parsed: &ParsedChange, base: &Base, policy: &Policy, history: GeneHistory) -> Verdict {
    let mut review = Review::new(parsed, base, policy, history);
    let mut reports = Vec::with_capacity(LAYERS.len());
    for layer in LAYERS {
        let violations = (layer.check)(&mut review);
        review.found.extend(violations.iter().flatten().cloned());
        reports.push(violations.map_or_else(|| LayerReport::not_run(layer), |found| LayerReport::ran(layer, found)));
    }
    let mut measured = std::mem::take(&mut review.measured);
    let weakened = std::mem::take(&mut measured.weakened);
    let verdict = verdict(parsed.proposal().id.clone(), reports, measured);
    match verdict.decision() {
        Decision::Pass => approve(verdict, review, weakened),
        Decision::Reject => {
            let diff = review.resolved.map(|resolved| shown(&resolved.patch));
            Verdict { diff: diff.unwrap_or_default(), ..verdict }
        }
    }
}

impl Verdict {
    /// The verdict on what cannot be read as a proposal at all: a reject, with why.
    pub fn unreadable(reason: &ProposalError) -> Self {
        let hint = "send an object with `unified_diff` or `changes`, or a bare unified diff";
        let violation = Violation::reject("proposal-unreadable", reason.to_string(), hint);
        let mut found = Some(vec![violation]);
        let reports = LAYERS.iter().map(|layer| match found.take() {
            Some(found) => LayerReport::ran(layer, found),
            None => LayerReport::not_run(layer),
        });
        verdict(String::new(), reports.collect(), Measured::default())
    }
}

fn verdict(proposal_id: String, layers: Vec<LayerReport>, measured: Measured) -> Verdict {
    let Measured { blast_radius, with_renames, risk, .. } = measured;
    Verdict { proposal_id, layers, blast_radius, with_renames, risk, diff: String::new(), approved: None }
}

/// The one place that makes an [`Approved`]. Over an assumed base it makes none.
fn approve(verdict: Verdict, review: Review<'_>, weakened: Vec<WeakenedTest>) -> Verdict {
    let Some(resolved) = review.resolved else { return verdict };
    let diff = emit(&resolved.patch);
    if review.base.is_assumed() {
        return Verdict { diff, ..verdict };
    }
    let approved = Approved {
        proposal_id: verdict.proposal_id.clone(),
        base_commit: review.base.commit.clone(),
        changes: resolved.changes,
        commands: review.commands.into_iter().flatten().collect(),
        blast_radius: verdict.blast_radius,
        risk_score: verdict.risk.score,
        weakened,
    };
    Verdict { diff, approved: Some(approved), ..verdict }
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
    scrub(&text)
}
