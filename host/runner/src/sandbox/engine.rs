//! The engine: which WebAssembly a gene may use, and what makes its run the same on any machine (invariant 9).

use wasmtime::{Config, Engine};

/// Deepest native stack of a gene, in bytes. Recursion past it is a trap.
const MAX_STACK: usize = 1 << 20;

/// An engine for genes: deterministic features only, fuel and epochs on, nothing asynchronous.
pub(super) fn engine() -> wasmtime::Result<Engine> {
    let mut config = Config::new();
    config
        .wasm_component_model(true)
        .concurrency_support(false)
        .consume_fuel(true)
        .epoch_interruption(true)
        .max_wasm_stack(MAX_STACK)
        .cranelift_nan_canonicalization(true)
        // A relaxed SIMD instruction may answer differently on another processor.
        .wasm_relaxed_simd(true)
        .relaxed_simd_deterministic(true);
    Engine::new(&config)
}
