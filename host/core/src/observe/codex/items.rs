//! Calls and their outputs as items of `OpenAI`'s Responses API, which rollouts hold, and logs of other programs too.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::header::{CODES, header_number, wall_time};
use super::shape::{Payload, old_form};
use crate::observe::Transcript;
use crate::observe::input::{command_of_words, read_input};
use crate::observe::reported::{End, Origin, Start};
use crate::outcome::Ending;

/// Most running sessions, and most results reported before their output, that are remembered.
pub(super) const MAX_REMEMBERED: usize = 1024;

/// How the answers begin with which the harness refuses a call that it did not run.
const REFUSALS: [&str; 5] = [
    "apply_patch verification failed",
    "exec_command failed",
    "failed to parse function arguments",
    "unsupported call: ",
    "write_stdin failed",
];

/// What stands in place of the output of a call that had none when the turn was interrupted.
const ABORTED: &str = "aborted";

/// What is remembered between items.
#[derive(Default)]
pub(in crate::observe) struct Items {
    /// Calls without an end, by call id.
    commands: HashMap<String, PendingCall>,
    /// Commands that are still running, by session id.
    running: HashMap<u64, Running>,
    /// Whether a call failed, if an event said so before its output.
    failed_early: HashMap<String, bool>,
    /// Whether they are those of a rollout, in which every command has an exit code.
    is_rollout: bool,
}

/// What is remembered of a call until its end.
struct PendingCall {
    tool: Arc<str>,
    command: Option<String>,
    session_id: Option<u64>,
}

/// The command of a session, and the tool that started it.
#[derive(Clone)]
struct Running {
    tool: Arc<str>,
    command: String,
}

impl Items {
    pub(super) fn of_rollout() -> Self {
        Self { is_rollout: true, ..Self::default() }
    }

    /// Whether later items can be understood without what is remembered, except for calls without an end.
    pub(super) fn is_settled(&self) -> bool {
        self.running.is_empty() && self.failed_early.is_empty()
    }

    /// Reports the start of a call.
    pub(in crate::observe) fn start(&mut self, origin: &Origin, payload: &Payload<'_>, out: &mut Transcript<'_>) {
        let call_id = payload.call();
        let shell = payload.action.as_ref().and_then(|action| command_of_words(&action.command));
        let raw = payload.arguments.as_ref().or(payload.input.as_ref()).map_or("", |text| &text.0);
        let read = read_input(raw);
        let is_command = shell.is_some() || read.is_command;
        let session_id = read.session_id;
        let input = shell.map_or(read.text, Cow::Owned);
        let name = if payload.name.0.is_empty() { "local_shell" } else { &*payload.name.0 };
        if let Some(id) = call_id
            && self.commands.len() < MAX_REMEMBERED
        {
            let command = is_command.then(|| input.clone().into_owned());
            self.commands.insert(id.to_owned(), PendingCall { tool: name.into(), command, session_id });
        }
        out.start(origin, &Start { call_id, tool: name, input, is_command });
    }

    /// Whether a call has no end yet.
    pub(super) fn awaits(&self, id: &str) -> bool {
        self.commands.contains_key(id)
    }

    /// Remembers that a call failed or not, whose output comes later.
    pub(super) fn note(&mut self, id: &str, failed: bool) {
        if self.failed_early.len() < MAX_REMEMBERED {
            self.failed_early.insert(id.to_owned(), failed);
        }
    }

    /// Remembers what an event says about the result of a call, whose output comes later.
    pub(super) fn note_result(&mut self, payload: &Payload<'_>) {
        let mcp_failed = payload.result.as_ref().map(|result| {
            result.error.is_some() || result.ok.as_ref().is_some_and(|answer| answer.is_error == Some(true))
        });
        let failed = payload.success.map(|success| !success).or(payload.exit_code.map(|code| code != 0)).or(mcp_failed);
        if let (Some(id), Some(failed)) = (&payload.call_id, failed) {
            self.note(&id.0, failed);
        }
    }

    /// Reports the end of a call.
    pub(in crate::observe) fn end(&mut self, origin: &Origin, payload: &Payload<'_>, out: &mut Transcript<'_>) {
        let call_id = payload.call();
        let called = call_id.and_then(|id| self.commands.remove(id));
        let failed = call_id.and_then(|id| self.failed_early.remove(id));
        let old = old_form(&payload.output.0);
        let (text, exit_code, duration_ms) = match &old {
            Some(old) => (&*old.output.0, old.metadata.exit_code, old.metadata.duration_seconds.map(|s| s * 1000.0)),
            None => (&*payload.output.0, header_number(&payload.output.0, &CODES), wall_time(&payload.output.0)),
        };
        let running = header_number(text, &["Process running with session ID "]).and_then(|id| u64::try_from(id).ok());
        let continues = called.as_ref().is_some_and(|call| call.session_id.is_some());
        let found = self.command_of(called, running, exit_code.is_some());
        let tool_of_command = found.as_ref().filter(|_| continues).map(|found| found.tool.clone());
        let command = found.map(|found| found.command);
        // Refusals of the harness itself have neither header nor code.
        let refused = REFUSALS.iter().any(|start| text.starts_with(start));
        let output = Cow::Borrowed(text);
        let end = if self.is_rollout || exit_code.is_some() {
            End { call_id, output, ..End::default() }
        } else {
            End::as_stated(call_id, output, false)
        };
        let failed_by_event = failed == Some(true) || end.failed_by_event;
        let ending = match running.filter(|_| exit_code.is_none()) {
            Some(_) => Ending::Running,
            None if text.trim() == ABORTED => Ending::Stopped,
            None => Ending::Returned,
        };
        let end = End { command, tool_of_command, duration_ms, ..end };
        out.end(origin, &End { flagged: refused, failed_by_event, exit_code, ending, ..end });
    }

    /// The command whose result this is. For a write to a running session, it is the one that started the session.
    fn command_of(&mut self, called: Option<PendingCall>, running: Option<u64>, ended: bool) -> Option<Running> {
        let called = called?;
        let found = match called.session_id {
            Some(id) if ended => self.running.remove(&id),
            Some(id) => self.running.get(&id).cloned(),
            None => called.command.map(|command| Running { tool: called.tool, command }),
        }?;
        if let Some(id) = running
            && self.running.len() < MAX_REMEMBERED
        {
            self.running.insert(id, found.clone());
        }
        Some(found)
    }
}
