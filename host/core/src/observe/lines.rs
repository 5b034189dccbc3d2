//! Splits chunks of any size into lines, in bounded memory. A line within one chunk is not copied.

/// Longest line, or piece of a document, that is read. Longer ones are skipped and counted.
pub const MAX_PIECE_BYTES: usize = 16 * 1024 * 1024;

/// One line.
pub(super) struct Line<'a> {
    /// The line without its end; `None` if it is longer than [`MAX_PIECE_BYTES`].
    pub(super) bytes: Option<&'a [u8]>,
    /// Whether it has a line end.
    pub(super) ended: bool,
    /// Offset of its first byte. The offsets start at the splitter's own start.
    pub(super) start: u64,
    /// Number of bytes, including the line end.
    pub(super) length: u64,
}

/// Splits chunks into lines.
#[derive(Debug, Default)]
pub(super) struct LineSplitter {
    buffer: Vec<u8>,
    overlong: bool,
    /// Offset of the current line.
    start: u64,
    /// Bytes of the current line that have been read.
    length: u64,
}

impl LineSplitter {
    /// A splitter for what follows the first `start` bytes.
    pub(super) fn starting_at(start: u64) -> Self {
        Self { start, ..Self::default() }
    }

    /// Offset of the line that has not ended yet.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// Reads a chunk and passes on each line that ends in it.
    pub(super) fn feed(&mut self, mut chunk: &[u8], take: &mut dyn FnMut(Line<'_>)) {
        while let Some(end) = memchr::memchr(b'\n', chunk) {
            let (piece, rest) = (chunk.get(..end).unwrap_or_default(), chunk.get(end + 1..).unwrap_or_default());
            let length = self.length + piece.len() as u64 + 1;
            let bytes = if self.overlong || self.buffer.len() + piece.len() > MAX_PIECE_BYTES {
                None
            } else if self.buffer.is_empty() {
                Some(piece)
            } else {
                self.buffer.extend_from_slice(piece);
                Some(&*self.buffer)
            };
            take(Line { bytes, ended: true, start: self.start, length });
            self.buffer.clear();
            self.overlong = false;
            self.start += length;
            self.length = 0;
            chunk = rest;
        }
        self.length += chunk.len() as u64;
        if self.overlong || self.buffer.len() + chunk.len() > MAX_PIECE_BYTES {
            self.overlong = true;
            self.buffer = Vec::new();
        } else {
            self.buffer.extend_from_slice(chunk);
        }
    }

    /// Passes on what follows the last line end.
    pub(super) fn finish(self, take: &mut dyn FnMut(Line<'_>)) {
        if self.length > 0 {
            let bytes = (!self.overlong).then_some(&*self.buffer);
            take(Line { bytes, ended: false, start: self.start, length: self.length });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &[u8], chunk: usize) -> Vec<(Option<Vec<u8>>, bool)> {
        let mut found = Vec::new();
        let mut cutter = LineSplitter::default();
        let mut at = 0;
        let mut take = |line: Line<'_>| {
            assert_eq!(line.start, at, "lines stand one after the other");
            at += line.length;
            found.push((line.bytes.map(<[u8]>::to_vec), line.ended));
        };
        for piece in text.chunks(chunk) {
            cutter.feed(piece, &mut take);
        }
        cutter.finish(&mut take);
        assert_eq!(at, text.len() as u64);
        found
    }

    #[test]
    fn chunks_of_any_size_give_the_same_lines() {
        let whole = |text: &str, ended| (Some(text.as_bytes().to_vec()), ended);
        for size in 1..12 {
            assert_eq!(
                cut(b"ab\n\ncde\nf", size),
                [whole("ab", true), whole("", true), whole("cde", true), whole("f", false)]
            );
            assert!(cut(b"", size).is_empty());
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_passed_over_in_constant_memory() {
        let mut text = vec![b'a'; MAX_PIECE_BYTES + 1];
        text.extend_from_slice(b"\nb\n");
        text.extend(std::iter::repeat_n(b'c', MAX_PIECE_BYTES + 1));
        let found = cut(&text, 1 << 16);
        assert_eq!(found, [(None, true), (Some(b"b".to_vec()), true), (None, false)]);
    }
}
