//! WASI 0.2 for guests whose language's library wants it: no environment, no arguments, no input, a virtual clock and
//! seeded randomness. Everything it prints is captured.
//!
//! The deny-by-default list is [`context`] and [`link`]: what is not named there does not exist for a gene. Files are
//! [`vfs`](super::vfs)'s, sockets are refused by [`sockets`](super::sockets), HTTP is not linked.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rand::SeedableRng as _;
use rand::rngs::Xoshiro256PlusPlus;
use wasmtime::component::{HasData, Linker, Resource, ResourceTable};
use wasmtime_wasi::cli::{WasiCli, WasiCliView as _};
use wasmtime_wasi::clocks::{HostMonotonicClock, HostWallClock, WasiClocks, WasiClocksView as _};
use wasmtime_wasi::p2::bindings::{cli, clocks, random};
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;
use wasmtime_wasi::p2::{DynPollable, Pollable, subscribe};
use wasmtime_wasi::random::WasiRandom;
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};

use super::state::GeneState;

/// The largest answer of `get-random-bytes`, in bytes.
const MAX_RANDOM_BYTES: u64 = 64 << 10;

/// What the monotonic clock shows when a call begins, in nanoseconds. Not 0: Go's runtime takes that for a broken clock
/// and aborts.
const MONOTONIC_START: u64 = 1_000_000_000;

/// Nanoseconds that a gene has slept: the only thing that moves its clock.
#[derive(Debug, Clone, Default)]
pub(super) struct VirtualClock(Arc<AtomicU64>);

impl VirtualClock {
    /// Time since the call began.
    pub(super) fn now(&self) -> Duration {
        Duration::from_nanos(self.slept())
    }

    fn slept(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn monotonic(&self) -> u64 {
        self.slept().saturating_add(MONOTONIC_START)
    }

    fn sleep_until(&self, monotonic: u64) {
        self.0.fetch_max(monotonic.saturating_sub(MONOTONIC_START), Ordering::Relaxed);
    }
}

struct Wall {
    start: Duration,
    clock: VirtualClock,
}

impl HostWallClock for Wall {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        self.start.saturating_add(Duration::from_nanos(self.clock.slept()))
    }
}

impl HostMonotonicClock for VirtualClock {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        self.monotonic()
    }
}

/// A context with nothing in it but a clock that starts at `epoch` (time since the Unix epoch), randomness from `seed`,
/// and a pipe that takes what the guest prints.
pub(super) fn context(epoch: Duration, seed: u64, clock: &VirtualClock, output: &MemoryOutputPipe) -> WasiCtx {
    WasiCtx::builder()
        .wall_clock(Wall { start: epoch, clock: clock.clone() })
        .monotonic_clock(clock.clone())
        .secure_random(Xoshiro256PlusPlus::seed_from_u64(seed))
        .insecure_random(Xoshiro256PlusPlus::seed_from_u64(seed ^ 1))
        .insecure_random_seed(u128::from(seed))
        .max_random_size(MAX_RANDOM_BYTES)
        .stdout(output.clone())
        .stderr(output.clone())
        .build()
}

impl WasiView for GeneState {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

/// Links every WASI interface that a gene gets.
pub(super) fn link(l: &mut Linker<GeneState>) -> wasmtime::Result<()> {
    super::wasi_io::link(l)?;
    clocks::wall_clock::add_to_linker::<GeneState, WasiClocks>(l, GeneState::clocks)?;
    clocks::monotonic_clock::add_to_linker::<GeneState, HasClock>(l, |state| ClockView {
        clock: &state.clock,
        table: &mut state.table,
    })?;
    random::random::add_to_linker::<GeneState, WasiRandom>(l, |state| state.wasi.random())?;
    random::insecure::add_to_linker::<GeneState, WasiRandom>(l, |state| state.wasi.random())?;
    random::insecure_seed::add_to_linker::<GeneState, WasiRandom>(l, |state| state.wasi.random())?;
    cli::exit::add_to_linker::<GeneState, WasiCli>(l, GeneState::cli)?;
    cli::environment::add_to_linker::<GeneState, WasiCli>(l, GeneState::cli)?;
    cli::stdin::add_to_linker::<GeneState, WasiCli>(l, GeneState::cli)?;
    cli::stdout::add_to_linker::<GeneState, WasiCli>(l, GeneState::cli)?;
    cli::stderr::add_to_linker::<GeneState, WasiCli>(l, GeneState::cli)?;
    cli::terminal_input::add_to_linker::<GeneState, WasiCli>(l, GeneState::cli)?;
    cli::terminal_output::add_to_linker::<GeneState, WasiCli>(l, GeneState::cli)?;
    cli::terminal_stdin::add_to_linker::<GeneState, WasiCli>(l, GeneState::cli)?;
    cli::terminal_stdout::add_to_linker::<GeneState, WasiCli>(l, GeneState::cli)?;
    cli::terminal_stderr::add_to_linker::<GeneState, WasiCli>(l, GeneState::cli)?;
    super::vfs::link(l)
}

struct HasClock;

impl HasData for HasClock {
    type Data<'a> = ClockView<'a>;
}

/// The monotonic clock of one call. wasmtime-wasi's own would sleep for real.
struct ClockView<'a> {
    clock: &'a VirtualClock,
    table: &'a mut ResourceTable,
}

impl clocks::monotonic_clock::Host for ClockView<'_> {
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

/// A sleep, over as soon as somebody waits for it.
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
