//! Reads one file, chunk by chunk: splits it into lines or pieces, counts them and handles its end.

use super::document::{DocumentSplitter, Piece};
use super::file_state::FileState;
use super::lines::{Line, LineSplitter};
use super::resume::Mark;
use super::span::Span;
use super::transcript::Transcript;
use super::{FileSummary, Format, LineResult, LogReader, Opened, Shared, SkipReason, without_bom};
use crate::run_event::RunEvent;

/// A reader for one file.
pub struct FileReader {
    reader: Box<dyn LogReader>,
    splitter: Splitter,
    state: FileState,
    number: u64,
    started: bool,
}

enum Splitter {
    Lines(LineSplitter),
    Document(DocumentSplitter),
}

/// What is known when a file has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileEnd {
    /// The numbers of the file.
    pub summary: FileSummary,
    /// Indexes of the file's events, counted from 0 in the order they were reported, that are starts without an end. A
    /// caller that stored those events sets their outcome to `Unfinished`.
    pub unfinished: Vec<u64>,
}

impl FileReader {
    /// Starts a file. `path` is used in the summary, and as the session's name if the file has none. `head` is the
    /// known start of the file: some formats exist both as lines and as a document.
    pub fn new(format: &'static Format, path: &str, head: &[u8]) -> Self {
        let (splitter, reader) = match (format.open)(without_bom(head)) {
            Opened::Lines(reader) => (Splitter::Lines(LineSplitter::default()), reader),
            Opened::Document(paths, reader) => (Splitter::Document(DocumentSplitter::new(paths)), reader),
        };
        Self { reader, splitter, state: FileState::new(path, format.name), number: 0, started: false }
    }

    /// Resumes an earlier reading of the same file at [`Mark::offset`]. `line` returns the bytes of a line of
    /// [`Mark::context`], without its end. Those lines are read again but not reported again. `None` if one of them is
    /// not available, or if the format is not read by lines.
    pub fn resume(
        format: &'static Format,
        path: &str,
        mark: &Mark,
        shared: &Shared,
        mut line: impl FnMut(&Span) -> Option<Vec<u8>>,
    ) -> Option<Self> {
        let Opened::Lines(mut reader) = (format.open)(b"") else { return None };
        let mut state = FileState::new(path, format.name);
        // These lines were counted when they were first read.
        let mut shared = shared.detached();
        for span in &mark.context {
            let bytes = line(span)?;
            let sink = &mut |_| {};
            let mut out =
                Transcript { state: &mut state, shared: &mut shared, sink, line: span.line, document: 1, span: *span };
            reader.read(0, bytes.trim_ascii(), &mut out);
        }
        let summary = FileSummary { path: path.to_owned(), format: format.name, ..mark.summary.clone() };
        state.resume(summary, mark);
        let splitter = Splitter::Lines(LineSplitter::starting_at(mark.offset));
        Some(Self { reader, splitter, state, number: mark.summary.lines, started: true })
    }

    /// Where a later reading of this file can resume if it has grown: after the last complete line. `None` if the
    /// format must be read from its beginning.
    pub fn mark(&self) -> Option<Mark> {
        let Splitter::Lines(splitter) = &self.splitter else { return None };
        if !self.reader.can_resume() {
            return None;
        }
        let (spending, summary) = self.state.at_mark();
        let (context, open) = (self.state.context()?, self.state.open_calls());
        Some(Mark { offset: splitter.start(), context, open, spending, summary })
    }

    /// Reads the next bytes of the file, in chunks of any size.
    pub fn feed(&mut self, chunk: &[u8], shared: &mut Shared, sink: &mut dyn FnMut(RunEvent)) {
        let Self { reader, splitter, state, number, started } = self;
        let chunk = if *started { chunk } else { without_bom(chunk) };
        *started |= !chunk.is_empty();
        match splitter {
            Splitter::Lines(splitter) => splitter.feed(chunk, &mut |line| {
                *number += 1;
                take_line(&mut **reader, &line, *number, state, shared, sink);
            }),
            Splitter::Document(splitter) => {
                state.summary.lines += memchr::memchr_iter(b'\n', chunk).count() as u64;
                splitter.feed(chunk, &mut |piece| {
                    let span = Span { line: piece.line, ..Span::default() };
                    let document = piece.document;
                    take_piece(
                        &mut **reader,
                        piece,
                        Transcript { state, shared, sink, line: span.line, document, span },
                    );
                });
            }
        }
    }

    /// Ends the file.
    pub fn finish(self, shared: &mut Shared, sink: &mut dyn FnMut(RunEvent)) -> FileEnd {
        let Self { mut reader, splitter, mut state, mut number, .. } = self;
        match splitter {
            Splitter::Lines(splitter) => splitter.finish(&mut |line| {
                number += 1;
                take_line(&mut *reader, &line, number, &mut state, shared, sink);
            }),
            Splitter::Document(splitter) => {
                if splitter.is_cut() {
                    state.summary.skip(SkipReason::CutDocument);
                }
            }
        }
        let span = Span { line: number, ..Span::default() };
        let mut out = Transcript { state: &mut state, shared, sink, line: number, document: 1, span };
        reader.finish(&mut out);
        out.report_told();
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
    let bytes = if reader.space_matters() { bytes.strip_suffix(b"\r").unwrap_or(bytes) } else { bytes.trim_ascii() };
    if bytes.is_empty() && !reader.space_matters() {
        return;
    }
    let span = Span { line: number, start: line.start, length: line.length };
    match reader.read(0, bytes, &mut Transcript { state: &mut *state, shared, sink, line: number, document: 1, span }) {
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
