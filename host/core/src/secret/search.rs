//! The search: each rule reads the text forwards, in windows around its keywords, and no stretch of it twice for the
//! same match.

use regex_automata::Span;

use super::allow::Allowlist;
use super::expression::Form;
use super::rule::Rule;
use super::{Class, SecretMatch};

/// Most bytes of joined windows that are searched at once.
const LONGEST_WINDOW: usize = 64 << 10;

/// One text that is being searched.
pub(super) struct Search<'t, 'r> {
    pub(super) text: &'t str,
    pub(super) file: Option<&'t str>,
    pub(super) global: &'r [Allowlist],
    /// Matches with the place of their rule in the list.
    pub(super) found: Vec<(usize, SecretMatch<'r>)>,
}

/// How far a rule has read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cursor {
    /// End of the last match.
    done: usize,
    /// Joined windows that are not searched yet.
    waiting: Option<(usize, usize)>,
}

impl<'r> Search<'_, 'r> {
    /// A keyword of a rule stands at `start..end`.
    pub(super) fn keyword(&mut self, place: usize, rule: &'r Rule, cursor: &mut Cursor, start: usize, end: usize) {
        if start < cursor.done && cursor.waiting.is_none() {
            return;
        }
        let Some(form) = rule.form() else { return };
        if form.tried_at_keyword {
            self.try_at(place, rule, form, cursor, start);
        } else {
            let from = start.saturating_sub(form.before).max(cursor.done);
            let to = end.saturating_add(form.after).min(self.text.len());
            match cursor.waiting {
                Some((first, last)) if from <= last && to - first <= LONGEST_WINDOW => {
                    cursor.waiting = Some((first, to.max(last)));
                }
                Some(_) => {
                    self.finish(place, rule, cursor);
                    cursor.waiting = Some((from.max(cursor.done), to));
                }
                None => cursor.waiting = Some((from, to)),
            }
        }
    }

    fn try_at(&mut self, place: usize, rule: &'r Rule, form: &Form, cursor: &mut Cursor, start: usize) {
        if form.edge && !begins_word(self.text.as_bytes(), start) {
            return;
        }
        let end = start.saturating_add(form.after).min(self.text.len());
        if let Some(found) = form.at(self.text, start, end) {
            cursor.done = self.take(place, rule, found).max(start + 1);
        }
    }

    /// Searches the windows that wait.
    pub(super) fn finish(&mut self, place: usize, rule: &'r Rule, cursor: &mut Cursor) {
        // Without a window the form is not asked for: asking compiles it.
        let Some((from, to)) = cursor.waiting.take() else { return };
        let Some(form) = rule.form() else { return };
        let mut at = from.max(cursor.done);
        while at < to {
            let Some(found) = form.within(self.text, Span { start: at, end: to }) else { break };
            at = self.take(place, rule, found).max(found.start + 1);
            cursor.done = at;
        }
    }

    /// Searches all of the text, for a rule that has no keywords.
    pub(super) fn everywhere(&mut self, place: usize, rule: &'r Rule) {
        let mut cursor = Cursor::default();
        let Some(form) = rule.form() else { return };
        // Windows overlap by the longest match, so that none is cut in two.
        let overlap = form.longest.unwrap_or(form.after).min(LONGEST_WINDOW / 2);
        let mut from = 0;
        while from < self.text.len() {
            let to = from.saturating_add(LONGEST_WINDOW).min(self.text.len());
            cursor.waiting = Some((from, to));
            self.finish(place, rule, &mut cursor);
            if to == self.text.len() {
                break;
            }
            from = (to - overlap).max(cursor.done).max(from + 1);
        }
    }

    /// Keeps a match that counts; answers where it ends.
    fn take(&mut self, place: usize, rule: &'r Rule, found: Span) -> usize {
        let Some(secret) = rule.secret(self.text, found, self.file, self.global) else { return found.end };
        let range = secret.range();
        let end = found.end.max(range.end);
        self.found.push((place, SecretMatch { range, kind: &rule.id, class: Class::Secret }));
        end
    }
}

/// Whether a word can begin here: no letter or digit stands before, unless it is the `n`, `r` or `t` of a line end or
/// tab written as two characters.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    let before = |back: usize| at.checked_sub(back).and_then(|at| bytes.get(at)).copied();
    match before(1) {
        Some(b'n' | b'r' | b't') => before(2) == Some(b'\\'),
        Some(byte) => !(byte.is_ascii_alphanumeric() || byte == b'_'),
        None => true,
    }
}
