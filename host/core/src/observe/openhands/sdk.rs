//! Events of `OpenHands`' agent SDK (version 1, `openhands/sdk/event`): `kind` names the class.
//!
//! A call is an `ActionEvent`. Its result is an `ObservationEvent`, an `AgentErrorEvent` (the scaffold could not run
//! it) or a `UserRejectObservation` with the same `tool_call_id`. A call of an agent behind ACP is an event with a
//! status, which is repeated as the call progresses.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::super::content::{Text, lenient};
use super::super::input::read_input;
use super::super::reported::{End, Origin, Start};
use super::super::time::read_time;
use super::super::{SkipReason, Transcript, parse, peek};
use super::state::{MAX_ACTIONS, Metadata, OpenHands};
use crate::outcome::Ending;

/// Whether an event has this schema.
pub(super) fn recognises(event: &[u8]) -> bool {
    let kind = peek::string_field(event, "kind").unwrap_or_default();
    let known = [&b"Event"[..], b"Observation", b"Condensation", b"CondensationRequest"];
    known.iter().any(|end| kind.ends_with(end)) && peek::value_field(event, "id").is_some()
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(borrow, default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    timestamp: Text<'a>,
    #[serde(borrow, default)]
    source: Text<'a>,
    /// What the agent wrote before the call.
    #[serde(borrow, default)]
    thought: Text<'a>,
    #[serde(borrow, default)]
    llm_message: Text<'a>,
    #[serde(borrow, default)]
    tool_name: Text<'a>,
    #[serde(borrow, default)]
    tool_call_id: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    tool_call: Option<ToolCall<'a>>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    observation: Option<Observation<'a>>,
    #[serde(borrow, default)]
    error: Text<'a>,
    #[serde(borrow, default)]
    rejection_reason: Text<'a>,
    #[serde(borrow, default)]
    rejection_source: Text<'a>,
    #[serde(borrow, default)]
    code: Text<'a>,
    #[serde(borrow, default)]
    detail: Text<'a>,
    #[serde(borrow, default)]
    title: Text<'a>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default)]
    raw_input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    raw_output: Text<'a>,
    #[serde(borrow, default)]
    content: Text<'a>,
    #[serde(default, deserialize_with = "lenient")]
    is_error: Option<bool>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow, default)]
    arguments: Text<'a>,
}

#[derive(Deserialize)]
struct Observation<'a> {
    #[serde(borrow, default)]
    content: Text<'a>,
    /// The text in early versions.
    #[serde(borrow, default)]
    output: Text<'a>,
    #[serde(default, deserialize_with = "lenient")]
    is_error: Option<bool>,
    /// The error in early versions: a flag for the terminal, a text for the editor.
    #[serde(borrow, default)]
    error: Option<&'a RawValue>,
    /// The terminal's command line, or an editor's verb.
    #[serde(borrow, default)]
    command: Text<'a>,
    #[serde(default, deserialize_with = "lenient")]
    exit_code: Option<i64>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    metadata: Option<Metadata<'a>>,
}

/// Input to a program that is already running is not a command line.
#[derive(Deserialize)]
struct InputFlag<'a> {
    #[serde(borrow, default)]
    is_input: Option<&'a RawValue>,
}

impl OpenHands {
    pub(super) fn sdk_event(&mut self, bytes: &[u8], out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        let event: Event<'_> = parse(bytes)?;
        let session = self.session(out);
        let identity: [&[u8]; 3] = [b"openhands-sdk", session.as_bytes(), event.id.0.as_bytes()];
        if !event.id.0.is_empty() && !out.shared.first_time(&identity) {
            return Err(SkipReason::Duplicate);
        }
        let origin = Origin { time: read_time(&event.timestamp.0), session };
        let ended = |output, flagged| End { tool: Some(&event.tool_name.0), ..end(&event, output, flagged) };
        match &*event.kind.0 {
            "MessageEvent" => {
                let others = Some(&*event.source.0).filter(|source| !matches!(*source, "user" | "agent"));
                out.message(&origin, event.source.0 != "agent", others, &event.llm_message.0);
            }
            "ActionEvent" => action(&event, &origin, out),
            "ObservationEvent" => observation(&event, &origin, out),
            "AgentErrorEvent" => out.end(&origin, &ended(&event.error, true)),
            "UserRejectObservation" => {
                let by_hook = event.rejection_source.0 == "hook";
                let ending = if by_hook { Ending::Returned } else { Ending::Stopped };
                out.end(&origin, &End { ending, ..ended(&event.rejection_reason, by_hook) });
            }
            "ConversationErrorEvent" => out.exception(&origin, &format!("{}: {}", event.code.0, event.detail.0)),
            "ACPToolCallEvent" => self.acp(&event, &origin, out),
            kind if WITHOUT_EVENT.contains(&kind) => {}
            _ => return Err(SkipReason::UnknownType),
        }
        Ok(())
    }

