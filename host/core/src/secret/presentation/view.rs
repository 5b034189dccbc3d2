//! The parts of a text around its escapes, with those undone.

use std::ops::Range;

use super::Survey;
use super::escape::escape_at;
use super::terminal::{next_escape, sequence_at};

/// Bytes of a text that one view shows, which bounds its memory.
const MOST: usize = 256 << 10;
/// Bytes that two views of a long window share: more than the longest bounded secret has.
const OVERLAP: usize = 16 << 10;

/// Parts of a text with escapes undone and terminal sequences left out.
pub(in crate::secret) struct View {
    pub(in crate::secret) text: String,
    pieces: Vec<Piece>,
}

/// Where a part of the view comes from. It ends where the next one starts.
struct Piece {
    at: usize,
    from: Range<usize>,
    /// Whether the bytes are the text's own, one for one.
    verbatim: bool,
}

/// The views of a text, in order.
pub(in crate::secret) fn views(text: &str, survey: &Survey) -> impl Iterator<Item = View> {
    let mut parts = survey.windows.iter().flat_map(|window| split(text, window.clone())).peekable();
    std::iter::from_fn(move || {
        let mut view = View { text: String::new(), pieces: Vec::new() };
        let mut shown = 0;
        while let Some(part) = parts.next_if(|part| shown == 0 || shown + part.len() <= MOST) {
            shown += part.len();
            view.show(text, part);
        }
        (shown > 0).then_some(view)
    })
}

/// A window in parts of at most [`MOST`] bytes, which overlap.
fn split(text: &str, window: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let mut next = Some(window.start);
    std::iter::from_fn(move || {
        let start = next?;
        let end = text.floor_char_boundary(start.saturating_add(MOST).min(window.end));
        next = (end < window.end).then(|| text.floor_char_boundary(end - OVERLAP));
        Some(start..end)
    })
}

impl View {
    /// The bytes of the text that spell a part of the view.
    pub(in crate::secret) fn origin(&self, shown: &Range<usize>) -> Range<usize> {
        let piece = |at: usize| {
            let index = self.pieces.partition_point(|piece| piece.at <= at).saturating_sub(1);
            self.pieces.get(index)
        };
        let start = piece(shown.start)
            .map_or(0, |piece| piece.from.start + if piece.verbatim { shown.start - piece.at } else { 0 });
        let last = shown.end.saturating_sub(1);
        let end = piece(last).map_or(start, |piece| {
            if piece.verbatim { piece.from.start + last - piece.at + 1 } else { piece.from.end }
        });
        start..end.max(start)
    }

    fn show(&mut self, text: &str, part: Range<usize>) {
        let bytes = text.as_bytes().get(..part.end).unwrap_or_default();
        let mut at = part.start;
        while at < part.end {
            if let Some(len) = sequence_at(bytes, at) {
                at += len;
            } else if let Some(escape) = escape_at(bytes, at) {
                self.pieces.push(Piece { at: self.text.len(), from: at..at + escape.len, verbatim: false });
                self.text.push(escape.is);
                at += escape.len;
            } else {
                at = self.copy(text, at..part.end);
            }
        }
        // Nothing reaches from one part into the next.
        self.pieces.push(Piece { at: self.text.len(), from: part.end..part.end, verbatim: false });
        self.text.push('\n');
    }

    /// Copies what is spelled plainly from the start of a range. Returns where that ends.
    fn copy(&mut self, text: &str, range: Range<usize>) -> usize {
        let bytes = text.as_bytes();
        let end = next_escape(bytes.get(..range.end).unwrap_or_default(), range.start);
        self.pieces.push(Piece { at: self.text.len(), from: range.start..end, verbatim: true });
        self.text.push_str(text.get(range.start..end).unwrap_or_default());
        end
    }
}
