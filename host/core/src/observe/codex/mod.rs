//! `OpenAI` Codex CLI rollout files: `rollout-<time>-<uuid>.jsonl`, lines of `{timestamp, type, payload}` as defined in
//! openai/codex `codex-rs/protocol/src/protocol.rs`.
//!
//! There is no error flag; the exit code is in the text of the output, or in an event of the command (see `code_mode`).
//! `compacted` lines repeat history and are skipped. Messages are read from `event_msg`, because `response_item` repeats
//! them.

mod code_mode;
mod exec;
mod group;
mod header;
mod items;
mod shape;
mod terminal;
mod terminal_lines;

use std::sync::Arc;

use super::reported::Origin;
use super::usage::TokenCounts;
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, parse, peek};
use code_mode::{Item, Message, Scripts};
pub(super) use exec::FORMAT as EXEC;
pub(super) use header::{CODES, header_number};
pub(super) use items::Items;
pub(super) use shape::Payload;
use shape::{Line, TokenInfo};
pub(super) use terminal::FORMAT as TERMINAL;

pub(super) const FORMAT: Format = Format { name: "codex", recognise: Recognise::Line(recognises), open };

/// Longest name of a model, in bytes.
const MAX_MODEL_BYTES: usize = 256;

const TYPES: [&[u8]; 5] = [b"session_meta", b"response_item", b"event_msg", b"turn_context", b"compacted"];

fn recognises(line: &[u8]) -> bool {
    let mut known_type = false;
    let mut payload = false;
    for (key, value) in peek::fields(line) {
        known_type |= key == b"type" && TYPES.iter().any(|name| value.get(1..).is_some_and(|v| v.starts_with(name)));
        payload |= key == b"payload";
    }
    known_type && payload
}

/// Types of payloads that hold an event or usage.
const WITH_EVENTS: [&[u8]; 16] = [
    b"item_completed",
    b"user_message",
    b"agent_message",
    b"function_call",
    b"custom_tool_call",
    b"local_shell_call",
    b"function_call_output",
    b"custom_tool_call_output",
    b"local_shell_call_output",
    b"patch_apply_end",
    b"exec_command_end",
    b"mcp_tool_call_end",
    b"error",
    b"stream_error",
    b"turn_aborted",
    b"token_count",
];

struct Codex {
    session: Arc<str>,
    /// The model of the newest turn.
    model: String,
    items: Items,
    scripts: Scripts,
    /// Whether messages are items, which the older events of messages then repeat; unknown before the first one.
    messages_are_items: Option<bool>,
    /// Whether each request has a record of its usage, which `token_count` then repeats.
    has_records: bool,
}

fn open(_: &[u8]) -> Opened {
    Opened::Lines(Box::new(Codex {
        session: Arc::default(),
        model: String::new(),
        items: Items::of_rollout(),
        scripts: Scripts::default(),
        messages_are_items: None,
        has_records: false,
    }))
}

impl LogReader for Codex {
    fn can_resume(&self) -> bool {
        self.items.is_settled() && self.scripts.is_settled()
    }

    fn finish(&mut self, out: &mut Transcript<'_>) {
        self.scripts.finish(out);
    }

    fn read(&mut self, _: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        let wanted = match peek::string_field(bytes, "type") {
            Some(b"session_meta") => return self.begin(bytes, out),
            Some(b"response_item" | b"event_msg") => peek::value_field(bytes, "payload")
                .and_then(|payload| peek::string_field(payload, "type"))
                .is_none_or(|kind| WITH_EVENTS.contains(&kind)),
            Some(b"turn_context") => {
                self.turn(bytes, out);
                false
            }
            Some(b"token_usage_record") => {
                return match parse::<Line<'_>>(bytes) {
                    Ok(line) => self.usage(&line, out),
                    Err(reason) => LineResult::Skipped(reason),
                };
            }
            Some(b"compacted" | b"world_state") => false,
            _ => return super::unknown(bytes),
        };
        if !wanted {
            return super::without_event(bytes);
        }
        match parse::<Line<'_>>(bytes) {
            Ok(line) => self.take(&line, bytes, out),
            Err(reason) => LineResult::Skipped(reason),
        }
    }
}