    /// A call of another agent. It is reported when it starts and, under the same id, when it has ended.
    fn acp(&mut self, event: &Event<'_>, origin: &Origin, out: &mut Transcript<'_>) {
        let id = &*event.tool_call_id.0;
        let earlier = self.acp.get(id).copied();
        let has_ended = matches!(&*event.status.0, "completed" | "failed");
        if earlier.is_none() {
            let input = read_input(event.raw_input.map_or("", RawValue::get));
            let (text, is_command) = (input.text, input.is_command);
            out.start(origin, &Start { call_id: Some(id), tool: &event.title.0, input: text, is_command });
        }
        if has_ended && earlier != Some(true) {
            let flagged = event.is_error == Some(true) || event.status.0 == "failed";
            let text = if event.raw_output.0.is_empty() { &event.content } else { &event.raw_output };
            out.end(origin, &End { tool: Some(&event.title.0), ..end(event, text, flagged) });
        }
        if earlier.is_some() || self.acp.len() < MAX_ACTIONS {
            self.acp.insert(id.to_owned(), has_ended || earlier == Some(true));
        }
    }
}

/// Kinds of events that do not report an action or a message.
const WITHOUT_EVENT: &[&str] = &[
    "SystemPromptEvent",
    "CondensationSummaryEvent",
    "Condensation",
    "CondensationRequest",
    "ConversationStateUpdateEvent",
    "HookExecutionEvent",
    "InterruptEvent",
    "LLMCompletionLogEvent",
    "PauseEvent",
    "StreamingDeltaEvent",
    "TokenEvent",
];

fn end<'a>(event: &'a Event<'_>, output: &'a Text<'_>, flagged: bool) -> End<'a> {
    End { call_id: Some(&event.tool_call_id.0), output: Cow::Borrowed(&output.0), flagged, ..End::default() }
}

fn action(event: &Event<'_>, origin: &Origin, out: &mut Transcript<'_>) {
    if !event.thought.0.trim().is_empty() {
        out.message(origin, false, None, &event.thought.0);
    }
    let arguments = event.tool_call.as_ref().map_or("", |call| &call.arguments.0);
    let input = read_input(arguments);
    let typed = serde_json::from_str::<InputFlag<'_>>(arguments).ok().and_then(|typed| typed.is_input);
    let is_typed = typed.is_some_and(|raw| matches!(raw.get().trim_matches('"'), "true" | "True"));
    let is_command = input.is_command && !is_typed;
    let (call_id, tool) = (Some(&*event.tool_call_id.0), &*event.tool_name.0);
    out.start(origin, &Start { call_id, tool, input: input.text, is_command });
}

fn observation(event: &Event<'_>, origin: &Origin, out: &mut Transcript<'_>) {
    let Some(seen) = &event.observation else {
        return out.end(origin, &End { tool: Some(&event.tool_name.0), ..end(event, &event.error, false) });
    };
    let text = if seen.content.0.is_empty() { &seen.output } else { &seen.content };
    let error = seen.error.map(RawValue::get).unwrap_or_default();
    let flagged = seen.is_error == Some(true) || !matches!(error, "" | "null" | "false" | "\"\"");
    if let Some(refusal) = seen.metadata.as_ref().and_then(Metadata::refusal) {
        let (tool, command) = (Some(&*event.tool_name.0), Some(seen.command.0.clone().into_owned()));
        let said = Text(Cow::Owned(format!("{}\n{refusal}", text.0)));
        return out.end(origin, &End { tool, command, ..end(event, &said, true) });
    }
    // -1 means a command that has not ended or, in the metadata, an unknown code.
    let in_metadata = seen.metadata.as_ref().and_then(|metadata| metadata.exit_code);
    let is_terminal = seen.exit_code.is_some() || in_metadata.is_some();
    let ending = if seen.exit_code == Some(-1) { Ending::Running } else { Ending::Returned };
    let exit_code = seen.exit_code.or(in_metadata).filter(|code| *code != -1);
    let command = (is_terminal && !seen.command.0.is_empty()).then(|| seen.command.0.clone().into_owned());
    let tool = Some(&*event.tool_name.0);
    out.end(origin, &End { tool, exit_code, ending, command, ..end(event, text, flagged) });
}
