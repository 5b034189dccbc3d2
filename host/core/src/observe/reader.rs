//! Reading one file, chunk by chunk: the cutting into lines or pieces, the counting, and the end.

use super::document::{Piece, Splitter};
use super::lines::{Line, LineCutter};
use super::transcript::{FileState, Transcript};
use super::{FileSummary, Format, LineResult, LogReader, Opened, Shared, SkipReason, without_mark};
use crate::run_event::RunEvent;

/// Reads one file.
pub struct FileReader {
    reader: Box<dyn LogReader>,
    cutter: Cutter,
    state: FileState,
    number: u64,
    begun: bool,
}

enum Cutter {
    Lines(LineCutter),
    Document(Splitter),
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
    /// Begins a file. `path` is for the summary, and names the session where the file does not; `head` is how the file
    /// begins, as far as it is known: some formats come as lines and as a document.
    pub fn new(format: &'static Format, path: &str, head: &[u8]) -> Self {
        let (cutter, reader) = match (format.open)(without_mark(head)) {
            Opened::Lines(reader) => (Cutter::Lines(LineCutter::default()), reader),
            Opened::Document(paths, reader) => (Cutter::Document(Splitter::new(paths)), reader),
        };
        Self { reader, cutter, state: FileState::new(path, format.name), number: 0, begun: false }
    }

    /// Takes the file's next bytes, as many as there are at hand.
    pub fn feed(&mut self, chunk: &[u8], shared: &mut Shared, sink: &mut dyn FnMut(RunEvent)) {
        let Self { reader, cutter, state, number, begun } = self;
        let chunk = if *begun { chunk } else { without_mark(chunk) };
        *begun |= !chunk.is_empty();
        match cutter {
            Cutter::Lines(cutter) => cutter.feed(chunk, &mut |line| {
                *number += 1;
                take_line(&mut **reader, line, Transcript { state, shared, sink, line: *number });
            }),
            Cutter::Document(splitter) => {
                state.summary.lines += memchr::memchr_iter(b'\n', chunk).count() as u64;
                splitter.feed(chunk, &mut |piece| {
                    let line = piece.line;
                    take_piece(&mut **reader, piece, Transcript { state, shared, sink, line });
                });
            }
        }
    }

    /// Ends the file.
    pub fn finish(self, shared: &mut Shared, sink: &mut dyn FnMut(RunEvent)) -> FileEnd {
        let Self { mut reader, cutter, mut state, mut number, .. } = self;
        match cutter {
            Cutter::Lines(cutter) => cutter.finish(&mut |line| {
                number += 1;
                take_line(&mut *reader, line, Transcript { state: &mut state, shared, sink, line: number });
            }),
            Cutter::Document(splitter) => {
                if splitter.is_cut() {
                    state.summary.skip(SkipReason::CutDocument);
                }
            }
        }
        reader.finish(&mut Transcript { state: &mut state, shared, sink, line: number });
        let (summary, unfinished) = state.finish();
        FileEnd { summary, unfinished }
    }
}

fn take_line(reader: &mut dyn LogReader, line: Line<'_>, mut out: Transcript<'_>) {
    let (bytes, ended) = match line {
        Line::Whole { bytes, ended } if reader.keeps_space() => (bytes.strip_suffix(b"\r").unwrap_or(bytes), ended),
        Line::Whole { bytes, ended } => (bytes.trim_ascii(), ended),
        Line::Overlong { ended } => {
            out.state.summary.lines += u64::from(ended);
            return out.state.summary.skip(SkipReason::Overlong);
        }
    };
    out.state.summary.lines += u64::from(ended);
    if bytes.is_empty() && !reader.keeps_space() {
        return;
    }
    match reader.read(0, bytes, &mut out) {
        LineResult::Read => {}
        LineResult::Skipped(SkipReason::BrokenJson | SkipReason::InvalidUtf8) if !ended => {
            out.state.summary.skip(SkipReason::CutLastLine);
        }
        LineResult::Skipped(reason) => out.state.summary.skip(reason),
    }
}

fn take_piece(reader: &mut dyn LogReader, piece: Piece<'_>, mut out: Transcript<'_>) {
    let result = match piece.bytes {
        Some(bytes) => reader.read(piece.path, bytes, &mut out),
        None => LineResult::Skipped(SkipReason::Overlong),
    };
    if let LineResult::Skipped(reason) = result {
        out.state.summary.skip(reason);
    }
}
