//! The sandbox: runs genes, which are not trusted, with exactly what they were granted.
//!
//! Owns the effect "machine code of a guest runs in this process". A gene has no file, no socket, no clock, no
//! environment and no thread: it sees the imports of `wit/v0.1` as far as they are granted, and the parts of WASI in
//! [`wasi`], which touch nothing. Every call ends (invariant 8), and the same inputs give the same answer (invariant 9).
//!
//! | file | what |
//! |---|---|
//! | `engine` | the engine's settings |
//! | `inspect` | checks before compiling |
//! | `cache` | compiled components on disk |
//! | `bindings`, `convert` | the contract's types, and the way between them and core's |
//! | `budget`, `state`, `call` | one call |
//! | `run_log`, `workspace`, `history`, `completion`, `logging` | one import a file |
//! | `wasi`, `wasi_io` | WASI 0.2 with nothing behind it |

mod bindings;
mod budget;
mod cache;
mod call;
mod completion;
mod convert;
mod engine;
mod history;
mod inspect;
mod logging;
mod run_log;
mod state;
mod wasi;
mod wasi_io;
mod workspace;

use gephost_core::gene::Manifest;
use wasmtime::Engine;
use wasmtime::component::{Component, InstancePre, Linker};

use bindings::exports::gephost::gene::{diagnosis, proposals};
pub use budget::{Budget, Budgets, Usage};
pub use cache::{CacheOutcome, CompileCache};
pub use call::{Call, CallError};
pub use history::{Attempt, AttemptOutcome};
pub use inspect::{InspectError, Inspected, MAX_COMPONENT_BYTES, inspect};
pub use run_log::RunLog;
use state::{GeneState, HasState};
pub use state::{Granted, Inputs, LogLine};
pub use workspace::{FileKind, Files, Workspace};

/// The engine and the linker, made once.
pub struct Sandbox {
    engine: Engine,
    linker: Linker<GeneState>,
    cache: Option<CompileCache>,
}

/// A gene that is ready to be called, any number of times. Each call gets a fresh instance.
pub struct Gene {
    engine: Engine,
    pre: InstancePre<GeneState>,
    exports: Exports,
    inspected: Inspected,
    cache: CacheOutcome,
}

struct Exports {
    diagnosis: Option<diagnosis::GuestIndices>,
    proposals: Option<proposals::GuestIndices>,
}

/// Why a component cannot become a gene.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// It failed a check that needs no compiler.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// It does not compile: not valid WebAssembly, or features that genes do not have.
    #[error("the component does not compile: {0}; check it with `wasm-tools validate`")]
    Compile(String),
    /// Its imports or exports have other types than the contract's.
    #[error("the component does not fit the contract of wit/v0.1: {0}; build it with this host's SDK")]
    Link(String),
}

/// The engine cannot be made on this machine.
#[derive(Debug, thiserror::Error)]
#[error("WebAssembly cannot run here: {0}")]
pub struct EngineError(String);

impl Sandbox {
    /// An engine with every import linked. Without a cache every component is compiled on each load.
    pub fn new(cache: Option<CompileCache>) -> Result<Self, EngineError> {
        let build = || -> wasmtime::Result<Self> {
            let engine = engine::engine()?;
            let mut linker = Linker::new(&engine);
            bindings::Gene::add_to_linker::<GeneState, HasState>(&mut linker, |state| state)?;
            wasi::link(&mut linker)?;
            Ok(Self { engine, linker, cache })
        };
        build().map_err(|error| EngineError(error.root_cause().to_string()))
    }

    /// Checks, compiles (or takes from the cache) and links a component.
    pub fn load(&self, bytes: &[u8]) -> Result<Gene, LoadError> {
        let inspected = inspect(bytes)?;
        let (component, cache) = self.compile(&inspected.digest, bytes)?;
        let link = |error: wasmtime::Error| LoadError::Link(error.root_cause().to_string());
        let pre = self.linker.instantiate_pre(&component).map_err(link)?;
        let exports = Exports {
            diagnosis: inspected
                .manifest
                .world
                .diagnoses()
                .then(|| diagnosis::GuestIndices::new(&pre))
                .transpose()
                .map_err(link)?,
            proposals: inspected
                .manifest
                .world
                .proposes()
                .then(|| proposals::GuestIndices::new(&pre))
                .transpose()
                .map_err(link)?,
        };
        Ok(Gene { engine: self.engine.clone(), pre, exports, inspected, cache })
    }

    fn compile(&self, digest: &str, bytes: &[u8]) -> Result<(Component, CacheOutcome), LoadError> {
        let compiled = match &self.cache {
            Some(cache) => cache.load(&self.engine, digest, bytes),
            None => Component::from_binary(&self.engine, bytes).map(|component| (component, CacheOutcome::Off)),
        };
        compiled.map_err(|error| LoadError::Compile(format!("{error:#}")))
    }
}

impl std::fmt::Debug for Gene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gene").field("id", &self.id()).field("cache", &self.cache).finish_non_exhaustive()
    }
}

impl Gene {
    /// The gene's id, from its manifest.
    pub fn id(&self) -> &str {
        &self.inspected.manifest.gene.id
    }

    /// Its manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.inspected.manifest
    }

    /// What was found before compiling.
    pub fn inspected(&self) -> &Inspected {
        &self.inspected
    }

    /// Whether its machine code came from the cache.
    pub fn cache(&self) -> CacheOutcome {
        self.cache
    }
}
