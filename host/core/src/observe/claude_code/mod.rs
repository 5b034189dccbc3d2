//! Claude Code session files: `~/.claude/projects/<folder>/<session>.jsonl` and the files of subagents next to them.
//! There is no published schema; this reader follows real files of versions 2.0.64 to 2.1.41.
//!
//! Without a terminal, `claude -p --output-format stream-json` prints the same messages, with `session_id` in place of
//! `sessionId` and without times, and a `result` at the end. Amp prints the same lines, and Cursor's agent all but calls
//! ([`cursor`]); Droid begins its stream alike ([`droid`]). Qwen Code stores such lines, too ([`qwen`]).
//!
//! Resumed sessions copy lines of older ones, so each `uuid` counts once (`LOG-FORMATS` section 0).

mod cursor;
mod qwen;
mod shape;

use std::borrow::Cow;

use serde_json::value::RawValue;

use shape::Line;

use super::blocks::Block;
use super::content::Text;
use super::reported::{End, Origin};
use super::usage::TokenCounts;
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, droid, parse, peek, tasks};
use crate::outcome::Ending;

pub(super) const FORMAT: Format = Format {
    name: "claude-code",
    recognise: Recognise::Line(recognises),
    open: |_| Opened::Lines(Box::new(ClaudeCode)),
};

/// Types of lines that hold no event.
const WITHOUT_EVENTS: [&[u8]; 26] = [
    b"progress",
    b"file-history-snapshot",
    b"summary",
    b"queue-operation",
    b"pr-link",
    b"attachment",
    b"ai-title",
    b"last-prompt",
    b"permission-mode",
    b"custom-title",
    b"agent-name",
    b"agent-color",
    b"agent-setting",
    b"tag",
    b"mode",
    b"worktree-state",
    b"content-replacement",
    b"saved_hook_context",
    b"stream_event",
    b"rate_limit_event",
    b"tool_progress",
    b"auth_status",
    b"control_request",
    b"control_response",
    b"keep_alive",
    b"thinking",
];

/// Lines of a session have its ids. Other lines are recognised by pairs of keys.
fn recognises(line: &[u8]) -> bool {
    let mut keys = [false; 7];
    for (key, _) in peek::fields(line) {
        let names: [&[u8]; 7] =
            [b"sessionId", b"parentUuid", b"uuid", b"leafUuid", b"summary", b"messageId", b"snapshot"];
        for (seen, name) in keys.iter_mut().zip(names) {
            *seen |= key == name;
        }
    }
    let [session, parent, uuid, leaf, summary, message, snapshot] = keys;
    (session && (parent || uuid || leaf))
        || (parent && uuid)
        || (leaf && summary)
        || (message && snapshot)
        || is_of_stream(line)
}

fn is_of_stream(line: &[u8]) -> bool {
    let has = |member| peek::value_field(line, member).is_some();
    match peek::string_field(line, "type") {
        Some(b"system" | b"result") => has("session_id") && has("subtype"),
        Some(b"assistant" | b"user") => has("session_id") && has("message"),
        Some(b"tool_call") => has("subtype") && has("tool_call"),
        _ => false,
    }
}

struct ClaudeCode;

impl LogReader for ClaudeCode {
    fn can_resume(&self) -> bool {
        true
    }

    fn read(&mut self, _: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        match peek::string_field(bytes, "type") {
            Some(b"tool_result") if qwen::is_line(bytes) => return qwen::take(bytes, out),
            Some(b"user" | b"assistant" | b"system" | b"result") => {}
            // The stream of Droid begins like that of Claude Code.
            _ if droid::is_of_stream(bytes) => return LineResult::of(droid::take_of_stream(bytes, out)),
            Some(b"tool_call") => return cursor::take(bytes, out),
            Some(kind) if WITHOUT_EVENTS.contains(&kind) => return super::without_event(bytes),
            _ => return super::unknown(bytes),
        }
        let line = parse::<Line<'_>>(bytes);
        // A message of Claude Code has blocks, so that only other lines are looked at twice.
        let has_blocks = line.as_ref().is_ok_and(|line| !blocks(line).is_empty());
        if !has_blocks && qwen::is_line(bytes) {
            return qwen::take(bytes, out);
        }
        match line {
            Ok(line) => take(&line, out),
            Err(reason) => LineResult::Skipped(reason),
        }
    }
}

