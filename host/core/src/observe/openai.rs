//! The form of `OpenAI`'s tool calls, which several agents use.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{Text, lenient};
use super::input::read_input;
use super::langfuse::text_or_json;
use super::reported::{Origin, Start};
use super::transcript::Transcript;

/// An element of a message's `tool_calls`.
#[derive(Deserialize)]
pub(super) struct ToolCall<'a> {
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    function: Option<Function<'a>>,
    /// `LangChain` has name and arguments here.
    #[serde(borrow, default)]
    name: Text<'a>,
    #[serde(borrow, default)]
    args: Option<&'a RawValue>,
}

/// What is called. The member `function_call` of a message was one, before there were `tool_calls`.
#[derive(Deserialize, Default)]
pub(super) struct Function<'a> {
    #[serde(borrow, default)]
    pub name: Text<'a>,
    /// JSON, mostly as text.
    #[serde(borrow, default)]
    pub arguments: Option<&'a RawValue>,
}

impl ToolCall<'_> {
    /// Reports the call.
    pub(super) fn start(&self, origin: &Origin, out: &mut Transcript<'_>) {
        self.start_as(&self.id.0, origin, out);
    }

    /// Reports the call under an id of its own.
    pub(super) fn start_as(&self, id: &str, origin: &Origin, out: &mut Transcript<'_>) {
        match &self.function {
            Some(function) => function.start_as(id, origin, out),
            None => start(id, &self.name.0, self.args, origin, out),
        }
    }

    pub(super) fn name(&self) -> &str {
        self.function.as_ref().map_or(&self.name.0, |function| &function.name.0)
    }
}

impl Function<'_> {
    /// Reports the call.
    pub(super) fn start_as(&self, id: &str, origin: &Origin, out: &mut Transcript<'_>) {
        start(id, &self.name.0, self.arguments, origin, out);
    }
}

/// Reports a call whose arguments are JSON, or JSON as text.
pub(super) fn start(id: &str, tool: &str, arguments: Option<&RawValue>, origin: &Origin, out: &mut Transcript<'_>) {
    let arguments = text_or_json(arguments);
    let input = read_input(&arguments);
    out.start(origin, &Start { call_id: Some(id), tool, input: input.text, is_command: input.is_command });
}
