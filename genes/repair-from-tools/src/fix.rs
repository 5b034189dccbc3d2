//! One repair of one file, as edits of its text.

use std::ops::Range;

use crate::order::ordered;
use crate::source::Source;

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

    /// The edit of the part in which two texts differ; the old one starts at byte `start`.
    pub(crate) fn between(start: usize, old: &str, new: &str) -> Self {
        let same: usize = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
        let (old_rest, new_rest) = (&old[same..], &new[same..]);
        let ends = old_rest.chars().rev().zip(new_rest.chars().rev()).take_while(|(a, b)| a == b);
        let end: usize = ends.map(|(a, _)| a.len_utf8()).sum();
        let text = &new_rest[..new_rest.len() - end];
        Self::replace(start + same..start + old.len() - end, text)
    }

    /// Whether both cannot be made: they share bytes, or insert different parts of a line at one place.
    pub(crate) fn conflicts(&self, other: &Self) -> bool {
        if self.start == other.start && self.start == self.end && other.start == other.end {
            return self != other && !(self.text.ends_with('\n') && other.text.ends_with('\n'));
        }
        self != other && self.start < other.end.max(other.start + 1) && other.start < self.end.max(self.start + 1)
    }
}

/// A repair for one message of a tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fix {
    /// The file.
    pub(crate) path: String,
    /// The line, from 1.
    pub(crate) line: usize,
    /// The edits; empty only if `executable`.
    pub(crate) edits: Vec<Edit>,
    /// What to do, as an instruction without the place.
    pub(crate) what: String,
    /// Why that is right.
    pub(crate) why: String,
    /// The tool's message.
    pub(crate) message: String,
    /// Whether the file must become executable.
    pub(crate) executable: bool,
}

impl Fix {
    /// A fix with these edits.
    pub(crate) fn new(source: &Source, line: usize, edits: Vec<Edit>, what: impl Into<String>) -> Self {
        Self {
            path: source.path.clone(),
            line,
            edits,
            what: what.into(),
            why: String::new(),
            message: String::new(),
            executable: false,
        }
    }

    /// The same fix with its reason and the message that it answers.
    pub(crate) fn because(mut self, why: impl Into<String>, message: impl Into<String>) -> Self {
        (self.why, self.message) = (why.into(), message.into());
        self
    }
}

/// Applies the edits. `None` if there are none, if two overlap, if one is outside the text or splits a character, or if the
/// text stays the same.
pub(crate) fn apply(text: &str, edits: &[Edit]) -> Option<String> {
    let mut result = String::with_capacity(text.len() + 64);
    let mut done = 0;
    for edit in ordered(edits) {
        result.push_str(text.get(done..edit.start)?);
        result.push_str(&edit.text);
        text.get(edit.start..edit.end)?;
        done = edit.end;
    }
    result.push_str(text.get(done..)?);
    (result != text).then_some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_as_small_as_the_difference() {
        assert_eq!(Edit::between(10, "let mut x", "let x"), Edit::replace(14..18, ""));
        assert_eq!(Edit::between(0, "take(s)", "take(&s)"), Edit::insert(5, "&"));
    }

    #[test]
    fn edits_apply_in_order_and_never_overlap() {
        let edits = [Edit::insert(3, "X"), Edit::replace(0..1, "A")];
        assert_eq!(apply("abc", &edits).as_deref(), Some("AbcX"));
        assert_eq!(apply("abc", &[Edit::replace(0..2, ""), Edit::replace(1..3, "")]), None);
        assert_eq!(apply("abc", &[Edit::insert(9, "X")]), None);
        assert_eq!(apply("é", &[Edit::insert(1, "X")]), None);
        assert_eq!(apply("abc", &[]), None);
        assert_eq!(apply("abc", &[Edit::replace(0..1, "a")]), None);
    }

    #[test]
    fn edits_at_one_place_conflict_unless_they_insert_whole_lines() {
        let line = |text: &str| Edit::insert(4, text);
        assert!(!line("a\n").conflicts(&line("b\n")));
        assert!(line("a").conflicts(&line("b")));
        assert!(Edit::replace(1..3, "").conflicts(&Edit::replace(2..4, "")));
        assert!(Edit::replace(1..3, "").conflicts(&Edit::insert(2, "x")));
        assert!(!Edit::replace(1..3, "").conflicts(&Edit::replace(3..4, "")));
    }
}
