//! Which commands validate a change: the operator's, then those that the operator recorded and that the finding rests
//! on, then the proposal's own.
//!
//! What must stay true: a recorded command was run by the operator as these very words; it comes from the hash-chained
//! log and is run as it was. The others passed the command grammar.

use std::collections::{BTreeMap, BTreeSet};

use gephost_core::command::ValidationCommand;
use gephost_core::diagnosis::Finding;
use gephost_core::event_log::EntryBody;
use gephost_core::run_event::RunEvent;

use crate::error::AppError;
use crate::project::Project;

impl Project {
    /// The operator's commands first, then the recorded ones, then the proposal's; each once.
    pub(crate) fn commands(&self, recorded: &[ValidationCommand], own: &[ValidationCommand]) -> Vec<ValidationCommand> {
        let mut commands = Vec::new();
        for command in self.config.policy.commands().iter().chain(recorded).chain(own) {
            add(&mut commands, command.clone());
        }
        commands
    }

    /// The commands that the operator recorded as these calls, newest first, as the log has them.
    pub(crate) fn recorded_commands(&self, calls: &[String]) -> Result<Vec<ValidationCommand>, AppError> {
        let mut commands = Vec::new();
        if calls.is_empty() {
            return Ok(commands);
        }
        for entry in self.entries()?.iter().rev() {
            if let EntryBody::Recorded { call_id: Some(call), argv: Some(argv), run, .. } = &entry.body
                && calls.contains(call)
                && let Some(command) = ValidationCommand::from_operator(argv.clone())
            {
                add(&mut commands, command.with_recorded(run.clone()));
            }
        }
        Ok(commands)
    }
}

impl Project {
    /// The events of commands that the operator recorded, by number, with their calls. None if the log cannot be read.
    pub(crate) fn recorded_events(&self, events: &[RunEvent]) -> BTreeMap<u64, String> {
        let entries = self.entries().unwrap_or_default();
        let recorded: BTreeSet<&str> = entries.iter().filter_map(|entry| recorded_call(&entry.body)).collect();
        let call =
            |event: &RunEvent| event.call_id.as_deref().filter(|call| recorded.contains(call)).map(str::to_owned);
        (0..).zip(events).filter_map(|(number, event)| Some((number, call(event)?))).collect()
    }

    /// The recorded calls that the finding of a proposal rested on when it was proposed last.
    pub(crate) fn calls_of_proposal(&self, id: &str) -> Result<Vec<String>, AppError> {
        let entries = self.entries()?;
        let calls = entries.iter().rev().find_map(|entry| match &entry.body {
            EntryBody::Proposed { proposal, calls, .. } if proposal == id && !calls.is_empty() => Some(calls.clone()),
            _ => None,
        });
        Ok(calls.unwrap_or_default())
    }
}

/// The call of a recorded command that can be run again.
fn recorded_call(body: &EntryBody) -> Option<&str> {
    match body {
        EntryBody::Recorded { call_id: Some(call), argv: Some(_), .. } => Some(call),
        _ => None,
    }
}

/// Adds a command, unless it is there.
fn add(commands: &mut Vec<ValidationCommand>, command: ValidationCommand) {
    match commands.iter_mut().find(|known| known.argv() == command.argv()) {
        None => commands.push(command),
        // What the operator recorded last is how the command runs.
        Some(known) if known.recorded().is_none() => {
            *known = known.clone().with_recorded(command.recorded().cloned());
        }
        Some(_) => {}
    }
}

/// The calls that a finding rests on.
pub(crate) fn calls_of(events: &[RunEvent], finding: Option<&Finding>) -> Vec<String> {
    let evidence = finding.map(|finding| finding.evidence.as_slice()).unwrap_or_default();
    let events = evidence.iter().filter_map(|evidence| events.get(usize::try_from(evidence.event).ok()?));
    events.filter_map(|event| event.call_id.as_deref().map(str::to_owned)).collect()
}
