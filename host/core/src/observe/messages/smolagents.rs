//! Steps of smolagents (`AgentMemory.get_full_steps`): a task, then the agent's steps, each with what was observed after all of
//! its calls.

use std::borrow::Cow;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::numbers::{time_of, usage};
use crate::observe::content::{BoundedList, Text, lenient};
use crate::observe::openai::ToolCall;
use crate::observe::reported::{End, Origin};
use crate::observe::{SkipReason, Transcript, parse};

/// A step of smolagents: calls, and what was observed after all of them.
#[derive(Deserialize)]
struct Step<'a> {
    #[serde(borrow, default)]
    task: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    timing: Option<Timing<'a>>,
    #[serde(borrow, default)]
    model_output: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    tool_calls: Option<BoundedList<ToolCall<'a>>>,
    #[serde(borrow, default)]
    observations: Text<'a>,
    #[serde(borrow, default)]
    error: Option<Text<'a>>,
    #[serde(borrow, default)]
    token_usage: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Timing<'a> {
    #[serde(borrow, default)]
    start_time: Option<&'a RawValue>,
    #[serde(borrow, default)]
    end_time: Option<&'a RawValue>,
}

/// Reports a step.
pub(super) fn take(bytes: &[u8], around: &Origin, out: &mut Transcript<'_>) -> Result<(), SkipReason> {
    report(&parse(bytes)?, around, out);
    Ok(())
}

fn report(step: &Step<'_>, around: &Origin, out: &mut Transcript<'_>) {
    let at = |pick: fn(&Timing<'_>) -> Option<Timestamp>| step.timing.as_ref().and_then(pick).or(around.time);
    let origin = |time| Origin { time, session: around.session.clone() };
    let start = origin(at(|timing| timing.start_time.and_then(time_of)));
    let ended = origin(at(|timing| timing.end_time.and_then(time_of)));
    if !step.task.0.is_empty() {
        return out.message(&start, true, None, &step.task.0);
    }
    out.usage_for_next(&start, usage(step.token_usage), "");
    if !step.model_output.0.is_empty() {
        out.message(&start, false, None, &step.model_output.0);
    }
    let error = step.error.as_ref().map(|error| &*error.0).filter(|error| !error.is_empty());
    let observed = match (error, &*step.observations.0) {
        (Some(error), "") => Cow::Borrowed(error),
        (Some(error), seen) => Cow::Owned(format!("{seen}\n{error}")),
        (None, seen) => Cow::Borrowed(seen),
    };
    let list = step.tool_calls.as_deref().unwrap_or_default();
    for (at, call) in list.iter().enumerate() {
        call.start(&start, out);
        // The step has one text for all of its calls.
        let is_last = at + 1 == list.len();
        let output = Cow::Borrowed(if is_last { &*observed } else { "" });
        let end = End::as_stated(Some(&call.id.0), output, is_last && error.is_some());
        out.end(&ended, &end);
    }
    if let Some(error) = error.filter(|_| list.is_empty()) {
        out.exception(&ended, error);
    }
}
