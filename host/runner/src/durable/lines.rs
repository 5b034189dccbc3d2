//! Reading a file line by line, in bounded memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

/// One line of a file, without its line end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A line with its end.
    Whole(&'a [u8]),
    /// What follows the last line end: never empty.
    Torn(&'a [u8]),
    /// A line over the limit.
    TooLong,
}

/// Hands over a file's lines from its beginning on. A line of more than `limit` bytes is passed over.
pub(crate) fn read_lines(file: &mut File, limit: usize, mut each: impl FnMut(Line<'_>)) -> io::Result<()> {
    read_lines_at(file, limit, |_, line| each(line))
}

/// The same, with the byte that each line begins with.
pub(crate) fn read_lines_at(file: &mut File, limit: usize, each: impl FnMut(u64, Line<'_>)) -> io::Result<()> {
    file.seek(SeekFrom::Start(0))?;
    lines_of(file, limit, each)
}

/// The same for whatever a reader still has.
pub(crate) fn lines_of(reader: impl Read, limit: usize, mut each: impl FnMut(u64, Line<'_>)) -> io::Result<()> {
    let mut reader = BufReader::new(reader);
    // One byte more for the line end, and one to tell a line at the limit from a longer one.
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(2);
    let (mut bytes, mut next) = (Vec::new(), 0);
    loop {
        bytes.clear();
        if reader.by_ref().take(most).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(());
        }
        let start = next;
        next += bytes.len() as u64;
        match bytes.strip_suffix(b"\n") {
            Some(line) if line.len() <= limit => each(start, Line::Whole(line)),
            None if bytes.len() <= limit => each(start, Line::Torn(&bytes)),
            ended => {
                if ended.is_none() {
                    next += reader.skip_until(b'\n')? as u64;
                }
                each(start, Line::TooLong);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn lines_of(content: &[u8], limit: usize) -> Vec<String> {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(content).unwrap();
        let mut seen = Vec::new();
        read_lines(&mut file, limit, |line| {
            seen.push(match line {
                Line::Whole(bytes) => format!("whole {}", bytes.escape_ascii()),
                Line::Torn(bytes) => format!("torn {}", bytes.escape_ascii()),
                Line::TooLong => "too long".to_owned(),
            });
        })
        .unwrap();
        seen
    }

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(lines_of(b"", 4), [""; 0]);
        assert_eq!(lines_of(b"abcd\n\nab", 4), ["whole abcd", "whole ", "torn ab"]);
        assert_eq!(lines_of(b"abcde\nab\n", 4), ["too long", "whole ab"]);
        assert_eq!(lines_of(b"abcdef\nab\n", 4), ["too long", "whole ab"]);
        assert_eq!(lines_of(b"abcdefghijkl\nab", 4), ["too long", "torn ab"]);
        assert_eq!(lines_of(b"ab\nabcd", 4), ["whole ab", "torn abcd"]);
        assert_eq!(lines_of(b"ab\nabcdefgh", 4), ["whole ab", "too long"]);
        assert_eq!(lines_of(b"ab\nabcde", 4), ["whole ab", "too long"]);
    }
}
