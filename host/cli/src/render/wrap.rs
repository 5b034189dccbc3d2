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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_as_long_as_they_may_be() {
        assert_eq!(wrapped("one two three four", 0, 2, 9), "one two\n  three\n  four");
        assert_eq!(wrapped("one two", 4, 4, 11), "one two");
        assert_eq!(wrapped("a-very-long-word b", 0, 2, 6), "a-very-long-word\n  b");
        assert_eq!(wrapped("", 0, 2, 6), "");
    }
}
