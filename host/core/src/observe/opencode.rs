//! `OpenCode` sessions: the export, one document `{info, messages: [{info, parts}]}` (sometimes with a name that ends
//! in `.jsonl`), and single parts as stored under `storage/part`.
//!
//! A tool part has exact times. A usual failure is `completed` with `metadata.exit` other than 0; `error` is a failure
//! of the harness. A single part does not say what its message used.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{Text, lenient};
use super::document::Path;
use super::input::read_input;
use super::reported::{End, Origin, Start};
use super::time::since_1970;
use super::usage::TokenCounts;
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, parse, peek};
use crate::run_event::Usage;

pub(super) const FORMAT: Format = Format { name: "opencode", recognise: Recognise::Head(recognises), open };

const EXPORT: &[Path] = &[&["messages", "*"], &["info", "id"]];
const SESSION_ID: usize = 1;
const PART: &[Path] = &[&[]];

fn recognises(head: &[u8]) -> bool {
    let id_of = |value: &[u8]| peek::string_field(value, "id").is_some_and(|id| id.starts_with(b"ses_"));
    let export = || {
        peek::value_field(head, "info")
            .is_some_and(|info| id_of(info) || peek::value_field(info, "directory").is_some())
    };
    is_part(head) || (export() && memchr::memmem::find(head, b"\"messages\"").is_some())
}

fn is_part(head: &[u8]) -> bool {
    let has = |name| peek::value_field(head, name).is_some();
    has("messageID") && has("sessionID") && has("type")
}

fn open(head: &[u8]) -> Opened {
    let by_part = is_part(head);
    let reader = Box::new(OpenCode { by_part, session: Arc::default() });
    Opened::Document(if by_part { PART } else { EXPORT }, reader)
}

struct OpenCode {
    by_part: bool,
    session: Arc<str>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    info: Info<'a>,
    #[serde(borrow, default)]
    parts: Vec<&'a RawValue>,
}

#[derive(Deserialize, Default)]
struct Info<'a> {
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    role: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    time: Option<Time<'a>>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    error: Option<Failure<'a>>,
    #[serde(borrow, default, rename = "modelID")]
    model: Text<'a>,
    #[serde(borrow, default)]
    tokens: Option<&'a RawValue>,
    #[serde(borrow, default)]
    cost: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Time<'a> {
    #[serde(borrow, default)]
    created: Option<&'a RawValue>,
    #[serde(borrow, default)]
    completed: Option<&'a RawValue>,
    #[serde(borrow, default)]
    start: Option<&'a RawValue>,
    #[serde(borrow, default)]
    end: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Failure<'a> {
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    data: Text<'a>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default, rename = "sessionID")]
    session: Text<'a>,
    #[serde(borrow, default, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(default, deserialize_with = "lenient")]
    synthetic: Option<bool>,
    #[serde(borrow, default, rename = "callID")]
    call_id: Text<'a>,
    #[serde(borrow, default)]
    tool: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    state: Option<State<'a>>,
}

#[derive(Deserialize)]
struct State<'a> {
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output: Text<'a>,
    #[serde(borrow, default)]
    error: Text<'a>,
    #[serde(default, deserialize_with = "lenient")]
    metadata: Option<Metadata>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    time: Option<Time<'a>>,
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default, deserialize_with = "lenient")]
    exit: Option<i64>,
}

