//! `OpenHands` event histories: evaluation output with one instance a line, an exported trajectory (a list), or one
//! event a file under `<conversation>/events`. Events of the agent SDK are read in [`sdk`], those of version 0 here.
//!
//! In version 0, the `cause` of an observation is the id of its action. The exit code is in `extras.metadata`. A failed
//! edit has no flag, only a content that starts with `ERROR:`.

mod sdk;
mod state;

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{Text, lenient};
use super::document::Path;
use super::input::read_input;
use super::reported::{End, Origin, Start};
use super::time::read_time;
use super::usage::TokenCounts;
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, parse, peek};
use crate::outcome::{Ending, was_not_run};
use crate::run_event::Usage;
use state::{MAX_ACTIONS, Metadata, OpenHands};

pub(super) const FORMAT: Format = Format { name: "openhands", recognise: Recognise::Head(recognises), open };

const HISTORY: &[Path] = &[&["history", "*"], &["instance_id"], &["metrics"]];
const INSTANCE_ID: usize = 1;
const METRICS: usize = 2;
const LIST: &[Path] = &[&["*"]];
const EVENT: &[Path] = &[&[]];

fn recognises(head: &[u8]) -> bool {
    let text = head.trim_ascii_start();
    let text = text.strip_prefix(b"[").unwrap_or(text);
    let keys: Vec<&[u8]> = peek::fields(text).map(|(key, _)| key).collect();
    let has = |name: &str| keys.contains(&name.as_bytes());
    let instance = has("instance_id") && (has("history") || has("test_result") || has("instruction"));
    let event = has("source") && has("timestamp");
    instance || (event && (has("action") || has("observation"))) || (event && sdk::recognises(text))
}

fn open(head: &[u8]) -> Opened {
    let text = head.trim_ascii_start();
    let is_list = text.starts_with(b"[");
    let by_instance = !is_list && peek::value_field(text, "instance_id").is_some();
    let paths = match (is_list, by_instance) {
        (true, _) => LIST,
        (_, true) => HISTORY,
        _ => EVENT,
    };
    let single_event = !is_list && !by_instance;
    Opened::Document(paths, Box::new(OpenHands { by_instance, single_event, ..OpenHands::default() }))
}

#[derive(Deserialize)]
struct Event<'a> {
    #[serde(default, deserialize_with = "lenient")]
    id: Option<i64>,
    #[serde(borrow, default)]
    timestamp: Text<'a>,
    #[serde(borrow, default)]
    source: Text<'a>,
    #[serde(borrow, default)]
    action: Text<'a>,
    #[serde(borrow, default)]
    observation: Text<'a>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
    #[serde(borrow, default)]
    content: Text<'a>,
    #[serde(default, deserialize_with = "lenient")]
    cause: Option<i64>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    tool_call_metadata: Option<ToolCall<'a>>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    extras: Option<Extras<'a>>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    llm_metrics: Option<Metrics<'a>>,
}

/// The usage of an instance so far.
#[derive(Deserialize)]
struct Metrics<'a> {
    #[serde(borrow, default)]
    accumulated_cost: Option<&'a RawValue>,
    #[serde(borrow, default)]
    accumulated_token_usage: Option<&'a RawValue>,
}

/// The answer that called the tool.
#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default)]
    model: Text<'a>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[expect(clippy::struct_field_names, reason = "the names are the format's")]
struct ToolCall<'a> {
    #[serde(borrow, default)]
    function_name: Text<'a>,
    #[serde(borrow, default)]
    tool_call_id: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    model_response: Option<Response<'a>>,
}

#[derive(Deserialize)]
struct Extras<'a> {
    #[serde(borrow, default)]
    agent_state: Text<'a>,
    #[serde(borrow, default)]
    reason: Text<'a>,
    #[serde(default, deserialize_with = "lenient")]
    exit_code: Option<i64>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    metadata: Option<Metadata<'a>>,
}

#[derive(Deserialize)]
struct MessageArguments<'a> {
    #[serde(borrow, default)]
    content: Text<'a>,
}

impl LogReader for OpenHands {
    fn read(&mut self, path: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        if self.by_instance && path == INSTANCE_ID {
            return LineResult::of(parse::<Text<'_>>(bytes).map(|id| {
                self.session = Some(out.session(&id.0));
                self.actions.clear();
                self.acp.clear();
                (self.reported, self.total_reported, self.all_reported) = Default::default();
            }));
        }
        if self.by_instance && path == METRICS {
            let origin = Origin { time: None, session: self.session(out) };
            return LineResult::of(parse::<Metrics<'_>>(bytes).map(|metrics| {
                // A sum over several models names none of them.
                let (new, _) = self.total(&metrics, &origin, out);
                out.usage_for_newest(&origin, new, "");
                self.all_reported = true;
            }));
        }
        // Older histories pair each action with its observation.
        if bytes.starts_with(b"[") {
            return LineResult::of(parse::<Vec<&RawValue>>(bytes).map(|pair| {
                for raw in pair {
                    if let Err(reason) = self.event(raw.get().as_bytes(), out) {
                        out.state.summary.skip(reason);
                    }
                }
            }));
        }
        LineResult::of(self.event(bytes, out))
    }

    fn finish(&mut self, out: &mut Transcript<'_>) {
        if self.single_event {
            let session = self.session(out);
            out.defer_open_calls(&session);
        }
    }
}

