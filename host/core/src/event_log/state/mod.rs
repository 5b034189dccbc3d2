//! What the log adds up to. One transition function serves the live run and the replay, so they cannot disagree.
//!
//! What must stay true: nothing is applied without a passed gate, an intent and a validation that held, in that
//! order; an intent ends in exactly one `applied` or `apply_failed`.

mod cycles;

use std::collections::BTreeMap;

pub use cycles::{Cycle, Cycles};

use super::entry::{EntryBody, GateVerdict};

/// An entry that cannot follow what the log says so far.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry `{kind}` of {proposal:?} is illegal here: {problem}")]
pub struct IllegalTransition {
    /// The entry's kind.
    pub kind: &'static str,
    /// Id of the proposal, or of the cycle.
    pub proposal: String,
    /// What is missing or in the way.
    pub problem: &'static str,
}

/// An intent whose outcome is not known yet. After a crash the next start finishes or undoes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InFlight {
    /// Full hexadecimal id of the base commit.
    pub base_commit: String,
    /// The branch that shall be published.
    pub branch: String,
    /// Whether the validation held; `None` before its end.
    pub validated: Option<bool>,
}

/// A branch that was published and not taken back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedBranch {
    /// Its name.
    pub branch: String,
    /// Full hexadecimal id of its commit.
    pub commit: String,
}

/// Where one proposal stands.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProposalState {
    /// Id of the gene that made it.
    pub gene: Option<String>,
    /// Its title.
    pub title: String,
    /// What the gate said last; `None` after it was proposed anew.
    pub verdict: Option<GateVerdict>,
    /// The open intent.
    pub in_flight: Option<InFlight>,
    /// Branches that stand, oldest first.
    pub applied: Vec<AppliedBranch>,
}

/// What the log adds up to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct State {
    proposals: BTreeMap<String, ProposalState>,
    cycles: Cycles,
}

impl State {
    /// Where a proposal stands.
    pub fn proposal(&self, id: &str) -> Option<&ProposalState> {
        self.proposals.get(id)
    }

    /// Every proposal by id.
    pub fn proposals(&self) -> impl Iterator<Item = (&str, &ProposalState)> {
        self.proposals.iter().map(|(id, state)| (id.as_str(), state))
    }

    /// The cycles that tried something.
    pub fn cycles(&self) -> &Cycles {
        &self.cycles
    }

    /// The intents without an outcome, by id of the proposal.
    pub fn unfinished(&self) -> impl Iterator<Item = (&str, &InFlight)> {
        self.proposals().filter_map(|(id, state)| Some((id, state.in_flight.as_ref()?)))
    }

    /// The state after one entry more. On an error the state is as it was.
    pub fn apply(&mut self, body: &EntryBody) -> Result<(), IllegalTransition> {
        match body {
            EntryBody::Recorded { .. }
            | EntryBody::Observed { .. }
            | EntryBody::PolicyPromoted { .. }
            | EntryBody::Note { .. } => Ok(()),
            EntryBody::CycleStarted { .. } | EntryBody::CycleEnded { .. } => self.cycles.apply(body),
            EntryBody::Proposed { proposal, gene, title, .. } => self.propose(proposal, gene.as_ref(), title),
            EntryBody::Gated { proposal, verdict, .. } => self.gate(proposal, *verdict),
            EntryBody::ApplyIntent { proposal, base_commit, branch, .. } => self.intend(proposal, base_commit, branch),
            EntryBody::ValidationFinished { proposal, success, .. } => self.validate(proposal, *success),
            EntryBody::Applied { proposal, branch, commit, .. } => self.publish(proposal, branch, commit),
            EntryBody::ApplyFailed { proposal, .. } => self.fail(proposal),
            EntryBody::RolledBack { proposal, branch, .. } => self.roll_back(proposal, branch),
        }
    }

