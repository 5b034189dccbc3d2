//! Turns what a format reports into [`RunEvent`]s: pairs calls by id, judges, redacts and clips them. Every format uses
//! this module, so that no step is done differently or forgotten (invariant 12).

use std::borrow::Cow;
use std::sync::Arc;

use jiff::Timestamp;

use super::file_state::{FileState, Newest, charge};
use super::open_call::{MAX_OPEN_CALLS, OpenCall};
use super::reported::{End, Origin, Start, short};
use super::resume::MAX_CONTEXT;
use super::said::Said;
use super::shared::Shared;
use super::span::Span;
use super::tasks;
use super::usage::Due;
use crate::outcome::{Call, Judgement, failure_kind, judge};
use crate::redact::Unnumbered;
use crate::run_event::{
    EventType, MAX_FAILURE_OUTPUT_BYTES, MAX_INPUT_BYTES, MAX_OUTPUT_BYTES, Outcome, RunEvent, Spent, Usage,
};
use crate::text::clip_middle;

/// Reports the events of one line.
pub(super) struct Transcript<'a> {
    pub state: &'a mut FileState,
    pub shared: &'a mut Shared,
    pub sink: &'a mut dyn FnMut(RunEvent),
    pub line: u64,
    /// Number of the document in the file, from 1. A file of lines is one document.
    pub document: u64,
    pub span: Span,
}

