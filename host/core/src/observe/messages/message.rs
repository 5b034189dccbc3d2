//! One message, in any of its forms, into events.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::blocks::{Part, parts};
use super::calls::Calls;
use super::numbers::{time_of, usage};
use super::{cline, gemini, hosted, smolagents};
use crate::observe::codex::{Items, Payload};
use crate::observe::content::{BoundedList, Text, lenient};
use crate::observe::openai::{Function, ToolCall};
use crate::observe::reported::{End, Origin, Start};
use crate::observe::{SkipReason, Transcript, parse, peek};

#[derive(Deserialize, Default)]
struct Message<'a> {
    #[serde(borrow, default)]
    role: Text<'a>,
    #[serde(borrow, default, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow, default)]
    source: Text<'a>,
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
    /// The AI SDK's messages for user interfaces have parts, in older versions beside a content with the text alone.
    #[serde(borrow, default)]
    parts: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    tool_calls: Option<BoundedList<ToolCall<'a>>>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    function_call: Option<Function<'a>>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    additional_kwargs: Option<Additional<'a>>,
    #[serde(borrow, default)]
    tool_call_id: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    tool_responses: Option<BoundedList<Response<'a>>>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(default, deserialize_with = "lenient")]
    is_error: Option<bool>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    timestamp: Option<&'a RawValue>,
    #[serde(borrow, default)]
    ts: Option<&'a RawValue>,
    #[serde(borrow, default)]
    created: Option<&'a RawValue>,
    #[serde(borrow, default)]
    created_at: Option<&'a RawValue>,
    #[serde(borrow, default)]
    model: Text<'a>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default)]
    metrics: Option<&'a RawValue>,
    #[serde(borrow, default)]
    usage_metadata: Option<&'a RawValue>,
    #[serde(borrow, default)]
    models_usage: Option<&'a RawValue>,
}

/// What `LangChain` keeps of the provider's own form.
#[derive(Deserialize, Default)]
struct Additional<'a> {
    #[serde(borrow, default, deserialize_with = "lenient")]
    tool_calls: Option<BoundedList<ToolCall<'a>>>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    function_call: Option<Function<'a>>,
}

/// `AutoGen` puts the results of several calls into one message.
#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow, default)]
    tool_call_id: Text<'a>,
    #[serde(borrow, default)]
    content: Text<'a>,
}

/// A message within an object that says of which type it is.
#[derive(Deserialize)]
struct Wrapped<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Text<'a>,
    /// The path of a class of `LangChain`.
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
    #[serde(borrow, default)]
    kwargs: Option<&'a RawValue>,
    /// What `goose run --output-format stream-json` prints.
    #[serde(borrow, default)]
    message: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Execution<'a> {
    #[serde(borrow, default)]
    output: Text<'a>,
    #[serde(default, deserialize_with = "lenient")]
    exit_code: Option<i64>,
}

