//! Remembers which lines were read before, over all files of an observation, because sessions are resumed, forked and
//! copied.
//!
//! Memory is bounded: the identities of the last one to two million lines are remembered, in at most 40 MB.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How many identities each half holds.
const HALF: usize = 1 << 20;

/// Hashes of identities, in two halves. When the newer half is full, the older one is forgotten.
#[derive(Debug, Default)]
pub(super) struct Seen {
    newer: HashSet<u64>,
    older: HashSet<u64>,
}

impl Seen {
    /// Adds an identity. Returns whether it is new.
    pub(super) fn insert(&mut self, identity: u64) -> bool {
        if self.older.contains(&identity) || !self.newer.insert(identity) {
            return false;
        }
        if self.newer.len() >= HALF {
            self.older = std::mem::take(&mut self.newer);
        }
        true
    }

    /// Whether an identity was added before.
    pub(super) fn contains(&self, identity: u64) -> bool {
        self.older.contains(&identity) || self.newer.contains(&identity)
    }
}

/// Hash of an identity. The standard hasher has fixed keys, so every run computes the same hash.
pub(super) fn identity(parts: &[&[u8]]) -> u64 {
    let mut hasher = DefaultHasher::new();
    parts.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_million_is_known_and_memory_is_bounded() {
        let of = |number: usize| identity(&[b"x", &number.to_le_bytes()]);
        let mut seen = Seen::default();
        for number in 0..(HALF * 5 / 2) {
            assert!(seen.insert(of(number)));
        }
        assert!(!seen.insert(of(HALF * 3 / 2)));
        assert!(seen.newer.len() <= HALF && seen.older.len() <= HALF);
        assert!(seen.insert(of(0)));
    }
}
