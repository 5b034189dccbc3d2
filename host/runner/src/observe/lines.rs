//! A file's lines, one at a time, in constant memory.

use std::io::{self, BufRead};

use super::MAX_LINE_BYTES;

/// How many line ends there are.
pub(super) fn count_lines(input: &mut impl BufRead) -> io::Result<u64> {
    let mut lines = 0;
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            return Ok(lines);
        }
        lines += memchr::memchr_iter(b'\n', buffer).count() as u64;
        let length = buffer.len();
        input.consume(length);
    }
}

/// One line of a file.
pub(super) enum Line<'a> {
    Whole { bytes: &'a [u8], ended: bool },
    Overlong { ended: bool },
}

/// Hands on each line. One that lies within the buffer is not copied; one beyond [`MAX_LINE_BYTES`] is passed over.
pub(super) fn each_line(input: &mut impl BufRead, mut take: impl FnMut(Line<'_>)) -> io::Result<()> {
    let mut begun: Vec<u8> = Vec::new();
    let mut overlong = false;
    loop {
        let buffer = input.fill_buf()?;
        if buffer.is_empty() {
            break;
        }
        let end = memchr::memchr(b'\n', buffer);
        let piece = end.and_then(|end| buffer.get(..end)).unwrap_or(buffer);
        overlong |= begun.len() + piece.len() > MAX_LINE_BYTES;
        match end {
            Some(_) if overlong => take(Line::Overlong { ended: true }),
            Some(_) if begun.is_empty() => take(Line::Whole { bytes: piece, ended: true }),
            Some(_) => {
                begun.extend_from_slice(piece);
                take(Line::Whole { bytes: &begun, ended: true });
            }
            None if overlong => begun = Vec::new(),
            None => begun.extend_from_slice(piece),
        }
        let used = end.map_or(buffer.len(), |end| end + 1);
        if end.is_some() {
            begun.clear();
            overlong = false;
        }
        input.consume(used);
    }
    if overlong {
        take(Line::Overlong { ended: false });
    } else if !begun.is_empty() {
        take(Line::Whole { bytes: &begun, ended: false });
    }
    Ok(())
}
