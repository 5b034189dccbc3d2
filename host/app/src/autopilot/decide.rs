//! What a session does with the candidates for one finding: it tries those of low risk, and lets the others wait.

use gephost_core::autopilot::{known, undoes};
use gephost_core::event_log::{CycleOutcome, EntryBody, State};

use super::session::{AutopilotSession, Decided};
use crate::apply::{Accepted, Repair, finding_of};
use crate::commands::calls_of;
use crate::contents::contents;
use crate::cycle::Cycle;
use crate::error::AppError;
use crate::stages::{Diagnosed, Judged, Proposed};
use crate::text_genes::TextUnanswered;

/// The candidates that are worth a try, or what ends the cycle before one.
enum Fresh<'a> {
    Candidates(Vec<&'a Judged>),
    Ended(Decided),
}

impl AutopilotSession<'_> {
    /// What is done with the candidates for one finding.
    pub(super) fn decide(
        &mut self,
        cycle: &Cycle<'_>,
        diagnosed: &Diagnosed,
        proposed: &Proposed,
        base: &str,
    ) -> Result<Decided, AppError> {
        if proposed.candidates.is_empty() {
            let text = proposed.texts.last().map(TextUnanswered::line);
            let reason = text.or_else(|| proposed.selection.reason.first().cloned());
            let reason = reason.unwrap_or_else(|| "no gene has an answer".to_owned());
            return Ok(Decided::new(CycleOutcome::NoProposal, reason));
        }
        self.project.remember(
            &diagnosed.diagnosis.signals,
            &proposed.candidates,
            proposed.isolation(),
            self.is_dry(),
        )?;
        let state = self.project.log_state()?;
        let fresh = match self.fresh(&state, proposed, base) {
            Fresh::Candidates(fresh) => fresh,
            Fresh::Ended(decided) => return Ok(decided),
        };
        let max_risk = self.table().max_risk;
        let (low, high): (Vec<&Judged>, Vec<&Judged>) =
            fresh.into_iter().partition(|judged| judged.verdict.risk().score <= max_risk);
        let tried = if low.is_empty() { None } else { Some(self.try_out(cycle, diagnosed, proposed, base, &low)?) };
        let is_open = tried.as_ref().is_none_or(|tried| tried.outcome == CycleOutcome::Failed);
        match (high.first(), tried) {
            (Some(judged), tried) if is_open => self.queue(cycle, diagnosed, judged, tried),
            (None, Some(mut tried)) if is_open => match tried.applied.as_mut().and_then(|ended| ended.waits.take()) {
                Some(sum) => self.queue(cycle, diagnosed, &sum, Some(tried)),
                None => Ok(tried),
            },
            (_, Some(tried)) => Ok(tried),
            (_, None) => Ok(Decided::new(CycleOutcome::Known, "nothing new")),
        }
    }

    /// The candidates that passed the gate and were not dealt with before.
    fn fresh<'a>(&mut self, state: &State, proposed: &'a Proposed, base: &str) -> Fresh<'a> {
        let mut passed = proposed.candidates.iter().filter(|judged| judged.passes()).peekable();
        if passed.peek().is_none() {
            return Fresh::Ended(Decided::new(CycleOutcome::Refused, refusal(proposed)));
        }
        let mut reason = String::new();
        let mut fresh = Vec::new();
        for judged in passed {
            let id = &judged.proposal.id;
            let contents = state.proposal(id).map(|proposal| proposal.contents.clone()).unwrap_or_default();
            if let Some(known) = known(state, id, &contents, base) {
                reason = format!("{id}: {}", known.reason());
                continue;
            }
            if self.would_try.contains(&contents) {
                reason = format!("{id}: an earlier cycle has the same change");
                continue;
            }
            if let Some((other, path)) = undoes(state, id, &contents) {
                let reason = format!("{id} would undo in {path} what {other} did");
                return Fresh::Ended(Decided::new(CycleOutcome::Loop, reason));
            }
            if self.is_dry() {
                self.would_try.push(contents);
            }
            fresh.push(judged);
        }
        if fresh.is_empty() {
            return Fresh::Ended(Decided::new(CycleOutcome::Known, reason));
        }
        Fresh::Candidates(fresh)
    }

    /// Validates the candidates whose risk is low enough, and publishes the best that holds.
    fn try_out(
        &self,
        cycle: &Cycle<'_>,
        diagnosed: &Diagnosed,
        proposed: &Proposed,
        base: &str,
        candidates: &[&Judged],
    ) -> Result<Decided, AppError> {
        let Some(session) = &self.applying else {
            let first = candidates.first().map(|judged| judged.proposal.id.as_str()).unwrap_or_default();
            let reason = format!("dry run: {first} would be validated and published");
            return Ok(Decided::new(CycleOutcome::Published, reason));
        };
        let accepts = |sum: &Judged| self.accepts(sum, base);
        let repair = Repair { cycle, diagnosed, proposed, accepts: &accepts };
        let ended = self.project.try_candidates(&repair, candidates, session)?;
        let (outcome, reason) = match (&ended.published, ended.foremost()) {
            (Some(published), _) => (CycleOutcome::Published, published.branch.clone()),
            (None, Some(candidate)) => (CycleOutcome::Failed, candidate.tried.reason.clone()),
            (None, None) => (CycleOutcome::Failed, "nothing could be validated".to_owned()),
        };
        Ok(Decided { outcome, reason, applied: Some(ended) })
    }

    /// Whether the sum of several steps may be tried: what holds for a candidate holds for it too.
    fn accepts(&self, sum: &Judged, base: &str) -> Result<Accepted, AppError> {
        let state = self.project.log_state()?;
        let (id, risk) = (&sum.proposal.id, sum.verdict.risk().score);
        let contents = sum.verdict.approved().map(contents).unwrap_or_default();
        if let Some(known) = known(&state, id, &contents, base) {
            return Ok(Accepted::No(known.reason()));
        }
        if let Some((other, path)) = undoes(&state, id, &contents) {
            return Ok(Accepted::No(format!("the sum would undo in {path} what {other} did")));
        }
        let max_risk = self.table().max_risk;
        let waits = format!("the sum has risk {risk}, and autopilot applies at most {max_risk}");
        Ok(if risk > max_risk { Accepted::Waits(waits) } else { Accepted::Yes })
    }

    /// Lets the best-ranked candidate that is too risky wait for approval.
    fn queue(
        &self,
        cycle: &Cycle<'_>,
        diagnosed: &Diagnosed,
        judged: &Judged,
        tried: Option<Decided>,
    ) -> Result<Decided, AppError> {
        let (id, risk_score, max_risk) = (&judged.proposal.id, judged.verdict.risk().score, self.table().max_risk);
        let finding = finding_of(diagnosed, judged);
        self.append(&EntryBody::Queued {
            proposal: id.clone(),
            risk_score,
            max_risk,
            finding: finding.map(|finding| self.project.reference(finding)),
            calls: calls_of(&cycle.observation.events, finding),
        })?;
        let would = if self.is_dry() { "dry run: it would wait: " } else { "" };
        let reason = format!("{would}{id} has risk {risk_score}, and autopilot applies at most {max_risk}");
        Ok(Decided { outcome: CycleOutcome::Waits, reason, applied: tried.and_then(|tried| tried.applied) })
    }
}

/// Why the gate refused the best-ranked candidate.
fn refusal(proposed: &Proposed) -> String {
    let first = proposed.candidates.first();
    let reason = first.and_then(|judged| judged.verdict.reasons().next()).map(ToString::to_string);
    reason.unwrap_or_else(|| "the gate refused every candidate".to_owned())
}
