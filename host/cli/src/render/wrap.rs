//! Text in lines that fit the terminal.

use terminal_size::{Width, terminal_size_of};

/// The width where standard output is no terminal, and the bounds of that of a terminal.
const WIDTH: usize = 100;
const LEAST: usize = 40;
const MOST: usize = 120;

/// The columns that a page may use.
pub(crate) fn width() -> usize {
    terminal_size_of(std::io::stdout()).map_or(WIDTH, |(Width(columns), _)| usize::from(columns).clamp(LEAST, MOST))
}

/// The text in lines of at most `width` characters, each but the first after `indent` spaces. A longer word has a line of
/// its own. `first` is the column at which the text starts.
pub(crate) fn wrapped(text: &str, first: usize, indent: usize, width: usize) -> String {
    let mut lines = String::new();
    let mut column = first;
    let mut is_first = true;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if !is_first && column + 1 + length > width {
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            column = indent;
        } else if !is_first {
            lines.push(' ');
            column += 1;
        }
        lines.push_str(word);
        column += length;
        is_first = false;
    }
    lines
}

/// The columns of a terminal; `None` if it is none.
pub(crate) fn columns(stream: impl std::os::fd::AsFd) -> Option<usize> {
    terminal_size_of(stream).map(|(Width(columns), _)| usize::from(columns).max(LEAST))
}

/// The column at which what a label names begins.
const LABELLED: usize = 12;

/// The column at which the second line of a violation begins.
const VIOLATION: usize = 9;

/// A page for a terminal: what follows a label, the lines below it, and sentences are broken between words. Other lines,
/// such as those of a file or a change, and commands, stay as they are.
pub(crate) fn fitted(page: &str, width: usize) -> String {
    let mut text = String::with_capacity(page.len());
    // The column at which the lines below the last label begin.
    let mut below: Option<usize> = None;
    for line in page.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let plain = anstream::adapter::strip_str(line).to_string();
        let indent = plain.len() - plain.trim_start_matches(' ').len();
        let begins = label(&plain);
        below = begins.or(below.filter(|column| indent + 2 >= *column));
        let is_fitted = below.is_some() || is_sentence(&plain);
        if is_fitted && plain.chars().count() > width {
            text.push_str(&broken(line, begins.unwrap_or(indent), width));
        } else {
            text.push_str(line);
        }
        text.push_str(end);
    }
    text
}

/// If a line begins with a label, the column at which the lines below it begin. A label is a word or two that begin with a
/// capital, up to the column of what they name (`Observed    1 log`), or the first word of a violation.
fn label(line: &str) -> Option<usize> {
    if line.starts_with("  reject ") || line.starts_with("  flag ") {
        return Some(VIOLATION);
    }
    let (label, rest) = line.split_at_checked(LABELLED)?;
    let is_word = |c: char| c.is_ascii_alphabetic() || matches!(c, ' ' | '-');
    let is_label = label.starts_with(|c: char| c.is_ascii_uppercase())
        && label.ends_with("  ")
        && label.chars().all(is_word)
        && rest.starts_with(|c: char| c != ' ');
    is_label.then_some(LABELLED)
}

/// `Dry run. Nothing was changed.`: it begins with a capital and ends with a full stop.
fn is_sentence(line: &str) -> bool {
    line.starts_with(|c: char| c.is_ascii_uppercase()) && line.ends_with('.')
}

/// A line with styles in lines of at most `width` columns, each but the first after `indent` spaces. A longer word has a
/// line of its own.
pub(crate) fn broken(line: &str, indent: usize, width: usize) -> String {
    let mut lines = String::with_capacity(line.len() + indent);
    let mut column = 0;
    let mut rest = line;
    while !rest.is_empty() {
        let word = rest.trim_start_matches(' ');
        let spaces = rest.len() - word.len();
        let (word, after) = word.split_at(word.find(' ').unwrap_or(word.len()));
        let length = anstream::adapter::strip_str(word).to_string().chars().count();
        if column > indent && column + spaces + length > width {
            lines.push('\n');
            lines.push_str(&" ".repeat(indent));
            column = indent;
        } else {
            lines.push_str(&" ".repeat(spaces));
            column += spaces;
        }
        lines.push_str(word);
        column += length;
        rest = after;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_label_names_is_broken_between_words() {
        let page = "Next        one two three\n              four five six seven\n+ a line of a change that is long\n";
        let expected = "Next        one two\n            three\n              four\n              five\n              six\n              \
             seven\n+ a line of a change that is long\n";
        assert_eq!(fitted(page, 20), expected);
        assert_eq!(
            fitted("\u{1b}[1mNext      \u{1b}[0m  \u{1b}[2mone two\u{1b}[0m", 17),
            "\u{1b}[1mNext      \u{1b}[0m  \u{1b}[2mone\n            two\u{1b}[0m"
        );
        assert_eq!(
            fitted("  reject a-rule  one two three\n         four five six\n", 18),
            "  reject a-rule\n         one two\n         three\n         four five\n         six\n"
        );
        assert_eq!(fitted("Dry run. Nothing was changed.\n", 20), "Dry run. Nothing was\nchanged.\n");
        let as_it_is =
            "  +reject this line of a change.\n[policy] of a file.\nTo do it: gephost run --apply\n/a b/c d.\n";
        assert_eq!(fitted(as_it_is, 10), as_it_is);
        assert_eq!(fitted("Not a label here, but a sentence", 10), "Not a label here, but a sentence");
        assert_eq!(broken("hint: a bb ccc", 2, 9), "hint: a\n  bb ccc");
        assert_eq!(broken("/a/very/long/path b", 2, 9), "/a/very/long/path\n  b");
    }

    #[test]
    fn lines_are_as_long_as_they_may_be() {
        assert_eq!(wrapped("one two three four", 0, 2, 9), "one two\n  three\n  four");
        assert_eq!(wrapped("one two", 4, 4, 11), "one two");
        assert_eq!(wrapped("a-very-long-word b", 0, 2, 6), "a-very-long-word\n  b");
        assert_eq!(wrapped("", 0, 2, 6), "");
    }
}
