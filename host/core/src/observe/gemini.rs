//! Gemini CLI sessions, as google-gemini/gemini-cli `chatRecordingService.ts` writes them. Older files are one document
//! with `messages`; newer files are lines. Lines can undo earlier ones: a message replaces an earlier one with the same
//! id, and `$rewindTo` removes a message and all after it (all messages if the id is unknown).
//!
//! Lines are therefore held back until the end of the file: at most [`MAX_HELD`] messages of [`MAX_HELD_BYTES`] in
//! total. If there are more, the oldest are reported.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{BoundedList, Text, lenient};
use super::document::Path;
use super::gemini_result::{Part, Printed, printed};
use super::input::read_input;
use super::reported::{End, Origin, Start};
use super::time::read_time;
use super::usage::TokenCounts;
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, parse, peek};
use crate::outcome::Ending;

pub(super) const FORMAT: Format = Format { name: "gemini-cli", recognise: Recognise::Line(is_line), open };

const PATHS: &[Path] = &[&["messages", "*"], &["sessionId"]];
const SESSION_ID: usize = 1;
const MAX_HELD: usize = 4096;
const MAX_HELD_BYTES: usize = 16 * 1024 * 1024;

/// Recognises the first line and the messages of the newer form. In the older form, the first key is on a line of its
/// own.
fn is_line(line: &[u8]) -> bool {
    let mut keys = [false; 5];
    for (key, _) in peek::fields(line) {
        for (seen, name) in keys.iter_mut().zip([&b"sessionId"[..], b"projectHash", b"id", b"$rewindTo", b"$set"]) {
            *seen |= key == name;
        }
    }
    let [session, project, id, rewind, set] = keys;
    let message = || id && matches!(peek::string_field(line, "type"), Some(b"gemini"));
    (session && project) || rewind || set || message() || line.trim_ascii_start().starts_with(b"\"projectHash\":")
}

fn open(head: &[u8]) -> Opened {
    let first = head.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_lines = peek::is_one_object(first) && peek::value_field(first, "messages").is_none();
    if is_lines {
        Opened::Lines(Box::new(Gemini { by_line: true, ..Gemini::default() }))
    } else {
        Opened::Document(PATHS, Box::<Gemini>::default())
    }
}

#[derive(Default)]
struct Gemini {
    session: Arc<str>,
    by_line: bool,
    held: VecDeque<Held>,
    held_bytes: usize,
}

struct Held {
    id: String,
    line: u64,
    text: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message<'a> {
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    timestamp: Text<'a>,
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    content: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    tool_calls: Option<BoundedList<ToolCall<'a>>>,
    #[serde(borrow, default)]
    tokens: Option<&'a RawValue>,
    #[serde(borrow, default)]
    model: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolCall<'a> {
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result_display: Text<'a>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default)]
    timestamp: Text<'a>,
}

/// A line that is not a message.
#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, default, rename = "$rewindTo")]
    rewind_to: Option<Text<'a>>,
    #[serde(borrow, default, rename = "$set", deserialize_with = "lenient")]
    set: Option<Settings<'a>>,
    #[serde(borrow, default)]
    id: Option<Text<'a>>,
    #[serde(borrow, default, rename = "sessionId")]
    session: Option<Text<'a>>,
}

#[derive(Deserialize)]
struct Settings<'a> {
    #[serde(borrow, default, rename = "sessionId")]
    session: Option<Text<'a>>,
    #[serde(borrow, default)]
    messages: Vec<&'a RawValue>,
}

impl LogReader for Gemini {
    fn read(&mut self, path: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        if self.by_line {
            return LineResult::of(self.line(bytes, out));
        }
        if path == SESSION_ID {
            return LineResult::of(parse::<Text<'_>>(bytes).map(|id| self.session = out.session(&id.0)));
        }
        LineResult::of(self.message(bytes, out))
    }

    fn finish(&mut self, out: &mut Transcript<'_>) {
        while let Some(held) = self.held.pop_front() {
            self.report_held(&held, out);
        }
    }
}

impl Gemini {
    fn line(&mut self, bytes: &[u8], out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        let record: Record<'_> = parse(bytes)?;
        if let Some(id) = &record.rewind_to {
            let from = self.held.iter().position(|held| held.id == id.0).unwrap_or(0);
            self.held.truncate(from);
            self.held_bytes = self.held.iter().map(|held| held.text.len()).sum();
        } else if let Some(id) = &record.id {
            let text = std::str::from_utf8(bytes).map_err(|_| SkipReason::InvalidUtf8)?;
            self.hold(&id.0, text, out);
        } else if let Some(set) = &record.set {
            if let Some(session) = &set.session {
                self.session = out.session(&session.0);
            }
            self.replace(&set.messages, out);
        } else if let Some(session) = &record.session {
            self.session = out.session(&session.0);
        } else {
            return Err(SkipReason::UnknownType);
        }
        Ok(())
    }

