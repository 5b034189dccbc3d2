//! The events that `gemini --output-format stream-json` prints, one a line (geminicli.com, "Headless mode reference"):
//! `init`, `message`, `tool_use`, `tool_result`, `error` and `result`. Lines before them are notices in plain text.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{Message, Text, lenient};
use super::gemini_result::{Printed, printed};
use super::input::read_input;
use super::reported::{End, Origin, Start};
use super::time::read_time;
use super::usage::TokenCounts;
use super::{Format, LineResult, LogReader, Opened, Recognise, Transcript, parse, peek};

pub(super) const FORMAT: Format = Format {
    name: "gemini-stream",
    recognise: Recognise::Line(recognises),
    open: |_| Opened::Lines(Box::<Stream>::default()),
};

fn recognises(line: &[u8]) -> bool {
    let members: [&str; 2] = match peek::string_field(line, "type") {
        Some(b"init") => ["session_id", "model"],
        Some(b"tool_use") => ["tool_name", "tool_id"],
        Some(b"tool_result") => ["tool_id", "status"],
        _ => return false,
    };
    members.iter().all(|member| peek::value_field(line, member).is_some())
}

#[derive(Default)]
struct Stream {
    session: Arc<str>,
    model: String,
    /// The pieces of an answer so far.
    answer: String,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    timestamp: Text<'a>,
    #[serde(borrow, default)]
    session_id: Text<'a>,
    #[serde(borrow, default)]
    model: Text<'a>,
    #[serde(borrow, default)]
    role: Text<'a>,
    #[serde(borrow, default)]
    content: Text<'a>,
    #[serde(default)]
    delta: Option<bool>,
    #[serde(borrow, default)]
    tool_name: Text<'a>,
    #[serde(borrow, default)]
    tool_id: Option<Text<'a>>,
    #[serde(borrow, default)]
    parameters: Option<&'a RawValue>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default)]
    output: Text<'a>,
    #[serde(borrow, default)]
    severity: Text<'a>,
    #[serde(borrow, default)]
    message: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    error: Option<Message<'a>>,
    #[serde(borrow, default)]
    stats: Option<&'a RawValue>,
}

/// Most bytes of an answer that are put together, and of a model's name.
const MAX_ANSWER_BYTES: usize = 64 << 10;
const MAX_MODEL_BYTES: usize = 256;

impl LogReader for Stream {
    fn read(&mut self, _: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        match peek::string_field(bytes, "type") {
            Some(b"init" | b"message" | b"tool_use" | b"tool_result" | b"error" | b"result") => {
                LineResult::of(parse::<Line<'_>>(bytes).map(|line| self.take(&line, out)))
            }
            _ => super::unknown(bytes),
        }
    }

    fn finish(&mut self, out: &mut Transcript<'_>) {
        let origin = Origin { time: None, session: self.session.clone() };
        self.answered(&origin, out);
    }
}

impl Stream {
    fn take(&mut self, line: &Line<'_>, out: &mut Transcript<'_>) {
        let origin = Origin { time: read_time(&line.timestamp.0), session: self.session.clone() };
        let message = line.error.as_ref().map(|error| &*error.message.0);
        let is_piece = line.kind.0 == "message" && line.role.0 != "user" && line.delta == Some(true);
        if is_piece {
            if self.answer.len() + line.content.0.len() <= MAX_ANSWER_BYTES {
                self.answer.push_str(&line.content.0);
            }
            return;
        }
        self.answered(&origin, out);
        let call_id = line.tool_id.as_ref().map(|id| &*id.0);
        match &*line.kind.0 {
            "init" => {
                self.session = out.session(&line.session_id.0);
                self.model = line.model.0.chars().take(MAX_MODEL_BYTES).collect();
            }
            "message" => out.message(&origin, line.role.0 == "user", None, &line.content.0),
            "tool_use" => {
                let input = read_input(line.parameters.map_or("", RawValue::get));
                let (tool, is_command) = (&*line.tool_name.0, input.is_command);
                out.start(&origin, &Start { call_id, tool, input: input.text, is_command });
            }
            "tool_result" => {
                let output = message.filter(|_| line.output.0.is_empty()).unwrap_or(&line.output.0);
                let flagged = line.status.0 == "error" || message.is_some();
                let Printed { output, exit_code, ending } = printed(output);
                let end = End { call_id, flagged, text_exit_code: exit_code, ending, ..End::default() };
                out.end(&origin, &End { output, no_exit_codes: exit_code.is_none(), ..end });
            }
            // What is a warning did not end the run.
            "error" if line.severity.0 != "warning" => out.exception(&origin, &line.message.0),
            "result" => {
                out.usage_for_newest(&origin, TokenCounts::read(line.stats).usage_including_cache(), &self.model);
                if let Some(message) = message {
                    out.exception(&origin, message);
                }
            }
            _ => {}
        }
    }

    /// Reports an answer whose pieces are all there.
    fn answered(&mut self, origin: &Origin, out: &mut Transcript<'_>) {
        let answer = std::mem::take(&mut self.answer);
        if !answer.is_empty() {
            out.message(origin, false, None, &answer);
        }
    }
}
