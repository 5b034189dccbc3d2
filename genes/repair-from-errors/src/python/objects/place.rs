//! The line that failed, and the text of tokens.

use std::ops::Range;

use super::super::file::File;

/// The tokens of the failing line.
pub(super) fn failing(file: &File<'_>) -> Option<Range<usize>> {
    Some(file.lines.get(file.anchor?)?.tokens.clone())
}

pub(super) fn text<'a>(file: &File<'a>, range: &Range<usize>) -> Option<&'a str> {
    std::str::from_utf8(file.tokens.bytes.get(file.span(range.start, range.end.checked_sub(1)?)?)?).ok()
}
