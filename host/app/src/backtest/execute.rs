//! Carries out one cell: asks the gene about the finding at the base of that time, gates its candidates, and validates them.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use gephost_core::backtest::{Cell, CellEnd, Reached};
use gephost_core::command::ValidationCommand;
use gephost_core::evaluate::{Decision, evaluate};
use gephost_core::run_event::{RunEvent, from_disk_line};
use gephost_runner::monotonic;
use gephost_runner::sandbox::Sandbox;
use gephost_runner::worktree::{CommitMessage, Identity, apply};

use crate::apply::{Tried, try_alone};
use crate::cycle::Cycle;
use crate::error::AppError;
use crate::genes::genes_of;
use crate::project::Project;
use crate::stages::{Judged, Proposed};

/// Most candidates of a cell that are validated.
const MAX_CANDIDATES: usize = 5;

/// A cell that is carried out in a project.
pub(super) struct Execution<'p> {
    pub(super) project: &'p Project,
    pub(super) sandbox: &'p Sandbox,
    /// Whether commands may run that were recorded elsewhere.
    pub(super) recorded: bool,
    /// Set when the work is to end.
    pub(super) flag: &'p AtomicBool,
}

impl Execution<'_> {
    /// How a cell ends. An error is one of this machine, and says nothing of the gene.
    pub(super) fn run(&self, cell: &Cell, gene: &[u8], events: &[u8]) -> Result<CellEnd, AppError> {
        let began = monotonic::now();
        let (reached, detail) = self.reached(cell, gene, events)?;
        Ok(CellEnd { reached, detail: self.project.config.policy.redact(&detail), wall_ms: millis(began) })
    }

    fn reached(&self, cell: &Cell, gene: &[u8], events: &[u8]) -> Result<(Reached, String), AppError> {
        let genes = genes_of(self.sandbox, gene)?;
        let cycle = Cycle::at(self.project, Rc::new(genes), read_events(events)?, &cell.base)?;
        let calls = cell.calls.iter().map(String::as_str);
        let stage = cycle.stage().with_recorded(numbered(&cycle.observation.events, &calls.collect::<Vec<_>>()));
        let mut diagnosed = stage.diagnose(&cycle.observation.events);
        diagnosed.diagnosis.findings.retain(|finding| finding.id == cell.finding);
        if diagnosed.diagnosis.findings.is_empty() {
            return Ok((Reached::NotThere, "the finding does not show in the events up to then".to_owned()));
        }
        let selection = stage.select(&diagnosed, &cycle.observation.events);
        let repository = cycle.repository()?;
        let proposed = stage
            .propose(&repository.base, &diagnosed, selection, None, std::num::NonZeroUsize::MIN)
            .map_err(|error| AppError::failed("repository", error))?;
        match answer(&proposed) {
            Ok(passed) => self.validate(&cycle, cell, &passed),
            Err(ended) => Ok(ended),
        }
    }

    /// Validates candidates that passed, in their order, until one holds.
    fn validate(&self, cycle: &Cycle<'_>, cell: &Cell, passed: &[&Judged]) -> Result<(Reached, String), AppError> {
        let recorded = match (self.recorded, cell.commands.is_empty()) {
            (false, false) => {
                let why = "its commands were recorded elsewhere, and this worker was not allowed to run such";
                return Ok((Reached::CannotRun, why.to_owned()));
            }
            _ => recorded(cell),
        };
        let git = &cycle.repository()?.git;
        let mut last = (Reached::NoCommand, "record one with gephost record, or name it in [validation]".to_owned());
        for judged in passed.iter().take(MAX_CANDIDATES) {
            let Some(approved) = judged.verdict.approved() else { continue };
            let commands = self.project.commands(&recorded, approved.commands());
            if commands.is_empty() {
                continue;
            }
            self.project.check_stops(None)?;
            let project = self.project;
            let by = Identity::of(&project.config.file.apply, &project.environment.signing, project.environment.now());
            let by = by.map_err(|error| AppError::failed("identity", error))?;
            let message = CommitMessage::new(&judged.proposal.title, "a backtest", &[]);
            let committed =
                apply(git, approved, &message, &by).map_err(|error| AppError::failed("repository", error))?;
            let tried = Tried { commands: &commands, approved, committed: &committed };
            let runs = try_alone(project, git, &tried, self.flag)?;
            project.check_stops(None)?;
            let evaluation = evaluate(&runs);
            // What passes on the base already shows nothing.
            if evaluation.decision == Decision::Fixed {
                return Ok((Reached::Held, judged.proposal.title.clone()));
            }
            let decision = evaluation.decision.as_str();
            let why = format!("{}: {decision}", judged.proposal.title);
            last = (if decision == "cannot_run" { Reached::CannotRun } else { Reached::Failed }, why);
        }
        Ok(last)
    }
}

/// The candidates that passed the gate, or how the cell ends without one.
fn answer(proposed: &Proposed) -> Result<Vec<&Judged>, (Reached, String)> {
    let passed: Vec<&Judged> = proposed.candidates.iter().filter(|judged| judged.passes()).collect();
    if !passed.is_empty() {
        return Ok(passed);
    }
    if let Some(call) = proposed.calls.iter().find(|call| call.failure.is_some()) {
        return Err((Reached::GeneFailed, call.error.clone().unwrap_or_default()));
    }
    if let Some(text) = proposed.texts.iter().find(|text| !text.is_answered()) {
        return Err((Reached::GeneFailed, text.line()));
    }
    if let Some(judged) = proposed.candidates.first() {
        let reason = judged.verdict.reasons().next().map(ToString::to_string);
        return Err((Reached::Refused, reason.unwrap_or_default()));
    }
    let reason = match (&proposed.unasked, proposed.selection.ranked.is_empty()) {
        (Some(_), _) => "it searches, and a backtest does not".to_owned(),
        (None, true) => proposed.selection.reason.first().cloned().unwrap_or_default(),
        (None, false) => "it has no candidate".to_owned(),
    };
    Err((Reached::Nothing, reason))
}

fn recorded(cell: &Cell) -> Vec<ValidationCommand> {
    let command = |recorded: &gephost_core::backtest::RecordedCommand| {
        let command = ValidationCommand::from_operator(recorded.argv.clone())?;
        Some(command.with_recorded(recorded.run.clone()))
    };
    cell.commands.iter().filter_map(command).collect()
}

/// The numbers of the events that belong to these calls.
fn numbered(events: &[RunEvent], calls: &[&str]) -> BTreeMap<u64, String> {
    let of = |event: &RunEvent| event.call_id.as_deref().filter(|call| calls.contains(call)).map(str::to_owned);
    (0..).zip(events).filter_map(|(number, event)| Some((number, of(event)?))).collect()
}

fn read_events(text: &[u8]) -> Result<Vec<RunEvent>, AppError> {
    let text = std::str::from_utf8(text).map_err(|error| AppError::failed("events", error))?;
    let lines = (1..).zip(text.lines());
    lines
        .map(|(number, line)| from_disk_line(line, number).map_err(|error| AppError::failed("events", error)))
        .collect()
}

fn millis(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX)
}
