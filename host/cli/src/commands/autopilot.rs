//! `gephost autopilot`: cycle after cycle, one finding each, as far as the config lets it go without a person.

use gephost_app::Project;
use gephost_app::autopilot::{AutopilotReport, CandidateSummary, CycleReport, PassedOver, SessionEvent, Stop};
use serde_json::{Value, json};

use super::cycle::{apply_options, options};
use crate::args::RunArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::render;
use crate::render::style::printable;

pub(super) fn run(environment: &Environment, arguments: &RunArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let report = project.autopilot(&options(environment, &arguments.cycle)?, &apply_options(arguments))?;
    let document = json!({
        "schema": "gephost.autopilot/1",
        "dry_run": report.dry_run,
        "cycles": cycles(&report).map(cycle).collect::<Vec<_>>(),
        "passed_over": report.passed_over.iter().map(passed_over).collect::<Vec<_>>(),
        "waiting": render::queue::documents(&report.state),
        "stopped": { "code": report.stop.name(), "reason": report.stop.reason() },
    });
    Ok(Report { exit: exit_of(report.stop), document, text: page(&report) })
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

fn cycle(cycle: &CycleReport) -> Value {
    json!({
        "finding": cycle.finding,
        "outcome": cycle.outcome.as_str(),
        "reason": cycle.reason,
        "candidates": cycle.candidates.iter().map(candidate).collect::<Vec<_>>(),
        "tried": cycle.applied.as_ref().map(render::applied::documents).unwrap_or_default(),
        "model": cycle.consulted.as_ref().map(render::model::document),
    })
}

fn candidate(candidate: &CandidateSummary) -> Value {
    json!({
        "proposal": candidate.proposal,
        "title": candidate.title,
        "gate": candidate.gate,
        "risk_score": candidate.risk_score,
    })
}

fn passed_over(passed: &PassedOver) -> Value {
    json!({ "finding": passed.finding, "reason": passed.reason })
}

fn page(report: &AutopilotReport) -> String {
    let mut text = String::new();
    let mut number = 0;
    for event in &report.events {
        match event {
            SessionEvent::Worse(changes) => text.push_str(&render::impact::page(changes)),
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
    text.push_str(&render::queue::page(&report.state));
    for passed in &report.passed_over {
        text.push_str(&format!("  passed over {}: {}\n", printable(&passed.finding), printable(&passed.reason)));
    }
    text
}