impl Transcript<'_> {
    /// Keeps the current line, because later lines cannot be understood without it.
    pub(super) fn keep_line(&mut self) {
        if self.state.kept.len() <= MAX_CONTEXT {
            self.state.kept.push(self.span);
        }
    }

    pub(super) fn session(&mut self, name: &str) -> Arc<str> {
        self.state.name(name)
    }

    /// The session of a file that names none: the file's name without its extensions.
    pub(super) fn file_session(&mut self) -> Arc<str> {
        let path = self.state.summary.path.clone();
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = name.split_once('.').map(|(stem, _)| stem).filter(|stem| !stem.is_empty());
        self.state.name(stem.unwrap_or(name))
    }

    /// The session of a file that holds one event: the folder that contains its `events` folder.
    pub(super) fn session_of_events(&mut self) -> Arc<str> {
        let path = self.state.summary.path.clone();
        let mut folders = path.rsplit(['/', '\\']).skip(1);
        match (folders.next(), folders.next()) {
            (Some("events"), Some(name)) if !name.is_empty() => self.state.name(name),
            _ => self.file_session(),
        }
    }

    /// Defers the open calls, because they end in another file of this session.
    pub(super) fn defer_open_calls(&mut self, session: &Arc<str>) {
        let mut ids: Vec<Arc<str>> = self.state.open.keys().cloned().collect();
        ids.sort_unstable();
        for id in ids.into_iter().take(self.shared.room_for_pending()) {
            if let Some(call) = self.state.open.remove(&id) {
                self.shared.add_pending(session, id, call);
            }
        }
    }

    /// Whether a call has no end yet.
    pub(super) fn is_open(&mut self, origin: &Origin, id: &str) -> bool {
        let id = short(id);
        self.state.open.contains_key(id) || self.shared.is_pending(&origin.session, id)
    }

    /// Usage of a request that leads to the next event of this session. `model` may be empty.
    pub(super) fn usage_for_next(&mut self, origin: &Origin, usage: Usage, model: &str) {
        let Some(spent) = self.spent(usage, model) else { return };
        if let Some(due) = self.state.spending.add_due(&origin.session, origin.time, spent) {
            self.emit_usage(due);
        }
    }

    /// Usage of a request that led to the newest event. If that is of another session, it counts as
    /// [`Transcript::usage_for_next`].
    pub(super) fn usage_for_newest(&mut self, origin: &Origin, usage: Usage, model: &str) {
        let newest = self.state.newest.as_ref().is_some_and(|newest| newest.event.session_key == origin.session);
        if !newest {
            return self.usage_for_next(origin, usage, model);
        }
        if let (Some(spent), Some(Newest { event, .. })) = (self.spent(usage, model), &mut self.state.newest) {
            self.state.summary.usage.add(&usage);
            charge(event, spent);
        }
    }

    /// As [`Transcript::usage_for_next`], for a message whose usage may be reported several times. It counts once.
    pub(super) fn usage_of_message(&mut self, origin: &Origin, id: &str, usage: Usage, model: &str) {
        let new = self.new_usage_of_message(id, usage);
        self.usage_for_next(origin, new, model);
    }

    /// The part of a message's usage that was not reported before. Without an id, all of it is new.
    pub(super) fn new_usage_of_message(&mut self, id: &str, usage: Usage) -> Usage {
        if id.is_empty() { usage } else { self.state.spending.new_in_message(short(id), usage) }
    }

    /// The increase of a session's total usage; `None` if the total has been reset.
    pub(super) fn new_usage_of_session(&mut self, origin: &Origin, total: Usage) -> Option<Usage> {
        self.state.spending.new_in_total(&origin.session, total)
    }

    /// Reports the usage that no event of this file has as answers without a text.
    pub(super) fn flush_usage(&mut self) {
        self.state.charge_newest();
        for due in self.state.spending.take_due() {
            self.emit_usage(due);
        }
    }

    fn emit_usage(&mut self, due: Due) {
        let origin = Origin { time: due.time, session: due.session };
        let blank = self.blank(&origin, EventType::OutboundMsg);
        self.emit(RunEvent { spent: Some(Box::new(due.spent)), ..blank }, None, None);
    }

    /// `None` if nothing was used.
    fn spent(&mut self, usage: Usage, model: &str) -> Option<Spent> {
        (!usage.is_nothing()).then(|| Spent { usage, model: (!model.is_empty()).then(|| self.state.name(model)) })
    }

    /// Reports a message. `channel` names the sender if it is not the user.
    pub(super) fn message(&mut self, origin: &Origin, inbound: bool, channel: Option<&str>, text: &str) {
        let input = self.stored_input(text);
        let channel = channel.map(|name| self.state.name(name));
        let event_type = if inbound { EventType::InboundMsg } else { EventType::OutboundMsg };
        self.emit(RunEvent { channel, ..self.blank(origin, event_type) }, Some(input), None);
    }

    pub(super) fn exception(&mut self, origin: &Origin, text: &str) {
        let kind = Some(failure_kind(None, text));
        let output = self.shared.redactor.redact_unnumbered(text, MAX_FAILURE_OUTPUT_BYTES);
        let blank = self.blank(origin, EventType::Exception);
        self.emit(RunEvent { kind, flagged: true, ..blank }, None, Some(output));
    }

    pub(super) fn start(&mut self, origin: &Origin, start: &Start<'_>) {
        if let Some((task, _)) = &self.state.told {
            let asks = tasks::asked(start.tool, &start.input, start.is_command).as_deref() == Some(&**task);
            if asks && !tasks::reads_its_file(start.tool, start.is_command) {
                self.state.told = None;
            }
            // What its file says is known when it has been read.
            if !asks {
                self.report_told();
            }
        }
        let tool = self.state.name(start.tool);
        let shown = self.stored_input(&start.input);
        let call_id = start.call_id.map(short).map(Arc::<str>::from);
        let index = self.state.next_index;
        if let Some(id) = &call_id {
            let call = OpenCall {
                tool: tool.clone(),
                input: clip_middle(&start.input, MAX_INPUT_BYTES).into_owned(),
                is_command: start.is_command,
                time: origin.time,
                shown_input: shown.clone(),
                index: Some(index),
                span: self.span,
            };
            self.open(id.clone(), call);
        }
        let blank = self.blank(origin, EventType::ToolStart);
        self.emit(RunEvent { tool_name: Some(tool), call_id, ..blank }, Some(shown), None);
    }

    /// Tool and input of an open call, and whether it runs a command.
    pub(super) fn called(&self, id: &str) -> Option<(Arc<str>, String, bool)> {
        let call = self.state.open.get(short(id))?;
        Some((call.tool.clone(), call.input.clone(), call.is_command))
    }

    /// Reduces what an open call asks for to one of its requests.
    pub(super) fn asks_only(&mut self, id: &str, request: &str) {
        let shown_input = self.stored_input(request);
        if let Some(call) = self.state.open.get_mut(short(id)) {
            (call.input, call.shown_input) = (request.to_owned(), shown_input);
        }
    }

    pub(super) fn end(&mut self, origin: &Origin, end: &End<'_>) {
        let call_id = end.call_id.map(short);
        let open = call_id.and_then(|id| match self.state.open.remove(id) {
            None => self.shared.take_pending(&origin.session, id),
            here => here,
        });
        let called = open.as_ref().map(|call| call.tool.clone());
        let called = called.or_else(|| end.tool.filter(|tool| !tool.is_empty()).map(|tool| self.state.name(tool)));
        let tool = called.as_deref().unwrap_or_default();
        let is_command = open.as_ref().is_some_and(|call| call.is_command);
        let asked = open.as_ref().and_then(|call| {
            let by_name = tasks::asked(tool, &call.input, is_command);
            by_name.or_else(|| tasks::shown_log(tool, &call.input, is_command, &self.state.tasks))
        });
        let task = asked.as_deref().and_then(|name| self.state.tasks.get(name)).cloned();
        let is_file = task.is_some() && tasks::reads_its_file(tool, is_command);
        let file = task.as_ref().filter(|_| is_file);
        let said = Said::of(tool, open.as_ref(), end, file);
        // Until it has ended, its file is only read.
        let task = task.filter(|_| said.ended || !is_file);
        if is_file && said.ended {
            self.state.told = None;
        } else if is_file {
            self.report_told();
        }
        let of_task = task.as_ref().filter(|_| said.ended).and_then(|task| task.command.as_deref());
        let of_call = open.as_ref().filter(|call| call.is_command).map(|call| call.input.as_str());
        let exit_code = end.exit_code.or(end.text_exit_code).or(said.code);
        let Judgement { outcome, kind } = judge(&Call {
            tool,
            command: end.command.as_deref().or(of_task).or(of_call),
            output: if said.goes_on { "" } else { &said.text },
            flagged: end.flagged || end.failed_by_event || said.failed,
            exit_code,
            no_exit_codes: end.no_exit_codes && said.code.is_none(),
            ending: end.ending,
        });
        let most = if outcome == Outcome::Failure { MAX_FAILURE_OUTPUT_BYTES } else { MAX_OUTPUT_BYTES };
        let text = if outcome == Outcome::Failure { told(&said.text, exit_code) } else { said.text.as_ref().into() };
        let output = self.shared.redactor.redact_unnumbered(&text, most);
        let started = open.as_ref().and_then(|call| call.time);
        let event = RunEvent {
            tool_name: task.as_ref().map(|task| task.tool.clone()).or(end.tool_of_command.clone()).or(called),
            call_id: call_id.map(Arc::from),
            duration_ms: end.duration_ms.or_else(|| milliseconds(started.filter(|_| !end.untimed)?, origin.time?)),
            outcome: Some(outcome),
            kind,
            flagged: end.flagged || end.exit_code.is_some_and(|code| code != 0),
            ..self.blank(origin, EventType::ToolEnd)
        };
        let input = match (task, &end.command, &end.tool_of_command) {
            _ if end.unpaired => None,
            (Some(task), ..) => Some(task.shown_input),
            (None, Some(command), Some(_)) => Some(self.stored_input(command)),
            _ => open.as_ref().map(|call| call.shown_input.clone()),
        };
        self.emit(event, input, Some(output));
        // Its file may be read again, and a notice may follow.
        if let Some(name) = asked.filter(|_| said.ended && is_file) {
            self.state.tasks.remove(&*name);
        }
        if let Some(call) = open.filter(|_| outcome != Outcome::Failure) {
            if call.is_command {
                self.remember_logs(call_id, &call);
            }
            if let Some(name) = tasks::started(&end.output) {
                self.remember_task(name, call_id, &call);
            }
        }
    }

    /// Reports an event from the run store, which has been judged already. Its texts and names are redacted and clipped
    /// again, because another tool may have written it.
    pub(super) fn stored_event(&mut self, mut event: RunEvent) {
        let index = self.state.next_index;
        event.session_key = self.state.name(&event.session_key);
        for name in [&mut event.channel, &mut event.tool_name, &mut event.call_id].into_iter().flatten() {
            if short(name).len() < name.len() {
                *name = Arc::from(short(name));
            }
        }
        if let Some(model) = event.spent.as_mut().and_then(|spent| spent.model.as_mut()) {
            *model = self.state.name(model);
        }
        let mut input = event.input.take().map(|text| self.stored_input(&text));
        let failed = event.event_type == EventType::Exception || event.outcome == Some(Outcome::Failure);
        let most = if failed { MAX_FAILURE_OUTPUT_BYTES } else { MAX_OUTPUT_BYTES };
        let output = event.output.take().map(|text| self.shared.redactor.redact_unnumbered(&text, most));
        match (event.event_type, event.call_id.clone()) {
            (EventType::ToolStart, Some(id)) => {
                let call = OpenCall {
                    tool: event.tool_name.clone().unwrap_or_default(),
                    input: String::new(),
                    is_command: false,
                    time: event.timestamp,
                    shown_input: input.clone().unwrap_or_default(),
                    index: Some(index),
                    span: self.span,
                };
                self.open(id, call);
                event.outcome = None;
            }
            (EventType::ToolEnd, Some(id)) => {
                let open = self.state.open.remove(&id);
                input = input.or_else(|| open.map(|call| call.shown_input));
            }
            _ => {}
        }
        self.emit(event, input, output);
    }

    /// Takes a call for ended: its end was reported without saying whose it is.
    pub(super) fn forget(&mut self, id: &str) {
        self.state.open.remove(short(id));
    }

    fn open(&mut self, id: Arc<str>, call: OpenCall) {
        let index = call.index;
        let full = self.state.open.len() >= MAX_OPEN_CALLS && !self.state.open.contains_key(&id);
        let left = if full { index } else { self.state.open.insert(id, call).and_then(|old| old.index) };
        self.state.unfinished.extend(left);
    }

    fn stored_input(&self, text: &str) -> Unnumbered {
        self.shared.redactor.redact_unnumbered(text, MAX_INPUT_BYTES)
    }

    pub(super) fn blank(&self, origin: &Origin, event_type: EventType) -> RunEvent {
        let bare = RunEvent::bare(origin.session.clone(), event_type);
        RunEvent { timestamp: origin.time, line: self.line, ..bare }
    }

    pub(super) fn emit(&mut self, mut event: RunEvent, input: Option<Unnumbered>, output: Option<Unnumbered>) {
        if let Some(due) = self.state.spending.due(&event.session_key) {
            charge(&mut event, due);
        }
        self.state.summary.count(&event);
        self.state.next_index += 1;
        if let Some(before) = self.state.newest.replace(Newest { event, input, output }) {
            (self.sink)(before.numbered(self.shared));
        }
    }
}

/// The output of a call that failed. If there is none, the exit code is all that is known.
fn told(text: &str, exit_code: Option<i64>) -> Cow<'_, str> {
    match exit_code {
        Some(code) if code != 0 && text.trim().is_empty() => format!("Exit code {code}").into(),
        _ => text.into(),
    }
}

/// Milliseconds between two times; `None` if the second is earlier.
fn milliseconds(start: Timestamp, end: Timestamp) -> Option<f64> {
    let micros = end.as_microsecond().checked_sub(start.as_microsecond())?;
    #[expect(clippy::cast_precision_loss, reason = "microseconds of a call stay far below 2^52")]
    (micros >= 0).then_some(micros as f64 / 1000.0)
}
