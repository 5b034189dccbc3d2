//! The sandbox: runs genes, which are not trusted, with exactly what they were granted.
//!
//! Owns the effect "machine code of a guest runs", in a worker's process or in this one. A gene has no file of this
//! machine, no socket, no clock, no environment and no thread: it sees the imports of `wit/v0.1.2` as far as they are
//! granted, the virtual files of [`vfs`], and the parts of WASI in [`wasi`], which touch nothing. Every call ends
//! (invariant 8), and the same inputs give the same answer (invariant 9), wherever it runs.
//!
//! | file | what |
//! |---|---|
//! | `inspect`, `contract` | checks before compiling, and what to tell the author |
//! | `compile`, `code`, `cache` | from a component to sealed machine code, and where that is kept |
//! | `engine`, `host`, `pool`, `watchdog` | what runs machine code in a process |
//! | `worker` | the processes that compile and run genes |
//! | `bindings`, `convert` | the contract's types, and the way between them and core's |
//! | `budget`, `audit`, `state`, `call` | one call |
//! | `run_log` (with `usage` and `corrections`), `workspace`, `history`, `completion`, `logging`, `settings`, `explanation` | one import a file |
//! | `vfs` | the files that a gene sees, and `wasi:filesystem` over them |
//! | `wasi`, `wasi_io`, `sockets` | the rest of WASI 0.2, with nothing behind it |

mod audit;
mod bindings;
mod budget;
mod cache;
mod call;
mod code;
mod compile;
mod completion;
mod contract;
mod convert;
mod corrections;
mod engine;
mod explanation;
mod history;
mod host;
mod inspect;
mod logging;
mod pool;
mod run_log;
mod run_log_document;
mod search;
mod settings;
mod sockets;
mod state;
mod unread;
mod usage;
mod vfs;
mod wasi;
mod wasi_io;
mod watchdog;
mod worker;
mod workspace;

use gephost_core::config::Isolation;
use gephost_core::gene::{Manifest, World};
use gephost_core::recording::Blob;
use wasmtime::Engine;

pub use budget::{Budget, Budgets, Headroom, Usage};
pub use cache::{CacheOutcome, CompileCache, EntryReport, EntryState, Keep};
pub use call::{Call, CallError};
use code::MachineCode;
pub use contract::misfit;
use engine::AddressSpace;
pub use engine::Instances;
pub use history::{Attempt, AttemptOutcome};
use host::{Host, Loaded};
pub use inspect::{InspectError, Inspected, MAX_COMPONENT_BYTES, Producer, Producers, Size, inspect};
use pool::Pool;
pub use run_log::RunLog;
pub use state::{Granted, Inputs, LogLevel, LogLine};
pub use unread::Unread;
pub use vfs::{ContentError, FileKind, Files, Witnessed};
use worker::InProcess;
pub use worker::{CompileBounds, Probe, RanIn, Tried, Worker, serve, try_out};
pub use workspace::Workspace;

/// What loads genes, made once.
pub struct Sandbox {
    engine: Engine,
    space: AddressSpace,
    isolated: Isolated,
    cache: Option<CompileCache>,
    compiler: Option<Compiler>,
}

/// Where genes run.
enum Isolated {
    /// In threads of this process.
    InThreads(Box<Threads>),
    /// Each call in a process of its own.
    InProcesses(Worker),
}

/// What runs genes in this process.
struct Threads {
    host: Host,
    /// Where instances come from, or why there is no pool.
    pool: Result<Pool, String>,
}

/// The workers that compile.
struct Compiler {
    worker: Worker,
    bounds: CompileBounds,
}

/// A gene that is ready to be called, any number of times. Each call gets a fresh instance, and a fresh process if
/// genes run in processes.
pub struct Gene {
    body: Body,
    component: Blob,
    inspected: Inspected,
    cache: CacheOutcome,
}

/// Where a gene runs.
enum Body {
    InThread(Box<Loaded>),
    InProcess(InProcess),
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
    /// Compiling took too much time or memory.
    #[error("the component did not compile within {0}; its functions may be too large: make it smaller")]
    CompileBudget(String),
    /// The compiler's worker failed.
    #[error("the component was not compiled: {0}")]
    Compiler(String),
    /// Verified machine code that does not load, or that cannot be handed over.
    #[error("the machine code does not load: {0}; `gephost cache prune --all` has it made again")]
    Stale(String),
    /// Its imports or exports have other types than the contract's.
    #[error("the component does not fit the contract of wit/v0.1.2: {0} (build it against wit/v0.1.2 of this gephost)")]
    Link(String),
    /// An import of WASI is not the one of WASI 0.2.
    #[error("the component does not fit WASI 0.2: {0} (build it for wasm32-wasip2 with a released toolchain)")]
    Wasi(String),
}

