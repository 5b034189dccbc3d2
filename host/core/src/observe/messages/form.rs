//! How a message is told from any other object.

use crate::observe::peek::{string_field, value_field};

/// Whose messages they are. All of them are read by the same reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    AutoGen,
    LangChain,
    Smolagents,
    Goose,
    Anthropic,
    Responses,
    Chat,
}

const ROLES: [&[u8]; 11] = [
    b"user",
    b"assistant",
    b"system",
    b"developer",
    b"tool",
    b"function",
    b"human",
    b"ai",
    b"model",
    b"tool-call",
    b"tool-response",
];
/// Members of a message with a role, of which it has one.
const CONTENTS: [&str; 5] = ["content", "parts", "tool_calls", "function_call", "tool_responses"];
/// Types of items of the Responses API, and a member that comes with each.
const ITEMS: [(&[u8], &str); 20] = [
    (b"message", "role"),
    (b"reasoning", "summary"),
    (b"function_call", "call_id"),
    (b"function_call_output", "output"),
    (b"custom_tool_call", "call_id"),
    (b"custom_tool_call_output", "output"),
    (b"local_shell_call", "action"),
    (b"local_shell_call_output", "output"),
    (b"shell_call", "action"),
    (b"shell_call_output", "output"),
    (b"apply_patch_call", "operation"),
    (b"apply_patch_call_output", "status"),
    (b"mcp_call", "server_label"),
    (b"mcp_list_tools", "server_label"),
    (b"web_search_call", "status"),
    (b"file_search_call", "queries"),
    (b"computer_call", "call_id"),
    (b"code_interpreter_call", "container_id"),
    (b"image_generation_call", "status"),
    (b"compaction", "encrypted_content"),
];
const LANGCHAIN_TYPES: [&[u8]; 10] = [
    b"human",
    b"ai",
    b"system",
    b"tool",
    b"function",
    b"HumanMessage",
    b"AIMessage",
    b"AIMessageChunk",
    b"SystemMessage",
    b"ToolMessage",
];
const AUTOGEN_TYPES: [&[u8]; 14] = [
    b"TextMessage",
    b"MultiModalMessage",
    b"StopMessage",
    b"HandoffMessage",
    b"ToolCallRequestEvent",
    b"ToolCallExecutionEvent",
    b"ToolCallSummaryMessage",
    b"CodeGenerationEvent",
    b"CodeExecutionEvent",
    b"ThoughtEvent",
    b"MemoryQueryEvent",
    b"UserMessage",
    b"AssistantMessage",
    b"FunctionExecutionResultMessage",
];

/// Whether the object at the start of `text`, which may be cut, is a message in any form.
pub(super) fn is_message(text: &[u8]) -> bool {
    form(text).is_some()
}

/// Whether a list that begins with such a message is one of a conversation. Other documents have lists of steps, inputs and
/// outputs too.
pub(super) fn is_conversation(key: &[u8], list: &[u8]) -> bool {
    key != b"steps" || form(list) == Some(Dialect::Smolagents)
}

fn has_role(text: &[u8]) -> bool {
    string_field(text, "role").is_some_and(|role| ROLES.contains(&role))
        && CONTENTS.iter().any(|name| value_field(text, name).is_some())
}

/// The form of the message at the start of `text`; `None` if it is none.
pub(super) fn form(text: &[u8]) -> Option<Dialect> {
    let has = |name| value_field(text, name).is_some();
    if has_role(text) {
        return Some(if string_field(text, "type") == Some(b"message") { Dialect::Responses } else { Dialect::Chat });
    }
    if (has("step_number") && has("observations")) || (has("task") && has("task_images")) {
        return Some(Dialect::Smolagents);
    }
    let kind = string_field(text, "type")?;
    // Goose prints each message in an object.
    if kind == b"message" && value_field(text, "message").is_some_and(has_role) {
        return Some(Dialect::Chat);
    }
    if ITEMS.iter().any(|(name, member)| *name == kind && has(member)) {
        return Some(Dialect::Responses);
    }
    if AUTOGEN_TYPES.contains(&kind) && has("content") && (has("source") || kind.starts_with(b"FunctionExecution")) {
        return Some(Dialect::AutoGen);
    }
    let dumped = || has("content") && (has("additional_kwargs") || has("response_metadata"));
    let wrapped = || value_field(text, "data").is_some_and(|data| value_field(data, "content").is_some());
    if LANGCHAIN_TYPES.contains(&kind) && (dumped() || wrapped()) {
        return Some(Dialect::LangChain);
    }
    let serialized = kind == b"constructor" && has("lc") && has("kwargs");
    serialized.then_some(Dialect::LangChain)
}
