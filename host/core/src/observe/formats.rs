//! The one list of formats.

use super::format::{Format, Is, without_mark};
use super::{
    aider, claude_code, codex, copilot, gemini, gephost, langfuse, langsmith, mcp, mini_swe_agent, nanobot, opencode,
    openhands, otlp, pi, plain, swe_agent,
};

/// How much of a file's beginning is looked at to recognise its format.
pub const HEAD_BYTES: usize = 256 * 1024;

/// The name in a [`super::FileSummary`] where no format was recognised.
pub const UNKNOWN_FORMAT: &str = "unknown";

/// Every format, in the order of asking.
pub static FORMATS: &[Format] = &[
    claude_code::FORMAT,
    codex::FORMAT,
    gephost::FORMAT,
    copilot::FORMAT,
    pi::FORMAT,
    gemini::FORMAT,
    nanobot::FORMAT,
    openhands::FORMAT,
    opencode::FORMAT,
    swe_agent::FORMAT,
    mini_swe_agent::FORMAT,
    otlp::FORMAT,
    langfuse::FORMAT,
    langsmith::FORMAT,
    mcp::FORMAT,
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

/// Recognises a format by the beginning of a file, of which at most [`HEAD_BYTES`] are looked at: the first line that
/// only one format writes decides, and where there is none the beginning as a whole.
pub fn recognise(head: &[u8]) -> Option<&'static Format> {
    let head = without_mark(head.get(..head.len().min(HEAD_BYTES)).unwrap_or_default());
    let by_line = |line: &[u8]| FORMATS.iter().find(|format| matches!(format.is, Is::Line(is) if is(line)));
    let by_head = || FORMATS.iter().find(|format| matches!(format.is, Is::Head(is) if is(head)));
    head.split(|byte| *byte == b'\n').find_map(by_line).or_else(by_head)
}

/// The format of this name.
pub fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}
