//! What a session of autopilot came to.

use std::sync::Arc;

use gephost_core::event_log::{CycleOutcome, FindingRef, State};
use gephost_core::gate::Decision;

use crate::apply::Ended;
use crate::consult::Consulted;
use crate::impact::MeasuredChange;
use crate::stages::Judged;

/// Why a session of autopilot ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// There is no finding left.
    NothingLeft,
    /// `[autopilot] max_cycles` is reached.
    MaxCycles,
    /// `[autopilot] max_wall_s` is over.
    WallTime,
    /// The model's budget is used up.
    ModelBudget,
    /// A candidate did not hold, and `[autopilot] stop_on_failure` is set.
    Failed,
    /// A proposal waits for approval.
    Waits,
    /// A proposal would undo an earlier one.
    Loop,
    /// A published change made its finding worse.
    Worse,
}

impl Stop {
    /// Its name for programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::NothingLeft => "nothing_left",
            Self::MaxCycles => "max_cycles",
            Self::WallTime => "max_wall_s",
            Self::ModelBudget => "model_budget",
            Self::Failed => "stop_on_failure",
            Self::Waits => "waits_for_approval",
            Self::Loop => "loop",
            Self::Worse => "worse",
        }
    }

    /// One line for people and the log.
    pub fn reason(self) -> &'static str {
        match self {
            Self::NothingLeft => "there is no finding left to take",
            Self::MaxCycles => "`[autopilot] max_cycles` is reached",
            Self::WallTime => "`[autopilot] max_wall_s` is over",
            Self::ModelBudget => "`[model] max_tokens` or `max_cost` allows no further request",
            Self::Failed => "a validation failed, and `[autopilot] stop_on_failure` is set",
            Self::Waits => "a proposal awaits approval",
            Self::Loop => "a proposal would undo what an earlier one did: it goes round in circles",
            Self::Worse => "a published change made its finding worse, and `[autopilot] stop_on_failure` is set",
        }
    }
}

/// What a session came to.
#[derive(Debug)]
pub struct AutopilotReport {
    /// Whether nothing was changed.
    pub dry_run: bool,
    /// What happened, in order.
    pub events: Vec<SessionEvent>,
    /// Findings that the last cycle passed over.
    pub passed_over: Vec<PassedOver>,
    /// What the log adds up to now: the queue among it.
    pub state: Arc<State>,
    /// Why the session ended.
    pub stop: Stop,
}

/// Something that happened in a session.
#[derive(Debug)]
pub enum SessionEvent {
    /// Published changes made their findings worse.
    Worse(Vec<MeasuredChange>),
    /// A finding was taken.
    Cycle(Box<CycleReport>),
}

/// What one cycle of a session came to.
#[derive(Debug)]
pub struct CycleReport {
    /// The finding that it took.
    pub finding: FindingRef,
    /// What became of the finding.
    pub outcome: CycleOutcome,
    /// Why.
    pub reason: String,
    /// The candidates, best first.
    pub candidates: Vec<CandidateSummary>,
    /// What was tried, if anything was.
    pub applied: Option<Ended>,
    /// What the model said, if one was asked.
    pub consulted: Option<Consulted>,
}

/// A candidate of a cycle, in short.
#[derive(Debug, Clone)]
pub struct CandidateSummary {
    /// Id of the proposal.
    pub proposal: String,
    /// Its title.
    pub title: String,
    /// Whether the gate passed it.
    pub gate: Decision,
    /// Its risk, from 0 to 100.
    pub risk_score: u8,
}

impl CandidateSummary {
    pub(super) fn of(judged: &Judged) -> Self {
        Self {
            proposal: judged.proposal.id.clone(),
            title: judged.proposal.title.clone(),
            gate: judged.verdict.decision(),
            risk_score: judged.verdict.risk().score,
        }
    }
}

/// A finding that was not taken.
#[derive(Debug, Clone)]
pub struct PassedOver {
    /// Its id.
    pub finding: String,
    /// Why.
    pub reason: String,
}
