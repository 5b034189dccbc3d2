//! A file's lines, from chunks of any size, in constant memory: a line that lies within one chunk is not copied.

/// Longest line, and longest piece of a document, that is read; longer ones are skipped and counted.
pub const MAX_PIECE_BYTES: usize = 16 * 1024 * 1024;

/// One line.
pub(super) struct Line<'a> {
    /// Without its end; `None` where it is longer than [`MAX_PIECE_BYTES`].
    pub(super) bytes: Option<&'a [u8]>,
    /// Whether it has an end.
    pub(super) ended: bool,
    /// Where it begins, counted from where the cutter began.
    pub(super) start: u64,
    /// With its end.
    pub(super) length: u64,
}

/// Cuts chunks into lines.
#[derive(Debug, Default)]
pub(super) struct LineCutter {
    begun: Vec<u8>,
    overlong: bool,
    /// Where the present line begins.
    start: u64,
    /// How much of it has come.
    length: u64,
}

impl LineCutter {
    /// A cutter for what follows the first `start` bytes.
    pub(super) fn starting_at(start: u64) -> Self {
        Self { start, ..Self::default() }
    }

    /// Where the line begins that has not ended yet.
    pub(super) fn start(&self) -> u64 {
        self.start
    }

    /// Takes a chunk and hands on each line that ends in it.
    pub(super) fn feed(&mut self, mut chunk: &[u8], take: &mut dyn FnMut(Line<'_>)) {
        while let Some(end) = memchr::memchr(b'\n', chunk) {
            let (piece, rest) = (chunk.get(..end).unwrap_or_default(), chunk.get(end + 1..).unwrap_or_default());
            let length = self.length + piece.len() as u64 + 1;
            let bytes = if self.overlong || self.begun.len() + piece.len() > MAX_PIECE_BYTES {
                None
            } else if self.begun.is_empty() {
                Some(piece)
            } else {
                self.begun.extend_from_slice(piece);
                Some(&*self.begun)
            };
            take(Line { bytes, ended: true, start: self.start, length });
            self.begun.clear();
            self.overlong = false;
            self.start += length;
            self.length = 0;
            chunk = rest;
        }
        self.length += chunk.len() as u64;
        if self.overlong || self.begun.len() + chunk.len() > MAX_PIECE_BYTES {
            self.overlong = true;
            self.begun = Vec::new();
        } else {
            self.begun.extend_from_slice(chunk);
        }
    }

    /// Hands on what stood after the last line end.
    pub(super) fn finish(self, take: &mut dyn FnMut(Line<'_>)) {
        if self.length > 0 {
            let bytes = (!self.overlong).then_some(&*self.begun);
            take(Line { bytes, ended: false, start: self.start, length: self.length });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &[u8], chunk: usize) -> Vec<(Option<Vec<u8>>, bool)> {
        let mut found = Vec::new();
        let mut cutter = LineCutter::default();
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
