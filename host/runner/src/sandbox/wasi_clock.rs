//! The monotonic clock of one call. Only sleeping moves it, and a sleep is over as soon as it is waited for. The clock of
//! wasmtime-wasi would really sleep.

use std::pin::Pin;

use wasmtime::component::{HasData, Resource, ResourceTable};
use wasmtime_wasi::p2::bindings::clocks::monotonic_clock;
use wasmtime_wasi::p2::{DynPollable, Pollable, subscribe};

use super::wasi_context::VirtualClock;

/// Tells a linker how to get the clock from the state of a call.
pub(super) struct HasClock;

impl HasData for HasClock {
    type Data<'a> = ClockView<'a>;
}

/// The clock, and where its sleeps are.
pub(super) struct ClockView<'a> {
    pub(super) clock: &'a VirtualClock,
    pub(super) table: &'a mut ResourceTable,
}

impl monotonic_clock::Host for ClockView<'_> {
    fn now(&mut self) -> wasmtime::Result<u64> {
        Ok(self.clock.monotonic())
    }

    fn resolution(&mut self) -> wasmtime::Result<u64> {
        Ok(1)
    }

    fn subscribe_instant(&mut self, when: u64) -> wasmtime::Result<Resource<DynPollable>> {
        let sleep = self.table.push(Sleep { until: when, clock: self.clock.clone() })?;
        subscribe(self.table, sleep)
    }

    fn subscribe_duration(&mut self, duration: u64) -> wasmtime::Result<Resource<DynPollable>> {
        self.subscribe_instant(self.clock.monotonic().saturating_add(duration))
    }
}

/// A sleep. It is over as soon as it is waited for.
struct Sleep {
    until: u64,
    clock: VirtualClock,
}

impl Pollable for Sleep {
    fn ready<'a, 'b>(&'a mut self) -> Pin<Box<dyn Future<Output = ()> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        self.clock.sleep_until(self.until);
        Box::pin(std::future::ready(()))
    }
}
