//! Seats: how many calls a pool of instances has room for.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// How many more calls the pool has room for. The engine refuses an instance that finds no place, so a call takes a seat
/// first; each seat has the places that one component may have at the most.
#[derive(Debug)]
pub(super) struct Seats {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A call's seat, until this is dropped: after its store.
pub(super) struct Seat<'a>(&'a Seats);

impl Seats {
    pub(super) fn new(free: usize) -> Self {
        Self { free: Mutex::new(free), freed: Condvar::new() }
    }

    /// Waits for a seat. Every call ends, so there will be one.
    pub(super) fn take(&self) -> Seat<'_> {
        let waited = self.freed.wait_while(self.lock(), |free| *free == 0);
        *waited.unwrap_or_else(PoisonError::into_inner) -= 1;
        Seat(self)
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat<'_> {
    fn drop(&mut self) {
        *self.0.lock() += 1;
        self.0.freed.notify_one();
    }
}
