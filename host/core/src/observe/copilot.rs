//! GitHub Copilot CLI session logs: lines of `{type, data, id, timestamp, parentId}`, as versions 1.0.6x write them.
//!
//! The start and the completion of a call are separate lines. A shell that exits with a code other than 0 has `success:
//! true`; the code is in the last line of its output.

use std::collections::{HashMap, HashSet};
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
use crate::run_event::Usage;

pub(super) const FORMAT: Format = Format {
    name: "copilot-cli",
    recognise: Recognise::Line(recognises),
    open: |_| Opened::Lines(Box::<Copilot>::default()),
};

/// Families of types: the part before the dot.
const FAMILIES: [&[u8]; 12] = [
    b"session",
    b"user",
    b"assistant",
    b"tool",
    b"hook",
    b"system",
    b"permission",
    b"subagent",
    b"skill",
    b"command",
    b"external_tool",
    b"mcp",
];

/// Most models of a run.
const MAX_MODELS: usize = 64;
/// Most rejections that are remembered until the call's completion.
const MAX_REJECTED: usize = 1024;

fn recognises(line: &[u8]) -> bool {
    let mut keys = [false; 3];
    let mut known = false;
    for (key, value) in peek::fields(line) {
        for (seen, name) in keys.iter_mut().zip([&b"data"[..], b"id", b"parentId"]) {
            *seen |= key == name;
        }
        known |= key == b"type"
            && value.strip_prefix(b"\"").is_some_and(|name| is_family(name) || name.starts_with(b"abort\""));
    }
    // A truncated line may lack its last keys.
    known && keys.contains(&true)
}

fn is_family(name: &[u8]) -> bool {
    name.iter()
        .position(|byte| *byte == b'.')
        .and_then(|dot| name.get(..dot))
        .is_some_and(|name| FAMILIES.contains(&name))
}

#[derive(Default)]
struct Copilot {
    session: Arc<str>,
    /// Calls that the user rejected.
    rejected: HashSet<String>,
    /// Usage that the messages of this run have reported for each model. They only report the answers.
    reported: HashMap<String, Usage>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow, default)]
    data: Data<'a>,
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    timestamp: Text<'a>,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct Data<'a> {
    #[serde(borrow, default)]
    session_id: Text<'a>,
    #[serde(borrow, default)]
    content: Text<'a>,
    #[serde(borrow, default)]
    message: Text<'a>,
    #[serde(borrow, default)]
    reason: Text<'a>,
    #[serde(borrow, default)]
    tool_call_id: Text<'a>,
    #[serde(borrow, default)]
    tool_name: Text<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient")]
    success: Option<bool>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    #[serde(borrow, default)]
    model: Text<'a>,
    #[serde(borrow, default)]
    output_tokens: Option<&'a RawValue>,
    /// Usage of all requests of a run, by model. Recorded when the run ends.
    #[serde(borrow, default)]
    model_metrics: Option<&'a RawValue>,
}

/// The code of an error, or the kind of a decision.
#[derive(Deserialize, Default)]
struct Named<'a> {
    #[serde(borrow, default)]
    code: Text<'a>,
    #[serde(borrow, default)]
    kind: Text<'a>,
}

fn text_of(raw: Option<&RawValue>) -> Text<'_> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

fn name_of(raw: Option<&RawValue>) -> Named<'_> {
    raw.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default()
}

impl LogReader for Copilot {
    fn read(&mut self, _: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        const WITH_EVENTS: [&[u8]; 12] = [
            b"session.start",
            b"session.resume",
            b"session.error",
            b"session.shutdown",
            b"user.message",
            b"assistant.message",
            b"tool.execution_start",
            b"tool.execution_complete",
            b"tool.user_requested",
            b"hook.end",
            b"permission.completed",
            b"abort",
        ];
        match peek::string_field(bytes, "type") {
            Some(kind) if WITH_EVENTS.contains(&kind) => {}
            Some(kind) if is_family(kind) => return super::without_event(bytes),
            _ => return super::unknown(bytes),
        }
        match parse::<Line<'_>>(bytes) {
            Ok(line) => self.take(&line, out),
            Err(reason) => LineResult::Skipped(reason),
        }
    }
}

impl Copilot {
    fn take(&mut self, line: &Line<'_>, out: &mut Transcript<'_>) -> LineResult {
        if !line.id.0.is_empty() && !out.shared.first_time(&[b"copilot-cli", line.id.0.as_bytes()]) {
            return LineResult::Skipped(SkipReason::Duplicate);
        }
        let data = &line.data;
        let origin = Origin { time: read_time(&line.timestamp.0), session: self.session.clone() };
        match &*line.kind.0 {
            "session.start" | "session.resume" => {
                self.session = out.session(&data.session_id.0);
                self.reported.clear();
            }
            "session.shutdown" => self.totals(data, &origin, out),
            "session.error" => out.exception(&origin, &data.message.0),
            "user.message" => out.message(&origin, true, None, &data.content.0),
            "assistant.message" => {
                let usage = TokenCounts::output_only(data.output_tokens);
                self.add_reported(&data.model.0, usage);
                out.usage_for_next(&origin, usage, &data.model.0);
                out.message(&origin, false, None, &data.content.0);
            }
            "tool.execution_start" | "tool.user_requested" => {
                let input = read_input(data.arguments.map_or("", RawValue::get));
                let call_id = Some(&*data.tool_call_id.0);
                let (text, is_command) = (input.text, input.is_command);
                out.start(&origin, &Start { call_id, tool: &data.tool_name.0, input: text, is_command });
            }
            "tool.execution_complete" => self.end(&origin, data, out),
            "hook.end" if data.success == Some(false) => {
                let error = text_of(data.error).0;
                out.exception(&origin, if error.is_empty() { "a hook failed" } else { &error });
            }
            "permission.completed" if is_rejection(data.result) && self.rejected.len() < MAX_REJECTED => {
                self.rejected.insert(data.tool_call_id.0.clone().into_owned());
            }
            "abort" => out.exception(&origin, &format!("turn aborted: {}", data.reason.0)),
            _ => {}
        }
        LineResult::Read
    }