/// The engine cannot be made on this machine.
#[derive(Debug, thiserror::Error)]
#[error("WebAssembly cannot run here: {0}")]
pub struct EngineError(String);

impl Sandbox {
    /// A sandbox that compiles and runs in this process. Without a cache every component is compiled on each load.
    pub fn new(cache: Option<CompileCache>) -> Result<Self, EngineError> {
        Self::assembled(cache, None, None)
    }

    /// A sandbox that compiles in worker processes, and runs genes there too with [`Isolation::Process`].
    pub fn with_workers(
        cache: Option<CompileCache>,
        worker: Worker,
        isolation: Isolation,
    ) -> Result<Self, EngineError> {
        let compiler = Compiler { worker: worker.clone(), bounds: CompileBounds::default() };
        Self::assembled(cache, Some(compiler), (isolation == Isolation::Process).then_some(worker))
    }

    fn assembled(
        cache: Option<CompileCache>,
        compiler: Option<Compiler>,
        worker: Option<Worker>,
    ) -> Result<Self, EngineError> {
        let space = AddressSpace::measure();
        let engine = Host::engine(space)?;
        let isolated = if let Some(worker) = worker {
            Isolated::InProcesses(worker)
        } else {
            let threads = Threads { host: Host::of(engine.clone())?, pool: Pool::new() };
            Isolated::InThreads(Box::new(threads))
        };
        Ok(Self { engine, space, isolated, cache, compiler })
    }

    /// The same without a pool: every instance of a gene that runs in this process is made on demand.
    #[must_use]
    pub fn without_pool(mut self) -> Self {
        if let Isolated::InThreads(threads) = &mut self.isolated {
            threads.pool = Err("so it was asked for".to_owned());
        }
        self
    }

    /// How genes in this process get their instances.
    pub fn instances(&self) -> Instances {
        let on_demand = |because: &str| Instances::OnDemand { because: because.to_owned() };
        match &self.isolated {
            Isolated::InThreads(threads) => match &threads.pool {
                Ok(pool) => pool.instances().clone(),
                Err(because) => on_demand(because),
            },
            Isolated::InProcesses(_) => on_demand("each gene runs in a process of its own"),
        }
    }

    /// The same, with other bounds for each compilation in a worker.
    #[must_use]
    pub fn compiling_within(mut self, bounds: CompileBounds) -> Self {
        if let Some(compiler) = &mut self.compiler {
            compiler.bounds = bounds;
        }
        self
    }

    /// Checks, compiles (or takes from the cache) and links a component.
    pub fn load(&self, bytes: &[u8]) -> Result<Gene, LoadError> {
        self.load_shared(Blob::from(bytes))
    }

    /// The same of bytes that somebody holds already: they are not copied.
    pub fn load_shared(&self, component: Blob) -> Result<Gene, LoadError> {
        let inspected = inspect(component.bytes())?;
        let world = inspected.manifest.world;
        let (code, cache) = self.machine_code(&component, world)?;
        let body = match &self.isolated {
            Isolated::InProcesses(worker) => Body::InProcess(InProcess::new(worker.clone(), self.space, code, world)),
            Isolated::InThreads(threads) => Body::InThread(Box::new(threads.load(&code, world)?)),
        };
        Ok(Gene { body, component, inspected, cache })
    }

    fn machine_code(&self, component: &Blob, world: World) -> Result<(MachineCode, CacheOutcome), LoadError> {
        let bytes = component.bytes();
        let compile = || match &self.compiler {
            Some(compiler) => worker::compile(&compiler.worker, self.space, compiler.bounds, bytes, world),
            None => compile::compile(&self.engine, bytes, world),
        };
        match &self.cache {
            Some(cache) => cache.load(&self.engine, component, compile),
            None => Ok((compile()?, CacheOutcome::Off)),
        }
    }
}

impl Threads {
    /// Into the pool if there is one and the component fits; otherwise its instances are made on demand.
    fn load(&self, code: &MachineCode, world: World) -> Result<Loaded, LoadError> {
        if let Some(loaded) = self.pool.as_ref().ok().and_then(|pool| pool.load(code, world)) {
            return Ok(loaded);
        }
        let component = code.load(&self.host.engine).map_err(|error| LoadError::Stale(error.to_string()))?;
        self.host.link(&component, world)
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

    /// The component's bytes.
    pub fn component(&self) -> &Blob {
        &self.component
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
