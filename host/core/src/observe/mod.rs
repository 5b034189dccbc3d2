//! From the bytes of an agent's log to [`RunEvent`]s: one file a format, and the one list that recognises them.
//!
//! What must stay true: one parse a line (or a document's piece), constant memory, no line is fatal, every line that
//! gave nothing where it should have is counted with its reason. A new format is a new file and one line in [`FORMATS`] (`formats.rs`).

mod aider;
mod claude_code;
mod codex;
mod content;
mod copilot;
mod document;
mod format;
mod formats;
mod gemini;
mod gephost;
mod input;
mod langfuse;
mod langsmith;
mod lines;
mod mcp;
mod mini_swe_agent;
mod nanobot;
mod open_call;
mod openai;
mod opencode;
mod openhands;
mod otlp;
mod peek;
mod pi;
mod places;
mod plain;
mod reader;
mod resume;
mod seen;
mod shared;
mod span;
mod summary;
mod swe_agent;
mod time;
mod transcript;
mod usage;

pub use format::Format;
pub use formats::{FORMATS, HEAD_BYTES, UNKNOWN_FORMAT, by_name, recognise};
pub use lines::MAX_PIECE_BYTES;
pub use places::{Bases, Place, places};
pub use reader::{FileEnd, FileReader};
pub use resume::Mark;
pub use shared::Shared;
pub use span::Span;
pub use summary::{EventCounts, FileSummary, OutcomeCounts, SkipReason, stored};

use format::{Is, LineResult, LogReader, Opened, parse, unknown, without_event, without_mark};
use transcript::Transcript;

#[cfg(test)]
mod tests;
