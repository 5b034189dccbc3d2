//! From the bytes of an agent's log to [`RunEvent`]s: one file a format, and the one list that recognises them.
//!
//! What must stay true: one parse a line, constant memory, no line is fatal, every line that gave nothing where it
//! should have is counted with its reason. A new format is a new file and one line in [`FORMATS`].

mod claude_code;
mod codex;
mod content;
mod gephost;
mod input;
mod peek;
mod summary;
mod transcript;

pub use summary::{EventCounts, FileSummary, OutcomeCounts, SkipReason};
pub use transcript::Shared;

use crate::run_event::RunEvent;
use transcript::{FileState, Transcript};

/// A format that gephost reads.
#[derive(Debug)]
pub struct Format {
    /// Its name, for people and for `--format`.
    pub name: &'static str,
    /// Whether one line, perhaps cut, can only be of this format.
    is: fn(&[u8]) -> bool,
    open: fn() -> Box<dyn LogReader>,
}

/// Every format, in the order of asking.
pub static FORMATS: &[Format] = &[claude_code::FORMAT, codex::FORMAT, gephost::FORMAT];

/// The name in a [`FileSummary`] where no format was recognised.
pub const UNKNOWN_FORMAT: &str = "unknown";

/// Recognises a format by the first lines of a file; the last of them may be cut. Lines that are broken or of no
/// known format are passed over.
pub fn recognise(head: &[u8]) -> Option<&'static Format> {
    without_mark(head).split(|byte| *byte == b'\n').find_map(|line| FORMATS.iter().find(|format| (format.is)(line)))
}

/// The format of this name.
pub fn by_name(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

/// What became of one line.
enum LineResult {
    /// Understood; it may have held no event.
    Read,
    /// It gave nothing where it should have.
    Skipped(SkipReason),
}

/// One format's reader: what it must remember between the lines of one file.
trait LogReader: Send {
    /// Takes one line, without its end, and reports what it says.
    fn line(&mut self, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult;
}

/// Reads one file, a line at a time.
pub struct FileReader {
    reader: Box<dyn LogReader>,
    state: FileState,
    number: u64,
}

/// What is known when a file has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEnd {
    /// The file's numbers.
    pub summary: FileSummary,
    /// Which of the file's events, counted from 0 in the order they were handed on, are starts that no end came for.
    /// Whoever kept those events sets their outcome to `Unfinished`.
    pub unfinished: Vec<u64>,
}

impl FileReader {
    /// Begins a file. `path` is for the summary.
    pub fn new(format: &'static Format, path: &str) -> Self {
        Self { reader: (format.open)(), state: FileState::new(path, format.name), number: 0 }
    }

    /// Takes one line, without its `\n`. `ended` says whether it had one: the last line of a file may not.
    pub fn line(&mut self, bytes: &[u8], ended: bool, shared: &mut Shared, sink: &mut dyn FnMut(RunEvent)) {
        self.number += 1;
        self.state.summary.lines += u64::from(ended);
        let bytes = if self.number == 1 { without_mark(bytes) } else { bytes };
        let bytes = bytes.trim_ascii();
        if bytes.is_empty() {
            return;
        }
        let mut out = Transcript { state: &mut self.state, shared, sink, line: self.number };
        match self.reader.line(bytes, &mut out) {
            LineResult::Read => {}
            LineResult::Skipped(SkipReason::BrokenJson | SkipReason::InvalidUtf8) if !ended => {
                self.state.summary.skip(SkipReason::CutLastLine);
            }
            LineResult::Skipped(reason) => self.state.summary.skip(reason),
        }
    }

    /// Counts a line that was too long to be taken.
    pub fn overlong(&mut self, ended: bool) {
        self.number += 1;
        self.state.summary.lines += u64::from(ended);
        self.state.summary.skip(SkipReason::Overlong);
    }

    /// Ends the file.
    pub fn finish(self) -> FileEnd {
        let (summary, unfinished) = self.state.finish();
        FileEnd { summary, unfinished }
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
