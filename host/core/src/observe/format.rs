//! The description of a log format: how it is recognised, and the reader for its lines or pieces.

use super::document::Path;
use super::peek;
use super::summary::SkipReason;
use super::transcript::Transcript;

/// A log format that gephost reads.
#[derive(Debug)]
pub struct Format {
    /// Its name, for users and for `--format`.
    pub name: &'static str,
    pub(super) recognise: Recognise,
    /// Opens a file that starts with these bytes.
    pub(super) open: fn(&[u8]) -> Opened,
}

/// How a format is recognised.
#[derive(Debug)]
pub(super) enum Recognise {
    /// Whether one line, which may be truncated, can only be of this format.
    Line(fn(&[u8]) -> bool),
    /// Whether a file with this start can only be of this format.
    Head(fn(&[u8]) -> bool),
}

/// The result of reading a line or a piece.
pub(super) enum LineResult {
    /// It was understood. It may contain no event.
    Read,
    /// It should have given an event but did not.
    Skipped(SkipReason),
}

impl LineResult {
    pub(super) fn of(read: Result<(), SkipReason>) -> Self {
        read.err().map_or(Self::Read, Self::Skipped)
    }
}

/// A format's reader, and how the file is split for it.
pub(super) enum Opened {
    Lines(Box<dyn LogReader>),
    /// The values at these paths of JSON documents.
    Document(&'static [Path], Box<dyn LogReader>),
}

/// The reader of a format: what it remembers between the lines, or the pieces, of one file.
pub(super) trait LogReader: Send {
    /// Reads one line without its end, or one piece of a document, and reports its events. `path` is the index of the
    /// piece's path, 0 for lines.
    fn read(&mut self, path: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult;

    /// Whether empty lines and white space around a line are significant.
    fn space_matters(&self) -> bool {
        false
    }

    /// Whether reading can resume with only the lines that were kept ([`Transcript::keep_line`]) and those of calls
    /// without an end.
    fn can_resume(&self) -> bool {
        false
    }

    /// Called at the end of the file: reports what was held back.
    fn finish(&mut self, out: &mut Transcript<'_>) {
        let _ = out;
    }
}

/// Removes the byte order mark that some editors put at the start of a file.
pub(super) fn without_bom(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Parses a line that must be UTF-8 and JSON of the given type.
pub(super) fn parse<'a, T: serde::Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, SkipReason> {
    let text = std::str::from_utf8(bytes).map_err(|_| SkipReason::InvalidUtf8)?;
    serde_json::from_str(text).map_err(|_| SkipReason::BrokenJson)
}

/// The result for a line whose type holds no event. It is not parsed, only checked to be complete.
pub(super) fn without_event(bytes: &[u8]) -> LineResult {
    if peek::is_one_object(bytes) { LineResult::Read } else { LineResult::Skipped(SkipReason::BrokenJson) }
}

/// The result for a line of an unknown type, which may not be JSON at all.
pub(super) fn unknown(bytes: &[u8]) -> LineResult {
    let reason = parse::<serde::de::IgnoredAny>(bytes).err().unwrap_or(SkipReason::UnknownType);
    LineResult::Skipped(reason)
}
