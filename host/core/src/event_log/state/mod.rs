//! The state that the log's entries add up to. One transition function serves the live run and the replay, so they
//! cannot disagree.
//!
//! What must stay true:
//!
//! * a proposal is applied only after a passed gate, an intent and a successful validation, in that order;
//! * an intent ends in exactly one `applied` or `apply_failed`;
//! * only a published branch is landed or rolled back, and an intent to do so ends in exactly one `landed` or
//!   `land_failed`, `rolled_back` or `rollback_failed`.

mod autopilot;
mod cycles;
mod queue;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

pub use autopilot::{Autopilot, Session, Take};
pub use cycles::{Cycle, Cycles};
pub use queue::{Queue, Waiting};
pub use transition::IllegalTransition;
use transition::{check, illegal};

use super::entry::{Contents, EntryBody, GateVerdict};
use crate::impact::Impact;

/// An intent without an outcome so far. After a crash, the next start finishes or undoes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InFlight {
    /// Full hexadecimal id of the base commit.
    pub base_commit: String,
    /// The branch to publish.
    pub branch: String,
    /// Whether the validation succeeded; `None` before its end.
    pub validated: Option<bool>,
}

/// A branch that was published and not rolled back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AppliedBranch {
    /// The name of the branch, below `evo/`.
    pub branch: String,
    /// Full hexadecimal id of its commit.
    pub commit: String,
    /// How many were published before it, over all proposals.
    pub order: u64,
    /// The assets that it added.
    pub assets: AppliedAssets,
    /// The branch that was moved forward to it.
    pub landed: Option<String>,
    /// Whether an intent to move one is open.
    pub landing: bool,
    /// Whether an intent to roll it back is open.
    pub rolling_back: bool,
}

/// The assets that an applied proposal added, by id.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AppliedAssets {
    /// Id of the evolution event of its cycle.
    pub event: Option<String>,
    /// Id of the capsule that says how it held.
    pub capsule: Option<String>,
    /// The gene, if the apply added it.
    pub gene_added: Option<String>,
}

/// The state of one proposal.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProposalState {
    /// Id of the gene that made it.
    pub gene: Option<String>,
    /// The title that it was proposed with last, redacted.
    pub title: String,
    /// The gate's last decision; `None` after it was proposed again.
    pub verdict: Option<GateVerdict>,
    /// The intent to apply it that has no outcome yet.
    pub in_flight: Option<InFlight>,
    /// Its published branches, oldest first.
    pub applied: Vec<AppliedBranch>,
    /// The contents of its files before and after, as the gate read them last.
    pub contents: Vec<Contents>,
    /// The base of its last failed validation.
    pub failed_on: Option<String>,
    /// Why it was rolled back, if that was its last change of state.
    pub taken_back: Option<String>,
}

/// The state after all entries of a log.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct State {
    proposals: BTreeMap<String, ProposalState>,
    cycles: Cycles,
    /// How many branches were published.
    published: u64,
    queue: Queue,
    autopilot: Autopilot,
    /// By branch.
    impacts: BTreeMap<String, Impact>,
}

impl State {
    /// The state of a proposal.
    pub fn proposal(&self, id: &str) -> Option<&ProposalState> {
        self.proposals.get(id)
    }

    /// Every proposal, by id.
    pub fn proposals(&self) -> impl Iterator<Item = (&str, &ProposalState)> {
        self.proposals.iter().map(|(id, state)| (id.as_str(), state))
    }

    /// The cycles that tried candidates.
    pub fn cycles(&self) -> &Cycles {
        &self.cycles
    }

    /// Proposals that await approval or were declined.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// What autopilot did.
    pub fn autopilot(&self) -> &Autopilot {
        &self.autopilot
    }

    /// The last known impact of a published branch.
    pub fn impact(&self, branch: &str) -> Option<&Impact> {
        self.impacts.get(branch)
    }

    /// The intents without an outcome, by id of the proposal.
    pub fn unfinished(&self) -> impl Iterator<Item = (&str, &InFlight)> {
        self.proposals().filter_map(|(id, state)| Some((id, state.in_flight.as_ref()?)))
    }

    /// Branches that were published and not rolled back, with the ids of their proposals, oldest first.
    pub fn standing(&self) -> Vec<(&str, &AppliedBranch)> {
        let mut standing: Vec<_> =
            self.proposals().flat_map(|(id, state)| state.applied.iter().map(move |applied| (id, applied))).collect();
        standing.sort_by_key(|(_, applied)| applied.order);
        standing
    }

