//! Keeps the start and the end of a stream, in bounded memory. Pure.

use std::collections::VecDeque;

/// How much of a stream is kept, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CaptureLimit {
    /// Bytes at the start.
    pub head: usize,
    /// Bytes at the end.
    pub tail: usize,
}

/// The kept part of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    /// The start.
    pub head: Vec<u8>,
    /// The end; empty if everything fits into the start.
    pub tail: Vec<u8>,
    /// Bytes that were left out between the two.
    pub dropped: u64,
}

impl Captured {
    /// The text, with a line where bytes were left out. Bytes that are not UTF-8 become U+FFFD.
    pub fn text(&self) -> String {
        if self.dropped > 0 {
            let (head, tail) = (String::from_utf8_lossy(&self.head), String::from_utf8_lossy(&self.tail));
            return format!("{head}\n[{} bytes left out]\n{tail}", self.dropped);
        }
        String::from_utf8_lossy(&[self.head.as_slice(), &self.tail].concat()).into_owned()
    }
}

/// Reads a stream piece by piece.
#[derive(Debug)]
pub(super) struct Capture {
    limit: CaptureLimit,
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: u64,
}

impl Capture {
    pub(super) fn new(limit: CaptureLimit) -> Self {
        Self { limit, head: Vec::new(), tail: VecDeque::new(), dropped: 0 }
    }

    pub(super) fn push(&mut self, piece: &[u8]) {
        let room = self.limit.head.saturating_sub(self.head.len());
        let (head, rest) = piece.split_at(room.min(piece.len()));
        self.head.extend_from_slice(head);
        // Only the end of a long piece can be kept.
        let (skipped, rest) = rest.split_at(rest.len().saturating_sub(self.limit.tail));
        let surplus = (self.tail.len() + rest.len()).saturating_sub(self.limit.tail);
        let surplus = surplus.min(self.tail.len());
        let pushed_out = if skipped.is_empty() { surplus } else { self.tail.len() };
        self.tail.drain(..pushed_out);
        self.tail.extend(rest);
        self.dropped = self.dropped.saturating_add((skipped.len() + pushed_out) as u64);
    }

    pub(super) fn finish(self) -> Captured {
        Captured { head: self.head, tail: self.tail.into(), dropped: self.dropped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition: keep everything, then cut.
    fn expected(stream: &[u8], limit: CaptureLimit) -> Captured {
        let (head, rest) = stream.split_at(limit.head.min(stream.len()));
        let (dropped, tail) = rest.split_at(rest.len().saturating_sub(limit.tail));
        Captured { head: head.to_vec(), tail: tail.to_vec(), dropped: dropped.len() as u64 }
    }

    #[test]
    fn every_way_to_cut_a_stream_keeps_the_same() {
        let stream: Vec<u8> = (0..40).collect();
        for (head, tail) in [(0, 0), (0, 5), (5, 0), (7, 6), (40, 3), (20, 20), (100, 100)] {
            let limit = CaptureLimit { head, tail };
            for piece in 1..=stream.len() {
                let mut capture = Capture::new(limit);
                stream.chunks(piece).for_each(|chunk| capture.push(chunk));
                assert_eq!(capture.finish(), expected(&stream, limit), "{limit:?}, pieces of {piece}");
            }
        }
    }

    #[test]
    fn text_says_what_is_missing_and_joins_a_split_character() {
        let whole = Captured { head: vec![b'a', 0xc3], tail: vec![0xa9], dropped: 0 };
        assert_eq!(whole.text(), "aé");
        let cut = Captured { head: b"a".to_vec(), tail: b"z".to_vec(), dropped: 9 };
        assert_eq!(cut.text(), "a\n[9 bytes left out]\nz");
    }
}
