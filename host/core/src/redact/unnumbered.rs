//! A redacted text whose placeholders have no numbers yet.
//!
//! Finding secrets needs only the text itself, so many texts can be redacted in parallel. Numbering the placeholders
//! needs every value that came before.
//!
//! Invariants: only a hash of each value is kept, and clipping never cuts a number in two.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::secret::SecretMatch;
use crate::text::{joined, middle};

/// Bytes reserved for each number: as many as the largest number has digits.
pub(super) const DIGITS: usize = 5;
const NO_NUMBER: &str = "00000";

/// A redacted value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Value {
    /// Id of the rule.
    pub kind: Arc<str>,
    hash: u64,
}

/// Where the number of a value is written.
#[derive(Debug, Clone)]
pub(crate) struct Slot {
    /// Offset of the first of the [`DIGITS`] reserved bytes.
    at: usize,
    pub(super) value: Value,
}

/// A text with a placeholder for each secret, and the position of each placeholder's number, in order.
#[derive(Debug, Clone, Default)]
pub(crate) struct Unnumbered {
    pub text: String,
    pub slots: Vec<Slot>,
}

impl Unnumbered {
    pub(super) fn of(text: &str, found: &[SecretMatch<'_>]) -> Self {
        let mut hidden = Self { text: String::with_capacity(text.len()), slots: Vec::with_capacity(found.len()) };
        let mut done = 0;
        for secret in found {
            let (before, value) = (text.get(done..secret.range.start), text.get(secret.range.clone()));
            hidden.text.push_str(before.unwrap_or_default());
            let mut hasher = DefaultHasher::new();
            value.hash(&mut hasher);
            for part in ["[REDACTED:", secret.kind, ":"] {
                hidden.text.push_str(part);
            }
            let value = Value { kind: Arc::from(secret.kind), hash: hasher.finish() };
            hidden.slots.push(Slot { at: hidden.text.len(), value });
            hidden.text.push_str(NO_NUMBER);
            hidden.text.push(']');
            done = secret.range.end;
        }
        hidden.text.push_str(text.get(done..).unwrap_or_default());
        hidden
    }

    /// As [`crate::text::clip_middle`] clips. A placeholder at the cut loses its number as a whole.
    pub(super) fn clipped(mut self, most: usize) -> Self {
        let Some((head_end, tail_start)) = middle(&self.text, most) else { return self };
        let (head_end, tail_start) = (self.around_number(head_end).0, self.around_number(tail_start).1);
        let text = joined(&self.text, head_end, tail_start);
        if text.len() > most {
            // There is no room for the line that replaces the middle.
            let end = self.around_number(self.text.floor_char_boundary(most)).0;
            self.text.truncate(end);
            self.slots.retain(|slot| slot.at < end);
            return self;
        }
        let moved = self.text.len() - text.len();
        self.slots.retain(|slot| slot.at < head_end || slot.at >= tail_start);
        for slot in self.slots.iter_mut().filter(|slot| slot.at >= tail_start) {
            slot.at -= moved;
        }
        Self { text, slots: self.slots }
    }

    /// The nearest cuts before and after `at` that split no number. Both are `at` if it splits none.
    fn around_number(&self, at: usize) -> (usize, usize) {
        let after = self.slots.partition_point(|slot| slot.at < at);
        let before = after.checked_sub(1).and_then(|last| self.slots.get(last));
        before.filter(|slot| at < slot.at + DIGITS).map_or((at, at), |slot| (slot.at, slot.at + DIGITS))
    }
}

/// Writes one number into each slot.
pub(super) fn fill(text: &str, slots: &[Slot], numbers: &[usize]) -> String {
    let mut filled = String::with_capacity(text.len());
    let mut done = 0;
    for (slot, number) in slots.iter().zip(numbers) {
        filled.push_str(text.get(done..slot.at).unwrap_or_default());
        filled.push_str(&number.to_string());
        done = slot.at + DIGITS;
    }
    filled.push_str(text.get(done..).unwrap_or_default());
    filled
}
