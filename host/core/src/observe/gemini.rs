//! Gemini CLI sessions, as google-gemini/gemini-cli `chatRecordingService.ts` writes them: an older document with
//! `messages`, and lines. Lines may take back what stands above: a message whose id was seen replaces that one, and
//! `$rewindTo` drops a message and all after it (all of them, where the id is unknown).
//!
//! Because of that, lines are held back until the end of the file: at most [`MAX_HELD`] messages of
//! [`MAX_HELD_BYTES`] together; beyond that the oldest are taken as final.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{Few, Text, loose};
use super::document::Path;
use super::input::read_input;
use super::time::read_time;
use super::transcript::{End, Place, Start};
use super::usage::Told;
use super::{Format, Is, LineResult, LogReader, Opened, SkipReason, Transcript, parse, peek};
use crate::outcome::Ending;

pub(super) const FORMAT: Format = Format { name: "gemini-cli", is: Is::Line(is_line), open };

const PATHS: &[Path] = &[&["messages", "*"], &["sessionId"]];
const SESSION_ID: usize = 1;
const MAX_HELD: usize = 4096;
const MAX_HELD_BYTES: usize = 16 * 1024 * 1024;

/// The first line of the newer form, and any of its messages; the first key of the older form stands on a line of its
/// own, so that form is known by its beginning.
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
    #[serde(borrow, default, deserialize_with = "loose")]
    tool_calls: Option<Few<ToolCall<'a>>>,
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

/// A line that is no message.
#[derive(Deserialize)]
struct Record<'a> {
    #[serde(borrow, default, rename = "$rewindTo")]
    rewind_to: Option<Text<'a>>,
    #[serde(borrow, default, rename = "$set", deserialize_with = "loose")]
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
            self.settle(&held, out);
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

    /// A whole new list of messages stands for all that was held.
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
            self.settle(&oldest, out);
        }
    }

    /// Takes a message that nothing can change any more.
    fn settle(&mut self, held: &Held, out: &mut Transcript<'_>) {
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
        let place = Place { time: read_time(&message.timestamp.0), session: self.session.clone() };
        match &*message.kind.0 {
            "user" => out.message(&place, true, None, &message.content.0),
            "gemini" => {
                out.spends(&place, Told::read(message.tokens).whole(), &message.model.0);
                out.message(&place, false, None, &message.content.0);
                for call in message.tool_calls.iter().flat_map(|calls| calls.iter()) {
                    tool_call(call, &place, out);
                }
            }
            "error" => out.exception(&place, &message.content.0),
            "info" | "warning" => {}
            _ => return Err(SkipReason::UnknownType),
        }
        Ok(())
    }
}

/// One record is start and end: it has one time, so there is no duration.
fn tool_call(call: &ToolCall<'_>, place: &Place, out: &mut Transcript<'_>) {
    let place = Place { time: read_time(&call.timestamp.0).or(place.time), session: place.session.clone() };
    let input = read_input(call.args.map_or("", RawValue::get));
    let call_id = Some(&*call.id.0);
    let (text, is_command) = (input.text, input.is_command);
    out.start(&place, &Start { call_id, tool: &call.name.0, input: text, is_command });
    let (flagged, ending) = match &*call.status.0 {
        "success" => (false, Ending::Returned),
        "error" => (true, Ending::Returned),
        "cancelled" => (true, Ending::Stopped),
        // Not decided when the file was written.
        _ => return,
    };
    let said = call.result.map(|raw| response(raw.get())).filter(|text| !text.is_empty());
    let said = said.unwrap_or_else(|| call.result_display.0.clone());
    let (output, told_code) = shell_result(&said);
    out.end(&place, &End { call_id, output, flagged, told_code, ending, untimed: true, ..End::default() });
}

/// The text of `[{functionResponse: {response: {output | error}}}]`.
fn response(json: &str) -> Cow<'_, str> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Part<'a> {
        #[serde(borrow)]
        function_response: Function<'a>,
    }
    #[derive(Deserialize)]
    struct Function<'a> {
        #[serde(borrow)]
        response: Response<'a>,
    }
    #[derive(Deserialize)]
    struct Response<'a> {
        #[serde(borrow, default)]
        output: Text<'a>,
        #[serde(borrow, default)]
        error: Text<'a>,
    }
    let parts: Few<Part<'_>> = serde_json::from_str(json).unwrap_or_default();
    let response = parts.first().map(|part| &part.function_response.response);
    response.map(|it| if it.error.0.is_empty() { it.output.0.clone() } else { it.error.0.clone() }).unwrap_or_default()
}

/// What a shell printed, out of the labelled lines around it, and its code.
fn shell_result(text: &str) -> (Cow<'_, str>, Option<i64>) {
    const LABELS: [&str; 8] = [
        "Command: ",
        "Directory: ",
        "Error: (none)",
        "Exit Code: ",
        "Signal: ",
        "Background PIDs: ",
        "Process Group PGID: ",
        "Stderr: (empty)",
    ];
    let code = |line: &str| line.strip_prefix("Exit Code: ").map(|code| code.trim().parse::<i64>().ok());
    let Some(code) = text.lines().rev().take(8).find_map(code) else { return (Cow::Borrowed(text), None) };
    let kept = text.lines().filter(|line| !LABELS.iter().any(|label| line.starts_with(label)));
    let bare = kept.map(|line| {
        ["Output: ", "Stdout: ", "Stderr: "].iter().find_map(|label| line.strip_prefix(label)).unwrap_or(line)
    });
    (Cow::Owned(bare.collect::<Vec<_>>().join("\n")), code)
}
