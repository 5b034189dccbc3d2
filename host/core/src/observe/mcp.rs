//! Logs of the Model Context Protocol, as inspectors and proxies write them: one JSON-RPC message a line, either alone,
//! after a time and a word, or inside an object of the logger.
//!
//! A `tools/call` request is a call; the response has the same id. The call failed if the response has an `error`, or a
//! `result` with `isError`.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{Text, lenient};
use super::input::read_input;
use super::reported::{End, Origin, Start};
use super::time::read_time;
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript};

pub(super) const FORMAT: Format =
    Format { name: "mcp", recognise: Recognise::Line(recognises), open: |_| Opened::Lines(Box::<Mcp>::default()) };

/// Most calls without a response.
const MAX_OPEN: usize = 4096;

fn recognises(line: &[u8]) -> bool {
    let has = |mark: &str| memchr::memmem::find(line, mark.as_bytes()).is_some();
    has("\"jsonrpc\"") && has("\"2.0\"") && (has("\"method\"") || has("\"result\"") || has("\"error\""))
}

#[derive(Default)]
struct Mcp {
    session: Option<Arc<str>>,
    calls: u64,
    /// Call ids of requests without a response, by request id.
    ids: HashMap<String, String>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow, default)]
    jsonrpc: Option<Text<'a>>,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    method: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    params: Option<Params<'a>>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    error: Option<RpcError<'a>>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    level: Text<'a>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct RpcError<'a> {
    #[serde(default, deserialize_with = "lenient")]
    code: Option<i64>,
    #[serde(borrow, default)]
    message: Text<'a>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer<'a> {
    #[serde(default, deserialize_with = "lenient")]
    is_error: Option<bool>,
    #[serde(borrow, default)]
    content: Text<'a>,
    #[serde(borrow, default)]
    structured_content: Option<&'a RawValue>,
}

/// What a logger puts around a message.
#[derive(Deserialize)]
struct Wrapper<'a> {
    #[serde(borrow, default, alias = "time", alias = "ts")]
    timestamp: Text<'a>,
    #[serde(borrow, default, rename = "sessionId", alias = "session_id", alias = "session", alias = "server")]
    session: Text<'a>,
    #[serde(
        borrow,
        default,
        alias = "msg",
        alias = "payload",
        alias = "data",
        alias = "request",
        alias = "response",
        alias = "body"
    )]
    message: Option<&'a RawValue>,
}

impl LogReader for Mcp {
    fn read(&mut self, _: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        LineResult::of(self.line(bytes, out))
    }
}

impl Mcp {
    fn line(&mut self, bytes: &[u8], out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        let text = std::str::from_utf8(bytes).map_err(|_| SkipReason::InvalidUtf8)?;
        let Some(begin) = text.find('{') else { return Err(SkipReason::UnknownType) };
        let (before, json) = text.split_at(begin);
        // What follows the message on its line belongs to the logger.
        let mut values = serde_json::Deserializer::from_str(json).into_iter::<&RawValue>();
        let raw = values.next().and_then(Result::ok).ok_or(SkipReason::BrokenJson)?;
        let time = before.split_whitespace().next().map(|word| word.trim_matches(['[', ']'])).and_then(read_time);
        let message: Message<'_> = serde_json::from_str(raw.get()).map_err(|_| SkipReason::BrokenJson)?;
        if message.jsonrpc.is_some() {
            let session = self.session(None, out);
            self.take(&message, &Origin { time, session }, out);
            return Ok(());
        }
        let wrapper: Wrapper<'_> = serde_json::from_str(raw.get()).map_err(|_| SkipReason::BrokenJson)?;
        let inner = wrapper.message.map_or("", RawValue::get);
        let unquoted = serde_json::from_str::<String>(inner).unwrap_or_default();
        let inner = if unquoted.is_empty() { inner } else { &unquoted };
        let message: Message<'_> = serde_json::from_str(inner).map_err(|_| SkipReason::UnknownType)?;
        if message.jsonrpc.is_none() {
            return Err(SkipReason::UnknownType);
        }
        let time: Option<Timestamp> = read_time(&wrapper.timestamp.0).or(time);
        let session = self.session(Some(&*wrapper.session.0).filter(|name| !name.is_empty()), out);
        self.take(&message, &Origin { time, session }, out);
        Ok(())
    }

    fn session(&mut self, named: Option<&str>, out: &mut Transcript<'_>) -> Arc<str> {
        match named {
            Some(name) => out.session(name),
            None => self.session.get_or_insert_with(|| out.file_session()).clone(),
        }
    }

    fn take(&mut self, message: &Message<'_>, origin: &Origin, out: &mut Transcript<'_>) {
        let id = message.id.map(RawValue::get);
        match (&*message.method.0, &message.params, id) {
            ("tools/call", Some(params), Some(id)) => self.request(id, params, origin, out),
            ("notifications/message", Some(params), _) => {
                if matches!(&*params.level.0, "error" | "critical" | "alert" | "emergency") {
                    let data = params.data.map_or("", RawValue::get);
                    let text = serde_json::from_str::<String>(data).unwrap_or_else(|_| data.to_owned());
                    out.exception(origin, &text);
                }
            }
            ("", _, Some(id)) => self.response(id, message, origin, out),
            _ => {}
        }
    }

    fn request(&mut self, id: &str, params: &Params<'_>, origin: &Origin, out: &mut Transcript<'_>) {
        // A proxy logs each message twice, once for each side.
        let known = self.ids.contains_key(id);
        if known || self.ids.len() >= MAX_OPEN {
            return;
        }
        self.calls += 1;
        let call_id = format!("{}-{}", id.trim_matches('"'), self.calls);
        let input = read_input(params.arguments.map_or("", RawValue::get));
        let (text, is_command) = (input.text, input.is_command);
        out.start(origin, &Start { call_id: Some(&call_id), tool: &params.name.0, input: text, is_command });
        self.ids.insert(id.to_owned(), call_id);
    }

    fn response(&mut self, id: &str, message: &Message<'_>, origin: &Origin, out: &mut Transcript<'_>) {
        let Some(call_id) = self.ids.remove(id) else { return };
        let call_id = Some(&*call_id);
        if let Some(error) = &message.error {
            let output = format!("MCP error {}: {}", error.code.unwrap_or_default(), error.message.0).into();
            return out.end(origin, &End { call_id, output, flagged: true, ..End::default() });
        }
        let answer: Option<Answer<'_>> = message.result.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let flagged = answer.as_ref().is_some_and(|answer| answer.is_error == Some(true));
        let text = answer.map(|answer| match answer.structured_content {
            Some(raw) if answer.content.0.is_empty() => raw.get().into(),
            _ => answer.content.0,
        });
        let output = text.or_else(|| message.result.map(|raw| raw.get().into())).unwrap_or_default();
        out.end(origin, &End { call_id, output, flagged, ..End::default() });
    }
}
