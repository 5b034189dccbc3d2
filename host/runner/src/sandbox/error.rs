//! Why genes cannot be loaded.

use super::inspect::InspectError;

/// Why a component cannot become a gene.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It failed a check that needs no compiler.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// It does not compile: it is not valid WebAssembly, or uses features that genes do not have.
    #[error("the component does not compile: {0}; check it with `wasm-tools validate`")]
    Compile(String),
    /// Compiling took too much time or memory.
    #[error(
        "the component did not compile within {0}; its functions are too large, or this machine is too busy: make it smaller, or try again"
    )]
    CompileBudget(String),
    /// The compiler's worker failed.
    #[error("the component was not compiled: {0}")]
    Compiler(String),
    /// Verified machine code that does not load or cannot be sent to a worker.
    #[error(
        "the machine code does not load: {0}; `gephost cache prune --all` removes it, and the next run compiles it again"
    )]
    Stale(String),
    /// Its imports or exports do not have the types of the contract.
    #[error("the component does not fit the contract of wit/v0.1.2: {0} (build it against wit/v0.1.2 of this gephost)")]
    Link(String),
    /// An import of WASI has another type than in WASI 0.2.
    #[error("the component does not fit WASI 0.2: {0} (build it for wasm32-wasip2 with a released toolchain)")]
    Wasi(String),
}

/// The engine does not work on this machine.
#[derive(Debug, thiserror::Error)]
#[error("WebAssembly cannot run here: {0}")]
pub struct EngineError(pub(super) String);
