//! An error of the Rust compiler with its suggestions, and how a suggestion changes a file.

use std::rc::Rc;

use crate::fix::Edit;
use crate::shelf::{Shelf, has_ending};
use crate::source::Source;

/// The files that a suggestion may change, and in which its words are looked up.
pub(super) const GLOB: &str = "**/*.rs";

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
    /// The first and the last line that the error marks, if it marks several.
    pub(super) span: Option<(usize, usize)>,
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
    /// Replaces this many lines by others, as the terminal shows them. `old` are the replaced lines, if they are shown.
    Block { start: usize, count: usize, old: Vec<String>, new: Vec<String> },
}

impl Report {
    /// Whether the file still has the marked lines. Without them a line could be added at a place that is not meant.
    pub(super) fn holds(&self, files: &mut Shelf<'_>) -> bool {
        let Some(source) = rust_file(&self.file, files) else { return false };
        let mut marked = self.shown.iter().filter(|shown| !shown.marks.is_empty()).peekable();
        let same = |shown: &Shown| {
            let line = source.line(shown.line).unwrap_or_default();
            let (line, shown) = (line.trim().replace('\t', "    "), shown.text.trim().replace('\t', "    "));
            match shown.strip_prefix("...") {
                // The beginning of a long line is not shown.
                Some(end) => line.ends_with(end.trim_start()),
                None => line == shown,
            }
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
            Self::Block { start, .. } => *start,
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
                let rest = line.trim_start();
                let shown = rest.replace('\t', "    ");
                if let Some(edit) = old.first().and_then(|old| in_long_line(source, *number, old, new)) {
                    return Some(edit);
                }
                let old = old.iter().find(|old| old.trim_start() == shown)?;
                let range = source.range(*number)?;
                if new.trim().is_empty() {
                    return Some(Edit::replace(source.whole(*number)?, ""));
                }
                if rest.contains('\t') || indent(old) != indent(new) {
                    return None;
                }
                let start = range.start + indent(line);
                Some(Edit::between(start, rest, new.trim_start()))
            }
            Self::Block { start, count, old, new } => block(source, *start, *count, old, new),
            Self::Added { number, text } => {
                let at = source.whole(*number)?.start;
                let line = source.line(*number)?;
                let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
                Some(Edit::insert(at, format!("{indent}{}{}", text.trim(), source.ending())))
            }
        }
    }
}

/// The edit in a line of which the compiler shows only the end, after three points.
fn in_long_line(source: &Source, number: usize, old: &str, new: &str) -> Option<Edit> {
    let (old, new) = (old.strip_prefix("...")?.trim_start(), new.strip_prefix("...")?.trim_start());
    let range = source.range(number)?;
    let line = source.line(number)?;
    (line.ends_with(old) && old.len() < line.len()).then(|| Edit::between(range.end - old.len(), old, new))
}

/// The edit that replaces whole lines, if they are those that the compiler means.
fn block(source: &Source, start: usize, count: usize, old: &[String], new: &[String]) -> Option<Edit> {
    let lines: Vec<&str> = (start..start + count).map(|number| source.line(number)).collect::<Option<_>>()?;
    let range = source.range(start)?.start..source.range(start + count - 1)?.end;
    let text = source.text.get(range.clone())?;
    if text.contains(['\t', '\r']) || new.iter().any(|line| line.starts_with("...")) {
        return None;
    }
    let fits = if !old.is_empty() {
        old.iter().map(|line| line.trim_end()).eq(lines.iter().map(|line| line.trim_end()))
    } else if count == new.len() {
        lines.iter().zip(new).all(|(old, new)| takes_place(old, new))
    } else {
        lines.first().zip(new.first()).is_some_and(|(old, new)| indent(old) == indent(new))
    };
    let trimmed: Vec<&str> = new.iter().map(|line| line.trim_end()).filter(|line| !line.is_empty()).collect();
    (fits && !trimmed.is_empty()).then(|| Edit::between(range.start, text, &trimmed.join("\n")))
}

/// Whether a shown line can be the new form of this one: at the same indentation and with the same end, or it is empty.
fn takes_place(old: &str, new: &str) -> bool {
    let last = |line: &str| line.trim_end().trim_end_matches(';').chars().next_back();
    new.trim().is_empty() || (indent(old) == indent(new) && last(old) == last(new))
}

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_replaces_only_the_lines_that_are_meant() {
        let source = Source::new("a.rs", "fn f() {\n    let x: u8;\n    match y {\n        _ => x = 1,\n    }\n}\n");
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
        let new = lines(&["    ", "    let x: u8 = match y {", "        _ => 1,", "    };"]);
        let edit = block(&source, 2, 4, &[], &new).expect("it fits");
        let after = crate::fix::apply(&source.text, &[edit]);
        assert_eq!(after.as_deref(), Some("fn f() {\n    let x: u8 = match y {\n        _ => 1,\n    };\n}\n"));
        // The file has other lines now, or what is shown does not have their form.
        assert_eq!(block(&source, 3, 4, &[], &new), None);
        assert_eq!(block(&source, 2, 1, &lines(&["    let z: u8;"]), &lines(&["    z"])), None);
        assert!(
            block(&source, 3, 3, &lines(&["    match y {", "        _ => x = 1,", "    }"]), &lines(&["    z"]))
                .is_some()
        );
    }

    #[test]
    fn the_end_of_a_long_line_is_enough() {
        let source = Source::new("a.rs", "    long long long('x' as u8);\n");
        let edit = in_long_line(&source, 1, "...  long('x' as u8);", "...  long(b'x');").expect("it fits");
        assert_eq!(crate::fix::apply(&source.text, &[edit]).as_deref(), Some("    long long long(b'x');\n"));
        assert_eq!(in_long_line(&source, 1, "...  other('x' as u8);", "...  other(b'x');"), None);
    }
}
