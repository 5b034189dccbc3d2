//! OTLP JSON files with the `GenAI` conventions (open-telemetry/semantic-conventions-genai): spans of tools and of
//! model requests, and the log events that Claude Code exports. Each document, or each line, is one request.
//!
//! A tool's span is a call. A model's span is an exception if it failed. Older and similar names of the attributes are
//! read too.

use std::borrow::Cow;
use std::sync::Arc;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{BoundedList, Text, lenient};
use super::document::Path;
use super::input::read_input;
use super::reported::{End, Origin, Start};
use super::time::since_1970;
use super::usage::{TokenCounts, nano_of, number_of};
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, parse, peek};
use crate::run_event::Usage;

pub(super) const FORMAT: Format =
    Format { name: "otlp", recognise: Recognise::Head(recognises), open: |_| Opened::Document(PATHS, Box::new(Otlp)) };

const PATHS: &[Path] = &[
    &["resourceSpans", "*", "scopeSpans", "*", "spans", "*"],
    &["resourceSpans", "*", "instrumentationLibrarySpans", "*", "spans", "*"],
    &["resourceLogs", "*", "scopeLogs", "*", "logRecords", "*"],
];
const LOG_RECORD: usize = 2;
const NANOS: i64 = 1_000_000_000;

fn recognises(head: &[u8]) -> bool {
    peek::fields(head).any(|(key, _)| key == b"resourceSpans" || key == b"resourceLogs")
}

struct Otlp;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(clippy::struct_field_names, reason = "the names are the format's")]
struct Span<'a> {
    #[serde(borrow, default)]
    trace_id: Text<'a>,
    #[serde(borrow, default)]
    span_id: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    start_time_unix_nano: Option<&'a RawValue>,
    #[serde(borrow, default)]
    end_time_unix_nano: Option<&'a RawValue>,
    #[serde(borrow, default)]
    attributes: BoundedList<Attribute<'a>>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    status: Option<Status<'a>>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    events: Option<BoundedList<SpanEvent<'a>>>,
}

#[derive(Deserialize)]
struct Status<'a> {
    #[serde(borrow, default)]
    code: Option<&'a RawValue>,
    #[serde(borrow, default)]
    message: Text<'a>,
}

#[derive(Deserialize)]
struct SpanEvent<'a> {
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    attributes: BoundedList<Attribute<'a>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogRecord<'a> {
    #[serde(borrow, default)]
    time_unix_nano: Option<&'a RawValue>,
    /// The time of collection, for records without a time of their own.
    #[serde(borrow, default)]
    observed_time_unix_nano: Option<&'a RawValue>,
    #[serde(borrow, default)]
    event_name: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    body: Option<Value<'a>>,
    #[serde(borrow, default)]
    attributes: BoundedList<Attribute<'a>>,
}

#[derive(Deserialize)]
struct Attribute<'a> {
    #[serde(borrow, default)]
    key: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    value: Option<Value<'a>>,
}

/// A value of any type. Structured arguments of a tool are lists and maps.
#[derive(Deserialize)]
struct Value<'a> {
    #[serde(borrow, default, rename = "stringValue")]
    string: Option<Text<'a>>,
    /// A number or a boolean.
    #[serde(borrow, default, rename = "intValue", alias = "boolValue", alias = "doubleValue")]
    scalar: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "arrayValue")]
    array: Option<Array<'a>>,
    #[serde(borrow, default, rename = "kvlistValue")]
    members: Option<KeyValues<'a>>,
}

#[derive(Deserialize)]
struct Array<'a> {
    #[serde(borrow, default)]
    values: BoundedList<Value<'a>>,
}

#[derive(Deserialize)]
struct KeyValues<'a> {
    #[serde(borrow, default)]
    values: BoundedList<Member<'a>>,
}

/// As [`Attribute`], but parsed together with its container, so that the parser's nesting limit applies.
#[derive(Deserialize)]
struct Member<'a> {
    #[serde(borrow, default)]
    key: Text<'a>,
    #[serde(borrow, default)]
    value: Option<Value<'a>>,
}

impl Value<'_> {
    /// The value as text; lists and maps as JSON.
    fn text(&self) -> Cow<'_, str> {
        match (&self.string, self.scalar) {
            (Some(text), _) => Cow::Borrowed(&*text.0),
            (None, Some(raw)) => Cow::Borrowed(raw.get().trim_matches('"')),
            (None, None) if self.array.is_some() || self.members.is_some() => Cow::Owned(self.json().to_string()),
            (None, None) => Cow::Borrowed(""),
        }
    }

    /// The value as JSON. The parser has bounded its depth.
    fn json(&self) -> serde_json::Value {
        if let Some(text) = &self.string {
            return text.0.as_ref().into();
        }
        if let Some(raw) = self.scalar {
            // Integers are written as strings, because JavaScript would round them.
            let plain = raw.get().trim_matches('"');
            return serde_json::from_str(plain).unwrap_or_else(|_| plain.into());
        }
        if let Some(array) = &self.array {
            return array.values.iter().map(Value::json).collect();
        }
        let member =
            |one: &Member<'_>| (one.key.0.to_string(), one.value.as_ref().map_or_else(Default::default, Value::json));
        let members = self.members.as_ref().map(|list| list.values.iter().map(member).collect());
        members.map_or(serde_json::Value::Null, serde_json::Value::Object)
    }
}

