//! `LangSmith` exports: runs as lines, as a list, or under `runs` or `data`. A run failed if it has an `error`.
//!
//! `session_id` is the project; the chat is `extra.metadata.session_id` or `thread_id`.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{Text, lenient};
use super::document::Path;
use super::input::read_input;
use super::langfuse::text_or_json;
use super::reported::{End, Origin, Start};
use super::time::read_time;
use super::usage::{TokenCounts, count};
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, parse, peek};
use crate::run_event::Usage;

pub(super) const FORMAT: Format = Format { name: "langsmith", recognise: Recognise::Head(recognises), open };

const LINES: &[Path] = &[&[]];
const LIST: &[Path] = &[&["*"]];
const WRAPPED: &[Path] = &[&["runs", "*"], &["data", "*"]];

fn recognises(head: &[u8]) -> bool {
    peek::first_record(head, &["runs", "data"]).is_some_and(|(_, record)| {
        let has = |name| peek::value_field(record, name).is_some();
        has("run_type") && (has("trace_id") || has("dotted_order") || has("start_time"))
    })
}

fn open(head: &[u8]) -> Opened {
    let paths = match peek::first_record(head, &["runs", "data"]) {
        Some((peek::Wrapping::List, _)) => LIST,
        Some((peek::Wrapping::Key, _)) => WRAPPED,
        _ => LINES,
    };
    Opened::Document(paths, Box::new(LangSmith))
}

struct LangSmith;

#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names are the format's")]
struct Run<'a> {
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    run_type: Text<'a>,
    #[serde(borrow, default)]
    trace_id: Text<'a>,
    #[serde(borrow, default)]
    start_time: Text<'a>,
    #[serde(borrow, default)]
    end_time: Text<'a>,
    #[serde(borrow, default)]
    error: Text<'a>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default)]
    inputs: Option<&'a RawValue>,
    #[serde(borrow, default)]
    outputs: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    extra: Option<Extra<'a>>,
    #[serde(borrow, default)]
    prompt_tokens: Option<&'a RawValue>,
    #[serde(borrow, default)]
    completion_tokens: Option<&'a RawValue>,
    #[serde(borrow, default)]
    total_cost: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Extra<'a> {
    #[serde(borrow, default)]
    metadata: Metadata<'a>,
}

#[derive(Deserialize, Default)]
#[expect(clippy::struct_field_names, reason = "the names are the format's")]
struct Metadata<'a> {
    #[serde(borrow, default)]
    session_id: Text<'a>,
    #[serde(borrow, default)]
    thread_id: Text<'a>,
    #[serde(borrow, default)]
    conversation_id: Text<'a>,
    #[serde(borrow, default)]
    ls_model_name: Text<'a>,
    #[serde(borrow, default)]
    usage_metadata: Option<&'a RawValue>,
}

/// Where an answer records its usage.
#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow, default)]
    usage_metadata: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    llm_output: Option<Output<'a>>,
}

#[derive(Deserialize)]
struct Output<'a> {
    #[serde(borrow, default)]
    token_usage: Option<&'a RawValue>,
}

/// The input or output of a tool that takes or returns a single text.
#[derive(Deserialize)]
struct Single<'a> {
    #[serde(borrow, alias = "output")]
    input: Text<'a>,
}

impl LogReader for LangSmith {
    fn finish(&mut self, out: &mut Transcript<'_>) {
        out.flush_usage();
    }

    fn read(&mut self, _: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        LineResult::of(parse::<Run<'_>>(bytes).and_then(|run| take(&run, out)))
    }
}

fn take(run: &Run<'_>, out: &mut Transcript<'_>) -> Result<(), SkipReason> {
    if run.run_type.0.is_empty() {
        return Err(SkipReason::UnknownType);
    }
    if !run.id.0.is_empty() && !out.shared.first_time(&[b"langsmith", run.id.0.as_bytes()]) {
        return Err(SkipReason::Duplicate);
    }
    let chat = run.extra.as_ref().map(|extra| &extra.metadata);
    let named = chat.and_then(|chat| {
        [&chat.session_id, &chat.thread_id, &chat.conversation_id].into_iter().find(|id| !id.0.is_empty())
    });
    let session = out.session(named.map_or(&run.trace_id.0, |id| &id.0));
    let start = Origin { time: read_time(&run.start_time.0), session: session.clone() };
    let end = Origin { time: read_time(&run.end_time.0), session };
    let failed = !run.error.0.is_empty() || run.status.0 == "error";
    // A chain repeats the usage of the runs inside it.
    if run.run_type.0 == "llm" {
        let model = chat.map_or("", |chat| &chat.ls_model_name.0);
        out.usage_for_next(if end.time.is_some() { &end } else { &start }, used(run), model);
    }
    match &*run.run_type.0 {
        "tool" | "retriever" => call(run, failed, &start, &end, out),
        // A chain's error is that of a run inside it.
        "llm" if failed => out.exception(&end, &run.error.0),
        _ => {}
    }
    Ok(())
}

fn call(run: &Run<'_>, failed: bool, start: &Origin, end: &Origin, out: &mut Transcript<'_>) {
    let call_id = Some(&*run.id.0);
    let asked = single(run.inputs);
    let input = read_input(&asked);
    let (text, is_command) = (input.text, input.is_command);
    out.start(start, &Start { call_id, tool: &run.name.0, input: text, is_command });
    if end.time.is_none() && !failed {
        return;
    }
    let output = if failed { run.error.0.clone() } else { single(run.outputs) };
    out.end(end, &End { call_id, output, flagged: failed, ..End::default() });
}

/// The usage of a model's run, from the first place that has any. The input is the whole prompt.
fn used(run: &Run<'_>) -> Usage {
    let answer = run.outputs.and_then(|raw| serde_json::from_str::<Answer<'_>>(raw.get()).ok());
    let in_metadata = run.extra.as_ref().and_then(|extra| extra.metadata.usage_metadata);
    let answered = answer.as_ref().and_then(|answer| answer.usage_metadata);
    let older = answer.as_ref().and_then(|answer| answer.llm_output.as_ref()?.token_usage);
    let counts = [in_metadata, answered, older].into_iter().flatten().map(|raw| TokenCounts::read(Some(raw)));
    let counts = counts.into_iter().find(|counts| counts.input.or(counts.output).is_some());
    let own = || TokenCounts {
        input: run.prompt_tokens.and_then(count),
        output: run.completion_tokens.and_then(count),
        ..TokenCounts::default()
    };
    counts.unwrap_or_else(own).with_cost(run.total_cost).usage_including_cache()
}

/// The text of `{"input": …}` or `{"output": …}`, else the JSON as it is.
fn single(raw: Option<&RawValue>) -> Cow<'_, str> {
    let one = raw.and_then(|raw| serde_json::from_str::<Single<'_>>(raw.get()).ok()).map(|one| one.input.0);
    one.filter(|text| !text.is_empty()).unwrap_or_else(|| text_or_json(raw))
}