    /// Applies one more entry. On an error the state stays as it was.
    pub fn apply(&mut self, body: &EntryBody) -> Result<(), IllegalTransition> {
        match body {
            EntryBody::Recorded { .. }
            | EntryBody::Observed { .. }
            | EntryBody::PolicyPromoted { .. }
            | EntryBody::ModelNoOp { .. }
            | EntryBody::Note { .. } => Ok(()),
            EntryBody::CycleStarted { .. } | EntryBody::CycleContinued { .. } | EntryBody::CycleEnded { .. } => {
                self.cycles.apply(body)
            }
            EntryBody::Proposed { proposal, gene, title, .. } => self.propose(proposal, gene.as_ref(), title),
            EntryBody::Gated { proposal, verdict, contents, .. } => self.gate(proposal, *verdict, contents),
            EntryBody::ApplyIntent { proposal, base_commit, branch, .. } => {
                self.intend(proposal, base_commit, branch)?;
                self.queue.take(proposal);
                Ok(())
            }
            EntryBody::ValidationFinished { proposal, success, .. } => self.validate(proposal, *success),
            EntryBody::Applied { proposal, branch, commit, event, capsule, gene_added, .. } => {
                let [event, capsule, gene_added] = [event, capsule, gene_added].map(Clone::clone);
                self.publish(proposal, branch, commit, AppliedAssets { event, capsule, gene_added })
            }
            EntryBody::Queued { proposal, risk_score, max_risk, finding, calls } => {
                let state = self.known("queued", proposal)?;
                check(state.in_flight.is_none(), "queued", proposal, "it is being applied")?;
                let passed = state.verdict == Some(GateVerdict::Pass);
                check(passed, "queued", proposal, "it has not passed the gate")?;
                let waiting = Waiting {
                    risk_score: *risk_score,
                    max_risk: *max_risk,
                    finding: finding.clone(),
                    calls: calls.clone(),
                    contents: state.contents.clone(),
                    approver: None,
                };
                self.queue.put(proposal, waiting);
                Ok(())
            }
            EntryBody::Approved { proposal, approver } => self.queue.approve(proposal, approver),
            EntryBody::Declined { proposal, approver, why } => self.queue.decline(proposal, approver, why),
            EntryBody::Evaluated { proposal, branch, impact } => {
                self.standing_of("evaluated", proposal, branch)?;
                self.impacts.insert(branch.clone(), *impact);
                Ok(())
            }
            EntryBody::AutopilotStarted { .. }
            | EntryBody::AutopilotTook { .. }
            | EntryBody::AutopilotLeft { .. }
            | EntryBody::AutopilotStopped { .. } => self.autopilot.apply(body),
            EntryBody::ApplyFailed { proposal, .. } => self.fail(proposal),
            EntryBody::LandIntent { proposal, branch, .. } => self.intend_landing(proposal, branch),
            EntryBody::Landed { proposal, branch, into, .. } => {
                self.end_landing("landed", proposal, branch)?.landed = Some(into.clone());
                Ok(())
            }
            EntryBody::LandFailed { proposal, branch, .. } => {
                self.end_landing("land_failed", proposal, branch).map(drop)
            }
            EntryBody::RollbackIntent { proposal, branch, .. } => self.intend_rollback(proposal, branch),
            EntryBody::RolledBack { proposal, branch, reason, .. } => self.roll_back(proposal, branch, reason),
            EntryBody::RollbackFailed { proposal, branch, .. } => self.fail_rollback(proposal, branch),
        }
    }

    /// The same content gives the same id, so a proposal may come again. The gate then judges it again.
    fn propose(&mut self, id: &str, gene: Option<&String>, title: &str) -> Result<(), IllegalTransition> {
        let state = self.proposals.entry(id.to_owned()).or_default();
        check(state.in_flight.is_none(), "proposed", id, "it is being applied")?;
        state.gene = gene.cloned();
        title.clone_into(&mut state.title);
        state.verdict = None;
        Ok(())
    }

    fn gate(&mut self, id: &str, verdict: GateVerdict, contents: &[Contents]) -> Result<(), IllegalTransition> {
        let state = self.known("gated", id)?;
        check(state.in_flight.is_none(), "gated", id, "it is being applied")?;
        state.verdict = Some(verdict);
        if !contents.is_empty() {
            state.contents = contents.to_vec();
        }
        Ok(())
    }

    fn intend(&mut self, id: &str, base_commit: &str, branch: &str) -> Result<(), IllegalTransition> {
        const KIND: &str = "apply_intent";
        let state = self.known(KIND, id)?;
        check(state.in_flight.is_none(), KIND, id, "it is already being applied")?;
        check(state.verdict == Some(GateVerdict::Pass), KIND, id, "it has not passed the gate")?;
        state.in_flight =
            Some(InFlight { base_commit: base_commit.to_owned(), branch: branch.to_owned(), validated: None });
        Ok(())
    }

