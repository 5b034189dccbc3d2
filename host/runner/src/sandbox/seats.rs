//! Counts how many more calls a pool of instances has room for.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// The number of further calls that the pool has room for. The engine refuses an instance if the pool is full, so a
/// call takes a seat first. A seat has the space that one component may use.
#[derive(Debug)]
pub(super) struct Seats {
    free: Mutex<usize>,
    freed: Condvar,
}

/// The seat of a call. Dropping it returns the seat, which must happen after the store is dropped.
pub(super) struct Seat<'a>(&'a Seats);

impl Seats {
    pub(super) fn new(free: usize) -> Self {
        Self { free: Mutex::new(free), freed: Condvar::new() }
    }

    /// Waits for a seat. There will be one, because every call ends.
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