fn take(line: &Line<'_>, out: &mut Transcript<'_>) -> LineResult {
    let uuid = line.uuid.map(|raw| raw.get().as_bytes()).filter(|raw| raw.starts_with(b"\""));
    if uuid.is_some_and(|uuid| !out.shared.first_time(&[b"claude-code", uuid])) {
        return LineResult::Skipped(SkipReason::Duplicate);
    }
    let time = line.timestamp.as_ref().and_then(|text| text.0.parse().ok());
    let session = line.session_id.as_ref().or(line.session_of_stream.as_ref());
    let session = out.session(session.map_or("", |text| &text.0));
    let origin = Origin { time, session };
    match &*line.kind {
        "user" => user(line, &origin, out),
        "assistant" => assistant(line, &origin, out),
        "result" => result(line, &origin, out),
        _ => system(line, &origin, out),
    }
    LineResult::Read
}

fn blocks<'a, 'b>(line: &'b Line<'a>) -> &'b [Block<'a>] {
    line.message.as_ref().map_or(&[], |message| &message.content.0)
}

fn user(line: &Line<'_>, origin: &Origin, out: &mut Transcript<'_>) {
    for block in blocks(line) {
        match &*block.kind.0 {
            "text" => {
                if let Some(notice) = tasks::notice(&block.text.0) {
                    out.task_notice(origin, &notice);
                }
                let harness = line.is_meta == Some(true) || is_harness(&block.text.0);
                out.message(origin, true, harness.then_some("harness"), &block.text.0);
            }
            "tool_result" => {
                let result = line.tool_use_result.as_ref().or(line.result_of_stream.as_ref());
                let stopped = result
                    .is_some_and(|result| result.interrupted || result.text.starts_with("User rejected tool use"));
                out.end(
                    origin,
                    &End {
                        call_id: block.tool_use_id.as_ref().map(|id| &*id.0),
                        output: Cow::Borrowed(&block.content.0),
                        flagged: block.is_error == Some(true),
                        ending: if stopped { Ending::Stopped } else { Ending::Returned },
                        duration_ms: result.and_then(|result| result.duration_ms),
                        ..End::default()
                    },
                );
            }
            _ => {}
        }
    }
}

/// Whether a text in the user's role was written by the harness.
fn is_harness(text: &str) -> bool {
    const STARTS: [&str; 8] = [
        "<local-command-",
        "<command-name>",
        "<command-message>",
        "<system-reminder>",
        "<task-notification>",
        "[Request interrupted by user",
        "Caveat: The messages below were generated",
        "This session is being continued from a previous conversation",
    ];
    STARTS.iter().any(|start| text.starts_with(start))
}

fn assistant(line: &Line<'_>, origin: &Origin, out: &mut Transcript<'_>) {
    // A message of the API is spread over several lines, each of which repeats the usage so far.
    if let Some(message) = line.message.as_ref().filter(|message| message.usage.is_some()) {
        out.usage_of_message(
            origin,
            &message.id.0,
            TokenCounts::read(message.usage).usage_excluding_cache(),
            &message.model.0,
        );
    }
    for block in blocks(line) {
        match &*block.kind.0 {
            "text" if line.is_api_error_message == Some(true) => {
                out.exception(origin, &block.text.0);
            }
            "text" => out.message(origin, false, None, &block.text.0),
            "tool_use" => block.start(origin, out),
            _ => {}
        }
    }
}

/// The end of a stream. Where it is an error, its text says which, or else its kind does (`error_max_turns`).
fn result(line: &Line<'_>, origin: &Origin, out: &mut Transcript<'_>) {
    if line.is_error != Some(true) {
        return;
    }
    let text = |text: &Option<Text<'_>>| text.as_ref().map_or_else(String::new, |text| text.0.clone().into_owned());
    let said = Some(text(&line.result)).filter(|said| !said.is_empty());
    out.exception(origin, &said.unwrap_or_else(|| text(&line.subtype)));
}

fn system(line: &Line<'_>, origin: &Origin, out: &mut Transcript<'_>) {
    if line.subtype.as_ref().is_some_and(|name| name.0 == "api_error") {
        out.exception(origin, line.error.map_or("", RawValue::get));
    }
    let errors = line.hook_errors.as_deref().unwrap_or_default();
    // Errors that the harness calls non-blocking stopped nothing.
    for error in errors.iter().filter(|error| !error.0.starts_with("Failed with non-blocking status code")) {
        out.exception(origin, &error.0);
    }
}
