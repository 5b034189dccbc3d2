//! What a format is: how it is recognised, and the reader that takes its lines or pieces.

use super::document::Path;
use super::peek;
use super::summary::SkipReason;
use super::transcript::Transcript;

/// A format that gephost reads.
#[derive(Debug)]
pub struct Format {
    /// Its name, for people and for `--format`.
    pub name: &'static str,
    pub(super) is: Is,
    /// How a file that begins like this is read.
    pub(super) open: fn(&[u8]) -> Opened,
}

/// How a format is recognised.
#[derive(Debug)]
pub(super) enum Is {
    /// Whether one line, perhaps cut, can only be of this format.
    Line(fn(&[u8]) -> bool),
    /// Whether a file that begins like this can only be of this format.
    Head(fn(&[u8]) -> bool),
}

/// What became of one line or piece.
pub(super) enum LineResult {
    /// Understood; it may have held no event.
    Read,
    /// It gave nothing where it should have.
    Skipped(SkipReason),
}

impl LineResult {
    pub(super) fn of(read: Result<(), SkipReason>) -> Self {
        read.err().map_or(Self::Read, Self::Skipped)
    }
}

/// A reader, and in what it wants to be handed the file.
pub(super) enum Opened {
    Lines(Box<dyn LogReader>),
    /// Pieces at these paths of JSON documents.
    Document(&'static [Path], Box<dyn LogReader>),
}

/// One format's reader: what it must remember between the lines, or the pieces, of one file.
pub(super) trait LogReader: Send {
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
pub(super) fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// A line as text, and as the shape that its type has.
pub(super) fn parse<'a, T: serde::Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, SkipReason> {
    let text = std::str::from_utf8(bytes).map_err(|_| SkipReason::InvalidUtf8)?;
    serde_json::from_str(text).map_err(|_| SkipReason::BrokenJson)
}

/// A line of a type that holds no event: passed over unparsed, once it is seen to be whole.
pub(super) fn without_event(bytes: &[u8]) -> LineResult {
    if peek::is_one_object(bytes) { LineResult::Read } else { LineResult::Skipped(SkipReason::BrokenJson) }
}

/// Why a line of a type that no reader knows was passed over: it may be no JSON at all.
pub(super) fn unknown(bytes: &[u8]) -> LineResult {
    let reason = parse::<serde::de::IgnoredAny>(bytes).err().unwrap_or(SkipReason::UnknownType);
    LineResult::Skipped(reason)
}
