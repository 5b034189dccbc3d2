//! Trajectories in the Agent Trajectory Interchange Format, versions 1.0 to 1.8 (`trajectory.json` of Harbor and of programs
//! that export to it): a document whose steps hold what the user or the agent said, the agent's calls and what was observed.
//!
//! A result names its call, unless several commands were typed into one terminal ([`terminal`]). Error flags and exit codes
//! have no place; some writers put them into `extra`, others into the text.

mod harbor;
mod terminal;

use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{BoundedList, Text, lenient};
use super::document::Path;
use super::input::read_input;
use super::reported::{End, Origin, Start};
use super::time::read_time;
use super::usage::TokenCounts;
use super::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, parse, peek};
use crate::outcome::Ending;
use terminal::screens;

pub(super) const FORMAT: Format = Format {
    name: "atif",
    recognise: Recognise::Head(recognises),
    open: |_| Opened::Document(PATHS, Box::<Atif>::default()),
};

const PATHS: &[Path] = &[
    &["steps", "*"],
    &["subagent_trajectories", "*", "steps", "*"],
    &["session_id"],
    &["agent", "model_name"],
    &["subagent_trajectories", "*", "trajectory_id"],
];
const SESSION_ID: usize = 2;
const MODEL: usize = 3;
const TRAJECTORY_ID: usize = 4;

/// A document that says so, or that has steps in its form: not every writer gives the version's full name.
fn recognises(head: &[u8]) -> bool {
    peek::string_field(head, "schema_version").is_some_and(|version| version.starts_with(b"ATIF-"))
        || peek::value_field(head, "steps").and_then(|steps| steps.strip_prefix(b"[")).is_some_and(|steps| {
            let has = |name| peek::value_field(steps.trim_ascii_start(), name).is_some();
            has("step_id") && has("source") && has("message")
        })
}

#[derive(Default)]
struct Atif {
    document: u64,
    session: Option<Arc<str>>,
    model: String,
    calls: u64,
}

#[derive(Deserialize)]
struct Step<'a> {
    #[serde(borrow, default)]
    timestamp: Text<'a>,
    #[serde(borrow, default)]
    source: Text<'a>,
    #[serde(borrow, default)]
    message: Text<'a>,
    #[serde(borrow, default)]
    model_name: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    tool_calls: Option<BoundedList<ToolCall<'a>>>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    observation: Option<Observation<'a>>,
    #[serde(borrow, default)]
    metrics: Option<&'a RawValue>,
    #[serde(default, deserialize_with = "lenient")]
    is_copied_context: Option<bool>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    extra: Option<Extra<'a>>,
}

#[derive(Deserialize)]
struct ToolCall<'a> {
    #[serde(borrow, default, rename = "tool_call_id")]
    id: Text<'a>,
    #[serde(borrow, default)]
    function_name: Text<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Observation<'a> {
    #[serde(borrow, default)]
    results: BoundedList<Observed<'a>>,
}

#[derive(Deserialize)]
struct Observed<'a> {
    #[serde(borrow, default)]
    source_call_id: Text<'a>,
    #[serde(borrow, default)]
    content: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    extra: Option<Extra<'a>>,
}

/// What writers add about a result.
#[derive(Deserialize, Default)]
struct Extra<'a> {
    #[serde(default, deserialize_with = "lenient")]
    is_error: Option<bool>,
    #[serde(default, deserialize_with = "lenient")]
    tool_result_is_error: Option<bool>,
    #[serde(borrow, default)]
    error: Text<'a>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(default, deserialize_with = "lenient")]
    exit_code: Option<i64>,
    #[serde(default, deserialize_with = "lenient")]
    metadata: Option<Details>,
    #[serde(default, deserialize_with = "lenient")]
    tool_metadata: Option<Details>,
    #[serde(default, deserialize_with = "lenient")]
    tool_result_metadata: Option<Details>,
}

#[derive(Deserialize)]
struct Details {
    #[serde(default, deserialize_with = "lenient")]
    exit_code: Option<i64>,
    #[serde(default, deserialize_with = "lenient")]
    is_error: Option<bool>,
}

