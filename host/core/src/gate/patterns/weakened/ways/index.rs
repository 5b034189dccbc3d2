//! What the ways ask of a whole text, or of all changed lines. It is read once, so that time grows with the size of the change.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use super::super::changed::Changed;
use super::super::loops::LOOPS;
use super::super::phrase::{Phrase, has};
use super::super::text::Text;

/// The lines of a text, by their words.
struct Lines<'t> {
    /// Tokens of lines that begin a loop, or that hand values on one by one.
    gone_through: BTreeSet<&'t str>,
    /// The first and the second token of each line.
    heads: BTreeSet<&'t str>,
    whole: BTreeSet<&'t str>,
}

impl<'t> Lines<'t> {
    fn of(text: &Text<'t>) -> Self {
        let mut found = Self { gone_through: BTreeSet::new(), heads: BTreeSet::new(), whole: BTreeSet::new() };
        for line in text.phrases() {
            found.whole.insert(line.line);
            found.heads.extend(line.tokens.iter().take(2));
            let loops: BTreeSet<&str> = line.names().map(|(_, name)| name).filter(|name| has(name, LOOPS)).collect();
            // A name that is one of these words says nothing of itself.
            let is_gone = |token: &&&str| loops.len() > 1 || !loops.is_empty() && !loops.contains(**token);
            found.gone_through.extend(line.tokens.iter().filter(is_gone));
        }
        found
    }
}

/// Where the changed lines stand.
pub(super) struct Places<'t> {
    /// Stretches that have new lines.
    pub(super) adding: BTreeSet<usize>,
    /// How many lines of each stretch are gone.
    pub(super) removed: BTreeMap<usize, usize>,
    /// The first line of each stretch that begins a new test.
    pub(super) tests: BTreeMap<usize, u64>,
    /// What stands in new lines.
    pub(super) tokens: BTreeSet<&'t str>,
}

#[derive(Default)]
pub(super) struct Index<'e, 'f> {
    before: OnceCell<Lines<'f>>,
    after: OnceCell<Lines<'f>>,
    places: OnceCell<Places<'e>>,
}

impl<'e, 'f> Index<'e, 'f> {
    fn after(&self, file: &Changed<'f>) -> &Lines<'f> {
        self.after.get_or_init(|| Lines::of(&file.after))
    }

    /// Whether the text went through what has this name.
    pub(super) fn went_through(&self, file: &Changed<'f>, name: &str) -> bool {
        self.before.get_or_init(|| Lines::of(&file.before)).gone_through.contains(name)
    }

    /// Whether the text goes through what has this name.
    pub(super) fn goes_through(&self, file: &Changed<'f>, name: &str) -> bool {
        self.after(file).gone_through.contains(name)
    }

    /// Whether a line of the text begins with this name, or has it in the second place.
    pub(super) fn begins_with(&self, file: &Changed<'f>, name: &str) -> bool {
        self.after(file).heads.contains(name)
    }

    /// Whether the text has this line, apart from the space around it.
    pub(super) fn has_line(&self, file: &Changed<'f>, line: &str) -> bool {
        self.after(file).whole.contains(line)
    }

    pub(super) fn places(&self, file: &Changed<'f>, come: &[&'e Phrase<'e>], added: &'e [Phrase<'e>]) -> &Places<'e> {
        self.places.get_or_init(|| {
            let lines = file.lines.added.iter().zip(&file.lines.added_at);
            let adding = lines.filter(|((_, said), _)| !said.trim().is_empty()).map(|(_, place)| place.run).collect();
            let mut removed = BTreeMap::new();
            for place in &file.lines.removed_at {
                *removed.entry(place.run).or_default() += 1;
            }
            let mut tests: BTreeMap<usize, u64> = BTreeMap::new();
            for line in come.iter().filter(|line| line.names_of_tests() > 0) {
                let first = tests.entry(line.place.run).or_insert(line.place.line);
                *first = line.place.line.min(*first);
            }
            let tokens = added.iter().flat_map(|line| line.tokens.iter().copied()).collect();
            Places { adding, removed, tests, tokens }
        })
    }
}
