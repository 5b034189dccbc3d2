//! Edits of a file. Every byte outside an edit stays as it was.

use std::collections::{BTreeSet, BinaryHeap};
use std::ops::Range;

/// Replaces a range of bytes by a text.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edit {
    /// First byte of the range.
    pub(crate) start: usize,
    /// End of the range; the same as `start` for an insertion.
    pub(crate) end: usize,
    /// The new text.
    pub(crate) text: String,
}

impl Edit {
    /// Replaces a range by `text`.
    pub(crate) fn replace(range: Range<usize>, text: impl Into<String>) -> Self {
        Self { start: range.start, end: range.end, text: text.into() }
    }

    /// Inserts `text` before the byte at `at`.
    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::replace(at..at, text)
    }
}

/// Applies the edits. `None` if there are none, if two overlap, or if one is outside the source.
pub(crate) fn apply(source: &[u8], edits: Vec<Edit>) -> Option<Vec<u8>> {
    if edits.is_empty() {
        return None;
    }
    let edits = sorted(edits);
    let mut result = Vec::with_capacity(source.len() + 64);
    let mut done = 0;
    for edit in &edits {
        result.extend_from_slice(source.get(done..edit.start)?);
        result.extend_from_slice(edit.text.as_bytes());
        source.get(edit.start..edit.end)?;
        done = edit.end;
    }
    result.extend_from_slice(source.get(done..)?);
    Some(result)
}

/// The edits in their order. A heap sorts them, because the sort of a slice costs the component 5 KB.
pub(crate) fn sorted(edits: Vec<Edit>) -> Vec<Edit> {
    BinaryHeap::from(edits).into_sorted_vec()
}

/// The set of these values. Each is inserted by itself: to collect them would sort them first, which costs the component 5 KB
/// for each type.
pub(crate) fn set<T: Ord>(values: impl Iterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    set.extend(values);
    set
}

/// The line ending of the line at `at`; if it has none, the one that the file uses.
pub(crate) fn line_ending(source: &[u8], at: usize) -> &'static str {
    let rest = source.get(at..).unwrap_or_default();
    match rest.iter().position(|byte| *byte == b'\n') {
        Some(end) if end > 0 && rest.get(end - 1) == Some(&b'\r') => "\r\n",
        None if source.windows(2).any(|pair| pair == b"\r\n") => "\r\n",
        _ => "\n",
    }
}

/// The physical lines of a file, as byte ranges without line endings.
pub(crate) fn physical_lines(source: &[u8]) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in source.split_inclusive(|byte| *byte == b'\n') {
        let mut end = start + line.len();
        if line.ends_with(b"\n") {
            end -= 1;
            if line.ends_with(b"\r\n") {
                end -= 1;
            }
        }
        lines.push(start..end);
        start += line.len();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_apply_in_order_and_never_overlap() {
        let edits = vec![Edit::insert(3, "X"), Edit::replace(0..1, "A")];
        assert_eq!(apply(b"abc", edits).as_deref(), Some(b"AbcX".as_slice()));
        assert_eq!(apply(b"abc", vec![Edit::replace(0..2, ""), Edit::replace(1..3, "")]), None);
        assert_eq!(apply(b"abc", vec![Edit::insert(9, "X")]), None);
        assert_eq!(apply(b"abc", Vec::new()), None);
    }

    #[test]
    fn line_endings_follow_the_file() {
        assert_eq!(line_ending(b"a\r\nb\n", 0), "\r\n");
        assert_eq!(line_ending(b"a\r\nb\n", 3), "\n");
        assert_eq!(line_ending(b"a\r\nb", 3), "\r\n");
        assert_eq!(line_ending(b"a", 0), "\n");
        assert_eq!(physical_lines(b"a\r\n\nb"), [0..1, 3..3, 4..5]);
    }
}
