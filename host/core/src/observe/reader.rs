//! Reading one file, chunk by chunk: the cutting into lines or pieces, the counting, and the end.

use super::document::{Piece, Splitter};
use super::lines::{Line, LineCutter};
use super::resume::Mark;
use super::span::Span;
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

    /// Goes on where an earlier reading of the same file left off: at [`Mark::offset`]. `line` gives the bytes of a line
    /// of [`Mark::context`], without its end; what those lines say is known again, and not reported again. `None` where
    /// one of them cannot be had, or the format is not read by lines.
    pub fn resume(
        format: &'static Format,
        path: &str,
        mark: &Mark,
        shared: &Shared,
        mut line: impl FnMut(&Span) -> Option<Vec<u8>>,
    ) -> Option<Self> {
        let Opened::Lines(mut reader) = (format.open)(b"") else { return None };
        let mut state = FileState::new(path, format.name);
        // These lines were counted, and met, when they were read first.
        let mut shared = shared.ahead();
        for span in &mark.context {
            let bytes = line(span)?;
            let sink = &mut |_| {};
            let mut out = Transcript { state: &mut state, shared: &mut shared, sink, line: span.line, span: *span };
            reader.read(0, bytes.trim_ascii(), &mut out);
        }
        let summary = FileSummary { path: path.to_owned(), format: format.name, ..mark.summary.clone() };
        state.go_on(summary, mark);
        let cutter = Cutter::Lines(LineCutter::starting_at(mark.offset));
        Some(Self { reader, cutter, state, number: mark.summary.lines, begun: true })
    }

    /// Where a later reading of this file can go on, if it grows: behind the last whole line. `None` where the format
    /// must be read from its beginning again.
    pub fn mark(&self) -> Option<Mark> {
        let Cutter::Lines(cutter) = &self.cutter else { return None };
        if !self.reader.can_resume() {
            return None;
        }
        let (spending, summary) = self.state.left();
        let (context, open) = (self.state.context()?, self.state.open_calls());
        Some(Mark { offset: cutter.start(), context, open, spending, summary })
    }

    /// Takes the file's next bytes, as many as there are at hand.
    pub fn feed(&mut self, chunk: &[u8], shared: &mut Shared, sink: &mut dyn FnMut(RunEvent)) {
        let Self { reader, cutter, state, number, begun } = self;
        let chunk = if *begun { chunk } else { without_mark(chunk) };
        *begun |= !chunk.is_empty();
        match cutter {
            Cutter::Lines(cutter) => cutter.feed(chunk, &mut |line| {
                *number += 1;
                take_line(&mut **reader, &line, *number, state, shared, sink);
            }),
            Cutter::Document(splitter) => {
                state.summary.lines += memchr::memchr_iter(b'\n', chunk).count() as u64;
                splitter.feed(chunk, &mut |piece| {
                    let span = Span { line: piece.line, ..Span::default() };
                    take_piece(&mut **reader, piece, Transcript { state, shared, sink, line: span.line, span });
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
                take_line(&mut *reader, &line, number, &mut state, shared, sink);
            }),
            Cutter::Document(splitter) => {
                if splitter.is_cut() {
                    state.summary.skip(SkipReason::CutDocument);
                }
            }
        }
        let span = Span { line: number, ..Span::default() };
        reader.finish(&mut Transcript { state: &mut state, shared, sink, line: number, span });
        let (summary, unfinished) = state.finish(shared, sink);
        FileEnd { summary, unfinished }
    }
}

fn take_line(
    reader: &mut dyn LogReader,
    line: &Line<'_>,
    number: u64,
    state: &mut FileState,
    shared: &mut Shared,
    sink: &mut dyn FnMut(RunEvent),
) {
    state.summary.lines += u64::from(line.ended);
    let Some(bytes) = line.bytes else { return state.summary.skip(SkipReason::Overlong) };
    let bytes = if reader.keeps_space() { bytes.strip_suffix(b"\r").unwrap_or(bytes) } else { bytes.trim_ascii() };
    if bytes.is_empty() && !reader.keeps_space() {
        return;
    }
    let span = Span { line: number, start: line.start, length: line.length };
    match reader.read(0, bytes, &mut Transcript { state: &mut *state, shared, sink, line: number, span }) {
        LineResult::Read => {}
        LineResult::Skipped(SkipReason::BrokenJson | SkipReason::InvalidUtf8) if !line.ended => {
            state.summary.skip(SkipReason::CutLastLine);
        }
        LineResult::Skipped(reason) => state.summary.skip(reason),
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
