//! Proposes the changes of capsules again (seed 001, "Reuse Scoring"): what was validated here before for the same trouble is a
//! candidate before anything that a gene says.
//!
//! What must stay true: a change that is made again passes the same gate, under the same policy, as when its gene proposed it.

use gephost_core::capsule::Capsule;
use gephost_core::diagnosis::{Diagnosis, Finding};
use gephost_core::gate::Decision;
use gephost_core::policy::Policy;
use gephost_core::proposal::Proposal;
use gephost_core::redact::clip;
use gephost_core::select::{Reuse, Role, answered_by};
use gephost_runner::sandbox::Gene;
use gephost_runner::worktree::BaseTree;

use super::judged::Judged;
use super::propose_error::ProposeError;
use super::stage::Stage;

/// Most changes that are proposed again in one cycle.
const MAX_REUSED: usize = 3;

/// Longest title of a change that is made again, in bytes.
const MAX_TITLE: usize = 120;

impl Stage<'_> {
    /// The capsules that fit the signals of a diagnosis, best first.
    pub(super) fn reusable(&self, diagnosis: &Diagnosis) -> Vec<Reuse> {
        self.past.reusable(&diagnosis.signals)
    }

    /// The changes of the best capsules, as candidates. One that does not pass the gate serves for nothing, and says why.
    pub(super) fn reuse(
        &self,
        base: &BaseTree,
        diagnosis: &Diagnosis,
        reuse: &mut [Reuse],
    ) -> Result<Vec<Judged>, ProposeError> {
        let mut candidates = Vec::new();
        for row in reuse.iter_mut().filter(|row| row.role == Role::Direct).take(MAX_REUSED) {
            let capsule = self.past.capsules.iter().find(|capsule| capsule.id == row.capsule);
            let Some((capsule, patch)) = capsule.and_then(|capsule| Some((capsule, capsule.patch()?))) else {
                continue;
            };
            let made_for = self.past.vouched.get(&capsule.id).and_then(|known| known.finding.as_ref());
            let Some(finding) = answered_by(&diagnosis.findings, capsule, made_for) else {
                (row.role, row.reason) =
                    (Role::None, "no finding of this diagnosis is what it was made for".to_owned());
                continue;
            };
            let proposal = again(self.past.title_of(capsule), capsule, patch, row, finding);
            let calls = self.recorded_calls(diagnosis, &proposal);
            let judged = self.judge(base, &self.policy_of(capsule.gene.as_deref())?, proposal, calls)?;
            if judged.verdict.decision() != Decision::Pass {
                let refusal = judged.verdict.reasons().next().map(ToString::to_string).unwrap_or_default();
                (row.role, row.reason) = (Role::None, format!("the gate refuses its patch: {refusal}"));
            } else if let Some(reason) = self.unwanted(&judged) {
                (row.role, row.reason) = (Role::None, reason);
            } else {
                candidates.push(Judged { capsule: Some(capsule.id.clone()), ..judged });
            }
        }
        Ok(candidates)
    }

    /// The policy under which a gene's changes are judged, whether the gene is here or not.
    fn policy_of(&self, gene: Option<&str>) -> Result<Policy, ProposeError> {
        let (grants, policy) = (&self.config.grants, &self.config.policy);
        let known = gene.and_then(|id| self.genes.iter().map(Gene::manifest).find(|manifest| manifest.id() == id));
        match known {
            Some(manifest) => Ok(grants.of(manifest.id()).narrow(policy, &manifest.gene.constraints)?),
            None => Ok(grants.policy_for(policy, gene).into_owned()),
        }
    }
}

/// The proposal to make a capsule's change again.
fn again(title: &str, capsule: &Capsule, patch: &str, row: &Reuse, finding: &Finding) -> Proposal {
    let times = if row.streak == 1 { "time".to_owned() } else { "times in a row".to_owned() };
    Proposal {
        title: clip(title, MAX_TITLE).into_owned(),
        objective: format!("Make the change of {} again", capsule.id),
        evidence: vec![format!(
            "it held {} {times} here for the same errors; reuse score {:.2}",
            row.streak, row.score
        )],
        gene: capsule.gene.clone(),
        diagnosis_ref: Some(finding.id.clone()),
        ..Proposal::from_diff(patch)
    }
    .with_content_id()
}