impl OpenHands {
    fn event(&mut self, bytes: &[u8], out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        if sdk::recognises(bytes) {
            return self.sdk_event(bytes, out);
        }
        let event: Event<'_> = parse(bytes)?;
        let session = self.session(out);
        let id = event.id.unwrap_or_default().to_le_bytes();
        let identity: [&[u8]; 4] = [b"openhands", session.as_bytes(), event.timestamp.0.as_bytes(), &id];
        if !event.timestamp.0.is_empty() && event.id.is_some() && !out.shared.first_time(&identity) {
            return Err(SkipReason::Duplicate);
        }
        let origin = Origin { time: read_time(&event.timestamp.0), session };
        if event.action.0.is_empty() {
            self.observation(&event, &origin, out);
        } else {
            self.answer(&event, &origin, out);
            self.action(&event, &origin, out);
        }
        Ok(())
    }

    /// Newer histories record the total usage after each answer; older ones contain the model's own answer.
    fn answer(&mut self, event: &Event<'_>, origin: &Origin, out: &mut Transcript<'_>) {
        if self.all_reported {
            return;
        }
        if let Some(metrics) = &event.llm_metrics {
            let (new, model) = self.total(metrics, origin, out);
            return out.usage_for_next(origin, new, &model);
        }
        let response = event.tool_call_metadata.as_ref().and_then(|call| call.model_response.as_ref());
        if let Some(response) = response.filter(|_| !self.total_reported) {
            let usage = TokenCounts::read(response.usage).usage_including_cache();
            let new = out.new_usage_of_message(&response.id.0, usage);
            self.reported.add(&new);
            out.usage_for_next(origin, new, &response.model.0);
        }
    }

    /// The increase of a total, and the model that it names.
    fn total(&mut self, metrics: &Metrics<'_>, origin: &Origin, out: &mut Transcript<'_>) -> (Usage, String) {
        let total = TokenCounts::read(metrics.accumulated_token_usage)
            .with_cost(metrics.accumulated_cost)
            .usage_including_cache();
        if total.is_nothing() {
            return Default::default();
        }
        let new = out.new_usage_of_session(origin, total).unwrap_or(total);
        let new = if std::mem::replace(&mut self.total_reported, true) { new } else { new.beyond(&self.reported) };
        let usage = metrics.accumulated_token_usage.map_or("", RawValue::get);
        let model = peek::string_field(usage.as_bytes(), "model").unwrap_or_default();
        (new, String::from_utf8_lossy(model).into_owned())
    }

    fn action(&mut self, event: &Event<'_>, origin: &Origin, out: &mut Transcript<'_>) {
        let args = event.args.map_or("", RawValue::get);
        match &*event.action.0 {
            "message" => {
                let arguments = serde_json::from_str::<MessageArguments<'_>>(args)
                    .map(|arguments| arguments.content)
                    .unwrap_or_default();
                out.message(origin, event.source.0 == "user", None, &arguments.0);
            }
            "system"
            | "recall"
            | "null"
            | "change_agent_state"
            | "condensation"
            | "condensation_request"
            | "loop_recovery" => {}
            action => {
                let metadata = event.tool_call_metadata.as_ref();
                let call_id = event.id.map(|id| call_id(event, id)).unwrap_or_default();
                let tool =
                    metadata.map(|call| &*call.function_name.0).filter(|name| !name.is_empty()).unwrap_or(action);
                let input = read_input(args);
                let is_command = input.is_command && action == "run";
                out.start(origin, &Start { call_id: Some(&call_id), tool, input: input.text, is_command });
                if let Some(id) = event.id.filter(|_| self.actions.len() < MAX_ACTIONS) {
                    self.actions.insert(id, call_id);
                }
            }
        }
    }

    fn observation(&mut self, event: &Event<'_>, origin: &Origin, out: &mut Transcript<'_>) {
        let extras = event.extras.as_ref();
        let call_id = event.cause.and_then(|cause| match self.actions.remove(&cause) {
            None if self.single_event => Some(call_id(event, cause)).filter(|id| out.is_open(origin, id)),
            known => known,
        });
        let Some(call_id) = call_id else {
            if event.observation.0 == "error" {
                out.exception(origin, &event.content.0);
            } else if extras.is_some_and(|extras| extras.agent_state.0 == "error") {
                let reason = extras.map_or("", |extras| &extras.reason.0);
                out.exception(origin, if reason.is_empty() { "the agent stopped with an error" } else { reason });
            }
            return;
        };
        let text = &event.content.0;
        let metadata = extras.and_then(|extras| extras.metadata.as_ref());
        let exit_code =
            metadata.and_then(|metadata| metadata.exit_code).or_else(|| extras.and_then(|extras| extras.exit_code));
        let flagged = text.starts_with("ERROR:") || event.observation.0 == "error";
        let refusal = metadata.and_then(Metadata::refusal).map(|refusal| Cow::Owned(format!("{text}\n{refusal}")));
        // Older versions, and what is exported for reading, have these words in the output itself.
        let in_text = || Some(text.clone()).filter(|text| exit_code == Some(-1) && was_not_run(text));
        if let Some(output) = refusal.or_else(in_text) {
            return out.end(origin, &End { call_id: Some(&call_id), output, flagged: true, ..End::default() });
        }
        // -1 means that the command has not ended.
        let ending = if exit_code == Some(-1) { Ending::Running } else { Ending::Returned };
        out.end(
            origin,
            &End { call_id: Some(&call_id), output: text.clone(), flagged, exit_code, ending, ..End::default() },
        );
    }
}

/// The id of a call: the model's, else one made from the action's id.
fn call_id(event: &Event<'_>, action: i64) -> String {
    let named = event.tool_call_metadata.as_ref().map(|call| &*call.tool_call_id.0).filter(|id| !id.is_empty());
    named.map_or_else(|| format!("event-{action}"), str::to_owned)
}
