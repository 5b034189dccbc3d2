//! Langfuse exports: observations as lines, as a list, or under `data` or `observations`. The API uses camel case, blob
//! exports use snake case. An observation failed if its `level` is `ERROR`.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::Text;
use super::document::Path;
use super::input::read_input;
use super::reported::{End, Origin, Start};
use super::time::read_time;
use super::usage::TokenCounts;
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, parse, peek};
use crate::run_event::Usage;

pub(super) const FORMAT: Format = Format { name: "langfuse", recognise: Recognise::Head(recognises), open };

const LINES: &[Path] = &[&[]];
const LIST: &[Path] = &[&["*"]];
const WRAPPED: &[Path] = &[&["data", "*"], &["observations", "*"]];

/// Recognises the keys of the first observation.
fn recognises(head: &[u8]) -> bool {
    peek::first_record(head, &["data", "observations"]).is_some_and(|(_, record)| {
        let has = |a, b| peek::value_field(record, a).is_some() || peek::value_field(record, b).is_some();
        let known = peek::string_field(record, "type").is_some_and(|kind| TYPES.contains(&kind));
        known
            && has("traceId", "trace_id")
            && (has("startTime", "start_time") || has("statusMessage", "status_message"))
    })
}

const TYPES: [&[u8]; 10] = [
    b"SPAN",
    b"GENERATION",
    b"EVENT",
    b"TOOL",
    b"AGENT",
    b"CHAIN",
    b"RETRIEVER",
    b"EVALUATOR",
    b"EMBEDDING",
    b"GUARDRAIL",
];

fn open(head: &[u8]) -> Opened {
    let paths = match peek::first_record(head, &["data", "observations"]) {
        Some((peek::Wrapping::List, _)) => LIST,
        Some((peek::Wrapping::Key, _)) => WRAPPED,
        _ => LINES,
    };
    Opened::Document(paths, Box::new(Langfuse))
}

struct Langfuse;

#[derive(Deserialize)]
struct Observation<'a> {
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default, rename = "traceId", alias = "trace_id")]
    trace: Text<'a>,
    #[serde(borrow, default, rename = "sessionId", alias = "session_id")]
    session: Text<'a>,
    #[serde(borrow, default, rename = "startTime", alias = "start_time")]
    start: Text<'a>,
    #[serde(borrow, default, rename = "endTime", alias = "end_time")]
    end: Text<'a>,
    #[serde(borrow, default)]
    level: Text<'a>,
    #[serde(borrow, default, rename = "statusMessage", alias = "status_message")]
    status: Text<'a>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    model: Text<'a>,
    #[serde(borrow, default, rename = "providedModelName", alias = "provided_model_name")]
    provided_model: Text<'a>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "usageDetails", alias = "usage_details")]
    usage_details: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "calculatedTotalCost")]
    calculated_cost: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "totalCost", alias = "total_cost")]
    cost: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "costDetails", alias = "cost_details")]
    cost_details: Option<&'a RawValue>,
}

impl LogReader for Langfuse {
    fn finish(&mut self, out: &mut Transcript<'_>) {
        out.flush_usage();
    }

    fn read(&mut self, _: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        LineResult::of(parse::<Observation<'_>>(bytes).and_then(|observation| take(&observation, out)))
    }
}

fn take(seen: &Observation<'_>, out: &mut Transcript<'_>) -> Result<(), SkipReason> {
    if !TYPES.contains(&seen.kind.0.as_bytes()) {
        return Err(SkipReason::UnknownType);
    }
    if !seen.id.0.is_empty() && !out.shared.first_time(&[b"langfuse", seen.id.0.as_bytes()]) {
        return Err(SkipReason::Duplicate);
    }
    let session = out.session(if seen.session.0.is_empty() { &seen.trace.0 } else { &seen.session.0 });
    let start = Origin { time: read_time(&seen.start.0), session: session.clone() };
    let end = Origin { time: read_time(&seen.end.0), session };
    let failed = seen.level.0 == "ERROR";
    let model = if seen.model.0.is_empty() { &seen.provided_model.0 } else { &seen.model.0 };
    if matches!(&*seen.kind.0, "GENERATION" | "EMBEDDING") {
        out.usage_for_next(if end.time.is_some() { &end } else { &start }, used(seen), model);
    }
    match &*seen.kind.0 {
        "TOOL" | "SPAN" | "RETRIEVER" => call(seen, failed, &start, &end, out),
        _ if failed => {
            let origin = if end.time.is_some() { &end } else { &start };
            out.exception(origin, if seen.status.0.is_empty() { &seen.name.0 } else { &seen.status.0 });
        }
        "GENERATION" => {
            let text = text_or_json(seen.output);
            if !text.is_empty() {
                out.message(&end, false, None, &text);
            }
        }
        _ => {}
    }
    Ok(())
}

/// The usage of a generation. Each kind of token is counted separately. Older exports do not have all of the objects.
fn used(seen: &Observation<'_>) -> Usage {
    let usage = TokenCounts::read(seen.usage_details)
        .with_cost(seen.cost_details)
        .with_cost(seen.calculated_cost)
        .with_cost(seen.cost)
        .usage_excluding_cache();
    let older = TokenCounts::read(seen.usage).usage_excluding_cache();
    if usage.input_tokens.or(usage.output_tokens).is_some() {
        return usage;
    }
    Usage { cost_nano_usd: usage.cost_nano_usd.or(older.cost_nano_usd), ..older }
}

fn call(seen: &Observation<'_>, failed: bool, start: &Origin, end: &Origin, out: &mut Transcript<'_>) {
    let call_id = Some(&*seen.id.0);
    let input = text_or_json(seen.input);
    let read = read_input(&input);
    let (text, is_command) = (read.text, read.is_command);
    out.start(start, &Start { call_id, tool: &seen.name.0, input: text, is_command });
    if end.time.is_none() && !failed {
        return;
    }
    let error = Some(Cow::Borrowed(&*seen.status.0)).filter(|error| failed && !error.is_empty());
    let output = error.unwrap_or_else(|| text_or_json(seen.output));
    out.end(end, &End { call_id, output, flagged: failed, ..End::default() });
}

/// A string as its text, anything else as JSON. Blob exports put JSON into a string.
pub(super) fn text_or_json(raw: Option<&RawValue>) -> Cow<'_, str> {
    match raw.map(RawValue::get) {
        None | Some("null") => Cow::Borrowed(""),
        Some(json) if json.starts_with('"') => {
            serde_json::from_str::<Text<'_>>(json).map(|text| text.0).unwrap_or_default()
        }
        Some(json) => Cow::Borrowed(json),
    }
}
