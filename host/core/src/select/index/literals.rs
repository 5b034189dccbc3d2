//! Finds which of many texts occur in another text.
//!
//! The texts are sorted. At each position of the searched text, a table leads from the next four bytes to the texts that
//! begin with them; a binary search finds the greatest one that is not above the rest of the searched text; and the texts
//! that begin the rest are that one or its prefixes, which are linked.

use super::bytes::{Section, Sections, Writer, number};

/// How many bytes the table looks at.
const KEY_BYTES: usize = 4;
/// Numbers of one slot: key, number of key bytes, first text, text after the last. A row before the first slot says which
/// numbers of key bytes there are, one bit each.
const SLOT: usize = 4;
/// No prefix of a text is among the texts.
const NONE: u32 = u32::MAX;

/// The sections of one set of texts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Literals {
    pub(super) texts: (Section, Section),
    pub(super) parents: Section,
    pub(super) owners: (Section, Section),
    pub(super) slots: Section,
}

/// The parts of plain patterns, in lower case.
pub(super) const PARTS: Literals = Literals {
    texts: (Section::PartTexts, Section::PartStarts),
    parents: Section::PartParents,
    owners: (Section::PartOwners, Section::PartOwnerStarts),
    slots: Section::PartSlots,
};

/// The words of expressions, with ASCII letters in lower case.
pub(super) const WORDS: Literals = Literals {
    texts: (Section::WordTexts, Section::WordStarts),
    parents: Section::WordParents,
    owners: (Section::WordOwners, Section::WordOwnerStarts),
    slots: Section::WordSlots,
};

impl Literals {
    /// Writes texts with their owners. No text is empty.
    pub(super) fn write(self, mut pairs: Vec<(Vec<u8>, u32)>, to: &mut Writer) {
        pairs.sort_unstable();
        pairs.dedup();
        let mut texts: Vec<(&[u8], Vec<u32>)> = Vec::new();
        for (text, owner) in &pairs {
            match texts.last_mut() {
                Some((last, owners)) if last == text => owners.push(*owner),
                _ => texts.push((text, vec![*owner])),
            }
        }
        to.texts(self.texts, texts.iter().map(|(text, _)| *text));
        to.lists(self.owners, texts.iter().map(|(_, owners)| owners.iter().copied()));
        let mut above: Vec<usize> = Vec::new();
        for (at, (text, _)) in texts.iter().enumerate() {
            while above.last().is_some_and(|top| !texts.get(*top).is_some_and(|(top, _)| text.starts_with(top))) {
                above.pop();
            }
            to.number(self.parents, above.last().map_or(NONE, |top| number(*top)));
            // Shorter texts are found by the table alone.
            if text.len() >= KEY_BYTES {
                above.push(at);
            }
        }
        let mut ranges: Vec<(u32, u32, u32, u32)> = Vec::new();
        for (at, (text, _)) in texts.iter().enumerate() {
            let (key, length) = key_of(text);
            let at = number(at);
            match ranges.last_mut() {
                Some(last) if (last.0, last.1) == (key, length) => last.3 = at + 1,
                _ => ranges.push((key, length, at, at + 1)),
            }
        }
        write_slots(self.slots, &ranges, to);
    }

    /// Hands over the owners of each text that occurs in `text`. An owner may come more than once.
    pub(super) fn find(self, index: &Sections, text: &[u8], mut each: impl FnMut(u32)) {
        let slots = index.numbers(self.slots);
        let (lengths, count) = (slots.at(0), (slots.len() / SLOT).saturating_sub(1));
        // Damaged bytes could have a table that is never empty.
        if !count.is_power_of_two() {
            return;
        }
        for at in 0..text.len() {
            let rest = text.get(at..).unwrap_or_default();
            for length in (1..=KEY_BYTES.min(rest.len())).filter(|length| lengths & (1 << length) != 0) {
                let (key, length) = key_of(rest.get(..length).unwrap_or_default());
                let first = slot_of(key, length);
                for step in 0..count {
                    let place = ((first.wrapping_add(step) & (count - 1)) + 1) * SLOT;
                    let found = slots.at(place + 1);
                    if found == 0 {
                        break;
                    }
                    if found == length && slots.at(place) == key {
                        let range = slots.index(place + 2)..slots.index(place + 3);
                        if length as usize == KEY_BYTES {
                            self.prefixes(index, rest, range, &mut each);
                        } else {
                            index.list(self.owners, range.start).iter().for_each(&mut each);
                        }
                        break;
                    }
                }
            }
        }
    }

    /// Hands over the owners of the texts in this range that `rest` begins with.
    fn prefixes(self, index: &Sections, rest: &[u8], range: std::ops::Range<usize>, each: &mut impl FnMut(u32)) {
        let (mut low, mut high) = (range.start, range.end);
        while low < high {
            let middle = low.midpoint(high);
            if index.text(self.texts, middle) <= rest {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let parents = index.numbers(self.parents);
        let mut next = if low > range.start { number(low - 1) } else { NONE };
        // A parent is shorter, so this ends, unless the bytes are not those of an index.
        for _ in 0..=rest.len() + 4096 {
            if next == NONE {
                return;
            }
            let at = next as usize;
            if rest.starts_with(index.text(self.texts, at)) {
                index.list(self.owners, at).iter().for_each(&mut *each);
            }
            next = parents.at(at);
        }
    }
}

/// The first bytes of a text, and how many these are.
fn key_of(text: &[u8]) -> (u32, u32) {
    let mut key = [0; KEY_BYTES];
    let mut length = 0;
    for (to, from) in key.iter_mut().zip(text) {
        *to = *from;
        length += 1;
    }
    (u32::from_le_bytes(key), length)
}

fn slot_of(key: u32, length: u32) -> usize {
    let mixed = (u64::from(key) | u64::from(length) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 24;
    usize::try_from(mixed).unwrap_or_default()
}

/// Writes a table with open addressing, at most half full.
fn write_slots(section: Section, ranges: &[(u32, u32, u32, u32)], to: &mut Writer) {
    if ranges.is_empty() {
        return;
    }
    let count = (ranges.len() * 2).next_power_of_two();
    let mut slots = vec![[0; SLOT]; count];
    let lengths = ranges.iter().fold(0, |lengths, (_, length, ..)| lengths | 1 << length);
    to.numbers(section, [lengths, 0, 0, 0]);
    for (key, length, start, end) in ranges {
        let mut slot = slot_of(*key, *length) & (count - 1);
        while slots.get(slot).is_some_and(|[_, length, ..]| *length != 0) {
            slot = (slot + 1) & (count - 1);
        }
        if let Some(free) = slots.get_mut(slot) {
            *free = [*key, *length, *start, *end];
        }
    }
    to.numbers(section, slots.into_iter().flatten());
}
