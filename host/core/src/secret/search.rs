//! The search. Each rule reads the text forwards, in windows around its keywords, and does not read a match again.

use regex_automata::Span;

use super::allow::Allowlist;
use super::expression::{Form, Groups};
use super::presentation::ends_at;
use super::rule::Rule;
use super::{Class, SecretMatch};

/// Most bytes of merged windows that are searched at once.
const LONGEST_WINDOW: usize = 64 << 10;

/// A text that is being searched.
pub(super) struct Search<'t, 'r> {
    pub(super) text: &'t str,
    pub(super) file: Option<&'t str>,
    pub(super) global: &'r [Allowlist],
    /// Matches, each with the index of its rule.
    pub(super) found: Vec<(usize, SecretMatch<'r>)>,
    /// Those of the match that is being looked at.
    pub(super) groups: Groups,
}

/// How far a rule has read.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Cursor {
    /// End of the last match.
    done: usize,
    /// Merged windows that are not searched yet.
    pending: Option<(usize, usize)>,
}

impl<'r> Search<'_, 'r> {
    /// Handles a keyword of a rule at `start..end`.
    pub(super) fn keyword(&mut self, index: usize, rule: &'r Rule, cursor: &mut Cursor, start: usize, end: usize) {
        if start < cursor.done && cursor.pending.is_none() {
            return;
        }
        let Some(form) = rule.form() else { return };
        if form.anchored_at_keyword {
            self.try_at(index, rule, form, cursor, start);
        } else {
            let from = start.saturating_sub(form.before).max(cursor.done);
            let to = end.saturating_add(form.after).min(self.text.len());
            match cursor.pending {
                Some((first, last)) if from <= last && to - first <= LONGEST_WINDOW => {
                    cursor.pending = Some((first, to.max(last)));
                }
                Some(_) => {
                    self.finish(index, rule, cursor);
                    cursor.pending = Some((from.max(cursor.done), to));
                }
                None => cursor.pending = Some((from, to)),
            }
        }
    }

    fn try_at(&mut self, index: usize, rule: &'r Rule, form: &Form, cursor: &mut Cursor, start: usize) {
        if form.word_start && !starts_token(self.text.as_bytes(), start) {
            return;
        }
        let mut end = start.saturating_add(form.after).min(self.text.len());
        if rule.from_last {
            end = self.next_keyword(rule, form, start, end).unwrap_or(end);
        }
        if let Some(found) = form.at(self.text, start, end, &mut self.groups) {
            cursor.done = self.take(index, rule, found).max(start + 1);
        }
    }

    /// The end of the first keyword behind `start`, and before `end`, at which the rule would be tried.
    fn next_keyword(&self, rule: &Rule, form: &Form, start: usize, end: usize) -> Option<usize> {
        let bytes = self.text.as_bytes();
        let behind = bytes.get(start + 1..end)?;
        let ends = rule.keywords.iter().filter_map(|keyword| {
            let begins = memchr::memmem::find_iter(behind, keyword).map(|at| start + 1 + at);
            let next = begins.into_iter().find(|&at| !form.word_start || starts_token(bytes, at))?;
            Some(next + keyword.len())
        });
        ends.min()
    }

    /// Searches the pending windows.
    pub(super) fn finish(&mut self, index: usize, rule: &'r Rule, cursor: &mut Cursor) {
        // Asking for the form compiles it, so it is only asked for if there is a window.
        let Some((from, to)) = cursor.pending.take() else { return };
        let Some(form) = rule.form() else { return };
        let mut at = from.max(cursor.done);
        while at < to {
            let window = Span { start: at, end: to };
            let Some(found) = form.within(self.text, window, &mut self.groups) else { break };
            at = self.take(index, rule, found).max(found.start + 1);
            cursor.done = at;
        }
    }

    /// Searches the whole text, for a rule without keywords.
    pub(super) fn whole_text(&mut self, index: usize, rule: &'r Rule) {
        let mut cursor = Cursor::default();
        let Some(form) = rule.form() else { return };
        // Windows overlap by the longest match, so that no match is cut in two.
        let overlap = form.longest.unwrap_or(form.after).min(LONGEST_WINDOW / 2);
        let mut from = 0;
        while from < self.text.len() {
            let to = from.saturating_add(LONGEST_WINDOW).min(self.text.len());
            cursor.pending = Some((from, to));
            self.finish(index, rule, &mut cursor);
            if to == self.text.len() {
                break;
            }
            from = (to - overlap).max(cursor.done).max(from + 1);
        }
    }

    /// Records a match if it counts. Returns where it ends.
    fn take(&mut self, index: usize, rule: &'r Rule, found: Span) -> usize {
        let secret = rule.secret(self.text, found, &self.groups, self.file, self.global);
        let Some(secret) = secret else { return found.end };
        let range = secret.range();
        let end = found.end.max(range.end);
        self.found.push((index, SecretMatch { range, kind: &rule.id, class: Class::Secret }));
        end
    }
}

/// Whether a token can start here: no letter or digit precedes, unless it ends an escape or a terminal sequence. An
/// underscore ends a prefix such as `KEY_`.
fn starts_token(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    before.is_none_or(|byte| !byte.is_ascii_alphanumeric() || ends_at(bytes, at)) || is_property(bytes, at)
}

/// Whether `-D` precedes, with which Java's properties are set on a command line: `-Dname=value`.
fn is_property(bytes: &[u8], at: usize) -> bool {
    let before = bytes.get(at.saturating_sub(3)..at).unwrap_or_default();
    matches!(before, [b'-', b'D'] | [b' ' | b'\t' | b'\n' | b'"' | b'\'', b'-', b'D'])
}
