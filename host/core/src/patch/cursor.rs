//! The lines of a diff with their numbers, and how many of them are taken on.

use super::{ParseError, ParseErrorKind as Kind};

/// What the reader takes on at all. These bound its memory; what a patch may hold is the policy's to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most bytes of a diff.
    pub max_bytes: usize,
    /// The most lines of a diff.
    pub max_lines: usize,
    /// The most files that one diff changes.
    pub max_files: usize,
}

impl Default for Limits {
    /// 16 MiB, 200,000 lines, 2,000 files.
    fn default() -> Self {
        Self { max_bytes: 16 << 20, max_lines: 200_000, max_files: 2_000 }
    }
}

/// The lines of a text and the place of the next one. Only a line feed ends a line.
pub(super) struct Cursor<'a> {
    lines: Vec<&'a str>,
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str, limits: &Limits) -> Result<Self, ParseError> {
        let too_large = |what, found, limit| ParseError { line: 1, kind: Kind::TooLarge { what, found, limit } };
        if text.len() > limits.max_bytes {
            return Err(too_large("bytes of the diff", text.len(), limits.max_bytes));
        }
        let count = count_lines(text);
        if count > limits.max_lines {
            return Err(too_large("lines of the diff", count, limits.max_lines));
        }
        let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split('\n').collect();
        if let Some(at) = lines.iter().position(|line| line.contains('\0')) {
            return Err(ParseError { line: at + 1, kind: Kind::Nul });
        }
        Ok(Self { lines, at: 0 })
    }

    /// The next line, left where it is.
    pub(super) fn peek(&self) -> Option<&'a str> {
        self.lines.get(self.at).copied()
    }

    /// The line after the next one.
    pub(super) fn peek_second(&self) -> Option<&'a str> {
        self.lines.get(self.at.saturating_add(1)).copied()
    }

    /// Passes over the next line.
    pub(super) fn advance(&mut self) {
        self.at = self.at.saturating_add(1).min(self.lines.len());
    }

    /// The rest of the next line, if it starts so; then it is passed over.
    pub(super) fn take_prefixed(&mut self, prefix: &str) -> Option<&'a str> {
        let rest = self.peek()?.strip_prefix(prefix)?;
        self.advance();
        Some(rest)
    }

    /// Number of the next line, from 1.
    pub(super) fn number(&self) -> usize {
        self.at.saturating_add(1)
    }

    /// A refusal at the next line.
    pub(super) fn error(&self, kind: Kind) -> ParseError {
        ParseError { line: self.number(), kind }
    }

    /// A refusal at the line just passed over.
    pub(super) fn error_before(&self, kind: Kind) -> ParseError {
        ParseError { line: self.at.max(1), kind }
    }
}

/// Lines of a text: line feeds, and a last line without one.
pub(crate) fn count_lines(text: &str) -> usize {
    let feeds = memchr::memchr_iter(b'\n', text.as_bytes()).count();
    feeds + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_last_line_counts_without_its_line_feed() {
        assert_eq!(["", "\n", "a", "a\n", "a\nb", "a\n\n"].map(count_lines), [0, 1, 1, 1, 2, 2]);
    }
}
