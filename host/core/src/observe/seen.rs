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
    /// Notes an identity. Whether it is met for the first time.
    pub(super) fn insert(&mut self, identity: u64) -> bool {
        if self.older.contains(&identity) || !self.newer.insert(identity) {
            return false;
        }
        if self.newer.len() >= HALF {
            self.older = std::mem::take(&mut self.newer);
        }
        true
    }

    /// Whether an identity was met before.
    pub(super) fn knows(&self, identity: u64) -> bool {
        self.older.contains(&identity) || self.newer.contains(&identity)
    }
}

/// What stands for an identity. The standard hasher with its fixed keys: the same on every run.
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
