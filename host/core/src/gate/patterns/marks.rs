//! Marks with which a test is skipped, or is expected to fail, and that take nothing from a test that was there before.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::{BTreeMap, BTreeSet};

use super::super::added::removed;
use super::mask::Reader;
use super::weakened;
use crate::patch::{FilePatch, shown};

/// Most marks of a file that are looked at. The others are reported.
const MOST: usize = 500;

/// Most places of the same mark that are looked at.
const MOST_PLACES: usize = 16;

/// An edit of a file with tests, as far as marks need it.
pub(super) struct Marks<'a> {
    reader: Option<Reader>,
    edit: Option<(&'a FilePatch, Cow<'a, str>)>,
    after: &'a str,
    lines: OnceCell<Vec<&'a str>>,
    /// Where each mark stood that is gone.
    gone: OnceCell<BTreeMap<Vec<u8>, Vec<u64>>>,
    /// The tests that got another name, if the tests can be read. They are read once for all marks.
    renamed: OnceCell<Option<BTreeSet<String>>>,
    seen: Cell<usize>,
}

impl<'a> Marks<'a> {
    /// `edit` is the patch and the file before it.
    pub(super) fn new(reader: Option<Reader>, edit: Option<(&'a FilePatch, &'a [u8])>, after: &'a str) -> Self {
        Self {
            reader,
            edit: edit.map(|(file, before)| (file, shown(before))),
            after,
            lines: OnceCell::new(),
            gone: OnceCell::new(),
            renamed: OnceCell::new(),
            seen: Cell::new(0),
        }
    }

    /// Whether the mark in a line stands above a new test, or stood above its test before, perhaps with another reason.
    pub(super) fn take_nothing(&self, line: u64) -> bool {
        let Some((file, before)) = &self.edit else { return false };
        self.seen.set(self.seen.get() + 1);
        self.seen.get() <= MOST && (self.is_new(before, line) || self.was_there(file, before, line))
    }

    fn is_new(&self, before: &str, line: u64) -> bool {
        let Some((reader, name)) = self.reader.zip(weakened::new_function(before, self.after, line)) else {
            return false;
        };
        let renamed = self.renamed.get_or_init(|| weakened::renamed(reader, before, self.after));
        renamed.as_ref().is_some_and(|renamed| !renamed.contains(name))
    }

    fn was_there(&self, file: &FilePatch, before: &str, number: u64) -> bool {
        let lines = self.lines.get_or_init(|| self.after.lines().collect());
        let line = usize::try_from(number).ok().and_then(|number| lines.get(number.checked_sub(1)?));
        let gone = self.gone.get_or_init(|| {
            let mut gone: BTreeMap<Vec<u8>, Vec<u64>> = BTreeMap::new();
            for line in removed(file) {
                gone.entry(weakened::without_reason(line.text)).or_default().push(line.number);
            }
            gone
        });
        let places = line.and_then(|line| gone.get(&weakened::without_reason(line)));
        let name = weakened::function(self.after, number);
        let mut near = places.into_iter().flatten().take(MOST_PLACES);
        name.is_some() && near.any(|old| weakened::function(before, *old) == name)
    }
}
