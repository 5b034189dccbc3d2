//! Reading one log from where the last reading left off, or from its beginning.

#![expect(clippy::disallowed_methods, reason = "the user or the config names logs by path")]

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};
use std::os::unix::fs::FileExt;
use std::path::Path;

use gephost_core::observe::{
    FileReader, FileSummary, Format, MAX_PIECE_BYTES, Mark, Shared, UNKNOWN_FORMAT, by_name, recognise,
};
use gephost_core::run_event::RunEvent;

use super::index::{Entry, Stamp};
use super::options::Options;
use crate::observe::{BUFFER_BYTES, Metered, count_lines, each_chunk};
use crate::regular_file;

/// How much of a file's beginning, and of the bytes before a mark, tells a file that has grown from another one.
const END_BYTES: u64 = 4096;

/// What the system says of a file now.
pub(super) fn stamp(path: &Path) -> io::Result<Stamp> {
    fs::metadata(path).map(|found| Stamp::of(&found))
}

/// Hands on what is new in a log. Gives the numbers of all that is in it, and its entry for the index.
pub(super) fn read(
    path: &Path,
    earlier: Option<&Entry>,
    options: &Options<'_>,
    shared: &mut Shared,
    sink: &mut dyn FnMut(RunEvent),
) -> io::Result<(FileSummary, Entry)> {
    let (format, meter) = (options.format, options.meter);
    let mut file = regular_file::open(path)?;
    let found = file.metadata()?;
    let (stamp, shown) = (Stamp::of(&found), path.to_string_lossy().into_owned());
    let entry = |file: &File, format: &str, mark: Option<Mark>, summary: &FileSummary| {
        let ends = ends(file, mark.as_ref().map_or(0, |mark| mark.offset))?;
        let (path, format, shown) = (shown.clone(), format.to_owned(), summary.clone());
        io::Result::Ok(Entry { path, stamp: stamp.clone(), format, ends, mark, shown })
    };
    let resumed = earlier.and_then(|entry| resume(&file, &shown, &stamp, entry, format, shared));
    let begin = resumed.as_ref().map_or(0, |(offset, _)| *offset);
    file.seek(SeekFrom::Start(begin))?;
    if let Some(meter) = meter {
        meter.add(begin);
    }
    let rest = (&file).take(stamp.size.saturating_sub(begin));
    let mut input = BufReader::with_capacity(BUFFER_BYTES, Metered(rest, meter));
    let mut reader = if let Some((_, reader)) = resumed {
        reader
    } else {
        let head = input.fill_buf()?;
        let Some(format) = format.or_else(|| recognise(head)) else {
            let lines = count_lines(&mut input)?;
            let summary = FileSummary { path: shown.clone(), format: UNKNOWN_FORMAT, lines, ..FileSummary::default() };
            let entry = entry(&file, UNKNOWN_FORMAT, None, &summary)?;
            return Ok((summary, entry));
        };
        FileReader::new(format, &shown, head)
    };
    each_chunk(&mut input, |chunk| reader.feed(chunk, shared, sink))?;
    let mark = reader.mark();
    let summary = reader.finish(shared, sink).summary;
    let entry = entry(&file, summary.format, mark, &summary)?;
    Ok((summary, entry))
}

/// A reader that goes on at an earlier mark, and its offset; nothing where the file is not the one that was read then,
/// with more behind it.
fn resume(
    file: &File,
    shown: &str,
    stamp: &Stamp,
    entry: &Entry,
    format: Option<&'static Format>,
    shared: &Shared,
) -> Option<(u64, FileReader)> {
    let mark = entry.mark.as_ref()?;
    let known = by_name(&entry.format)?;
    let same = entry.stamp.is_same_file(stamp)
        && stamp.size >= mark.offset
        && format.is_none_or(|format| format.name == known.name)
        && ends(file, mark.offset).is_ok_and(|ends| ends == entry.ends);
    let line = |span: &gephost_core::observe::Span| {
        let length = usize::try_from(span.length).ok().filter(|length| *length <= MAX_PIECE_BYTES + 1)?;
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, span.start).ok().map(|()| bytes)
    };
    let reader = if same { FileReader::resume(known, shown, mark, shared, line) } else { None };
    reader.map(|reader| (mark.offset, reader))
}

/// Hashes of the file's beginning and of the bytes before `offset`.
fn ends(file: &File, offset: u64) -> io::Result<(u64, u64)> {
    let length = offset.min(END_BYTES);
    Ok((hash(file, 0, length)?, hash(file, offset - length, length)?))
}

fn hash(file: &File, start: u64, length: u64) -> io::Result<u64> {
    let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
    file.read_exact_at(&mut bytes, start)?;
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    Ok(hasher.finish())
}
