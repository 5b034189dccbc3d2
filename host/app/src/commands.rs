//! Which commands validate a change: the operator's, then those that the operator recorded and that the finding rests
//! on, then the proposal's own.
//!
//! What must stay true: a recorded command was run by the operator as these very words; it comes from the hash-chained
//! log and is run as it was. The others passed the command grammar.

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
            if let EntryBody::Recorded { call_id: Some(call), argv: Some(argv), .. } = &entry.body
                && calls.contains(call)
                && let Some(command) = ValidationCommand::from_operator(argv.clone())
            {
                add(&mut commands, command);
            }
        }
        Ok(commands)
    }
}

fn add(commands: &mut Vec<ValidationCommand>, command: ValidationCommand) {
    if commands.iter().all(|known| known.argv() != command.argv()) {
        commands.push(command);
    }
}

/// The calls that a finding rests on.
pub(crate) fn calls_of(events: &[RunEvent], finding: Option<&Finding>) -> Vec<String> {
    let evidence = finding.map(|finding| finding.evidence.as_slice()).unwrap_or_default();
    let events = evidence.iter().filter_map(|evidence| events.get(usize::try_from(evidence.event).ok()?));
    events.filter_map(|event| event.call_id.as_deref().map(str::to_owned)).collect()
}
