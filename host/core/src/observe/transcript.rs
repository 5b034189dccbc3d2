//! From what a format says to [`RunEvent`]s: pairing by call id, judging, redacting, clipping. Every format goes
//! through here, so that each of these is done in one way and none is forgotten (invariant 12).

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use jiff::Timestamp;

use super::FileSummary;
use super::open_call::{MAX_OPEN_CALLS, OpenCall};
use super::resume::{MAX_CONTEXT, Mark};
use super::shared::Shared;
use super::span::Span;
use super::usage::{Due, Spending};
use crate::outcome::{Call, Ending, Judgement, failure_kind, judge};
use crate::redact::Hidden;
use crate::run_event::{
    EventType, MAX_FAILURE_OUTPUT_BYTES, MAX_INPUT_BYTES, MAX_OUTPUT_BYTES, Outcome, RunEvent, Spent, Usage,
};
use crate::text::clip_middle;

/// Most bytes of an id or a name.
const MAX_NAME_BYTES: usize = 256;

/// Where a line belongs.
#[derive(Debug, Clone, Default)]
pub(super) struct Place {
    pub time: Option<Timestamp>,
    pub session: Arc<str>,
}

/// A call that a format reports.
pub(super) struct Start<'a> {
    pub call_id: Option<&'a str>,
    pub tool: &'a str,
    /// The command where there is one, else the input as the format wrote it.
    pub input: Cow<'a, str>,
    pub is_command: bool,
}

/// A result that a format reports.
#[derive(Default)]
pub(super) struct End<'a> {
    pub call_id: Option<&'a str>,
    /// The tool, where the result names it: its start may be in a file that is not read.
    pub tool: Option<&'a str>,
    pub output: Cow<'a, str>,
    /// The result's own error flag.
    pub flagged: bool,
    /// An event beside the result says that the call failed. Judged like a flag, and not counted as one: `flagged` is
    /// what the result itself says.
    pub noted_failure: bool,
    /// The exit code, where the format has it apart from the text or in a header of its own.
    pub exit_code: Option<i64>,
    /// The exit code, where only the output's text tells it: judged, and no flag.
    pub told_code: Option<i64>,
    /// No exit code is ever known in this format: what the output says is all there is.
    pub codeless: bool,
    /// How it came to its end, where the format says so.
    pub ending: Ending,
    /// The format knows one time for the whole call, so that there is no duration.
    pub untimed: bool,
    /// The command that the result belongs to, where it is not that of the call (a session that was started before).
    pub command: Option<String>,
    /// Milliseconds, where the format has them.
    pub duration_ms: Option<f64>,
}

/// What is known of one file between its lines.
#[derive(Debug, Default)]
pub(super) struct FileState {
    pub summary: FileSummary,
    open: HashMap<Arc<str>, OpenCall>,
    unfinished: Vec<u64>,
    next_index: u64,
    names: HashSet<Arc<str>>,
    kept: Vec<Span>,
    pub(super) spending: Spending,
    /// The newest event, held back until the next one: what it cost may be told after it.
    newest: Option<Newest>,
}

/// An event whose texts have no numbers in their placeholders yet.
#[derive(Debug)]
struct Newest {
    event: RunEvent,
    input: Option<Hidden>,
    output: Option<Hidden>,
}

impl Newest {
    fn numbered(self, shared: &mut Shared) -> RunEvent {
        shared.with_texts(self.event, self.input, self.output)
    }
}

impl FileState {
    pub(super) fn new(path: &str, format: &'static str) -> Self {
        let summary = FileSummary { path: path.to_owned(), format, ..FileSummary::default() };
        Self { summary, ..Self::default() }
    }

    /// Hands on the last event. Indexes, within the file's events, of the starts that no end came for; sorted.
    pub(super) fn finish(mut self, shared: &mut Shared, sink: &mut dyn FnMut(RunEvent)) -> (FileSummary, Vec<u64>) {
        self.charge_newest();
        if let Some(newest) = self.newest.take() {
            sink(newest.numbered(shared));
        }
        self.summary.outcomes.unfinished += (self.unfinished.len() + self.open.len()) as u64;
        self.unfinished.extend(self.open.values().filter_map(|call| call.index));
        self.unfinished.sort_unstable();
        (self.summary, self.unfinished)
    }