/// The first of `keys` that has a value that is not empty.
fn attribute<'v>(attributes: &'v [Attribute<'_>], keys: &[&str]) -> Option<Cow<'v, str>> {
    let value =
        |key: &&str| attributes.iter().find(|attribute| attribute.key.0 == **key)?.value.as_ref().map(Value::text);
    keys.iter().filter_map(value).find(|text| !text.is_empty())
}

fn nanos(raw: Option<&RawValue>) -> Option<Timestamp> {
    raw.filter(|raw| raw.get().trim_matches('"') != "0").and_then(|raw| since_1970(raw, NANOS))
}

impl LogReader for Otlp {
    fn finish(&mut self, out: &mut Transcript<'_>) {
        out.flush_usage();
    }

    fn read(&mut self, path: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        if path == LOG_RECORD {
            return LineResult::of(parse::<LogRecord<'_>>(bytes).and_then(|record| log_record(&record, bytes, out)));
        }
        LineResult::of(parse::<Span<'_>>(bytes).and_then(|span| take(&span, out)))
    }
}

fn session(attributes: &[Attribute<'_>], trace: &str, out: &mut Transcript<'_>) -> Arc<str> {
    let known = attribute(attributes, &["gen_ai.conversation.id", "session.id", "langfuse.session.id"]);
    out.session(known.as_deref().unwrap_or(trace))
}

fn take(span: &Span<'_>, out: &mut Transcript<'_>) -> Result<(), SkipReason> {
    let (trace, id) = (&span.trace_id.0, &span.span_id.0);
    if !id.is_empty() && !out.shared.first_time(&[b"otlp", trace.as_bytes(), id.as_bytes()]) {
        return Err(SkipReason::Duplicate);
    }
    let session = session(&span.attributes, trace, out);
    let start = Origin { time: nanos(span.start_time_unix_nano), session: session.clone() };
    let end = Origin { time: nanos(span.end_time_unix_nano), session };
    let named_tool = span.name.0.strip_prefix("execute_tool ");
    let kind = ["gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind"];
    let kind = attribute(&span.attributes, &kind).map(|kind| kind.to_lowercase());
    match kind.as_deref().or(named_tool.map(|_| "execute_tool")) {
        Some("execute_tool" | "tool") => tool(span, named_tool, &start, &end, out),
        // An agent's span repeats the usage of the spans inside it.
        Some("chat" | "text_completion" | "generate_content" | "embeddings" | "embedding" | "llm") => {
            let (usage, model) = used(&span.attributes);
            out.usage_for_next(&end, usage, &model);
            if let Some(error) = failure(span) {
                out.exception(&end, &error);
            }
        }
        _ => {}
    }
    Ok(())
}

/// The usage in a model's span, and the model. In these conventions the input is the whole prompt.
fn used<'v>(attributes: &'v [Attribute<'_>]) -> (Usage, Cow<'v, str>) {
    let number = |keys: &[&str]| attribute(attributes, keys).as_deref().and_then(number_of);
    let counts = TokenCounts {
        input: number(&[
            "gen_ai.usage.input_tokens",
            "gen_ai.usage.prompt_tokens",
            "llm.usage.prompt_tokens",
            "llm.token_count.prompt",
        ]),
        output: number(&[
            "gen_ai.usage.output_tokens",
            "gen_ai.usage.completion_tokens",
            "llm.usage.completion_tokens",
            "llm.token_count.completion",
        ]),
        cache_read: number(&[
            "gen_ai.usage.cache_read.input_tokens",
            "gen_ai.usage.cache_read_input_tokens",
            "llm.token_count.prompt_details.cache_read",
        ]),
        cache_write: number(&[
            "gen_ai.usage.cache_creation.input_tokens",
            "gen_ai.usage.cache_creation_input_tokens",
            "llm.token_count.prompt_details.cache_write",
        ]),
        ..TokenCounts::default()
    };
    let model = ["gen_ai.response.model", "gen_ai.request.model", "llm.model_name"];
    (counts.usage_including_cache(), attribute(attributes, &model).unwrap_or_default())
}

fn tool(span: &Span<'_>, named: Option<&str>, start: &Origin, end: &Origin, out: &mut Transcript<'_>) {
    let attributes = &span.attributes;
    let name = attribute(attributes, &["gen_ai.tool.name", "tool.name", "traceloop.entity.name"]);
    let tool = name.as_deref().or(named).unwrap_or(&span.name.0);
    let id = attribute(attributes, &["gen_ai.tool.call.id"]).unwrap_or(Cow::Borrowed(&span.span_id.0));
    let arguments = attribute(
        attributes,
        &["gen_ai.tool.call.arguments", "input.value", "tool.parameters", "traceloop.entity.input"],
    );
    let input = read_input(arguments.as_deref().unwrap_or_default());
    let (text, is_command) = (input.text, input.is_command);
    out.start(start, &Start { call_id: Some(&id), tool, input: text, is_command });
    if end.time.is_none() {
        return;
    }
    let error = failure(span);
    let result = || attribute(attributes, &["gen_ai.tool.call.result", "output.value", "traceloop.entity.output"]);
    let flagged = error.is_some();
    let output = error.map(Cow::Owned).or_else(result).unwrap_or_default();
    out.end(end, &End { call_id: Some(&id), output, flagged, ..End::default() });
}

/// The span's error message; `None` if the span did not fail.
fn failure(span: &Span<'_>) -> Option<String> {
    let status = span.status.as_ref();
    let code = status.and_then(|status| status.code).map(|raw| raw.get().trim_matches('"'));
    let kind = attribute(&span.attributes, &["error.type"]);
    if !matches!(code, Some("2" | "STATUS_CODE_ERROR")) && kind.is_none() {
        return None;
    }
    let thrown =
        span.events.iter().flat_map(|events| events.iter()).find(|event| event.name.0 == "exception").map(|event| {
            let part = |key| attribute(&event.attributes, &[key]).unwrap_or_default();
            format!("{}: {}", part("exception.type"), part("exception.message"))
        });
    let message = status.map(|status| status.message.0.to_string()).filter(|message| !message.is_empty());
    Some(thrown.or(message).or(kind.map(Cow::into_owned)).unwrap_or_else(|| "status error".to_owned()))
}

/// Claude Code's own log events. Records have no id, so equal records with the same time count once.
fn log_record(record: &LogRecord<'_>, bytes: &[u8], out: &mut Transcript<'_>) -> Result<(), SkipReason> {
    let time = nanos(record.time_unix_nano).or_else(|| nanos(record.observed_time_unix_nano));
    if time.is_some() && !out.shared.first_time(&[b"otlp-log", bytes]) {
        return Err(SkipReason::Duplicate);
    }
    let attributes = &record.attributes;
    let body = record.body.as_ref().map(Value::text).unwrap_or_default();
    let named = attribute(attributes, &["event.name"]);
    let name = if record.event_name.0.is_empty() {
        if body.is_empty() { named.unwrap_or_default() } else { body }
    } else {
        record.event_name.0.clone()
    };
    let session = session(attributes, "", out);
    let origin = Origin { time, session };
    let text = |key: &str| attribute(attributes, &[key]).unwrap_or_default();
    match name.strip_prefix("claude_code.").unwrap_or(&name) {
        "user_prompt" => out.message(&origin, true, None, &text("prompt")),
        "api_request" => {
            let counts = TokenCounts {
                input: number_of(&text("input_tokens")),
                output: number_of(&text("output_tokens")),
                cache_read: number_of(&text("cache_read_tokens")),
                cache_write: number_of(&text("cache_creation_tokens")),
                cost: nano_of(&text("cost_usd")),
                ..TokenCounts::default()
            };
            out.usage_for_next(&origin, counts.usage_excluding_cache(), &text("model"));
        }
        "api_error" => out.exception(&origin, &text("error")),
        "tool_result" => {
            // Unique even if the records of a session arrive in many requests.
            let at = time.map_or(0, Timestamp::as_nanosecond);
            let own = format!("record-{at}-{}-{}", out.line, out.state.summary.events.tool_start);
            let id = attribute(attributes, &["tool_use_id", "tool_call_id"]).unwrap_or(Cow::Borrowed(&own));
            let parameters = text("tool_parameters");
            let input = read_input(&parameters);
            let (shown, is_command) = (input.text, input.is_command);
            let duration_ms = text("duration_ms").parse::<f64>().ok().filter(|ms| ms.is_finite() && *ms >= 0.0);
            out.start(&origin, &Start { call_id: Some(&id), tool: &text("tool_name"), input: shown, is_command });
            let flagged = text("success") == "false";
            let end = End {
                call_id: Some(&id),
                output: text("error"),
                flagged,
                duration_ms,
                untimed: true,
                ..End::default()
            };
            out.end(&origin, &end);
        }
        _ => {}
    }
    Ok(())
}
