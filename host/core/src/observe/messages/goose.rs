//! Calls and results as parts of Goose's messages (block/goose `crates/goose/src/conversation/message.rs`). Each is the
//! outcome of reading it: a value, or an error.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::calls::Calls;
use crate::observe::content::{Text, lenient};
use crate::observe::reported::Origin;
use crate::observe::{Transcript, openai};

/// A call or a result.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part<'a> {
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    tool_call: Option<Outcome<'a>>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    tool_result: Option<Outcome<'a>>,
}

#[derive(Deserialize)]
struct Outcome<'a> {
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default)]
    value: Option<&'a RawValue>,
    #[serde(borrow, default)]
    error: Text<'a>,
}

#[derive(Deserialize)]
struct Called<'a> {
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Returned {
    #[serde(default, deserialize_with = "lenient")]
    is_error: Option<bool>,
}

pub(super) fn part(json: &str) -> Option<Part<'_>> {
    serde_json::from_str(json).ok()
}

impl Part<'_> {
    pub(super) fn report(&self, origin: &Origin, calls: &mut Calls, out: &mut Transcript<'_>) {
        if let Some(call) = &self.tool_call {
            let called = call.value.and_then(|raw| serde_json::from_str::<Called<'_>>(raw.get()).ok());
            match called {
                Some(called) => openai::start(&self.id.0, &called.name.0, called.arguments, origin, out),
                // The model asked for something that is no call.
                None => out.exception(origin, &call.error.0),
            }
        }
        if let Some(result) = &self.tool_result {
            let raw = result.value.map_or("null", RawValue::get);
            let text = serde_json::from_str::<Text<'_>>(raw).unwrap_or_default().0;
            let says_error = serde_json::from_str::<Returned>(raw).is_ok_and(|value| value.is_error == Some(true));
            let flagged = result.status.0 == "error" || says_error;
            let output = if text.is_empty() { Cow::Borrowed(&*result.error.0) } else { text };
            calls.end(&self.id.0, "", output, flagged, origin, out);
        }
    }
}
