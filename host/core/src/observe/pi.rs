//! pi sessions, also used by `OpenClaw` (`agents/<agent>/sessions/<uuid>.jsonl`): a header line `session`, then
//! entries; versions 1 (without ids) to 3.
//!
//! `isError` is not sufficient: `OpenClaw` writes `isError: false` together with `details.status: "error"`, and a
//! command's exit code may only be in the last line of its output.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{Text, lenient};
use super::input::read_input;
use super::reported::{End, Origin, Start};
use super::time::read_time;
use super::usage::TokenCounts;
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, parse, peek};
use crate::outcome::Ending;

pub(super) const FORMAT: Format =
    Format { name: "pi", recognise: Recognise::Line(recognises), open: |_| Opened::Lines(Box::<Pi>::default()) };

/// Types of lines that hold no event.
const WITHOUT_EVENTS: [&[u8]; 9] = [
    b"model_change",
    b"thinking_level_change",
    b"compaction",
    b"branch_summary",
    b"custom",
    b"custom_message",
    b"label",
    b"session_info",
    b"leaf",
];

fn recognises(line: &[u8]) -> bool {
    let has = |name| peek::value_field(line, name).is_some();
    match peek::string_field(line, "type") {
        Some(b"session") => has("id") && (has("cwd") || has("version")),
        Some(b"message") => has("message") && has("timestamp") && !has("uuid") && !has("sessionId"),
        _ => false,
    }
}

#[derive(Default)]
struct Pi {
    session: Arc<str>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    timestamp: Text<'a>,
    #[serde(borrow, default)]
    message: Option<Message<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names are the format's")]
struct Message<'a> {
    #[serde(borrow, default)]
    role: Text<'a>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    #[serde(borrow, default)]
    model: Text<'a>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    stop_reason: Text<'a>,
    #[serde(borrow, default)]
    error_message: Text<'a>,
    #[serde(borrow, default)]
    tool_call_id: Text<'a>,
    #[serde(default, deserialize_with = "lenient")]
    is_error: Option<bool>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    details: Option<Details<'a>>,
    #[serde(borrow, default)]
    command: Text<'a>,
    #[serde(borrow, default)]
    output: Text<'a>,
    #[serde(default, deserialize_with = "lenient")]
    exit_code: Option<i64>,
    #[serde(default, deserialize_with = "lenient")]
    cancelled: Option<bool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Details<'a> {
    #[serde(borrow, default)]
    status: Text<'a>,
    /// What `OpenClaw` keeps of a command that ended.
    #[serde(default, deserialize_with = "lenient")]
    exit_code: Option<i64>,
}

#[derive(Deserialize)]
struct Block<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

impl LogReader for Pi {
    fn can_resume(&self) -> bool {
        true
    }

    fn read(&mut self, _: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        let kind = match peek::string_field(bytes, "type") {
            Some(kind) if WITHOUT_EVENTS.contains(&kind) => return super::without_event(bytes),
            Some(kind @ (b"session" | b"message")) => kind,
            _ => return super::unknown(bytes),
        };
        let line = match parse::<Line<'_>>(bytes) {
            Ok(line) => line,
            Err(reason) => return LineResult::Skipped(reason),
        };
        if kind == b"session" {
            self.session = out.session(&line.id.0);
            out.keep_line();
            return LineResult::Read;
        }
        let Some(message) = &line.message else { return LineResult::Skipped(SkipReason::BrokenJson) };
        let identity = if line.id.0.is_empty() { bytes } else { line.id.0.as_bytes() };
        let known =
            !line.timestamp.0.is_empty() && !out.shared.first_time(&[b"pi", line.timestamp.0.as_bytes(), identity]);
        if known {
            return LineResult::Skipped(SkipReason::Duplicate);
        }
        let origin = Origin { time: read_time(&line.timestamp.0), session: self.session.clone() };
        LineResult::of(take(message, &origin, &format!("line-{}", out.line), out))
    }
}

fn take(message: &Message<'_>, origin: &Origin, own_id: &str, out: &mut Transcript<'_>) -> Result<(), SkipReason> {
    let content = message.content.map_or("", RawValue::get);
    match &*message.role.0 {
        // The calls and results of another program's form.
        _ if holds_foreign_blocks(content) => return Err(SkipReason::UnknownType),
        "user" => {
            let text: Text<'_> = serde_json::from_str(content).unwrap_or_default();
            out.message(origin, true, None, &text.0);
        }
        "assistant" => assistant(message, content, origin, out),
        "toolResult" => {
            let output: Text<'_> = serde_json::from_str(content).unwrap_or_default();
            let details = message.details.as_ref();
            let status = details.map_or("", |details| &*details.status.0);
            let end = End {
                call_id: Some(&message.tool_call_id.0),
                flagged: message.is_error == Some(true),
                failed_by_event: matches!(status, "error" | "failed"),
                text_exit_code: details.and_then(|details| details.exit_code).or_else(|| text_exit_code(&output.0)),
                ending: if status == "running" { Ending::Running } else { Ending::Returned },
                output: output.0,
                ..End::default()
            };
            out.end(origin, &end);
        }
        "bashExecution" => {
            let (call_id, input) = (Some(own_id), message.command.0.clone());
            out.start(origin, &Start { call_id, tool: "bash", input, is_command: true });
            let ending = if message.cancelled == Some(true) { Ending::Stopped } else { Ending::Returned };
            let (output, exit_code) = (message.output.0.clone(), message.exit_code);
            out.end(origin, &End { call_id, output, exit_code, ending, untimed: true, ..End::default() });
        }
        _ => {}
    }
    Ok(())
}

/// Whether a content has calls or results in Anthropic's form, which pi does not write.
fn holds_foreign_blocks(content: &str) -> bool {
    #[derive(Deserialize)]
    struct Kind<'a> {
        #[serde(borrow, rename = "type", default)]
        kind: Text<'a>,
    }
    let may_hold = ["\"tool_use\"", "\"tool_result\""]
        .iter()
        .any(|kind| memchr::memmem::find(content.as_bytes(), kind.as_bytes()).is_some());
    let kinds = || serde_json::from_str::<Vec<Kind<'_>>>(content).unwrap_or_default();
    may_hold && kinds().iter().any(|block| matches!(&*block.kind.0, "tool_use" | "tool_result"))
}

fn assistant(message: &Message<'_>, content: &str, origin: &Origin, out: &mut Transcript<'_>) {
    out.usage_for_next(origin, TokenCounts::read(message.usage).usage_excluding_cache(), &message.model.0);
    let blocks: Vec<Block<'_>> = serde_json::from_str(content).unwrap_or_default();
    for block in &blocks {
        match &*block.kind.0 {
            "text" => out.message(origin, false, None, &block.text.0),
            "toolCall" => {
                let input = read_input(block.arguments.map_or("", RawValue::get));
                let (text, is_command) = (input.text, input.is_command);
                out.start(origin, &Start { call_id: Some(&block.id.0), tool: &block.name.0, input: text, is_command });
            }
            _ => {}
        }
    }
    match &*message.stop_reason.0 {
        "error" => out.exception(origin, &message.error_message.0),
        "aborted" => out.exception(origin, &format!("turn aborted: {}", message.error_message.0)),
        _ => {}
    }
}

/// The code in a last line `Command exited with code N`.
fn text_exit_code(output: &str) -> Option<i64> {
    let last = output.trim_end().rsplit('\n').next()?;
    last.strip_prefix("Command exited with code ")?.trim().parse().ok()
}
