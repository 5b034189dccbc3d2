//! `OpenAI` Codex CLI rollout files: `rollout-<time>-<uuid>.jsonl`, lines of `{timestamp, type, payload}` as defined in
//! openai/codex `codex-rs/protocol/src/protocol.rs`.
//!
//! There is no error flag; the exit code is in the text of the output. `compacted` lines repeat history and are
//! skipped. Messages are read from `event_msg`, because `response_item` repeats them.

mod exec;
mod header;
mod shape;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use super::input::{command_of_words, read_input};
use super::transcript::{End, Origin, Start};
use super::usage::TokenCounts;
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, parse, peek};
use crate::outcome::Ending;
pub(super) use exec::FORMAT as EXEC;
use header::wall_time;
pub(super) use header::{CODES, header_number};
use shape::{Line, Payload, TokenInfo, old_form};

pub(super) const FORMAT: Format =
    Format { name: "codex", recognise: Recognise::Line(recognises), open: |_| Opened::Lines(Box::<Codex>::default()) };

/// Longest name of a model, in bytes.
const MAX_MODEL_BYTES: usize = 256;
/// Most running sessions, and most results reported before their output, that are remembered.
const MAX_REMEMBERED: usize = 1024;

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
const WITH_EVENTS: [&[u8]; 15] = [
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

#[derive(Default)]
struct Codex {
    session: Arc<str>,
    /// The model of the newest turn.
    model: String,
    /// Calls without an end, by call id.
    commands: HashMap<String, PendingCall>,
    /// Command lines that are still running, by session id.
    running: HashMap<u64, String>,
    /// Whether a call failed, if an event said so before its output.
    failed_early: HashMap<String, bool>,
}

/// What is remembered of a call until its end.
struct PendingCall {
    command: Option<String>,
    session_id: Option<u64>,
}

impl LogReader for Codex {
    fn can_resume(&self) -> bool {
        self.running.is_empty() && self.failed_early.is_empty()
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
            Some(b"compacted") => false,
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
        let time = line.timestamp.as_ref().and_then(|text| text.0.parse().ok());
        let first = out.shared.first_time(&[b"codex", self.session.as_bytes(), bytes]);
        if time.is_some() && !self.session.is_empty() && !first {
            return LineResult::Skipped(SkipReason::Duplicate);
        }
        let origin = Origin { time, session: self.session.clone() };
        match &*payload.kind.0 {
            "user_message" => out.message(&origin, true, None, &payload.message.0),
            "agent_message" => out.message(&origin, false, None, &payload.message.0),
            "function_call" | "custom_tool_call" | "local_shell_call" => {
                self.start(&origin, payload, out);
            }
            "patch_apply_end" | "exec_command_end" | "mcp_tool_call_end" => {
                self.note_result(payload);
            }
            "token_count" => {
                if let Some(info) = &payload.info {
                    self.tokens(info, &origin, out);
                }
            }
            "error" | "stream_error" => out.exception(&origin, &payload.message.0),
            "turn_aborted" => out.exception(&origin, &format!("turn aborted: {}", payload.reason.0)),
            _ => self.end(&origin, payload, out),
        }
        LineResult::Read
    }

    fn start(&mut self, origin: &Origin, payload: &Payload<'_>, out: &mut Transcript<'_>) {
        let call_id =
            payload.call_id.as_ref().map(|id| &*id.0).or((!payload.id.0.is_empty()).then_some(&*payload.id.0));
        let shell = payload.action.as_ref().and_then(|action| command_of_words(&action.command));
        let raw = payload.arguments.as_ref().or(payload.input.as_ref()).map_or("", |text| &text.0);
        let read = read_input(raw);
        let is_command = shell.is_some() || read.is_command;
        let session_id = read.session_id;
        let input = shell.map_or(read.text, Cow::Owned);
        if let Some(id) = call_id
            && self.commands.len() < MAX_REMEMBERED
        {
            let command = is_command.then(|| input.clone().into_owned());
            self.commands.insert(id.to_owned(), PendingCall { command, session_id });
        }
        let name = if payload.name.0.is_empty() { "local_shell" } else { &*payload.name.0 };
        out.start(origin, &Start { call_id, tool: name, input, is_command });
    }

    fn note_result(&mut self, payload: &Payload<'_>) {
        let mcp_failed = payload.result.as_ref().map(|result| {
            result.error.is_some() || result.ok.as_ref().is_some_and(|answer| answer.is_error == Some(true))
        });
        let failed = payload.success.map(|success| !success).or(payload.exit_code.map(|code| code != 0)).or(mcp_failed);
        if let (Some(id), Some(failed)) = (&payload.call_id, failed)
            && self.failed_early.len() < MAX_REMEMBERED
        {
            self.failed_early.insert(id.0.clone().into_owned(), failed);
        }
    }

    fn end(&mut self, origin: &Origin, payload: &Payload<'_>, out: &mut Transcript<'_>) {
        let call_id = payload.call_id.as_ref().map(|id| &*id.0);
        let called = call_id.and_then(|id| self.commands.remove(id));
        let failed = call_id.and_then(|id| self.failed_early.remove(id));
        let old = old_form(&payload.output.0);
        let (text, exit_code, duration_ms) = match &old {
            Some(old) => (&*old.output.0, old.metadata.exit_code, old.metadata.duration_seconds.map(|s| s * 1000.0)),
            None => (&*payload.output.0, header_number(&payload.output.0, &CODES), wall_time(&payload.output.0)),
        };
        let running = header_number(text, &["Process running with session ID "]).and_then(|id| u64::try_from(id).ok());
        let command = self.command_of(called, running, exit_code.is_some());
        // Refusals of the harness itself have neither header nor code.
        let refused = text.starts_with("apply_patch verification failed") || text.starts_with("write_stdin failed");
        out.end(
            origin,
            &End {
                call_id,
                output: Cow::Borrowed(text),
                flagged: refused,
                failed_by_event: failed == Some(true),
                exit_code,
                ending: if running.is_some() && exit_code.is_none() { Ending::Running } else { Ending::Returned },
                command,
                duration_ms,
                ..End::default()
            },
        );
    }

    /// The command line whose result this is. For a write to a running session, it is the one that started the session.
    fn command_of(&mut self, called: Option<PendingCall>, running: Option<u64>, ended: bool) -> Option<String> {
        let called = called?;
        let command = match called.session_id {
            Some(id) if ended => self.running.remove(&id),
            Some(id) => self.running.get(&id).cloned(),
            None => called.command,
        }?;
        if let Some(id) = running
            && self.running.len() < MAX_REMEMBERED
        {
            self.running.insert(id, command.clone());
        }
        Some(command)
    }
}