/// Reports a message.
pub(super) fn take(
    bytes: &[u8],
    around: &Origin,
    calls: &mut Calls,
    items: &mut Items,
    out: &mut Transcript<'_>,
) -> Result<(), SkipReason> {
    let has = |name| peek::value_field(bytes, name).is_some();
    if has("step_number") || has("task_images") {
        return smolagents::take(bytes, around, out);
    }
    if has("role") {
        return by_role(&parse(bytes)?, None, around, calls, out);
    }
    match peek::string_field(bytes, "type") {
        Some(b"function_call" | b"custom_tool_call" | b"local_shell_call") => {
            items.start(around, &parse::<Payload<'_>>(bytes)?, out);
        }
        Some(b"function_call_output" | b"custom_tool_call_output" | b"local_shell_call_output") => {
            items.end(around, &parse::<Payload<'_>>(bytes)?, out);
        }
        Some(b"reasoning" | b"mcp_list_tools" | b"item_reference" | b"compaction" | b"additional_tools") => {}
        Some(kind) if kind.ends_with(b"_call") || kind.ends_with(b"_call_output") => {
            return hosted::take(bytes, around, calls, out);
        }
        // The header of a session of Goose.
        None if has("working_dir") => {}
        _ => return by_type(bytes, around, calls, out),
    }
    Ok(())
}

/// A message whose type says who speaks.
fn by_type(bytes: &[u8], around: &Origin, calls: &mut Calls, out: &mut Transcript<'_>) -> Result<(), SkipReason> {
    let wrapped: Wrapped<'_> = parse(bytes)?;
    if let Some(inner) = wrapped.message.filter(|_| wrapped.kind.0 == "message") {
        return by_role(&parse(inner.get().as_bytes())?, None, around, calls, out);
    }
    let class = wrapped.id.0.rsplit('\n').next().unwrap_or_default();
    match wrapped.data.or(wrapped.kwargs) {
        Some(inner) => {
            let kind = if wrapped.kwargs.is_some() { class } else { &*wrapped.kind.0 };
            by_role(&parse(inner.get().as_bytes())?, Some(kind), around, calls, out)
        }
        None => by_role(&parse(bytes)?, None, around, calls, out),
    }
}

fn by_role(
    message: &Message<'_>,
    kind: Option<&str>,
    around: &Origin,
    calls: &mut Calls,
    out: &mut Transcript<'_>,
) -> Result<(), SkipReason> {
    let time =
        [message.timestamp, message.ts, message.created, message.created_at].into_iter().flatten().find_map(time_of);
    let origin = Origin { time: time.or(around.time), session: around.session.clone() };
    let role = Some(&*message.role.0).filter(|role| !role.is_empty());
    match role.or(kind).unwrap_or(&message.kind.0) {
        "user" | "human" | "HumanMessage" | "HumanMessageChunk" | "UserMessage" => {
            inbound(message, &origin, calls, out)
        }
        "assistant" | "ai" | "model" | "AIMessage" | "AIMessageChunk" | "AssistantMessage" | "ToolCallRequestEvent" => {
            answer(message, &origin, calls, out)
        }
        "tool"
        | "tool-response"
        | "function"
        | "ToolMessage"
        | "FunctionMessage"
        | "ToolCallExecutionEvent"
        | "FunctionExecutionResultMessage" => result(message, &origin, calls, out),
        "TextMessage" | "MultiModalMessage" | "HandoffMessage" | "StopMessage" if message.source.0 == "user" => {
            inbound(message, &origin, calls, out)
        }
        "TextMessage" | "MultiModalMessage" | "HandoffMessage" | "StopMessage" => answer(message, &origin, calls, out),
        "CodeGenerationEvent" => {
            calls.note_code(&text_of(message));
            Ok(())
        }
        "CodeExecutionEvent" => {
            let result = message.result.and_then(|raw| serde_json::from_str::<Execution<'_>>(raw.get()).ok());
            let result = result.ok_or(SkipReason::BrokenJson)?;
            run(calls, &result.output.0, result.exit_code, &origin, out);
            Ok(())
        }
        "system"
        | "developer"
        | "SystemMessage"
        | "session_meta"
        | "ThoughtEvent"
        | "MemoryQueryEvent"
        | "ToolCallSummaryMessage"
        | "UserInputRequestedEvent"
        | "SelectSpeakerEvent"
        | "SelectorEvent"
        | "ModelClientStreamingChunkEvent"
        | "tool-call"
        | "remove"
        | "RemoveMessage" => Ok(()),
        _ => Err(SkipReason::UnknownType),
    }
}

fn text_of<'a>(message: &Message<'a>) -> Cow<'a, str> {
    let raw = message.content.map_or("null", RawValue::get);
    serde_json::from_str::<Text<'_>>(raw).unwrap_or_default().0
}

fn inbound(
    message: &Message<'_>,
    origin: &Origin,
    calls: &mut Calls,
    out: &mut Transcript<'_>,
) -> Result<(), SkipReason> {
    let found = parts(message.parts.or(message.content))?;
    let texts = found.iter().filter_map(|part| if let Part::Text(text) = part { Some(text.clone()) } else { None });
    if found.iter().all(|part| matches!(part, Part::Text(_)))
        && cline::inbound(&texts.collect::<Vec<_>>(), origin, calls, out)
    {
        return Ok(());
    }
    for part in found {
        match part {
            // The state of the editor, behind results of Cline.
            Part::Text(text) if text.starts_with("<environment_details>") => {}
            // AutoGen answers code with what it printed.
            Part::Text(text) if text.starts_with("exitcode: ") && calls.code.is_some() => {
                let output = text.split_once("Code output:").map_or(&*text, |(_, printed)| printed.trim());
                let code =
                    text.split_once("exitcode: ").and_then(|(_, rest)| rest.split([' ', '\n']).next()?.parse().ok());
                run(calls, output, code, origin, out);
            }
            Part::Text(text) => out.message(origin, true, None, &text),
            part => call_or_result(part, origin, calls, out),
        }
    }
    calls.code = None;
    Ok(())
}

/// Reports the code of the newest answer as a call with its result.
fn run(calls: &mut Calls, output: &str, exit_code: Option<i64>, origin: &Origin, out: &mut Transcript<'_>) {
    let Some((language, code)) = calls.code.take() else { return };
    let id = calls.unique();
    let is_command = matches!(&*language, "sh" | "bash" | "shell" | "zsh" | "console");
    let tool = if language.is_empty() { "code" } else { &*language };
    out.start(origin, &Start { call_id: Some(&id), tool, input: code.into(), is_command });
    let output = Cow::Borrowed(output);
    out.end(origin, &End { call_id: Some(&id), output, exit_code, untimed: true, ..End::default() });
}

fn answer(
    message: &Message<'_>,
    origin: &Origin,
    calls: &mut Calls,
    out: &mut Transcript<'_>,
) -> Result<(), SkipReason> {
    calls.begin_answer();
    let used = message.usage.or(message.metrics).or(message.usage_metadata).or(message.models_usage);
    out.usage_for_next(origin, usage(used), &message.model.0);
    let more = message.additional_kwargs.as_ref();
    let named = |list: &Option<BoundedList<ToolCall<'_>>>| list.as_ref().is_some_and(|list| !list.is_empty());
    let list = if named(&message.tool_calls) { &message.tool_calls } else { &None };
    let list = if named(list) { list } else { more.map_or(&None, |more| &more.tool_calls) };
    for part in parts(message.parts.or(message.content))? {
        match part {
            Part::Text(text) if text.trim().is_empty() => {}
            Part::Text(text) if cline::answer(&text, origin, calls, out) => {}
            Part::Text(text) => {
                calls.note_code(&text);
                out.message(origin, false, None, &text);
            }
            // The list repeats calls that are parts.
            Part::Block(_) | Part::Call(_) if named(list) => {}
            part => call_or_result(part, origin, calls, out),
        }
    }
    for call in list.iter().flat_map(|list| list.iter()) {
        if call.id.0.is_empty() {
            call.start_as(&calls.add(call.name()), origin, out);
        } else {
            call.start(origin, out);
        }
    }
    let function = message.function_call.as_ref().or(more.and_then(|more| more.function_call.as_ref()));
    if let Some(function) = function.filter(|_| !named(list)) {
        function.start_as(&calls.add(&function.name.0), origin, out);
    }
    Ok(())
}

fn result(
    message: &Message<'_>,
    origin: &Origin,
    calls: &mut Calls,
    out: &mut Transcript<'_>,
) -> Result<(), SkipReason> {
    if let Some(list) = message.tool_responses.as_ref().filter(|list| !list.is_empty()) {
        for one in list.iter() {
            calls.end(&one.tool_call_id.0, "", Cow::Borrowed(&one.content.0), false, origin, out);
        }
        return Ok(());
    }
    let flagged = message.status.0 == "error" || message.is_error == Some(true);
    let found = parts(message.content)?;
    let is_text = |part: &Part<'_>| matches!(part, Part::Text(_));
    if found.iter().all(is_text) {
        calls.end(&message.tool_call_id.0, &message.name.0, text_of(message), flagged, origin, out);
        return Ok(());
    }
    for part in found.into_iter().filter(|part| !is_text(part)) {
        call_or_result(part, origin, calls, out);
    }
    Ok(())
}

fn call_or_result(part: Part<'_>, origin: &Origin, calls: &mut Calls, out: &mut Transcript<'_>) {
    match part {
        Part::Text(_) => {}
        Part::Block(block) if block.kind.0 == "tool_use" => {
            calls.expect(block.id.as_ref().map_or("", |id| &id.0), &block.name.0);
            block.start(origin, out);
        }
        Part::Block(block) => {
            let id = block.tool_use_id.as_ref().map_or("", |id| &id.0);
            let flagged = block.is_error == Some(true);
            let of_cline = || cline::of_block(id, &block.content.0, flagged);
            if let Some(end) = Some(id).filter(|id| !id.is_empty()).and_then(|_| of_cline()) {
                calls.done(id);
                return out.end(origin, &end);
            }
            calls.end(id, "", Cow::Borrowed(&block.content.0), flagged, origin, out);
        }
        Part::Call(call) => call.start(origin, calls, out),
        Part::Result(result) => result.end(origin, calls, out),
        Part::Goose(part) => part.report(origin, calls, out),
        Part::Ran(result) => result.end(origin, calls, out),
        Part::Gemini(part) => gemini::report(&part, origin, calls, out),
        Part::Shown(call) => call.report(origin, calls, out),
    }
}
