//! Reads the bytes of an agent's log into [`RunEvent`]s. Each format has a file, and one list recognises them.
//!
//! Invariants: each line (or piece of a document) is parsed once, memory is bounded, no line aborts reading, and each
//! line that should have given an event but did not is counted with its reason. A new format is a new file and one line
//! in [`FORMATS`] (`formats.rs`).

mod aider;
mod atif;
mod blocks;
mod claude_code;
mod codex;
mod content;
mod copilot;
mod database;
mod document;
mod droid;
mod envelope;
mod file_state;
mod format;
mod formats;
mod gemini;
mod gemini_result;
mod gemini_stream;
mod gephost;
mod input;
mod langfuse;
mod langsmith;
mod lines;
mod locations;
mod mcp;
mod messages;
mod mini_swe_agent;
mod nanobot;
mod open_call;
mod openai;
mod opencode;
mod openhands;
mod otlp;
mod peek;
mod pi;

mod plain;
mod reader;
mod recorded;
mod reported;
mod resume;
mod said;
mod seen;
mod several;
mod shared;
mod span;
mod specstory;
mod stated;
mod summary;
mod swe_agent;
mod tasks;
mod time;
mod told;
mod transcript;
mod usage;
mod working_folder;

pub use database::{database, may_be_database};
pub use format::Format;
pub use formats::{FORMATS, HEAD_BYTES, UNKNOWN_FORMAT, by_name, recognise, recognise_conversation};
pub use lines::MAX_PIECE_BYTES;
pub use locations::{BaseFolders, LogLocation, log_locations};
pub use reader::{FileEnd, FileReader};
pub use recorded::RanCommand;
pub use resume::Mark;
pub use shared::Shared;
pub use span::Span;
pub use summary::{EventCounts, FileSummary, OutcomeCounts, SkipReason, stored};
pub use working_folder::{
    FolderField, ListedSessions, SeparateFolders, WorkingFolder, listed_sessions, working_folder,
};

use format::{LineResult, LogReader, Opened, Recognise, parse, unknown, without_bom, without_event};
use transcript::Transcript;

#[cfg(test)]
mod endings;
#[cfg(test)]
mod tests;
