//! Which lines were met before, over all files of an observation: sessions are resumed, forked and copied.
//!
//! Bounded: the identities of the last one to two million lines are known, 40 MB at most.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

/// How many identities one half holds.
const HALF: usize = 1 << 20;

/// Hashes of identities, in two halves: when the newer is full, the older is forgotten.
#[derive(Debug, Default)]
pub(super) struct Seen {
    newer: HashSet<u64>,
    older: HashSet<u64>,
}

impl Seen {
    /// Whether an identity is met for the first time.
    pub(super) fn first_time(&mut self, parts: &[&[u8]]) -> bool {
        // The standard hasher with its fixed keys: the same on every run.
        let mut hasher = DefaultHasher::new();
        parts.hash(&mut hasher);
        let identity = hasher.finish();
        if self.older.contains(&identity) || !self.newer.insert(identity) {
            return false;
        }
        if self.newer.len() >= HALF {
            self.older = std::mem::take(&mut self.newer);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_million_is_known_and_memory_is_bounded() {
        let mut seen = Seen::default();
        for number in 0..(HALF * 5 / 2) {
            assert!(seen.first_time(&[b"x", &number.to_le_bytes()]));
        }
        assert!(!seen.first_time(&[b"x", &(HALF * 3 / 2).to_le_bytes()]));
        assert!(seen.newer.len() <= HALF && seen.older.len() <= HALF);
        assert!(seen.first_time(&[b"x", &0usize.to_le_bytes()]));
    }
}