    /// The lines that what follows may need, in their order; `None` where they are too many.
    pub(super) fn context(&self) -> Option<Vec<Span>> {
        let mut lines: Vec<Span> = self.kept.iter().copied().chain(self.open.values().map(|call| call.span)).collect();
        lines.sort_unstable();
        lines.dedup();
        (lines.len() <= MAX_CONTEXT && self.unfinished.is_empty()).then_some(lines)
    }

    /// The ids of the calls without an end.
    pub(super) fn open_calls(&self) -> Vec<String> {
        let mut ids: Vec<String> = self.open.keys().map(ToString::to_string).collect();
        ids.sort_unstable();
        ids
    }

    /// Nothing else comes for what is due to the newest event's session: it goes to that event.
    fn charge_newest(&mut self) {
        if let Some(Newest { event, .. }) = &mut self.newest
            && let Some(due) = self.spending.due(&event.session_key)
        {
            self.summary.usage.add(&due.usage);
            charge(event, due);
        }
    }

    /// What a later reading must know of the requests in this one, and the numbers of this one: what is due to the
    /// newest event's session goes to that event when the file ends here.
    pub(super) fn left(&self) -> (Spending, FileSummary) {
        let (mut spending, mut summary) = (self.spending.clone(), self.summary.clone());
        if let Some(due) = self.newest.as_ref().and_then(|newest| spending.due(&newest.event.session_key)) {
            summary.usage.add(&due.usage);
        }
        (spending, summary)
    }

    /// Goes on with the numbers of an earlier reading, once its context was read again. A line may hold several calls:
    /// those that had ended by then are no longer open.
    pub(super) fn go_on(&mut self, summary: FileSummary, mark: &Mark) {
        self.open.retain(|id, call| {
            call.index = None;
            mark.open.binary_search_by(|known| known.as_str().cmp(id)).is_ok()
        });
        self.unfinished.clear();
        self.newest = None;
        self.spending = mark.spending.clone();
        self.summary = summary;
        self.next_index = 0;
    }

    /// One `Arc` for each name: a file has few tools and sessions, and many events.
    fn name(&mut self, text: &str) -> Arc<str> {
        let text = short(text);
        if let Some(known) = self.names.get(text) {
            return known.clone();
        }
        let name: Arc<str> = Arc::from(text);
        if self.names.len() < MAX_OPEN_CALLS {
            self.names.insert(name.clone());
        }
        name
    }
}

/// Takes what one line says and hands on its events.
pub(super) struct Transcript<'a> {
    pub state: &'a mut FileState,
    pub shared: &'a mut Shared,
    pub sink: &'a mut dyn FnMut(RunEvent),
    pub line: u64,
    pub span: Span,
}

