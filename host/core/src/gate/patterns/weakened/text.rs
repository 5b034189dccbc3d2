//! The text of a test file, of which each line is found and cut into words once, whichever rules ask for it.

use std::cell::OnceCell;

use super::balance::Place;
use super::phrase::Phrase;

/// A text, before or after a change.
pub(super) struct Text<'a> {
    pub(super) whole: &'a str,
    lines: OnceCell<Vec<Line<'a>>>,
}

struct Line<'a> {
    /// Where it begins in the text.
    start: usize,
    text: &'a str,
    phrase: OnceCell<Phrase<'a>>,
}

impl<'a> Line<'a> {
    fn phrase(&self) -> &Phrase<'a> {
        self.phrase.get_or_init(|| Phrase::of(self.text.trim(), Place::default()))
    }
}

impl<'a> Text<'a> {
    pub(super) fn new(whole: &'a str) -> Self {
        Self { whole, lines: OnceCell::new() }
    }

    fn cut(&self) -> &[Line<'a>] {
        self.lines.get_or_init(|| {
            let mut start = 0;
            let line = |with_end: &'a str| {
                let text = with_end.lines().next().unwrap_or_default();
                let line = Line { start, text, phrase: OnceCell::new() };
                start += with_end.len();
                line
            };
            self.whole.split_inclusive('\n').map(line).collect()
        })
    }

    /// The lines, as they stand.
    pub(super) fn lines(&self) -> impl Iterator<Item = &'a str> {
        self.cut().iter().map(|line| line.text)
    }

    /// The line above the one of this number, counted from 1.
    pub(super) fn above(&self, number: u64) -> Option<&'a str> {
        let at = usize::try_from(number).ok()?.checked_sub(2)?;
        self.cut().get(at).map(|line| line.text)
    }

    /// So many lines below the one of this number, counted from 1.
    pub(super) fn below(&self, number: u64, count: usize) -> impl Iterator<Item = &Phrase<'a>> {
        let from = usize::try_from(number).unwrap_or(usize::MAX);
        self.cut().iter().skip(from).take(count).map(Line::phrase)
    }

    /// All lines that say something.
    pub(super) fn phrases(&self) -> impl Iterator<Item = &Phrase<'a>> {
        self.cut().iter().map(Line::phrase).filter(|phrase| !phrase.line.is_empty())
    }

    /// The lines in which this stands, a text of one line. It is looked for in the whole text at once.
    pub(super) fn with(&self, searched: &str) -> impl Iterator<Item = &Phrase<'a>> {
        let mut after = 0;
        memchr::memmem::find_iter(self.whole.as_bytes(), searched).filter_map(move |at| {
            let lines = self.cut();
            let line = lines.partition_point(|line| line.start <= at).checked_sub(1)?;
            let is_first = line >= after;
            after = line + 1;
            lines.get(line).filter(|_| is_first).map(Line::phrase)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_found_by_their_number_and_by_what_stands_in_them() {
        let text = Text::new("one two\r\n\n  three two two\nfour\n");
        assert_eq!(text.lines().collect::<Vec<_>>(), ["one two", "", "  three two two", "four"]);
        let said = |found: &mut dyn Iterator<Item = &Phrase<'_>>| -> Vec<String> {
            found.map(|phrase| phrase.line.to_owned()).collect()
        };
        assert_eq!(said(&mut text.with("two")), ["one two", "three two two"]);
        assert_eq!(said(&mut text.with("five")), [""; 0]);
        assert_eq!(said(&mut text.below(1, 2)), ["", "three two two"]);
        assert_eq!(said(&mut text.phrases()), ["one two", "three two two", "four"]);
        assert_eq!((text.above(1), text.above(2), text.above(9)), (None, Some("one two"), None));
    }
}