impl Extra<'_> {
    fn is_flagged(&self) -> bool {
        self.is_error == Some(true)
            || self.tool_result_is_error == Some(true)
            || !self.error.0.is_empty()
            || matches!(&*self.status.0, "error" | "failed" | "failure")
            || self.details().any(|details| details.is_error == Some(true))
    }

    fn is_stopped(&self) -> bool {
        matches!(&*self.status.0, "cancelled" | "canceled" | "rejected" | "aborted" | "declined")
    }

    fn code(&self) -> Option<i64> {
        self.exit_code.or_else(|| self.details().find_map(|details| details.exit_code))
    }

    fn details(&self) -> impl Iterator<Item = &Details> {
        [&self.metadata, &self.tool_metadata, &self.tool_result_metadata].into_iter().flatten()
    }
}

/// What is typed into a terminal.
#[derive(Deserialize)]
struct Keys<'a> {
    #[serde(borrow)]
    keystrokes: Text<'a>,
}

impl LogReader for Atif {
    fn read(&mut self, path: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        if out.document != self.document {
            *self = Self { document: out.document, ..Self::default() };
        }
        LineResult::of(match path {
            SESSION_ID | TRAJECTORY_ID => parse::<Text<'_>>(bytes).map(|id| {
                if !id.0.is_empty() {
                    self.session = Some(out.session(&id.0));
                }
            }),
            MODEL => parse::<Text<'_>>(bytes).map(|name| self.model = name.0.into_owned()),
            _ => parse::<Step<'_>>(bytes).and_then(|step| self.step(&step, out)),
        })
    }
}

impl Atif {
    fn step(&mut self, step: &Step<'_>, out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        if step.is_copied_context == Some(true) {
            return Err(SkipReason::Duplicate);
        }
        let session = self.session.get_or_insert_with(|| out.file_session()).clone();
        let origin = Origin { time: read_time(&step.timestamp.0), session };
        match &*step.source.0 {
            "user" => out.message(&origin, true, None, &step.message.0),
            "agent" => {
                let model = if step.model_name.0.is_empty() { &*self.model } else { &*step.model_name.0 };
                out.usage_for_next(&origin, TokenCounts::read(step.metrics).usage_including_cache(), model);
                let refused = step.tool_calls.is_none().then(|| refused_tool(&step.message.0)).flatten();
                match refused {
                    Some(tool) => self.refused(tool, &step.message.0, &origin, out),
                    None if step.message.0.trim().is_empty() => {}
                    None => out.message(&origin, false, None, &step.message.0),
                }
            }
            "system" => {}
            _ => return Err(SkipReason::UnknownType),
        }
        self.calls(step, &origin, out);
        Ok(())
    }

    /// A call that the agent's program refused before it was one.
    fn refused(&mut self, tool: &str, said: &str, origin: &Origin, out: &mut Transcript<'_>) {
        let id = self.id_of("");
        let call_id = Some(&*id);
        out.start(origin, &Start { call_id, tool, input: "".into(), is_command: false });
        out.end(origin, &End { call_id, output: said.into(), flagged: true, untimed: true, ..End::default() });
    }

    fn calls(&mut self, step: &Step<'_>, origin: &Origin, out: &mut Transcript<'_>) {
        let calls = step.tool_calls.as_deref().unwrap_or_default();
        let results = step.observation.as_ref().map_or(&[][..], |observation| &observation.results);
        let ids: Vec<String> = calls.iter().map(|call| self.id_of(&call.id.0)).collect();
        let typed: Vec<Option<String>> = calls.iter().map(keys).collect();
        for ((call, id), keys) in calls.iter().zip(&ids).zip(&typed) {
            start(call, id, keys.as_deref(), origin, out);
        }
        let named = |id: &str| results.iter().find(|result| !id.is_empty() && *result.source_call_id.0 == *id);
        let mut unnamed = results.iter().filter(|result| result.source_call_id.0.is_empty()).peekable();
        let left: Vec<usize> =
            (0..calls.len()).filter(|at| calls.get(*at).is_some_and(|call| named(&call.id.0).is_none())).collect();
        let shared = if unnamed.clone().count() == 1 { unnamed.peek().map(|result| &*result.content.0) } else { None };
        let texts: Vec<&str> = left.iter().filter_map(|at| typed.get(*at)?.as_deref()).collect();
        let mut shown =
            shared.filter(|_| texts.len() == left.len()).map(|text| screens(text, &texts)).unwrap_or_default();
        for (at, (call, id)) in calls.iter().zip(&ids).enumerate() {
            if let Some(result) = named(&call.id.0) {
                let text = typed.get(at).cloned().flatten().map(|keys| screens(&result.content.0, &[&keys]));
                let text =
                    text.and_then(|mut texts| texts.pop()).unwrap_or_else(|| result.content.0.clone().into_owned());
                end(result, id, text, step.extra.as_ref().filter(|_| calls.len() == 1), origin, out);
            } else if !shown.is_empty()
                && let Some(result) = unnamed.peek()
            {
                end(result, id, shown.remove(0), None, origin, out);
            } else if let Some(result) = unnamed.next() {
                end(result, id, result.content.0.clone().into_owned(), None, origin, out);
            }
        }
    }

    /// The id that the log gives a call, or one of its own.
    fn id_of(&mut self, given: &str) -> String {
        self.calls += 1;
        if given.is_empty() { format!("call-{}", self.calls) } else { given.to_owned() }
    }
}

