//! Reads one log, a chunk at a time.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use gephost_core::observe::{
    FileEnd, FileReader, FileSummary, Format, HEAD_BYTES, Shared, UNKNOWN_FORMAT, database, recognise,
};
use gephost_core::run_event::RunEvent;
use rustix::fs::{Mode, OFlags};

use super::meter::{Meter, Metered};
use crate::place::Place;
use crate::regular_file;

/// Bytes that are read at once: enough to recognise a format.
pub(crate) const BUFFER_BYTES: usize = HEAD_BYTES;

/// What the head of a file says, read up to each of these ascending limits in bytes. Reads more of the file only as long as
/// the head says nothing.
pub(super) fn head<T>(path: &Path, limits: &[usize], says: impl Fn(&[u8]) -> Option<T>) -> io::Result<Option<T>> {
    let mut file = regular_file::open(path)?;
    let mut head = Vec::new();
    for limit in limits {
        let more = (limit - head.len()) as u64;
        (&mut file).take(more).read_to_end(&mut head)?;
        let said = says(&head);
        if said.is_some() || head.len() < *limit {
            return Ok(said);
        }
    }
    Ok(None)
}

/// A log to read.
#[derive(Clone, Copy)]
pub(super) struct Log<'a> {
    pub path: &'a Path,
    /// The place through which the log is opened, if it is a file of the run store. Else the user gave the path, and the
    /// path is opened.
    pub place: Option<&'a Place>,
    /// Its format; recognised from its content if absent.
    pub format: Option<&'static Format>,
    pub meter: Option<&'a Meter>,
}

/// The result of reading a log.
pub(super) struct Ended {
    /// The numbers of the log, or why it could not be read completely.
    pub result: io::Result<FileSummary>,
    /// Indexes of its starts without an end, sorted.
    pub unfinished: Vec<u64>,
}

/// A log that is being read.
pub(super) struct Reading<'a> {
    input: BufReader<Metered<'a, io::Take<File>>>,
    read: u64,
    state: State,
}

enum State {
    Read(Box<FileReader>),
    /// Of no known format: its lines are counted.
    Counted(Box<FileSummary>),
    Over,
}

impl Ended {
    pub(super) fn at_once(error: io::Error) -> Self {
        Self { result: Err(error), unfinished: Vec::new() }
    }
}

impl<'a> Log<'a> {
    /// Opens the log. It is read to its present length.
    pub(super) fn open(self) -> io::Result<Reading<'a>> {
        let file = match self.place {
            Some(place) => place.open(OFlags::RDONLY, Mode::empty())?,
            None => regular_file::open(self.path)?,
        };
        let found = file.metadata()?;
        let mut input = BufReader::with_capacity(BUFFER_BYTES, Metered(file.take(found.len()), self.meter));
        let path = self.path.to_string_lossy();
        let head = input.fill_buf()?;
        if let Some(reason) = database(head) {
            return Err(io::Error::other(reason));
        }
        let state = if let Some(format) = self.format.or_else(|| recognise(head)) {
            State::Read(Box::new(FileReader::new(format, &path, head)))
        } else {
            let path = path.into_owned();
            State::Counted(Box::new(FileSummary { path, format: UNKNOWN_FORMAT, ..FileSummary::default() }))
        };
        Ok(Reading { input, read: 0, state })
    }
}

impl Reading<'_> {
    /// Reads the next chunk. Returns the result at the end of the log.
    pub(super) fn step(&mut self, shared: &mut Shared, sink: &mut dyn FnMut(RunEvent)) -> Option<Ended> {
        let taken = self.input.fill_buf().map(|chunk| {
            match &mut self.state {
                State::Read(reader) => reader.feed(chunk, shared, sink),
                State::Counted(summary) => summary.lines += memchr::memchr_iter(b'\n', chunk).count() as u64,
                State::Over => {}
            }
            chunk.len()
        });
        let failed = match taken {
            Ok(0) => None,
            Ok(used) => {
                self.input.consume(used);
                self.read += used as u64;
                return None;
            }
            Err(error) => Some(error),
        };
        let FileEnd { summary, unfinished } = match std::mem::replace(&mut self.state, State::Over) {
            State::Read(reader) => reader.finish(shared, sink),
            State::Counted(summary) => FileEnd { summary: *summary, unfinished: Vec::new() },
            State::Over => FileEnd { summary: FileSummary::default(), unfinished: Vec::new() },
        };
        Some(Ended { result: failed.map_or(Ok(summary), Err), unfinished })
    }

    /// How many bytes have been read.
    pub(super) fn bytes(&self) -> u64 {
        self.read
    }
}
