//! Calls and results as parts that say how the call ended: those of Amp's threads, where a result has a `run` with a status,
//! and those of the AI SDK's messages for user interfaces, where a call and its result are one part with a state.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::calls::Calls;
use crate::observe::content::{Message, Text, lenient};
use crate::observe::langfuse::text_or_json;
use crate::observe::reported::{End, Origin};
use crate::observe::{Transcript, openai};
use crate::outcome::Ending;

/// A result of Amp.
#[derive(Deserialize)]
pub(super) struct Ran<'a> {
    #[serde(borrow, default, rename = "toolUseID")]
    id: Text<'a>,
    #[serde(borrow)]
    run: Run<'a>,
}

#[derive(Deserialize)]
struct Run<'a> {
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    error: Option<Message<'a>>,
    #[serde(borrow, default)]
    reason: Text<'a>,
}

impl Ran<'_> {
    pub(super) fn end(&self, origin: &Origin, calls: &mut Calls, out: &mut Transcript<'_>) {
        let said = self.run.error.as_ref().map_or("", |error| &error.message.0);
        match &*self.run.status.0 {
            "done" => calls.end(&self.id.0, "", text_or_json(self.run.result), false, origin, out),
            "error" => calls.end(&self.id.0, "", Cow::Borrowed(said), true, origin, out),
            "cancelled" | "rejected-by-user" => stop(&self.id.0, &self.run.reason.0, origin, out),
            // It waits or runs.
            _ => {}
        }
    }
}

/// A call of the AI SDK: `tool-NAME` and `dynamic-tool` since version 5, `tool-invocation` before.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Shown<'a> {
    #[serde(borrow, default, rename = "type")]
    kind: Text<'a>,
    #[serde(borrow, default)]
    tool_call_id: Text<'a>,
    #[serde(borrow, default)]
    tool_name: Text<'a>,
    #[serde(borrow, default)]
    state: Text<'a>,
    #[serde(borrow, default)]
    input: Option<&'a RawValue>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
    #[serde(borrow, default)]
    output: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error_text: Text<'a>,
    #[serde(borrow, default)]
    tool_invocation: Option<&'a RawValue>,
}

impl Shown<'_> {
    pub(super) fn report(&self, origin: &Origin, calls: &mut Calls, out: &mut Transcript<'_>) {
        let inner = self.tool_invocation.and_then(|raw| serde_json::from_str::<Shown<'_>>(raw.get()).ok());
        if let Some(inner) = inner.filter(|inner| inner.tool_invocation.is_none()) {
            return inner.report(origin, calls, out);
        }
        let named = Some(&*self.tool_name.0).filter(|name| !name.is_empty());
        let tool = named.or_else(|| self.kind.0.strip_prefix("tool-")).unwrap_or_default();
        let id = if self.tool_call_id.0.is_empty() { calls.unique() } else { self.tool_call_id.0.clone().into_owned() };
        // The model still writes the arguments.
        if matches!(&*self.state.0, "input-streaming" | "partial-call") {
            return;
        }
        openai::start(&id, tool, self.input.or(self.args), origin, out);
        match &*self.state.0 {
            "output-available" | "result" => {
                calls.end(&id, tool, text_or_json(self.output.or(self.result)), false, origin, out);
            }
            "output-error" => calls.end(&id, tool, Cow::Borrowed(&*self.error_text.0), true, origin, out),
            "output-denied" => stop(&id, &self.error_text.0, origin, out),
            _ => {}
        }
    }
}

/// Reports that the user stopped a call.
fn stop(id: &str, reason: &str, origin: &Origin, out: &mut Transcript<'_>) {
    out.end(origin, &End { call_id: Some(id), output: reason.into(), ending: Ending::Stopped, ..End::default() });
}
