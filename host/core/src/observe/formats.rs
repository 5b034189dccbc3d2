//! The list of all formats, and how a file's format is recognised.

use super::format::{Format, Recognise, without_bom};
use super::{
    aider, atif, claude_code, codex, copilot, droid, gemini, gemini_stream, gephost, langfuse, langsmith, mcp,
    messages, mini_swe_agent, nanobot, opencode, openhands, otlp, pi, plain, specstory, swe_agent,
};

/// Bytes at the start of a file that are used to recognise its format.
pub const HEAD_BYTES: usize = 256 * 1024;

/// The name in a [`super::FileSummary`] if no format was recognised.
pub const UNKNOWN_FORMAT: &str = "unknown";

/// Every format, in the order in which they are tried.
pub static FORMATS: &[Format] = &[
    claude_code::FORMAT,
    codex::FORMAT,
    codex::EXEC,
    codex::TERMINAL,
    gephost::FORMAT,
    copilot::FORMAT,
    droid::FORMAT,
    pi::FORMAT,
    gemini::FORMAT,
    gemini_stream::FORMAT,
    nanobot::FORMAT,
    openhands::FORMAT,
    opencode::FORMAT,
    atif::FORMAT,
    swe_agent::FORMAT,
    mini_swe_agent::FORMAT,
    otlp::FORMAT,
    langfuse::FORMAT,
    langsmith::FORMAT,
    mcp::FORMAT,
    messages::AUTOGEN,
    messages::LANGCHAIN,
    messages::SMOLAGENTS,
    messages::GOOSE,
    messages::ANTHROPIC,
    messages::OPENAI_RESPONSES,
    messages::OPENAI_CHAT,
    specstory::FORMAT,
    aider::FORMAT,
    plain::PYTEST,
    plain::UNITTEST,
    plain::CARGO,
    plain::GO,
    plain::BUN,
    plain::VITEST,
    plain::JEST,
    plain::NODE,
    plain::TSC,
    plain::NPM,
    plain::GIT,
    plain::PYTHON,
    plain::LINT,
    plain::SHELL,
];

/// Recognises a format by the start of a file, of which at most [`HEAD_BYTES`] are used. The first line that only one
/// format writes decides. If there is none, the start as a whole decides.
pub fn recognise(head: &[u8]) -> Option<&'static Format> {
    let head = without_bom(head.get(..head.len().min(HEAD_BYTES)).unwrap_or_default());
    let by_line =
        |line: &[u8]| FORMATS.iter().find(|format| matches!(format.recognise, Recognise::Line(is) if is(line)));
    let by_head = || FORMATS.iter().find(|format| matches!(format.recognise, Recognise::Head(is) if is(head)));
    head.split(|byte| *byte == b'\n').find_map(by_line).or_else(by_head)
}

/// Formats of sessions that are stored as text for people.
const CONVERSATIONS: [&str; 3] = [aider::FORMAT.name, specstory::FORMAT.name, codex::TERMINAL.name];

/// As [`recognise`], for a file that is named like any other text: only a session of an agent counts, not the output of
/// a tool.
pub fn recognise_conversation(head: &[u8]) -> Option<&'static Format> {
    recognise(head).filter(|format| CONVERSATIONS.contains(&format.name))
}

/// The format with this name.
pub fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