impl Transcript<'_> {
    /// The present line is needed to understand those after it.
    pub(super) fn keep(&mut self) {
        if self.state.kept.len() <= MAX_CONTEXT {
            self.state.kept.push(self.span);
        }
    }

    pub(super) fn session(&mut self, name: &str) -> Arc<str> {
        self.state.name(name)
    }

    /// The session of a file that names none: the file's name without its endings.
    pub(super) fn file_session(&mut self) -> Arc<str> {
        let path = self.state.summary.path.clone();
        let name = path.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = name.split_once('.').map(|(stem, _)| stem).filter(|stem| !stem.is_empty());
        self.state.name(stem.unwrap_or(name))
    }

    /// The session of a file that holds one event: what the folder of events lies in.
    pub(super) fn session_of_events(&mut self) -> Arc<str> {
        let path = self.state.summary.path.clone();
        let mut folders = path.rsplit(['/', '\\']).skip(1);
        match (folders.next(), folders.next()) {
            (Some("events"), Some(name)) if !name.is_empty() => self.state.name(name),
            _ => self.file_session(),
        }
    }

    /// The end of the calls that are open comes in another file of this session.
    pub(super) fn leave_open(&mut self, session: &Arc<str>) {
        let mut ids: Vec<Arc<str>> = self.state.open.keys().cloned().collect();
        ids.sort_unstable();
        for id in ids.into_iter().take(self.shared.room_elsewhere()) {
            if let Some(call) = self.state.open.remove(&id) {
                self.shared.leave_elsewhere(session, id, call);
            }
        }
    }

    /// Whether a call waits for its end.
    pub(super) fn is_open(&mut self, place: &Place, id: &str) -> bool {
        let id = short(id);
        self.state.open.contains_key(id) || self.shared.is_elsewhere(&place.session, id)
    }

    /// What a request to a model used that leads to the next event of this session. `model` may be empty.
    pub(super) fn spends(&mut self, place: &Place, usage: Usage, model: &str) {
        let Some(spent) = self.spent_on(usage, model) else { return };
        if let Some(due) = self.state.spending.owe(&place.session, place.time, spent) {
            self.answer(due);
        }
    }

    /// What a request used that led to the newest event, where that is of this session; else as [`Transcript::spends`].
    pub(super) fn has_spent(&mut self, place: &Place, usage: Usage, model: &str) {
        let newest = self.state.newest.as_ref().is_some_and(|newest| newest.event.session_key == place.session);
        if !newest {
            return self.spends(place, usage, model);
        }
        if let (Some(spent), Some(Newest { event, .. })) = (self.spent_on(usage, model), &mut self.state.newest) {
            self.state.summary.usage.add(&usage);
            charge(event, spent);
        }
    }

    /// As [`Transcript::spends`], for a message that is told of more than once: what is told again counts once.
    pub(super) fn spends_on_message(&mut self, place: &Place, id: &str, usage: Usage, model: &str) {
        let new = self.news_of_message(id, usage);
        self.spends(place, new, model);
    }

    /// What is new in what is told of a message. One without an id is told of once.
    pub(super) fn news_of_message(&mut self, id: &str, usage: Usage) -> Usage {
        if id.is_empty() { usage } else { self.state.spending.of_message(short(id), usage) }
    }

    /// What is new in a count of all that this session used; `None` where it has begun anew.
    pub(super) fn counted(&mut self, place: &Place, total: Usage) -> Option<Usage> {
        self.state.spending.of_count(&place.session, total)
    }

    /// The rest of what was used leads to nothing else in this file: it was for an answer of which nothing else is known.
    pub(super) fn answer_for_the_rest(&mut self) {
        self.state.charge_newest();
        for due in self.state.spending.take_due() {
            self.answer(due);
        }
    }

    fn answer(&mut self, due: Due) {
        let place = Place { time: due.time, session: due.session };
        let blank = self.blank(&place, EventType::OutboundMsg);
        self.emit(RunEvent { spent: Some(Box::new(due.spent)), ..blank }, None, None);
    }

    /// `None` where nothing was used.
    fn spent_on(&mut self, usage: Usage, model: &str) -> Option<Spent> {
        (!usage.is_nothing()).then(|| Spent { usage, model: (!model.is_empty()).then(|| self.state.name(model)) })
    }

    /// Something was said. `channel` names who, where it was not the person.
    pub(super) fn message(&mut self, place: &Place, inbound: bool, channel: Option<&str>, text: &str) {
        let input = self.stored_input(text);
        let channel = channel.map(|name| self.state.name(name));
        let event_type = if inbound { EventType::InboundMsg } else { EventType::OutboundMsg };
        self.emit(RunEvent { channel, ..self.blank(place, event_type) }, Some(input), None);
    }

    pub(super) fn exception(&mut self, place: &Place, text: &str) {
        let kind = Some(failure_kind(None, text));
        let output = self.shared.redactor.hide(text, MAX_FAILURE_OUTPUT_BYTES);
        let blank = self.blank(place, EventType::Exception);
        self.emit(RunEvent { kind, flagged: true, ..blank }, None, Some(output));
    }

    pub(super) fn start(&mut self, place: &Place, start: &Start<'_>) {
        let tool = self.state.name(start.tool);
        let shown = self.stored_input(&start.input);
        let call_id = start.call_id.map(short).map(Arc::<str>::from);
        let index = self.state.next_index;
        if let Some(id) = &call_id {
            let call = OpenCall {
                tool: tool.clone(),
                input: clip_middle(&start.input, MAX_INPUT_BYTES).into_owned(),
                is_command: start.is_command,
                time: place.time,
                shown_input: shown.clone(),
                index: Some(index),
                span: self.span,
            };
            self.open(id.clone(), call);
        }
        let blank = self.blank(place, EventType::ToolStart);
        self.emit(RunEvent { tool_name: Some(tool), call_id, ..blank }, Some(shown), None);
    }

    pub(super) fn end(&mut self, place: &Place, end: &End<'_>) {
        let call_id = end.call_id.map(short);
        let open = call_id.and_then(|id| match self.state.open.remove(id) {
            None => self.shared.take_elsewhere(&place.session, id),
            here => here,
        });
        let tool = open.as_ref().map(|call| call.tool.clone());
        let tool = tool.or_else(|| end.tool.filter(|tool| !tool.is_empty()).map(|tool| self.state.name(tool)));
        let input = open.as_ref().map_or("", |call| call.input.as_str());
        let is_command = open.as_ref().is_some_and(|call| call.is_command);
        let Judgement { outcome, kind } = judge(&Call {
            tool: tool.as_deref().unwrap_or_default(),
            command: end.command.as_deref().or(is_command.then_some(input)),
            output: &end.output,
            flagged: end.flagged || end.noted_failure,
            exit_code: end.exit_code.or(end.told_code),
            codeless: end.codeless,
            ending: end.ending,
        });
        let most = if outcome == Outcome::Failure { MAX_FAILURE_OUTPUT_BYTES } else { MAX_OUTPUT_BYTES };
        let output = self.shared.redactor.hide(&end.output, most);
        let started = open.as_ref().and_then(|call| call.time);
        let event = RunEvent {
            tool_name: tool,
            call_id: call_id.map(Arc::from),
            duration_ms: end.duration_ms.or_else(|| milliseconds(started.filter(|_| !end.untimed)?, place.time?)),
            outcome: Some(outcome),
            kind,
            flagged: end.flagged || end.exit_code.is_some_and(|code| code != 0),
            ..self.blank(place, EventType::ToolEnd)
        };
        self.emit(event, open.map(|call| call.shown_input), Some(output));
    }

    /// An event that was judged when it was stored. It is redacted and clipped again, names too: another tool may have
    /// written it.
    pub(super) fn stored(&mut self, mut event: RunEvent) {
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
        let output = event.output.take().map(|text| self.shared.redactor.hide(&text, most));
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

    fn open(&mut self, id: Arc<str>, call: OpenCall) {
        let index = call.index;
        let full = self.state.open.len() >= MAX_OPEN_CALLS && !self.state.open.contains_key(&id);
        let left = if full { index } else { self.state.open.insert(id, call).and_then(|old| old.index) };
        self.state.unfinished.extend(left);
    }

    fn stored_input(&self, text: &str) -> Hidden {
        self.shared.redactor.hide(text, MAX_INPUT_BYTES)
    }

    fn blank(&self, place: &Place, event_type: EventType) -> RunEvent {
        let bare = RunEvent::bare(place.session.clone(), event_type);
        RunEvent { timestamp: place.time, line: self.line, ..bare }
    }

    fn emit(&mut self, mut event: RunEvent, input: Option<Hidden>, output: Option<Hidden>) {
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

fn charge(event: &mut RunEvent, more: Spent) {
    match &mut event.spent {
        Some(spent) => spent.add(more),
        none => *none = Some(Box::new(more)),
    }
}

/// Ids and names are short; what is not is no name, and may fill no memory.
fn short(text: &str) -> &str {
    text.get(..text.floor_char_boundary(MAX_NAME_BYTES)).unwrap_or(text)
}

/// Milliseconds between two times; `None` where the clock went backwards.
fn milliseconds(start: Timestamp, end: Timestamp) -> Option<f64> {
    let micros = end.as_microsecond().checked_sub(start.as_microsecond())?;
    #[expect(clippy::cast_precision_loss, reason = "microseconds of a call stay far below 2^52")]
    (micros >= 0).then_some(micros as f64 / 1000.0)
}
