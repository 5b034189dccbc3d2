//! From the bytes of an agent's log to [`RunEvent`]s: one file a format, and the one list that recognises them.
//!
//! What must stay true: one parse a line (or a document's piece), constant memory, no line is fatal, every line that
//! gave nothing where it should have is counted with its reason. A new format is a new file and one line in [`FORMATS`].

mod aider;
mod claude_code;
mod codex;
mod content;
mod copilot;
mod document;
mod gemini;
mod gephost;
mod input;
mod langfuse;
mod langsmith;
mod lines;
mod mcp;
mod mini_swe_agent;
mod nanobot;
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
mod summary;
mod swe_agent;
mod time;
mod transcript;
mod usage;

pub use places::{Bases, Place, places};
pub use reader::{FileEnd, FileReader};
pub use resume::Mark;
pub use shared::Shared;
pub use summary::{EventCounts, FileSummary, OutcomeCounts, SkipReason, stored};
pub use transcript::Span;

use document::Path;
use transcript::Transcript;

/// Longest line, and longest piece of a document, that is read; longer ones are skipped and counted.
pub const MAX_PIECE_BYTES: usize = 16 * 1024 * 1024;

/// How much of a file's beginning is looked at to recognise its format.
pub const HEAD_BYTES: usize = 256 * 1024;

/// A format that gephost reads.
#[derive(Debug)]
pub struct Format {
    /// Its name, for people and for `--format`.
    pub name: &'static str,
    is: Is,
    /// How a file that begins like this is read.
    open: fn(&[u8]) -> Opened,
}

/// How a format is recognised.
#[derive(Debug)]
enum Is {
    /// Whether one line, perhaps cut, can only be of this format.
    Line(fn(&[u8]) -> bool),
    /// Whether a file that begins like this can only be of this format.
    Head(fn(&[u8]) -> bool),
}

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

/// The name in a [`FileSummary`] where no format was recognised.
pub const UNKNOWN_FORMAT: &str = "unknown";

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

/// What became of one line or piece.
enum LineResult {
    /// Understood; it may have held no event.
    Read,
    /// It gave nothing where it should have.
    Skipped(SkipReason),
}

impl LineResult {
    fn of(read: Result<(), SkipReason>) -> Self {
        read.err().map_or(Self::Read, Self::Skipped)
    }
}

/// A reader, and in what it wants to be handed the file.
enum Opened {
    Lines(Box<dyn LogReader>),
    /// Pieces at these paths of JSON documents.
    Document(&'static [Path], Box<dyn LogReader>),
}

/// One format's reader: what it must remember between the lines, or the pieces, of one file.
trait LogReader: Send {
    /// Takes one line without its end, or one piece of a document, and reports what it says. `path` is the index of
    /// the piece's path; 0 for lines.
    fn read(&mut self, path: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult;

    /// Whether the space around a line, and a line with nothing in it, mean something.
    fn keeps_space(&self) -> bool {
        false
    }

    /// Whether what comes next can be read knowing nothing but the lines that were kept ([`Transcript::keep`]) and those
    /// of calls without an end.
    fn can_resume(&self) -> bool {
        false
    }

    /// The file has ended: reports what was held back.
    fn finish(&mut self, out: &mut Transcript<'_>) {
        let _ = out;
    }
}

/// Without the byte order mark that some editors put before the first line.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// A line as text, and as the shape that its type has.
fn parse<'a, T: serde::Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, SkipReason> {
    let text = std::str::from_utf8(bytes).map_err(|_| SkipReason::InvalidUtf8)?;
    serde_json::from_str(text).map_err(|_| SkipReason::BrokenJson)
}

/// A line of a type that holds no event: passed over unparsed, once it is seen to be whole.
fn without_event(bytes: &[u8]) -> LineResult {
    if peek::is_one_object(bytes) { LineResult::Read } else { LineResult::Skipped(SkipReason::BrokenJson) }
}

/// Why a line of a type that no reader knows was passed over: it may be no JSON at all.
fn unknown(bytes: &[u8]) -> LineResult {
    let reason = parse::<serde::de::IgnoredAny>(bytes).err().unwrap_or(SkipReason::UnknownType);
    LineResult::Skipped(reason)
}

#[cfg(test)]
mod tests;
