//! Further steps of a repair: the output that fails is observed as a log of its own, diagnosed, and genes or the model
//! propose changes of the files that the repair so far left.
//!
//! What must stay true: each step passed the gate against the files that it starts from, and the sum of all steps passed
//! it against the base. Only the sum is ever tried.

use gephost_core::command::ValidationCommand;
use gephost_core::contest::Step;
use gephost_core::layers::{sum_of_changes, sum_of_proposals};
use gephost_core::observe::RanCommand;
use gephost_core::proposal::Proposal;
use gephost_core::run_event::RunEvent;

use super::next_step::{Found, NextStep, SoFar, Sum};
use crate::cycle::Cycle;
use crate::deadline::Deadline;
use crate::error::AppError;
use crate::stages::{Judged, Proposed};
use crate::text_genes::TextUnanswered;

/// Whether the sum of several steps may be tried.
pub(crate) enum Accepted {
    /// It may.
    Yes,
    /// It may not, for this reason.
    No(String),
    /// Only after an approval, for this reason.
    Waits(String),
}

/// Who proposes further steps: the genes or the model of a cycle.
pub(super) struct Further<'c> {
    pub(super) cycle: &'c Cycle<'c>,
    /// The commands that the operator recorded, on which the finding rests.
    pub(super) recorded: &'c [ValidationCommand],
    /// The recorded calls of those commands.
    pub(super) calls: &'c [String],
    /// The signals of the finding.
    pub(super) signals: &'c [String],
    /// The calls that led to the first step.
    pub(super) first_recordings: Vec<String>,
    pub(super) accepts: &'c dyn Fn(&Judged) -> Result<Accepted, AppError>,
    pub(super) until: Option<Deadline>,
}

/// A change that is tried, or why it is not.
enum Weighed {
    Fits(Box<Sum>),
    Waits(Box<Sum>, String),
    Not(String),
}

impl NextStep for Further<'_> {
    fn first(&self, proposal: &Proposal) -> Step {
        self.step(proposal, self.first_recordings.clone())
    }

    fn propose(&self, so_far: &SoFar<'_>) -> Result<Found, AppError> {
        let cycle = self.cycle.after(self.observed(so_far), so_far.commit)?;
        // The commands whose output is read here are those that the operator recorded, if the first step rests on such.
        let stage = match self.calls.first() {
            Some(call) => {
                let events = 0..cycle.observation.events.len() as u64;
                cycle.stage().with_recorded(events.map(|event| (event, call.clone())).collect())
            }
            None => cycle.stage(),
        };
        let stage = match self.until {
            Some(until) => stage.until(until.instant()),
            None => stage,
        };
        let mut diagnosed = cycle.diagnosed(&stage)?;
        let (proposed, consulted) = cycle.proposed(&stage, &mut diagnosed, None)?;
        let mut found = Found::default();
        if proposed.candidates.is_empty() {
            let no_op = consulted.as_ref().and_then(|consulted| consulted.no_op()).map(|no_op| no_op.reason.clone());
            let is_blank = diagnosed.diagnosis.findings.is_empty();
            let reason = if is_blank { "no gene sees a pattern in it" } else { "nothing is proposed for it" };
            let text = proposed.texts.last().map(TextUnanswered::line);
            found.reason = Some(no_op.or(text).unwrap_or_else(|| reason.to_owned()));
            return Ok(found);
        }
        let calls = diagnosed.calls.iter().chain(&proposed.calls);
        let recordings = calls.filter_map(|call| call.recording.clone());
        let exchange = consulted.as_ref().and_then(|consulted| consulted.exchange.clone());
        let recordings: Vec<String> = recordings.chain(exchange).collect();
        for judged in &proposed.candidates {
            if found.sums.len() >= so_far.room {
                break;
            }
            match self.weigh(so_far, judged, &proposed, &recordings, &found)? {
                Weighed::Fits(sum) => found.sums.push(*sum),
                Weighed::Waits(sum, reason) => {
                    found.waits.get_or_insert(Box::new(sum.judged));
                    found.reason.get_or_insert(reason);
                }
                Weighed::Not(reason) => {
                    found.reason.get_or_insert(reason);
                }
            }
        }
        Ok(found)
    }
}

