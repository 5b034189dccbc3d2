//! Droid (Factory): the sessions that it stores (`~/.factory/sessions/FOLDER/ID.jsonl`), which are a header `session_start` and
//! messages in Anthropic's form, and what `droid exec --output-format stream-json` prints, in lines `message`, `tool_call`,
//! `tool_result` and `completion`.
//!
//! Neither records exit codes: results say in words how a call ended.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::blocks::{Block, Content};
use super::content::{Text, lenient};
use super::input::read_input;
use super::langfuse::text_or_json;
use super::reported::{End, Origin, Start};
use super::time::{read_time, since_1970};
use super::usage::TokenCounts;
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, parse, peek};

pub(super) const FORMAT: Format =
    Format { name: "droid", recognise: Recognise::Line(recognises), open: |_| Opened::Lines(Box::<Droid>::default()) };

/// Types of lines of a session that hold no event.
const WITHOUT_EVENTS: [&[u8]; 3] = [b"todo_state", b"compaction_state", b"system"];

fn recognises(line: &[u8]) -> bool {
    let has = |name| peek::value_field(line, name).is_some();
    match peek::string_field(line, "type") {
        Some(b"session_start") => has("id") && (has("cwd") || has("title") || has("owner")),
        _ => is_of_stream(line),
    }
}

/// Whether a line is one of those that only the stream has.
pub(super) fn is_of_stream(line: &[u8]) -> bool {
    let has = |name| peek::value_field(line, name).is_some();
    match peek::string_field(line, "type") {
        Some(b"message") => has("role") && has("text") && (has("session_id") || has("sessionId")),
        Some(b"tool_call") => has("toolName") && has("parameters"),
        Some(b"tool_result") => has("toolId") && has("isError"),
        Some(b"completion") => has("finalText"),
        _ => false,
    }
}

#[derive(Default)]
struct Droid {
    session: Arc<str>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    timestamp: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    role: Text<'a>,
    #[serde(borrow, default)]
    content: Content<'a>,
}

impl LogReader for Droid {
    fn can_resume(&self) -> bool {
        true
    }

    fn read(&mut self, _: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        match peek::string_field(bytes, "type") {
            _ if is_of_stream(bytes) => LineResult::of(take_of_stream(bytes, out)),
            Some(b"session_start") => LineResult::of(parse::<Line<'_>>(bytes).map(|line| {
                self.session = out.session(&line.id.0);
                out.keep_line();
            })),
            Some(b"message") => LineResult::of(parse::<Line<'_>>(bytes).and_then(|line| self.take(&line, out))),
            Some(kind) if WITHOUT_EVENTS.contains(&kind) => super::without_event(bytes),
            _ => super::unknown(bytes),
        }
    }
}

impl Droid {
    fn take(&self, line: &Line<'_>, out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        let Some(message) = &line.message else { return Err(SkipReason::UnknownType) };
        let identity: [&[u8]; 3] = [b"droid", self.session.as_bytes(), line.id.0.as_bytes()];
        if !line.id.0.is_empty() && !out.shared.first_time(&identity) {
            return Err(SkipReason::Duplicate);
        }
        let session = if self.session.is_empty() { out.file_session() } else { self.session.clone() };
        let origin = Origin { time: read_time(&line.timestamp.0), session };
        let inbound = message.role.0 == "user";
        for block in &message.content.0 {
            match &*block.kind.0 {
                "text" => say(&block.text.0, inbound, &origin, out),
                "tool_use" => block.start(&origin, out),
                "tool_result" => end(block, &origin, out),
                _ => {}
            }
        }
        Ok(())
    }
}

fn say(text: &str, inbound: bool, origin: &Origin, out: &mut Transcript<'_>) {
    // A reminder may precede what the user wrote.
    let is_reminder =
        inbound && text.starts_with("<system-reminder>") && text.trim_end().ends_with("</system-reminder>");
    out.message(origin, inbound, is_reminder.then_some("harness"), text);
}

fn end(block: &Block<'_>, origin: &Origin, out: &mut Transcript<'_>) {
    let call_id = block.tool_use_id.as_ref().map(|id| &*id.0);
    let end = End::as_stated(call_id, block.content.0.as_ref().into(), block.is_error == Some(true));
    out.end(origin, &end);
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Streamed<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default, rename = "session_id", alias = "sessionId")]
    session: Text<'a>,
    #[serde(borrow, default)]
    timestamp: Option<&'a RawValue>,
    #[serde(borrow, default)]
    role: Text<'a>,
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    tool_name: Text<'a>,
    #[serde(borrow, default)]
    parameters: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient")]
    is_error: Option<bool>,
    #[serde(borrow, default)]
    value: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Text<'a>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

/// Reports a line for which [`is_of_stream`] holds.
pub(super) fn take_of_stream(bytes: &[u8], out: &mut Transcript<'_>) -> Result<(), SkipReason> {
    let line: Streamed<'_> = parse(bytes)?;
    let time = line.timestamp.and_then(|raw| since_1970(raw, 1000));
    let session = if line.session.0.is_empty() { out.file_session() } else { out.session(&line.session.0) };
    let origin = Origin { time, session };
    match &*line.kind.0 {
        "message" => say(&line.text.0, line.role.0 == "user", &origin, out),
        "tool_call" => {
            let input = read_input(line.parameters.map_or("", RawValue::get));
            let (call_id, tool) = (Some(&*line.id.0), &*line.tool_name.0);
            out.start(&origin, &Start { call_id, tool, input: input.text, is_command: input.is_command });
        }
        "tool_result" => {
            let said = text_or_json(line.value);
            let output = if said.is_empty() { line.error.0.as_ref().into() } else { said };
            let flagged = line.is_error == Some(true) || !line.error.0.is_empty();
            out.end(&origin, &End::as_stated(Some(&line.id.0), output, flagged));
        }
        _ => out.usage_for_newest(&origin, TokenCounts::read(line.usage).usage_excluding_cache(), ""),
    }
    Ok(())
}
