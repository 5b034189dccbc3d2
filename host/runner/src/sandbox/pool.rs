//! Instances from a pool: places for memories and tables that are reserved once, and cleared by the kernel between two
//! calls. Making an instance takes no `mmap` then, so that many genes in many threads do not wait for one another.
//!
//! For genes that run in this process. A worker lives for one call, so there is nothing to use again.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use gephost_core::gene::World;

use super::code::MachineCode;
use super::engine::{self, Instances};
use super::host::{Host, Loaded};

/// The engine with the pool, and its seats.
pub(super) struct Pool {
    host: Host,
    seats: Arc<Seats>,
    instances: Instances,
}

/// How many more calls the pool has room for. The engine refuses an instance that finds no place, so a call takes a seat
/// first; each seat has the places that one component may have at the most.
#[derive(Debug)]
pub(super) struct Seats {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A call's seat, until this is dropped: after its store.
pub(super) struct Seat<'a>(&'a Seats);

impl Pool {
    /// A pool, or why there can be none here.
    pub(super) fn new() -> Result<Self, String> {
        let (engine, seats, reserved) = engine::pooled()?;
        let host = Host::of(engine).map_err(|error| error.to_string())?;
        Ok(Self { host, seats: Arc::new(Seats::new(seats)), instances: Instances::Pooled { seats, reserved } })
    }

    /// What it is.
    pub(super) fn instances(&self) -> &Instances {
        &self.instances
    }

    /// Loads and links a component; none if it needs more than a seat has, or cannot be loaded at all.
    pub(super) fn load(&self, code: &MachineCode, world: World) -> Option<Loaded> {
        let component = code.load(&self.host.engine).ok()?;
        let loaded = self.host.link(&component, world).ok()?;
        Some(Loaded { seats: Some(Arc::clone(&self.seats)), ..loaded })
    }
}

impl Seats {
    fn new(free: usize) -> Self {
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