    /// The same content gives the same id, so a proposal may come again; it is judged again then.
    fn propose(&mut self, id: &str, gene: Option<&String>, title: &str) -> Result<(), IllegalTransition> {
        let state = self.proposals.entry(id.to_owned()).or_default();
        check(state.in_flight.is_none(), "proposed", id, "it is being applied")?;
        state.gene = gene.cloned();
        title.clone_into(&mut state.title);
        state.verdict = None;
        Ok(())
    }

    fn gate(&mut self, id: &str, verdict: GateVerdict) -> Result<(), IllegalTransition> {
        let state = self.known("gated", id)?;
        check(state.in_flight.is_none(), "gated", id, "it is being applied")?;
        state.verdict = Some(verdict);
        Ok(())
    }

    fn intend(&mut self, id: &str, base_commit: &str, branch: &str) -> Result<(), IllegalTransition> {
        const KIND: &str = "apply_intent";
        let state = self.known(KIND, id)?;
        check(state.in_flight.is_none(), KIND, id, "it is being applied already")?;
        check(state.verdict == Some(GateVerdict::Pass), KIND, id, "it has not passed the gate")?;
        state.in_flight =
            Some(InFlight { base_commit: base_commit.to_owned(), branch: branch.to_owned(), validated: None });
        Ok(())
    }

    fn validate(&mut self, id: &str, success: bool) -> Result<(), IllegalTransition> {
        const KIND: &str = "validation_finished";
        let open = self.known(KIND, id)?.in_flight.as_mut().ok_or_else(|| no_intent(KIND, id))?;
        check(open.validated.is_none(), KIND, id, "it was validated already")?;
        open.validated = Some(success);
        Ok(())
    }

    fn publish(&mut self, id: &str, branch: &str, commit: &str) -> Result<(), IllegalTransition> {
        const KIND: &str = "applied";
        let state = self.known(KIND, id)?;
        let open = state.in_flight.as_ref().ok_or_else(|| no_intent(KIND, id))?;
        check(open.validated == Some(true), KIND, id, "no validation says that it holds")?;
        check(is_branch_of(&open.branch, branch), KIND, id, "the intent names another branch")?;
        state.in_flight = None;
        state.applied.push(AppliedBranch { branch: branch.to_owned(), commit: commit.to_owned() });
        Ok(())
    }

    fn fail(&mut self, id: &str) -> Result<(), IllegalTransition> {
        const KIND: &str = "apply_failed";
        let open = self.known(KIND, id)?.in_flight.take();
        open.map(drop).ok_or_else(|| no_intent(KIND, id))
    }

    fn roll_back(&mut self, id: &str, branch: &str) -> Result<(), IllegalTransition> {
        const KIND: &str = "rolled_back";
        let state = self.known(KIND, id)?;
        let at = state.applied.iter().position(|applied| applied.branch == branch);
        let at = at.ok_or_else(|| illegal(KIND, id, "no such branch of it stands"))?;
        state.applied.remove(at);
        Ok(())
    }

    fn known(&mut self, kind: &'static str, id: &str) -> Result<&mut ProposalState, IllegalTransition> {
        self.proposals.get_mut(id).ok_or_else(|| illegal(kind, id, "it was never proposed"))
    }
}

fn illegal(kind: &'static str, proposal: &str, problem: &'static str) -> IllegalTransition {
    IllegalTransition { kind, proposal: proposal.to_owned(), problem }
}

fn no_intent(kind: &'static str, proposal: &str) -> IllegalTransition {
    illegal(kind, proposal, "no intent to apply it is open")
}

fn check(holds: bool, kind: &'static str, id: &str, problem: &'static str) -> Result<(), IllegalTransition> {
    if holds { Ok(()) } else { Err(illegal(kind, id, problem)) }
}

/// Whether a branch is the intended one, or that with the number it got because the name was taken: `evo/x-2`.
fn is_branch_of(intended: &str, branch: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let rest = branch.strip_prefix(intended);
    rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('-').is_some_and(is_number))
}

#[cfg(test)]
pub(super) mod tests;