impl LogReader for OpenCode {
    fn read(&mut self, path: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        if self.by_part {
            return LineResult::of(self.part(bytes, "assistant", &Origin::default(), out));
        }
        if path == SESSION_ID {
            return LineResult::of(parse::<Text<'_>>(bytes).map(|id| self.session = out.session(&id.0)));
        }
        LineResult::of(self.message(bytes, out))
    }
}

impl OpenCode {
    fn message(&mut self, bytes: &[u8], out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        let message: Message<'_> = parse(bytes)?;
        let info = &message.info;
        let identity: [&[u8]; 3] = [b"opencode message", self.session.as_bytes(), info.id.0.as_bytes()];
        if !info.id.0.is_empty() && !out.shared.first_time(&identity) {
            return Err(SkipReason::Duplicate);
        }
        let time = |pick: fn(&Time<'_>) -> bool| info.time.as_ref().filter(|time| pick(time));
        let created = time(|time| time.created.is_some()).and_then(|time| since_1970(time.created?, 1000));
        let completed = time(|time| time.completed.is_some()).and_then(|time| since_1970(time.completed?, 1000));
        let origin = Origin { time: created, session: self.session.clone() };
        out.usage_for_next(&origin, used(info, &message.parts), &info.model.0);
        for raw in &message.parts {
            if let Err(reason) = self.part(raw.get().as_bytes(), &info.role.0, &origin, out) {
                out.state.summary.skip(reason);
            }
        }
        if let Some(error) = &info.error {
            let origin = Origin { time: completed.or(created), session: self.session.clone() };
            let aborted = error.name.0 == "MessageAbortedError";
            let text = if aborted {
                format!("turn aborted: {}", error.data.0)
            } else {
                format!("{}: {}", error.name.0, error.data.0)
            };
            out.exception(&origin, &text);
        }
        Ok(())
    }

    fn part(&mut self, bytes: &[u8], role: &str, around: &Origin, out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        let part: Part<'_> = parse(bytes)?;
        let session = if self.by_part { out.session(&part.session.0) } else { around.session.clone() };
        if self.by_part && !out.shared.first_time(&[b"opencode part", part.id.0.as_bytes()]) {
            return Err(SkipReason::Duplicate);
        }
        let origin = Origin { time: around.time, session };
        match (&*part.kind.0, part.state) {
            ("text", _) if !self.by_part => {
                let inbound = role == "user";
                let channel = (inbound && part.synthetic == Some(true)).then_some("harness");
                out.message(&origin, inbound, channel, &part.text.0);
            }
            ("tool", Some(state)) => call(&part.call_id.0, &part.tool.0, state, &origin, out),
            _ => {}
        }
        Ok(())
    }
}

/// The usage of a message's requests. Each request ends with a part of its own; the message itself only has the last
/// one.
fn used(info: &Info<'_>, parts: &[&RawValue]) -> Usage {
    #[derive(Deserialize)]
    struct Step<'a> {
        #[serde(borrow, default)]
        tokens: Option<&'a RawValue>,
        #[serde(borrow, default)]
        cost: Option<&'a RawValue>,
    }
    let is_end = |part: &&&RawValue| peek::string_field(part.get().as_bytes(), "type") == Some(b"step-finish");
    let steps = parts.iter().filter(is_end).filter_map(|part| serde_json::from_str::<Step<'_>>(part.get()).ok());
    let mut used = Usage::default();
    for step in steps {
        used.add(&TokenCounts::read(step.tokens).with_cost(step.cost).usage_excluding_cache());
    }
    if used.is_nothing() { TokenCounts::read(info.tokens).with_cost(info.cost).usage_excluding_cache() } else { used }
}

fn call(id: &str, tool: &str, state: State<'_>, origin: &Origin, out: &mut Transcript<'_>) {
    let time = state.time.as_ref();
    let at = |raw: Option<&RawValue>| raw.and_then(|raw| since_1970(raw, 1000));
    let started = time.and_then(|time| at(time.start)).or(origin.time);
    let input = read_input(state.input.map_or("", RawValue::get));
    let start = Origin { time: started, session: origin.session.clone() };
    let (text, is_command) = (input.text, input.is_command);
    out.start(&start, &Start { call_id: Some(id), tool, input: text, is_command });
    let flagged = match &*state.status.0 {
        "completed" => false,
        "error" => true,
        _ => return,
    };
    let end = Origin { time: time.and_then(|time| at(time.end)), session: origin.session.clone() };
    let output = if flagged { state.error.0 } else { state.output.0 };
    let exit_code = state.metadata.and_then(|metadata| metadata.exit);
    out.end(&end, &End { call_id: Some(id), output, flagged, exit_code, ..End::default() });
}
