//! Tracks which suites are open, for runners that indent the tests of a suite.

/// Titles of the open suites with their indentation.
#[derive(Debug, Default)]
pub(super) struct Suites<'a> {
    open: Vec<(usize, &'a str)>,
}

impl<'a> Suites<'a> {
    /// Deepest nesting of suites.
    const MAX_DEPTH: usize = 64;

    pub(super) fn clear(&mut self) {
        self.open.clear();
    }

    /// Opens a suite at this indentation.
    pub(super) fn open(&mut self, indent: usize, title: &'a str) {
        self.leave(indent);
        if self.open.len() < Self::MAX_DEPTH {
            self.open.push((indent, title));
        }
    }

    /// Whether this suite is open at this indentation. Its title is printed again at its end.
    pub(super) fn is_open(&self, indent: usize, title: &str) -> bool {
        self.open.contains(&(indent, title))
    }

    /// Closes the suites at this indentation and deeper.
    pub(super) fn leave(&mut self, indent: usize) {
        self.open.retain(|(depth, _)| *depth < indent);
    }

    /// The titles of the suites above this indentation and the name, joined with a separator.
    pub(super) fn path(&mut self, indent: usize, separator: &str, name: &str) -> String {
        self.leave(indent);
        let titles = self.open.iter().map(|(_, title)| *title);
        titles.chain([name]).collect::<Vec<_>>().join(separator)
    }
}
