//! An error of the Rust compiler with its suggestions, and how a suggestion changes a file.

use std::rc::Rc;

use crate::fix::Edit;
use crate::shelf::{Shelf, has_ending};
use crate::source::Source;

/// An error with its suggestions.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Report {
    pub(super) message: String,
    /// The lint or error code, if the output names it.
    pub(super) code: String,
    pub(super) suggestions: Vec<Suggestion>,
    /// The place and the text of the lines that the error shows, for errors without a suggestion.
    pub(super) shown: Vec<Shown>,
    pub(super) file: String,
}

/// A line of a source as the compiler shows it, and the columns that it marks (from 1, in characters).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub(super) line: usize,
    pub(super) text: String,
    pub(super) marks: Vec<(usize, usize)>,
    /// The columns that it marks as a side note.
    pub(super) notes: Vec<(usize, usize)>,
}

/// One suggested change, in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Suggestion {
    pub(super) help: String,
    /// Whether the compiler says that it can be made by a machine.
    pub(super) machine: bool,
    pub(super) file: String,
    pub(super) parts: Vec<Part>,
}

/// A part of a suggestion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Replaces what stands between two places, given as line and column from 1, in characters. `shown` are the lines that
    /// the diagnostic shows there.
    Span { start: (usize, usize), end: (usize, usize), shown: Vec<String>, text: String },
    /// Replaces a line; all are shown as the terminal does, with four spaces for a tab. The line was one of `old`, because
    /// the marks below a new line do not say whether a space after them is new as well.
    Line { number: usize, old: Vec<String>, new: String },
    /// Adds a line before the line with this number.
    Added { number: usize, text: String },
}

impl Report {
    /// Whether the file still has the marked lines. Without them a line could be added at a place that is not meant.
    pub(super) fn holds(&self, files: &mut Shelf<'_>) -> bool {
        let Some(source) = rust_file(&self.file, files) else { return false };
        let mut marked = self.shown.iter().filter(|shown| !shown.marks.is_empty()).peekable();
        let same = |shown: &Shown| {
            let line = source.line(shown.line).unwrap_or_default();
            line.trim().replace('\t', "    ") == shown.text.trim().replace('\t', "    ")
        };
        marked.peek().is_some() && marked.all(same)
    }
}

/// The file that a path in a log means, if it is a source of Rust.
pub(super) fn rust_file(logged: &str, shelf: &mut Shelf<'_>) -> Option<Rc<Source>> {
    has_ending(logged, &["rs"]).then(|| shelf.open(logged)).flatten()
}

impl Part {
    /// The line, from 1.
    pub(super) fn line(&self) -> usize {
        match self {
            Self::Span { start, .. } => start.0,
            Self::Line { number, .. } | Self::Added { number, .. } => *number,
        }
    }

    /// The edit, if the file still has what the compiler shows.
    pub(super) fn edit(&self, source: &Source) -> Option<Edit> {
        match self {
            Self::Span { start, end, shown, text } => {
                let same = |(index, shown): (usize, &String)| source.line(start.0 + index) == Some(shown.as_str());
                if shown.is_empty() || !shown.iter().enumerate().all(same) || end.0 - start.0 + 1 > shown.len() {
                    return None;
                }
                // A span that removes a whole line ends before the first column of the next one.
                let end = source.at(end.0, end.1).or_else(|| (end.1 == 1).then_some(source.text.len()))?;
                let text = if source.ending() == "\n" { text.clone() } else { text.replace('\n', "\r\n") };
                Some(Edit::replace(source.at(start.0, start.1)?..end, text))
            }
            Self::Line { number, old, new } => {
                let line = source.line(*number)?;
                let indent = |text: &str| text.len() - text.trim_start().len();
                let rest = line.trim_start();
                let shown = rest.replace('\t', "    ");
                let old = old.iter().find(|old| old.trim_start() == shown)?;
                let range = source.range(*number)?;
                if new.trim().is_empty() {
                    return Some(Edit::replace(source.whole(*number)?, ""));
                }
                if rest.contains('\t') || indent(old) != indent(new) {
                    return None;
                }
                let start = range.start + indent(line);
                Some(smallest(start, rest, new.trim_start()))
            }
            Self::Added { number, text } => {
                let at = source.whole(*number)?.start;
                let line = source.line(*number)?;
                let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
                Some(Edit::insert(at, format!("{indent}{}{}", text.trim(), source.ending())))
            }
        }
    }
}

/// The edit of the part in which two texts differ.
fn smallest(start: usize, old: &str, new: &str) -> Edit {
    let same: usize = old.chars().zip(new.chars()).take_while(|(a, b)| a == b).map(|(a, _)| a.len_utf8()).sum();
    let (old_rest, new_rest) = (&old[same..], &new[same..]);
    let ends = old_rest.chars().rev().zip(new_rest.chars().rev()).take_while(|(a, b)| a == b);
    let end: usize = ends.map(|(a, _)| a.len_utf8()).sum();
    let text = &new_rest[..new_rest.len() - end];
    Edit::replace(start + same..start + old.len() - end, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_edit_is_as_small_as_the_difference() {
        assert_eq!(smallest(10, "let mut x", "let x"), Edit::replace(14..18, ""));
        assert_eq!(smallest(0, "take(s)", "take(&s)"), Edit::insert(5, "&"));
    }
}
