//! Reports the failure of a command in the background of which only a notice tells.

use std::sync::Arc;

use super::file_state::Newest;
use super::open_call::OpenCall;
use super::reported::{Origin, short};
use super::tasks::{self, MAX_TASKS, Notice, Task};
use super::transcript::Transcript;
use crate::outcome::failure_kind;
use crate::run_event::{EventType, MAX_FAILURE_OUTPUT_BYTES, Outcome, RunEvent};

impl Transcript<'_> {
    /// Remembers a call that goes on in the background.
    pub(super) fn remember_task(&mut self, name: &str, call_id: Option<&str>, call: &OpenCall) {
        self.remember(name, call_id, call, call.is_command.then(|| call.input.clone()));
    }

    /// Remembers the logs that a command line writes in the background.
    pub(super) fn remember_logs(&mut self, call_id: Option<&str>, call: &OpenCall) {
        for (path, command) in tasks::logs_in_background(&call.input) {
            self.remember(&path, call_id, call, Some(command));
        }
    }

    /// Remembers a task by its name; a newer one takes the place of one of the same name.
    fn remember(&mut self, name: &str, call_id: Option<&str>, call: &OpenCall, command: Option<String>) {
        let name = short(name);
        if self.state.tasks.len() >= MAX_TASKS && !self.state.tasks.contains_key(name) {
            return;
        }
        let task = Task {
            tool: call.tool.clone(),
            call_id: call_id.map(Arc::from),
            command,
            shown_input: call.shown_input.clone(),
            spans: [call.span, self.span],
            reported: false,
        };
        self.state.tasks.insert(name.into(), task);
    }

    /// Notes what the harness says about a task. Its failure is reported as one of the call that started it.
    pub(super) fn task_notice(&mut self, origin: &Origin, notice: &Notice<'_>) {
        self.report_told();
        let Some((name, task)) = self.state.tasks.get_key_value(notice.task).filter(|_| notice.failed) else { return };
        let event = RunEvent {
            tool_name: Some(task.tool.clone()),
            call_id: task.call_id.clone(),
            outcome: Some(Outcome::Failure),
            kind: Some(failure_kind(None, notice.said)),
            flagged: true,
            ..self.blank(origin, EventType::ToolEnd)
        };
        let output = self.shared.redactor.redact_unnumbered(notice.said, MAX_FAILURE_OUTPUT_BYTES);
        let told = Newest { event, input: Some(task.shown_input.clone()), output: Some(output) };
        self.state.told = Some((name.clone(), told));
    }

    /// Reports the failure of a task that was held back.
    pub(super) fn report_told(&mut self) {
        if let Some((name, Newest { event, input, output })) = self.state.told.take() {
            if let Some(task) = self.state.tasks.get_mut(&name) {
                task.reported = true;
            }
            self.emit(event, input, output);
        }
    }
}