impl Codex {
    fn begin(&mut self, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        match parse::<Line<'_>>(bytes) {
            Ok(Line { payload, .. }) => {
                let id = payload.session_id.as_ref().filter(|id| !id.0.is_empty()).unwrap_or(&payload.id);
                self.session = out.session(&id.0);
                out.keep_line();
                LineResult::Read
            }
            Err(reason) => LineResult::Skipped(reason),
        }
    }

    fn turn(&mut self, bytes: &[u8], out: &mut Transcript<'_>) {
        let payload = peek::value_field(bytes, "payload").unwrap_or_default();
        let model = peek::string_field(payload, "model").unwrap_or_default();
        if model != self.model.as_bytes() && model.len() <= MAX_MODEL_BYTES {
            self.model = String::from_utf8_lossy(model).into_owned();
            out.keep_line();
        }
    }

    fn origin(&self, line: &Line<'_>) -> Origin {
        let time = line.timestamp.as_ref().and_then(|text| text.0.parse().ok());
        Origin { time, session: self.session.clone() }
    }

    /// The usage of one request, with the total of the thread.
    fn usage(&mut self, line: &Line<'_>, out: &mut Transcript<'_>) -> LineResult {
        let origin = self.origin(line);
        let payload = &line.payload;
        let info = TokenInfo { total_token_usage: payload.thread_token_usage, last_token_usage: payload.usage };
        self.has_records = true;
        self.tokens(&info, &origin, out);
        LineResult::Read
    }

    /// A total can be reported several times, so its increase counts. If the total has been reset, the usage of the
    /// newest request counts.
    fn tokens(&self, info: &TokenInfo<'_>, origin: &Origin, out: &mut Transcript<'_>) {
        let total = TokenCounts::read(info.total_token_usage).usage_including_cache();
        let newest = || TokenCounts::read(info.last_token_usage).usage_including_cache();
        let new =
            if total.is_nothing() { newest() } else { out.new_usage_of_session(origin, total).unwrap_or_else(newest) };
        out.usage_for_newest(origin, new, &self.model);
    }

    fn take(&mut self, line: &Line<'_>, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        let payload = &line.payload;
        let origin = self.origin(line);
        let first = out.shared.first_time(&[b"codex", self.session.as_bytes(), bytes]);
        if origin.time.is_some() && !self.session.is_empty() && !first {
            return LineResult::Skipped(SkipReason::Duplicate);
        }
        match &*payload.kind.0 {
            "user_message" if self.takes_message(false) => out.message(&origin, true, None, &payload.message.0),
            "agent_message" if self.takes_message(false) => out.message(&origin, false, None, &payload.message.0),
            "user_message" | "agent_message" => {}
            "item_completed" => self.completed(&origin, payload, out),
            "custom_tool_call" if self.scripts.hold(&origin, payload) => {}
            "function_call" | "custom_tool_call" | "local_shell_call" => {
                self.items.start(&origin, payload, out);
            }
            "custom_tool_call_output" if self.scripts.end(&origin, payload, out) => {}
            "patch_apply_end" | "exec_command_end" | "mcp_tool_call_end" => {
                self.items.note_result(payload);
            }
            "token_count" => {
                if let Some(info) = payload.info.as_ref().filter(|_| !self.has_records) {
                    self.tokens(info, &origin, out);
                }
            }
            "error" | "stream_error" => out.exception(&origin, &payload.message.0),
            "turn_aborted" => out.exception(&origin, &format!("turn aborted: {}", payload.reason.0)),
            _ => self.items.end(&origin, payload, out),
        }
        LineResult::Read
    }

    /// Whether messages of this form are taken: those of the form that came first.
    fn takes_message(&mut self, is_item: bool) -> bool {
        *self.messages_are_items.get_or_insert(is_item) == is_item
    }

    /// Reads an `item_completed`: a message, the result of a call that an item of the response began, or a call that a
    /// script made.
    fn completed(&mut self, origin: &Origin, payload: &Payload<'_>, out: &mut Transcript<'_>) {
        let Some(item) = Item::of(payload) else { return };
        if let Some(failed) = item.failed() {
            if self.items.awaits(item.id()) {
                self.items.note(item.id(), failed);
            } else if !item.id().starts_with("call_") {
                self.scripts.item(origin, &item, out);
            }
            return;
        }
        match item.message() {
            Some(Message::ByUser(text)) if self.takes_message(true) => out.message(origin, true, None, &text.0),
            Some(Message::ByAgent(text)) if self.takes_message(true) => out.message(origin, false, None, &text.0),
            _ => {}
        }
    }
}