    /// A new list of messages replaces all that are held back.
    fn replace(&mut self, messages: &[&RawValue], out: &mut Transcript<'_>) {
        if messages.is_empty() {
            return;
        }
        self.held.clear();
        self.held_bytes = 0;
        for raw in messages {
            let id = peek::string_field(raw.get().as_bytes(), "id").unwrap_or_default();
            self.hold(&String::from_utf8_lossy(id), raw.get(), out);
        }
    }

    fn hold(&mut self, id: &str, text: &str, out: &mut Transcript<'_>) {
        let held = Held { id: id.to_owned(), line: out.line, text: text.to_owned() };
        self.held_bytes += text.len();
        match self.held.iter_mut().rev().find(|known| known.id == id) {
            Some(known) => {
                self.held_bytes -= known.text.len();
                *known = held;
            }
            None => self.held.push_back(held),
        }
        while self.held.len() > MAX_HELD || (self.held_bytes > MAX_HELD_BYTES && self.held.len() > 1) {
            let Some(oldest) = self.held.pop_front() else { break };
            self.held_bytes -= oldest.text.len();
            self.report_held(&oldest, out);
        }
    }

    /// Reports a message that can no longer change.
    fn report_held(&mut self, held: &Held, out: &mut Transcript<'_>) {
        let line = std::mem::replace(&mut out.line, held.line);
        if let Err(reason) = self.message(held.text.as_bytes(), out) {
            out.state.summary.skip(reason);
        }
        out.line = line;
    }

    fn message(&mut self, bytes: &[u8], out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        let message: Message<'_> = parse(bytes)?;
        let identity: [&[u8]; 3] = [b"gemini-cli", self.session.as_bytes(), message.id.0.as_bytes()];
        if !message.id.0.is_empty() && !out.shared.first_time(&identity) {
            return Err(SkipReason::Duplicate);
        }
        let origin = Origin { time: read_time(&message.timestamp.0), session: self.session.clone() };
        match &*message.kind.0 {
            "user" => out.message(&origin, true, None, &message.content.0),
            "gemini" => {
                out.usage_for_next(
                    &origin,
                    TokenCounts::read(message.tokens).usage_including_cache(),
                    &message.model.0,
                );
                out.message(&origin, false, None, &message.content.0);
                for call in message.tool_calls.iter().flat_map(|calls| calls.iter()) {
                    tool_call(call, &origin, out);
                }
            }
            "error" => out.exception(&origin, &message.content.0),
            "info" | "warning" => {}
            _ => return Err(SkipReason::UnknownType),
        }
        Ok(())
    }
}

/// One record holds both the start and the end. It has one time, so no duration is known.
fn tool_call(call: &ToolCall<'_>, origin: &Origin, out: &mut Transcript<'_>) {
    let origin = Origin { time: read_time(&call.timestamp.0).or(origin.time), session: origin.session.clone() };
    let input = read_input(call.args.map_or("", RawValue::get));
    let call_id = Some(&*call.id.0);
    let (text, is_command) = (input.text, input.is_command);
    out.start(&origin, &Start { call_id, tool: &call.name.0, input: text, is_command });
    let (flagged, ending) = match &*call.status.0 {
        "success" => (false, Ending::Returned),
        "error" => (true, Ending::Returned),
        "cancelled" => (true, Ending::Stopped),
        // The call was still pending when the file was written.
        _ => return,
    };
    let text = call.result.map(|raw| response(raw.get())).filter(|text| !text.is_empty());
    let text = text.map_or(Cow::Borrowed(&*call.result_display.0), Cow::Owned);
    let Printed { output, exit_code, ending: told } = printed(&text);
    let ending = if told == Ending::Stopped { told } else { ending };
    let end = End { call_id, output, flagged, text_exit_code: exit_code, ending, untimed: true, ..End::default() };
    out.end(&origin, &end);
}

/// The text of `[{functionResponse: {response: {output | error}}}]`.
fn response(json: &str) -> String {
    let parts: BoundedList<Part<'_>> = serde_json::from_str(json).unwrap_or_default();
    let answer = parts.first().and_then(|part| part.function_response.as_ref());
    answer.map(|answer| answer.text().0.into_owned()).unwrap_or_default()
}