    fn validate(&mut self, id: &str, success: bool) -> Result<(), IllegalTransition> {
        const KIND: &str = "validation_finished";
        let open = self.known(KIND, id)?.in_flight.as_mut().ok_or_else(|| no_intent(KIND, id))?;
        check(open.validated.is_none(), KIND, id, "it was already validated")?;
        open.validated = Some(success);
        let base = open.base_commit.clone();
        if !success {
            self.known(KIND, id)?.failed_on = Some(base);
        }
        Ok(())
    }

    fn publish(
        &mut self,
        id: &str,
        branch: &str,
        commit: &str,
        assets: AppliedAssets,
    ) -> Result<(), IllegalTransition> {
        const KIND: &str = "applied";
        let order = self.published;
        let state = self.known(KIND, id)?;
        let open = state.in_flight.as_ref().ok_or_else(|| no_intent(KIND, id))?;
        check(open.validated == Some(true), KIND, id, "no validation has succeeded")?;
        check(is_branch_of(&open.branch, branch), KIND, id, "the intent names another branch")?;
        state.in_flight = None;
        state.taken_back = None;
        state.applied.push(AppliedBranch {
            branch: branch.to_owned(),
            commit: commit.to_owned(),
            order,
            assets,
            landed: None,
            landing: false,
            rolling_back: false,
        });
        self.published = order.saturating_add(1);
        Ok(())
    }

    fn fail(&mut self, id: &str) -> Result<(), IllegalTransition> {
        const KIND: &str = "apply_failed";
        let open = self.known(KIND, id)?.in_flight.take();
        open.map(drop).ok_or_else(|| no_intent(KIND, id))
    }

    fn intend_landing(&mut self, id: &str, branch: &str) -> Result<(), IllegalTransition> {
        const KIND: &str = "land_intent";
        let applied = self.standing_of(KIND, id, branch)?;
        check(!applied.landing, KIND, id, "it is already being landed")?;
        check(!applied.rolling_back, KIND, id, "it is being rolled back")?;
        applied.landing = true;
        Ok(())
    }

    fn end_landing(
        &mut self,
        kind: &'static str,
        id: &str,
        branch: &str,
    ) -> Result<&mut AppliedBranch, IllegalTransition> {
        let applied = self.standing_of(kind, id, branch)?;
        check(applied.landing, kind, id, "no intent to land it is open")?;
        applied.landing = false;
        Ok(applied)
    }

    fn intend_rollback(&mut self, id: &str, branch: &str) -> Result<(), IllegalTransition> {
        const KIND: &str = "rollback_intent";
        let applied = self.standing_of(KIND, id, branch)?;
        check(!applied.rolling_back, KIND, id, "it is already being rolled back")?;
        check(!applied.landing, KIND, id, "it is being landed")?;
        applied.rolling_back = true;
        Ok(())
    }

    /// Logs of before the intent was written have none; so it is not asked for.
    fn roll_back(&mut self, id: &str, branch: &str, reason: &str) -> Result<(), IllegalTransition> {
        self.standing_of("rolled_back", id, branch)?;
        let state = self.known("rolled_back", id)?;
        // One name may have stood twice, where somebody took the first branch away by hand.
        if let Some(last) = state.applied.iter().rposition(|applied| applied.branch == branch) {
            state.applied.remove(last);
        }
        state.taken_back = Some(reason.to_owned());
        Ok(())
    }

    fn fail_rollback(&mut self, id: &str, branch: &str) -> Result<(), IllegalTransition> {
        const KIND: &str = "rollback_failed";
        let applied = self.standing_of(KIND, id, branch)?;
        check(applied.rolling_back, KIND, id, "no intent to roll it back is open")?;
        applied.rolling_back = false;
        Ok(())
    }

    fn standing_of(
        &mut self,
        kind: &'static str,
        id: &str,
        branch: &str,
    ) -> Result<&mut AppliedBranch, IllegalTransition> {
        let state = self.known(kind, id)?;
        let applied = state.applied.iter_mut().rfind(|applied| applied.branch == branch);
        applied.ok_or_else(|| illegal(kind, id, "it has no published branch of this name"))
    }

    fn known(&mut self, kind: &'static str, id: &str) -> Result<&mut ProposalState, IllegalTransition> {
        self.proposals.get_mut(id).ok_or_else(|| illegal(kind, id, "it was never proposed"))
    }
}

fn no_intent(kind: &'static str, proposal: &str) -> IllegalTransition {
    illegal(kind, proposal, "no intent to apply it is open")
}

/// Whether a branch is the intended one, or has the number that it got because the name was taken: `evo/x-2`.
fn is_branch_of(intended: &str, branch: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    let rest = branch.strip_prefix(intended);
    rest.is_some_and(|rest| rest.is_empty() || rest.strip_prefix('-').is_some_and(is_number))
}

#[cfg(test)]
pub(super) mod tests;
mod transition;
