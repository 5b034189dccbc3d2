//! Which suites of tests are open, for runners that indent what is in them.

/// Titles of suites by their indentation: the path to a test that stands below them.
#[derive(Debug, Default)]
pub(super) struct Suites<'a> {
    open: Vec<(usize, &'a str)>,
}

impl<'a> Suites<'a> {
    /// Suites nest no deeper than this.
    const MAX_DEPTH: usize = 64;

    pub(super) fn clear(&mut self) {
        self.open.clear();
    }

    /// A title stands at this indentation.
    pub(super) fn open(&mut self, indent: usize, title: &'a str) {
        self.leave(indent);
        if self.open.len() < Self::MAX_DEPTH {
            self.open.push((indent, title));
        }
    }

    /// Whether this very title is open there: it is named again at its end.
    pub(super) fn is_open(&self, indent: usize, title: &str) -> bool {
        self.open.contains(&(indent, title))
    }

    /// What stands at this indentation or deeper is not above what comes.
    pub(super) fn leave(&mut self, indent: usize) {
        self.open.retain(|(depth, _)| *depth < indent);
    }

    /// The titles above this indentation and the name, with a separator between them.
    pub(super) fn path(&mut self, indent: usize, separator: &str, name: &str) -> String {
        self.leave(indent);
        let titles = self.open.iter().map(|(_, title)| *title);
        titles.chain([name]).collect::<Vec<_>>().join(separator)
    }
}
