//! `gephost autopilot`: cycle after cycle, one finding each, as far as the config lets it go without a person.

use gephost_app::Project;
use gephost_app::autopilot::{AutopilotReport, CandidateSummary, CycleReport, PassedOver, SessionEvent, Stop};
use gephost_core::diagnosis::FindingRef;
use gephost_core::event_log::CycleOutcome;
use gephost_core::gate::Decision;
use schemars::JsonSchema;
use serde::Serialize;

use super::cycle::{apply_options, running};
use super::own_sessions;
use crate::args::RunArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::page::Page;
use crate::render;
use crate::render::applied::AppliedRow;
use crate::render::impact;
use crate::render::model::ModelDocument;
use crate::render::queue::{self, WaitingRow};
use crate::render::style::printable;

pub(super) fn run(environment: &Environment, output: Output, arguments: &RunArguments) -> Result<Report, Failure> {
    let project = Project::open_for(environment, arguments.apply)?;
    own_sessions::settle(
        output,
        &project,
        &arguments.select.cycle.log,
        arguments.select.cycle.yes,
        "gephost autopilot --yes",
    );
    let report = project.autopilot(&running(environment, arguments)?, &apply_options(arguments))?;
    Ok(Report::of(&AutopilotPage::of(&report)))
}

/// A session of autopilot.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AutopilotPage<'a> {
    /// Whether nothing was changed.
    dry_run: bool,
    /// Its cycles, in order.
    cycles: Vec<CycleRow<'a>>,
    /// Findings that the last cycle did not take.
    passed_over: Vec<PassedOverRow<'a>>,
    /// Proposals that await approval.
    waiting: Vec<WaitingRow<'a>>,
    stopped: StopRow,
    #[serde(skip)]
    report: &'a AutopilotReport,
}

/// A cycle of a session.
#[derive(Debug, Serialize, JsonSchema)]
struct CycleRow<'a> {
    /// The finding that it took.
    finding: &'a FindingRef,
    outcome: CycleOutcome,
    /// Why, as one line.
    reason: &'a str,
    /// The candidates, best first.
    candidates: Vec<CandidateRow<'a>>,
    /// What was tried, best-ranked first.
    tried: Vec<AppliedRow<'a>>,
    /// What the model said, if one was asked.
    model: Option<ModelDocument<'a>>,
}

/// A candidate of a cycle, in short.
#[derive(Debug, Serialize, JsonSchema)]
struct CandidateRow<'a> {
    /// Id of the proposal.
    proposal: &'a str,
    /// Its title.
    title: &'a str,
    /// The gate's decision.
    gate: Decision,
    /// Its risk, 0 to 100.
    risk_score: u8,
}

/// A finding that was not taken.
#[derive(Debug, Serialize, JsonSchema)]
struct PassedOverRow<'a> {
    /// Its id.
    finding: &'a str,
    /// Why.
    reason: &'a str,
}

/// Why a session ended.
#[derive(Debug, Serialize, JsonSchema)]
struct StopRow {
    /// A short name for programs.
    code: &'static str,
    /// One line for people.
    reason: &'static str,
}

impl<'a> AutopilotPage<'a> {
    fn of(report: &'a AutopilotReport) -> Self {
        Self {
            dry_run: report.dry_run,
            cycles: cycles(report).map(cycle).collect(),
            passed_over: report.passed_over.iter().map(passed_over).collect(),
            waiting: queue::rows(&report.state),
            stopped: StopRow { code: report.stop.name(), reason: report.stop.reason() },
            report,
        }
    }
}

impl Page for AutopilotPage<'_> {
    const KIND: &'static str = "autopilot";

    fn text(&self) -> String {
        page(self.report)
    }

    fn exit(&self) -> Exit {
        exit_of(self.report.stop)
    }
}

fn exit_of(stop: Stop) -> Exit {
    match stop {
        Stop::NothingLeft | Stop::MaxCycles => Exit::Done,
        Stop::WallTime | Stop::ModelBudget => Exit::Budget,
        Stop::Failed => Exit::Invalid,
        Stop::Waits => Exit::Waits,
        Stop::Loop | Stop::Worse => Exit::Failed,
    }
}

fn cycles(report: &AutopilotReport) -> impl Iterator<Item = &CycleReport> {
    report.events.iter().filter_map(|event| match event {
        SessionEvent::Cycle(cycle) => Some(cycle.as_ref()),
        SessionEvent::Worse(_) => None,
    })
}

fn cycle(cycle: &CycleReport) -> CycleRow<'_> {
    CycleRow {
        finding: &cycle.finding,
        outcome: cycle.outcome,
        reason: &cycle.reason,
        candidates: cycle.candidates.iter().map(candidate).collect(),
        tried: cycle.applied.as_ref().map(render::applied::documents).unwrap_or_default(),
        model: cycle.consulted.as_ref().map(render::model::document),
    }
}

fn passed_over(passed: &PassedOver) -> PassedOverRow<'_> {
    PassedOverRow { finding: &passed.finding, reason: &passed.reason }
}

fn candidate(candidate: &CandidateSummary) -> CandidateRow<'_> {
    CandidateRow {
        proposal: &candidate.proposal,
        title: &candidate.title,
        gate: candidate.gate,
        risk_score: candidate.risk_score,
    }
}

fn page(report: &AutopilotReport) -> String {
    let mut text = String::new();
    let mut number = 0;
    for event in &report.events {
        match event {
            SessionEvent::Worse(changes) => text.push_str(&impact::page(&impact::rows(changes))),
            SessionEvent::Cycle(cycle) => {
                number += 1;
                text.push_str(&render::autopilot::cycle(number, &cycle.finding.title, cycle.outcome, &cycle.reason));
                text.push_str(&cycle.applied.as_ref().map(render::applied::page).unwrap_or_default());
            }
        }
    }
    if report.dry_run {
        text.push_str("Dry run. Nothing was changed. To let it work: gephost autopilot --apply\n");
    }
    text.push_str(&format!("Stopped: {}\n", report.stop.reason()));
    text.push_str(&queue::page(&queue::rows(&report.state)));
    for passed in &report.passed_over {
        text.push_str(&format!("  passed over {}: {}\n", printable(&passed.finding), printable(&passed.reason)));
    }
    text
}
