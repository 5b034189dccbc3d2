//! A text without its terminal sequences, as it is stored.

use memchr::memchr2;

use super::terminal::{LONGEST, next_escape, sequence_at};

/// A text without terminal sequences.
#[derive(Debug)]
pub(crate) struct Plain {
    pub(crate) text: String,
    gaps: Vec<Gap>,
}

/// Where something was left out.
#[derive(Debug, Clone, Copy)]
struct Gap {
    /// In the plain text.
    at: usize,
    /// In the text: where it continues.
    origin: usize,
}

impl Plain {
    /// Leaves out the sequences. One that only comes about when another one is left out is left out too, so doing it
    /// twice changes nothing. Linear in the length of the text.
    pub(crate) fn of(text: &str) -> Self {
        let mut bytes = text.as_bytes().to_vec();
        let mut left_out: Vec<(usize, usize)> = Vec::new();
        let (mut read, mut written) = (0, 0);
        while read < bytes.len() {
            if let Some(len) = sequence_at(&bytes, read) {
                read += len;
                let inside = left_out.split_off(left_out.partition_point(|(at, _)| *at < written));
                left_out.push((written, len + inside.iter().map(|(_, len)| len).sum::<usize>()));
                let again = unfinished(bytes.get(..written).unwrap_or_default());
                (read, written) = (read - again, written - again);
                bytes.copy_within(written..written + again, read);
            } else {
                let end = next_escape(&bytes, read);
                bytes.copy_within(read..end, written);
                written += end - read;
                read = end;
            }
        }
        bytes.truncate(written);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let mut before = 0;
        let gap = |(at, len)| {
            before += len;
            Gap { at, origin: at + before }
        };
        Self { text, gaps: left_out.into_iter().map(gap).collect() }
    }

    /// Where a byte of the plain text is in the text.
    pub(crate) fn origin(&self, at: usize) -> usize {
        let gap = self.gaps.partition_point(|gap| gap.at <= at).checked_sub(1).and_then(|index| self.gaps.get(index));
        gap.map_or(at, |gap| gap.origin + at - gap.at)
    }

    /// Where a byte of the text is in the plain text. One that was left out is where the text continues.
    pub(crate) fn place(&self, origin: usize) -> usize {
        let next = self.gaps.partition_point(|gap| gap.origin <= origin);
        let gap = next.checked_sub(1).and_then(|index| self.gaps.get(index));
        let place = gap.map_or(origin, |gap| gap.at + origin - gap.origin);
        place.min(self.gaps.get(next).map_or(self.text.len(), |gap| gap.at))
    }
}

/// How many of the last bytes could become a sequence with what follows: those from the first escape on.
fn unfinished(written: &[u8]) -> usize {
    let tail = written.get(written.len().saturating_sub(LONGEST)..).unwrap_or_default();
    memchr2(b'\\', b'%', tail).map_or(0, |at| tail.len() - at)
}