    fn add_reported(&mut self, model: &str, usage: Usage) {
        if !usage.is_nothing() && (self.reported.len() < MAX_MODELS || self.reported.contains_key(model)) {
            self.reported.entry(model.to_owned()).or_default().add(&usage);
        }
    }

    /// Counts the part of a run's totals that no message has reported.
    fn totals(&mut self, data: &Data<'_>, origin: &Origin, out: &mut Transcript<'_>) {
        let metrics = data.model_metrics.map_or("", RawValue::get).as_bytes();
        for (model, of_model) in peek::fields(metrics).take(MAX_MODELS) {
            let model = String::from_utf8_lossy(model);
            let total = TokenCounts::from_start_of(peek::value_field(of_model, "usage").unwrap_or_default())
                .usage_including_cache();
            let known = self.reported.remove(&*model).unwrap_or_default();
            out.usage_for_newest(origin, total.beyond(&known), &model);
        }
    }

    fn end(&mut self, origin: &Origin, data: &Data<'_>, out: &mut Transcript<'_>) {
        let failed = data.success == Some(false);
        let (result, error) = (text_of(data.result).0, text_of(data.error).0);
        let output = if failed && !error.is_empty() { error } else { result };
        let (text, text_exit_code) = without_trailer(&output);
        let is_running = text.ends_with("to stop it.>") || text.contains("is still running. Use read_");
        let stopped = self.rejected.remove(&*data.tool_call_id.0) || name_of(data.error).code.0 == "rejected";
        let ending = match (stopped, is_running && text_exit_code.is_none()) {
            (true, _) => Ending::Stopped,
            (false, true) => Ending::Running,
            (false, false) => Ending::Returned,
        };
        let call_id = Some(&*data.tool_call_id.0);
        out.end(
            origin,
            &End { call_id, output: text.into(), flagged: failed, text_exit_code, ending, ..End::default() },
        );
    }
}

/// Whether the user rejected the call.
fn is_rejection(raw: Option<&RawValue>) -> bool {
    let kind = name_of(raw).kind.0;
    kind.starts_with("denied") && kind.contains("user")
}

/// What names a shell in that line: older versions write `command with id`, and `sessionId`, when they read what it printed.
const SHELLS: [&str; 5] =
    ["shellId: ", "sessionId: ", "command with id: ", "command with sessionId: ", "command with shellId: "];

/// The output without the last line that says how the shell ended, and the code: `<shellId: N completed with exit code N>`, and
/// `<exited with exit code N>` of older versions. A shell that could not start has no code: `<exited with error: …>`.
fn without_trailer(text: &str) -> (&str, Option<i64>) {
    let text = text.trim_end();
    if let Some(error) = text.strip_prefix("<exited with error: ") {
        return (error.strip_suffix('>').unwrap_or(error).trim_end(), None);
    }
    let split = || {
        let (before, last) = text.rsplit_once('<')?;
        let last = last.strip_suffix('>')?;
        let code = if SHELLS.iter().any(|start| last.starts_with(start)) {
            last.rsplit_once(" with exit code ")?.1
        } else {
            last.strip_prefix("exited with exit code ")?
        };
        Some((before.trim_end(), Some(code.parse().ok()?)))
    };
    split().unwrap_or((text, None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_says_how_the_shell_ended() {
        for (output, expected) in [
            ("a\n<shellId: 3 completed with exit code 0>", ("a", Some(0))),
            ("no\n<exited with exit code 1>", ("no", Some(1))),
            ("no\n<command with id: 4 exited with exit code 2>", ("no", Some(2))),
            ("<command with sessionId: a b completed with exit code 1>", ("", Some(1))),
            (
                "a\n<command with shellId: 3 is still running after 5 seconds.>",
                ("a\n<command with shellId: 3 is still running after 5 seconds.>", None),
            ),
            ("a\n<command x exited with exit code 2>", ("a\n<command x exited with exit code 2>", None)),
            ("<exited with exit code 127>\n", ("", Some(127))),
            ("x < y\n<exited with exit code -1>", ("x < y", Some(-1))),
            (
                "<exited with error: pwsh is not available.\nno 'pwsh.exe'\n>",
                ("pwsh is not available.\nno 'pwsh.exe'", None),
            ),
            ("<exited with exit code 1>\nis what it prints", ("<exited with exit code 1>\nis what it prints", None)),
            ("<exited with exit code x>", ("<exited with exit code x>", None)),
            ("a <b>", ("a <b>", None)),
            ("a <", ("a <", None)),
            ("", ("", None)),
        ] {
            assert_eq!(without_trailer(output), expected, "{output}");
        }
    }
}
