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

/// A page for a terminal: what follows a label, and the lines below it, are broken between words. Other lines, such as
/// those of a file or a change, stay as they are.
pub(crate) fn fitted(page: &str, width: usize) -> String {
    let mut text = String::with_capacity(page.len());
    let mut is_labelled = false;
    for line in page.split_inclusive('\n') {
        let (line, end) = line.strip_suffix('\n').map_or((line, ""), |line| (line, "\n"));
        let plain = anstream::adapter::strip_str(line).to_string();
        let indent = plain.len() - plain.trim_start_matches(' ').len();
        let begins = has_label(&plain);
        is_labelled = begins || (is_labelled && indent >= LABELLED - 2);
        if is_labelled && plain.chars().count() > width {
            text.push_str(&broken(line, if begins { LABELLED } else { indent }, width));
        } else {
            text.push_str(line);
        }
        text.push_str(end);
    }
    text
}

/// `Observed    1 log`: a word or two that begin with a capital, up to the column of what they name.
fn has_label(line: &str) -> bool {
    let Some((label, rest)) = line.split_at_checked(LABELLED) else { return false };
    let is_word = |c: char| c.is_ascii_alphabetic() || matches!(c, ' ' | '-');
    label.starts_with(|c: char| c.is_ascii_uppercase())
        && label.ends_with("  ")
        && label.chars().all(is_word)
        && rest.starts_with(|c: char| c != ' ')
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
