//! The resources behind WASI for one call: a virtual clock, seeded randomness, a pipe for output, and the input that the
//! component carries. There is no environment and no argument.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use rand::SeedableRng as _;
use rand::rngs::Xoshiro256PlusPlus;
use wasmtime_wasi::WasiCtx;
use wasmtime_wasi::clocks::{HostMonotonicClock, HostWallClock};
use wasmtime_wasi::p2::pipe::{MemoryInputPipe, MemoryOutputPipe};

/// Most bytes that one call of `get-random-bytes` returns.
const MAX_RANDOM_BYTES: u64 = 64 << 10;

/// The time of the monotonic clock when a call starts, in nanoseconds. Not 0, because the Go runtime takes 0 for a
/// broken clock and aborts.
const MONOTONIC_START: u64 = 1_000_000_000;

/// Nanoseconds that a gene has slept. Only sleeping moves its clock.
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

    pub(super) fn monotonic(&self) -> u64 {
        self.slept().saturating_add(MONOTONIC_START)
    }

    pub(super) fn sleep_until(&self, monotonic: u64) {
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

/// A context that has only a clock that starts at `epoch` (time since the Unix epoch), randomness from `seed`, `input`,
/// and a pipe for what the guest prints.
pub(super) fn context(
    epoch: Duration,
    seed: u64,
    clock: &VirtualClock,
    input: &[u8],
    output: &MemoryOutputPipe,
) -> WasiCtx {
    WasiCtx::builder()
        .wall_clock(Wall { start: epoch, clock: clock.clone() })
        .monotonic_clock(clock.clone())
        .secure_random(Xoshiro256PlusPlus::seed_from_u64(seed))
        .insecure_random(Xoshiro256PlusPlus::seed_from_u64(seed ^ 1))
        .insecure_random_seed(u128::from(seed))
        .max_random_size(MAX_RANDOM_BYTES)
        .stdin(MemoryInputPipe::new(input.to_vec()))
        .stdout(output.clone())
        .stderr(output.clone())
        .build()
}
