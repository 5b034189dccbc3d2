//! A pool of instances: space for memories and tables that is reserved once, and cleared by the kernel between calls.
//! Making an instance then needs no `mmap`, so many genes in many threads do not wait for each other.
//!
//! The pool is for genes in this process. A worker serves only one call, so it has nothing to reuse.

use std::sync::Arc;

use gephost_core::gene::World;

use super::code::MachineCode;
use super::engine::{self, Instances};
use super::host::{Host, Loaded};
use super::seats::Seats;

/// The engine with the pool, and its seats.
pub(super) struct Pool {
    host: Host,
    seats: Arc<Seats>,
    instances: Instances,
}

impl Pool {
    /// A pool, or why there can be none on this machine.
    pub(super) fn new() -> Result<Self, String> {
        let (engine, seats, reserved) = engine::pooled()?;
        let host = Host::of(engine).map_err(|error| error.to_string())?;
        Ok(Self { host, seats: Arc::new(Seats::new(seats)), instances: Instances::Pooled { seats, reserved } })
    }

    /// Its size.
    pub(super) fn instances(&self) -> &Instances {
        &self.instances
    }

    /// Loads and links a component. `None` if it needs more than a seat has, or cannot be loaded at all.
    pub(super) fn load(&self, code: &MachineCode, world: World) -> Option<Loaded> {
        let component = code.load(&self.host.engine).ok()?;
        let loaded = self.host.link(&component, world).ok()?;
        Some(Loaded { seats: Some(Arc::clone(&self.seats)), ..loaded })
    }
}