impl Further<'_> {
    /// The commands that fail after the repair so far, as a log. It has the time of the newest event of the cycle, and no
    /// durations, so that the same failure gives the same log.
    fn observed(&self, so_far: &SoFar<'_>) -> Vec<RunEvent> {
        let project = self.cycle.project();
        let mut redactor = project.config.policy.redactor();
        let failing = so_far.runs.iter().filter(|run| !run.after.passed()).enumerate();
        let session = format!("step-{}", so_far.step);
        let events = failing.flat_map(|(number, run)| {
            let ran = RanCommand {
                session: &session,
                call_id: &format!("{session}-{}", number + 1),
                line: &run.text,
                output: &[run.after.stdout.as_str(), &run.after.stderr].concat(),
                exit_code: run.after.exit.unwrap_or(1),
                started: self.cycle.now(),
                duration: None,
            };
            ran.events(&mut redactor)
        });
        events.collect()
    }

    /// Adds a step to the repair so far, and puts the sum through the gate. The log says of whatever the gate judged here
    /// how it was judged.
    fn weigh(
        &self,
        so_far: &SoFar<'_>,
        step: &Judged,
        proposed: &Proposed,
        recordings: &[String],
        found: &Found,
    ) -> Result<Weighed, AppError> {
        let Some(approved) = step.verdict.approved() else {
            self.remember(step, proposed)?;
            return Ok(Weighed::Not(format!("the gate refuses the step: {}", refusal(step))));
        };
        let changes = sum_of_changes(so_far.sum, approved.changes());
        let is_tried = so_far.tried.iter().any(|intent| intent.approved.changes() == changes);
        let is_found =
            found.sums.iter().any(|sum| sum.judged.verdict.approved().is_some_and(|a| a.changes() == changes));
        if changes.is_empty() || is_tried || is_found {
            return Ok(Weighed::Not("this proposal was tried already".to_owned()));
        }
        let parts: Vec<&Proposal> = so_far.parts.iter().copied().chain([&step.proposal]).collect();
        let judged = self.cycle.judge_sum(sum_of_proposals(&parts, &changes), self.calls.to_vec())?;
        let Some(sum) = judged.verdict.approved() else {
            self.remember(&judged, proposed)?;
            return Ok(Weighed::Not(format!("the gate refuses the sum of the steps: {}", refusal(&judged))));
        };
        if sum.changes() != changes {
            return Ok(Weighed::Not("the sum of the steps cannot be written as one change".to_owned()));
        }
        let accepted = (self.accepts)(&judged)?;
        if let Accepted::No(reason) = accepted {
            return Ok(Weighed::Not(reason));
        }
        self.remember(&judged, proposed)?;
        let steps = so_far.steps.iter().cloned().chain([self.step(&step.proposal, recordings.to_vec())]).collect();
        let sum = Box::new(Sum {
            commands: self.cycle.project().commands(self.recorded, sum.commands()),
            parts: parts.into_iter().cloned().collect(),
            steps,
            gene: self.cycle.gene_asset(step.proposal.gene.as_deref()),
            judged,
        });
        Ok(match accepted {
            Accepted::Waits(reason) => Weighed::Waits(sum, reason),
            Accepted::Yes | Accepted::No(_) => Weighed::Fits(sum),
        })
    }

    fn step(&self, proposal: &Proposal, recordings: Vec<String>) -> Step {
        Step {
            proposal: proposal.id.clone(),
            title: self.cycle.project().config.policy.redact(&proposal.title),
            gene: proposal.gene.clone(),
            then_fails: None,
            recordings,
        }
    }

    fn remember(&self, judged: &Judged, proposed: &Proposed) -> Result<(), AppError> {
        let judged = std::slice::from_ref(judged);
        self.cycle.project().remember(self.signals, judged, proposed.isolation(), false)
    }
}

fn refusal(judged: &Judged) -> String {
    judged.verdict.reasons().next().map(ToString::to_string).unwrap_or_default()
}
