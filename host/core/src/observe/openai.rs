//! The form of `OpenAI`'s tool calls, which several agents use.

use serde::Deserialize;

use super::content::Text;
use super::input::read_input;
use super::transcript::{Origin, Start, Transcript};

/// An element of a message's `tool_calls`.
#[derive(Deserialize)]
pub(super) struct ToolCall<'a> {
    #[serde(borrow, default)]
    pub id: Text<'a>,
    #[serde(borrow, default)]
    function: Function<'a>,
}

#[derive(Deserialize, Default)]
struct Function<'a> {
    #[serde(borrow, default)]
    name: Text<'a>,
    /// JSON as text.
    #[serde(borrow, default)]
    arguments: Text<'a>,
}

impl ToolCall<'_> {
    /// Reports the call.
    pub(super) fn start(&self, origin: &Origin, out: &mut Transcript<'_>) {
        let input = read_input(&self.function.arguments.0);
        let (call_id, tool) = (Some(&*self.id.0), &*self.function.name.0);
        out.start(origin, &Start { call_id, tool, input: input.text, is_command: input.is_command });
    }
}
