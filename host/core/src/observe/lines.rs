//! A file's lines, from chunks of any size, in constant memory: a line that lies within one chunk is not copied.

use super::MAX_PIECE_BYTES;

/// One line, without its end.
pub(super) enum Line<'a> {
    Whole {
        bytes: &'a [u8],
        ended: bool,
    },
    /// Longer than [`MAX_PIECE_BYTES`].
    Overlong {
        ended: bool,
    },
}

/// Cuts chunks into lines.
#[derive(Debug, Default)]
pub(super) struct LineCutter {
    begun: Vec<u8>,
    overlong: bool,
}

impl LineCutter {
    /// Takes a chunk and hands on each line that ends in it.
    pub(super) fn feed(&mut self, mut chunk: &[u8], take: &mut dyn FnMut(Line<'_>)) {
        while let Some(end) = memchr::memchr(b'\n', chunk) {
            let (piece, rest) = (chunk.get(..end).unwrap_or_default(), chunk.get(end + 1..).unwrap_or_default());
            if self.overlong || self.begun.len() + piece.len() > MAX_PIECE_BYTES {
                take(Line::Overlong { ended: true });
            } else if self.begun.is_empty() {
                take(Line::Whole { bytes: piece, ended: true });
            } else {
                self.begun.extend_from_slice(piece);
                take(Line::Whole { bytes: &self.begun, ended: true });
            }
            self.begun.clear();
            self.overlong = false;
            chunk = rest;
        }
        if self.overlong || self.begun.len() + chunk.len() > MAX_PIECE_BYTES {
            self.overlong = true;
            self.begun = Vec::new();
        } else {
            self.begun.extend_from_slice(chunk);
        }
    }

    /// Hands on what stood after the last line end.
    pub(super) fn finish(self, take: &mut dyn FnMut(Line<'_>)) {
        if self.overlong {
            take(Line::Overlong { ended: false });
        } else if !self.begun.is_empty() {
            take(Line::Whole { bytes: &self.begun, ended: false });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &[u8], chunk: usize) -> Vec<(Option<Vec<u8>>, bool)> {
        let mut found = Vec::new();
        let mut cutter = LineCutter::default();
        let mut take = |line: Line<'_>| match line {
            Line::Whole { bytes, ended } => found.push((Some(bytes.to_vec()), ended)),
            Line::Overlong { ended } => found.push((None, ended)),
        };
        for piece in text.chunks(chunk) {
            cutter.feed(piece, &mut take);
        }
        cutter.finish(&mut take);
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