/// The tool that a message of the agent's program names because it refused a call of it: `OpenHands` logs a call with wrong
/// parameters as a message without a call.
fn refused_tool(message: &str) -> Option<&str> {
    const REFUSES: [(&str, &str); 3] = [
        ("Missing required parameters for function '", "': {"),
        ("Parameter '", "'. Allowed parameters: "),
        ("Function '", "' not found in available tools: "),
    ];
    let is_refusal = REFUSES.iter().any(|(start, rest)| message.starts_with(start) && message.contains(rest));
    let (_, named) = message.split_once("unction '").filter(|_| is_refusal)?;
    named.split('\'').next().filter(|tool| !tool.is_empty() && !tool.contains(char::is_whitespace))
}

fn keys(call: &ToolCall<'_>) -> Option<String> {
    let arguments: Keys<'_> = serde_json::from_str(call.arguments?.get()).ok()?;
    Some(arguments.keystrokes.0.into_owned())
}

fn start(call: &ToolCall<'_>, id: &str, keys: Option<&str>, origin: &Origin, out: &mut Transcript<'_>) {
    let (call_id, tool) = (Some(id), &*call.function_name.0);
    if let Some(keys) = keys {
        // Without the enter key it is no command yet: `C-c`, `q`, an answer.
        let is_command = keys.ends_with('\n') && !keys.trim().is_empty();
        return out.start(origin, &Start { call_id, tool, input: keys.trim_end().into(), is_command });
    }
    let input = read_input(call.arguments.map_or("", RawValue::get));
    out.start(origin, &Start { call_id, tool, input: input.text, is_command: input.is_command });
}

fn end(
    result: &Observed<'_>,
    id: &str,
    text: String,
    of_step: Option<&Extra<'_>>,
    origin: &Origin,
    out: &mut Transcript<'_>,
) {
    let extras = || result.extra.iter().chain(of_step);
    let said = extras().map(|extra| &*extra.error.0).find(|said| !said.is_empty() && text.is_empty());
    let result = harbor::read(said.unwrap_or(&text));
    let exit_code = extras().find_map(Extra::code).or(result.exit_code);
    let flagged = result.flagged || extras().any(Extra::is_flagged);
    let end = End::as_stated(Some(id), result.text.into_owned().into(), flagged);
    let no_exit_codes = end.no_exit_codes && exit_code.is_none();
    let ending = if result.interrupted || extras().any(Extra::is_stopped) { Ending::Stopped } else { Ending::Returned };
    out.end(origin, &End { exit_code, no_exit_codes, ending, untimed: true, ..end });
}
