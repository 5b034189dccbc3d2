//! A candidate and the gate's verdict on it.

use gephost_core::gate::{Approved, GeneHistory, ParsedChange, Verdict, review};
use gephost_core::policy::Policy;
use gephost_core::proposal::Proposal;
use gephost_runner::checkout::MAX_BLOB_BYTES;
use gephost_runner::sandbox::{Attempt, AttemptOutcome, Gene};
use gephost_runner::worktree::{BaseTree, ReadError};

use super::stage::Stage;

/// A candidate and the gate's word on it.
#[derive(Debug)]
pub struct Judged {
    /// What the gene proposed.
    pub proposal: Proposal,
    /// What the gate said.
    pub verdict: Verdict,
    /// The recorded calls that its finding rests on: their commands validate it.
    pub calls: Vec<String>,
    /// Its expected worth, from 0 to 1, if it competes with candidates of other genes.
    pub worth: Option<f64>,
    /// Id of the capsule whose change it makes again.
    pub capsule: Option<String>,
}

impl Stage<'_> {
    pub(super) fn judge(
        &self,
        base: &BaseTree,
        policy: &Policy,
        proposal: Proposal,
        calls: Vec<String>,
    ) -> Result<Judged, ReadError> {
        let history = self.past.gene_history(proposal.gene.as_deref());
        let proposal = self.with_own_validation(proposal);
        let candidate = ParsedChange::read(proposal).recorded(!calls.is_empty());
        let snapshot = base.snapshot_for(&candidate, MAX_BLOB_BYTES)?;
        let edited = self.source.uncommitted(&candidate, &snapshot);
        let verdict = review(&candidate, &snapshot, policy, history).with_uncommitted(&edited);
        let made = |_: &Approved| self.past.own_capsule(candidate.proposal().gene.as_deref()?, verdict.diff());
        let capsule = verdict.approved().and_then(made).map(|capsule| capsule.id.clone());
        Ok(Judged { proposal: candidate.proposal().clone(), verdict, calls, worth: None, capsule })
    }
}

impl Stage<'_> {
    /// The proposal with the commands that its gene wants to pass after every change (seed 000, `validation`). They stand in
    /// it like its own: the gate checks them, whoever applies the proposal runs them, and what is saved has them.
    fn with_own_validation(&self, mut proposal: Proposal) -> Proposal {
        let Some(commands) = proposal.gene.as_deref().and_then(|gene| self.validation_of(gene)) else {
            return proposal;
        };
        let before = proposal.tests_to_run.len();
        for command in commands {
            if !proposal.tests_to_run.contains(&command) {
                proposal.tests_to_run.push(command);
            }
        }
        if proposal.tests_to_run.len() == before { proposal } else { proposal.with_content_id() }
    }

    fn validation_of(&self, gene: &str) -> Option<Vec<String>> {
        let component = self.genes.iter().map(Gene::manifest).find(|manifest| manifest.id() == gene);
        match component {
            Some(manifest) => Some(manifest.gene.validation.clone()),
            None => Some(self.texts?.get(gene)?.text.gene().validation.clone()),
        }
    }
}

/// Puts one proposal through the gate, against a commit. `is_recorded` says whether a recorded command validates it.
pub fn gate(
    proposal: Proposal,
    base: &BaseTree,
    policy: &Policy,
    history: GeneHistory,
    is_recorded: bool,
) -> Result<Verdict, ReadError> {
    let candidate = ParsedChange::read(proposal).recorded(is_recorded);
    let snapshot = base.snapshot_for(&candidate, MAX_BLOB_BYTES)?;
    Ok(review(&candidate, &snapshot, policy, history))
}

/// What a gene's earlier tries came to.
pub(crate) fn gene_history(gene: Option<&str>, history: &[Attempt]) -> GeneHistory {
    let own = history.iter().filter(|attempt| Some(attempt.gene.as_str()) == gene);
    own.fold(GeneHistory::default(), |mut sum, attempt| {
        sum.tries += 1;
        sum.successes += u32::from(attempt.outcome == AttemptOutcome::Success);
        sum
    })
}
