//! Rendered assets in memory, bounded by their bytes.
//!
//! What must stay true: nothing older than the last commit is returned. Whoever changes an asset calls [`Cache::forget`] in
//! the write itself and after it, and what was read before that is not stored.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;

/// A rendered asset.
#[derive(Debug, Clone)]
pub(crate) struct Rendered {
    pub(crate) body: Bytes,
    pub(crate) etag: String,
}

/// Rendered assets by id.
#[derive(Debug)]
pub(crate) struct Cache {
    limit: usize,
    generation: AtomicU64,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    entries: HashMap<[u8; 32], Rendered>,
    /// In the order of their arrival; may name ids that are gone.
    order: VecDeque<[u8; 32]>,
    bytes: usize,
}

/// What an entry costs beside its body.
const OVERHEAD: usize = 256;

impl Cache {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, generation: AtomicU64::new(0), inner: Mutex::default() }
    }

    pub(crate) fn get(&self, id: &[u8; 32]) -> Option<Rendered> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).entries.get(id).cloned()
    }

    /// To be asked before the database is read.
    pub(crate) fn generation(&self) -> u64 {
        self.generation.load(Ordering::SeqCst)
    }

    /// Keeps what was rendered from a read that began at `generation`, unless something was forgotten since.
    pub(crate) fn put(&self, id: [u8; 32], rendered: Rendered, generation: u64) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let size = rendered.body.len() + OVERHEAD;
        if self.generation() != generation || size > self.limit / 4 || inner.entries.contains_key(&id) {
            return;
        }
        inner.entries.insert(id, rendered);
        inner.order.push_back(id);
        inner.bytes += size;
        while inner.bytes > self.limit || inner.order.len() > inner.entries.len() * 2 + 64 {
            let Some(oldest) = inner.order.pop_front() else { break };
            inner.remove(&oldest);
        }
    }

    /// Forgets assets that have changed.
    pub(crate) fn forget<'i>(&self, ids: impl IntoIterator<Item = &'i [u8; 32]>) {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        self.generation.fetch_add(1, Ordering::SeqCst);
        for id in ids {
            inner.remove(id);
        }
    }
}

impl Inner {
    fn remove(&mut self, id: &[u8; 32]) {
        if let Some(gone) = self.entries.remove(id) {
            self.bytes = self.bytes.saturating_sub(gone.body.len() + OVERHEAD);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(len: usize) -> Rendered {
        Rendered { body: Bytes::from(vec![0; len]), etag: "e".to_owned() }
    }

    fn id(n: usize) -> [u8; 32] {
        let mut id = [0; 32];
        id[..8].copy_from_slice(&n.to_le_bytes());
        id
    }

    #[test]
    fn it_stays_within_its_bytes_and_keeps_the_newest() {
        let cache = Cache::new(100_000);
        for n in 0..1000 {
            cache.put(id(n), rendered(1000), cache.generation());
        }
        let inner = cache.inner.lock().expect("no panic");
        assert!(inner.bytes <= 100_000 && inner.entries.len() > 70 && inner.order.len() < 1000);
        assert!(inner.entries.contains_key(&id(999)) && !inner.entries.contains_key(&id(0)));
    }

    #[test]
    fn what_was_read_before_a_change_is_not_kept() {
        let cache = Cache::new(100_000);
        let before = cache.generation();
        cache.forget(&[id(1)]);
        cache.put(id(1), rendered(1), before);
        assert!(cache.get(&id(1)).is_none());
        cache.put(id(1), rendered(1), cache.generation());
        assert!(cache.get(&id(1)).is_some());
        cache.forget(&[id(1)]);
        assert!(cache.get(&id(1)).is_none());
    }
}
