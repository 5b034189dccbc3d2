//! A text file of the workspace, with its lines.

use std::ops::Range;

/// A file that may be repaired.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Source {
    /// Path from the workspace's root.
    pub(crate) path: String,
    /// The whole text.
    pub(crate) text: String,
    lines: Vec<Range<usize>>,
}

impl Source {
    /// The file with this text.
    pub(crate) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut lines = Vec::new();
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let body = line.strip_suffix('\n').unwrap_or(line);
            let body = body.strip_suffix('\r').unwrap_or(body);
            lines.push(start..start + body.len());
            start += line.len();
        }
        Self { path: path.into(), text, lines }
    }

    /// How many lines it has.
    pub(crate) fn count(&self) -> usize {
        self.lines.len()
    }

    /// The bytes of a line, from 1, without its ending.
    pub(crate) fn range(&self, number: usize) -> Option<Range<usize>> {
        self.lines.get(number.checked_sub(1)?).cloned()
    }

    /// A line, from 1, without its ending.
    pub(crate) fn line(&self, number: usize) -> Option<&str> {
        self.text.get(self.range(number)?)
    }

    /// The bytes of a line with its ending.
    pub(crate) fn whole(&self, number: usize) -> Option<Range<usize>> {
        let start = self.range(number)?.start;
        let end = self.range(number + 1).map_or(self.text.len(), |next| next.start);
        Some(start..end)
    }

    /// The number of the line, from 1, that holds a byte.
    pub(crate) fn number_at(&self, at: usize) -> usize {
        self.lines.partition_point(|line| line.start <= at).max(1)
    }

    /// The byte at a line and column, both from 1; columns count characters.
    pub(crate) fn at(&self, line: usize, column: usize) -> Option<usize> {
        let range = self.range(line)?;
        let text = self.text.get(range.clone())?;
        let skipped = column.checked_sub(1)?;
        let mut starts = text.char_indices().map(|(at, _)| at).chain([text.len()]);
        starts.nth(skipped).map(|at| range.start + at)
    }

    /// The byte at a line and column, both from 1; columns count UTF-16 units.
    pub(crate) fn at_utf16(&self, line: usize, column: usize) -> Option<usize> {
        let range = self.range(line)?;
        let text = self.text.get(range.clone())?;
        utf16(text, column.checked_sub(1)?).map(|at| range.start + at)
    }

    /// The line ending that the file uses.
    pub(crate) fn ending(&self) -> &'static str {
        if self.text.contains("\r\n") { "\r\n" } else { "\n" }
    }

    /// The identifier that starts at a byte.
    pub(crate) fn word_at(&self, at: usize) -> Option<&str> {
        let rest = self.text.get(at..)?;
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
        let starts = self.text.get(..at)?.chars().next_back();
        let is_start = !starts.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$');
        (end > 0 && is_start).then(|| rest.get(..end)).flatten()
    }
}

/// The byte offset of a UTF-16 offset.
pub(crate) fn utf16(text: &str, units: usize) -> Option<usize> {
    let mut seen = 0;
    for (at, c) in text.char_indices() {
        if seen >= units {
            return (seen == units).then_some(at);
        }
        seen += c.len_utf16();
    }
    (seen == units).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_bytes_of_the_text() {
        let source = Source::new("a", "é=1\r\n𝒙 = b\n\nend");
        assert_eq!(source.count(), 4);
        assert_eq!(source.line(1), Some("é=1"));
        assert_eq!(source.line(3), Some(""));
        assert_eq!(source.line(5), None);
        assert_eq!(source.at(1, 2), Some(2));
        assert_eq!(source.at(1, 9), None);
        assert_eq!(source.at_utf16(2, 6).and_then(|at| source.word_at(at)), Some("b"));
        assert_eq!(source.at_utf16(2, 2), None);
        assert_eq!(source.number_at(7), 2);
        assert_eq!(source.whole(1), Some(0..6));
    }
}
