//! The engine. It decides which WebAssembly features a gene may use, makes a run the same on every machine (invariant
//! 9), and decides where the memory of a gene lies.
//!
//! What must stay true: an instance has the same limits wherever its memory lies. The budgets of a call are always
//! lower than what the memory could hold.

use std::fmt;

use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
use serde::{Deserialize, Serialize};
use wasmtime::{Config, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

use super::budget::MAX_TABLE_ELEMENTS;

/// The largest native stack of a gene, in bytes. Deeper recursion is a trap.
const MAX_STACK: usize = 1 << 20;

/// Address space that must be free beside a pool, in bytes. Outside of the pool, a memory reserves all that it may ever
/// grow to: 4 GiB and a guard. This is enough for more memories than run at the same time.
const AMPLE: usize = 64 << 30;

/// Bytes that a memory reserves in the pool: all that 32-bit addresses reach.
const MEMORY_PLACE: usize = 1 << 32;
/// The guards around a memory in the pool, in bytes, rounded up.
const GUARDS: usize = 128 << 20;
/// The limits of one component in the pool. A component that needs more gets instances outside of the pool.
const MEMORIES: u32 = 2;
const TABLES: u32 = 16;
const CORE_INSTANCES: u32 = 48;

/// How much address space this process has for guests' memories. Machine code depends on it. With little address space,
/// every access is checked against a bound. With much of it, the end of the reservation is the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum AddressSpace {
    /// A memory reserves all that it may ever grow to.
    Ample,
    /// A memory reserves little more than it uses, and moves when it grows.
    Scarce,
}

/// How genes in this process get their instances. The result of a gene is the same in each case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Instances {
    /// From a pool that was reserved at the start.
    Pooled {
        /// Most simultaneous calls. Another call waits.
        seats: usize,
        /// Bytes of address space.
        reserved: usize,
    },
    /// The memories of each instance are made and freed.
    OnDemand {
        /// Why there is no pool.
        because: String,
    },
}

impl fmt::Display for Instances {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pooled { seats, reserved } => {
                write!(f, "a pool for {seats} calls at the same time, {} GiB of address space", reserved >> 30)
            }
            Self::OnDemand { because } => write!(f, "on demand: {because}"),
        }
    }
}

impl AddressSpace {
    /// Finds out by trying to reserve it.
    pub(super) fn measure() -> Self {
        if reserve(AMPLE).is_ok() { Self::Ample } else { Self::Scarce }
    }
}

/// An engine for genes: only deterministic features, with fuel and epochs, and nothing asynchronous.
pub(super) fn engine(space: AddressSpace) -> wasmtime::Result<Engine> {
    Engine::new(&config(space))
}

/// The same with a pool of instances. Returns the engine, the number of simultaneous calls and the reserved bytes, or
/// why there can be no pool here.
pub(super) fn pooled() -> Result<(Engine, usize, usize), String> {
    let seats = std::thread::available_parallelism().map_or(1, usize::from).saturating_mul(2).clamp(8, 128);
    let reserved =
        seats * (MEMORIES as usize * (MEMORY_PLACE + GUARDS) + TABLES as usize * (MAX_TABLE_ELEMENTS + 1) * 8);
    reserve(reserved + AMPLE)
        .map_err(|error| format!("{} GiB of address space cannot be reserved ({error})", (reserved + AMPLE) >> 30))?;
    let calls = u32::try_from(seats).unwrap_or(u32::MAX);
    let mut pool = PoolingAllocationConfig::new();
    // The pool has no stacks, because a gene's call is never suspended.
    pool.total_stacks(0)
        .total_component_instances(calls)
        .total_core_instances(calls * CORE_INSTANCES)
        .total_memories(calls * MEMORIES)
        .total_tables(calls * TABLES)
        .max_core_instances_per_component(CORE_INSTANCES)
        .max_memories_per_component(MEMORIES)
        .max_tables_per_component(TABLES)
        .max_memories_per_module(MEMORIES)
        .max_tables_per_module(TABLES)
        .max_memory_size(MEMORY_PLACE)
        .table_elements(MAX_TABLE_ELEMENTS + 1);
    let mut config = config(AddressSpace::Ample);
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool));
    let engine = Engine::new(&config).map_err(|error| format!("{error:#}"))?;
    Ok((engine, seats, reserved))
}

fn config(space: AddressSpace) -> Config {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .concurrency_support(false)
        .consume_fuel(true)
        .epoch_interruption(true)
        .max_wasm_stack(MAX_STACK)
        .cranelift_nan_canonicalization(true)
        // Tables for the system's own unwinder. Backtraces of genes do not need them.
        .native_unwind_info(false)
        // A relaxed SIMD instruction may give other results on other processors.
        .wasm_relaxed_simd(true)
        .relaxed_simd_deterministic(true);
    if space == AddressSpace::Scarce {
        config.memory_reservation(0).memory_reservation_for_growth(1 << 20).memory_guard_size(1 << 16);
    }
    config
}

/// Reserves address space and frees it again. A limit (`ulimit -v`, the processor, other mappings) is found here and
/// not in the middle of a call. No memory is used.
#[expect(unsafe_code, reason = "asking is the only way to know")]
fn reserve(bytes: usize) -> rustix::io::Result<()> {
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
    // SAFETY: a new private mapping at an address of the kernel's choice overlaps nothing, and it is unmapped unused.
    unsafe {
        let mapping = mmap_anonymous(std::ptr::null_mut(), bytes, ProtFlags::empty(), flags)?;
        munmap(mapping, bytes)
    }
}
