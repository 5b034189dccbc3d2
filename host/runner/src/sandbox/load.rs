//! Loads a gene from the bytes of a component.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use gephost_core::config::Isolation;
use gephost_core::gene::{Manifest, World};
use gephost_core::recording::Blob;
use wasmtime::Engine;

use super::cache::{CacheOutcome, CompileCache};
use super::code::MachineCode;
use super::compile;
use super::engine::{AddressSpace, Instances};
use super::error::{EngineError, LoadError};
use super::gene::{Body, Gene, LazyBlob, Ready};
use super::host::{Host, Loaded};
use super::inspect::{inspect, manifest_of};
use super::parts::Parts;
use super::pool::Pool;
use super::worker::{self, CompileBounds, InProcess, Worker};
use crate::bundled::Bundled;

/// How long a compilation takes before it is announced.
const QUIET: Duration = Duration::from_millis(300);
/// A smaller component, as the bundled ones are, compiles in a second or so and is not announced, in bytes.
const LARGE: u64 = 2 << 20;

/// Is told of a long compilation, once, with the size of the component in bytes.
pub type OnLongCompile = dyn Fn(u64) + Send + Sync;

/// Loads genes. It is made once; a copy is the same sandbox.
#[derive(Clone)]
pub struct Sandbox {
    engine: Engine,
    space: AddressSpace,
    isolated: Arc<Isolated>,
    cache: Option<CompileCache>,
    compiler: Option<Compiler>,
    on_long_compile: Option<Arc<OnLongCompile>>,
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
    /// The source of instances, or why there is no pool.
    pool: Result<Pool, String>,
}

/// The workers that compile.
#[derive(Clone)]
struct Compiler {
    worker: Worker,
    bounds: CompileBounds,
}

impl Sandbox {
    /// A sandbox that compiles and runs in this process. Without a cache every component is compiled on each load.
    pub fn new(cache: Option<CompileCache>) -> Result<Self, EngineError> {
        Self::assembled(cache, None, None)
    }

    /// A sandbox that compiles in workers and, with [`Isolation::Process`], also runs genes there.
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
        Ok(Self { engine, space, isolated: Arc::new(isolated), cache, compiler, on_long_compile: None })
    }

    /// The same without a pool: every instance of a gene in this process is made on demand.
    #[must_use]
    pub fn without_pool(mut self) -> Self {
        if let Some(Isolated::InThreads(threads)) = Arc::get_mut(&mut self.isolated) {
            threads.pool = Err("it is turned off".to_owned());
        }
        self
    }

    /// How genes in this process get their instances.
    pub fn instances(&self) -> Instances {
        let on_demand = |because: &str| Instances::OnDemand { because: because.to_owned() };
        match &*self.isolated {
            Isolated::InThreads(threads) => match &threads.pool {
                Ok(pool) => pool.instances().clone(),
                Err(because) => on_demand(because),
            },
            Isolated::InProcesses(_) => on_demand("each gene runs in a process of its own"),
        }
    }

    /// The same with other limits for each compilation in a worker.
    #[must_use]
    pub fn compiling_within(mut self, bounds: CompileBounds) -> Self {
        if let Some(compiler) = &mut self.compiler {
            compiler.bounds = bounds;
        }
        self
    }

    /// The same, and `told` hears of each compilation of a large component that takes longer than 300 ms.
    #[must_use]
    pub fn on_long_compile(mut self, told: Arc<OnLongCompile>) -> Self {
        self.on_long_compile = Some(told);
        self
    }

    /// Checks, compiles (or loads from the cache) and links a component.
    pub fn load(&self, bytes: &[u8]) -> Result<Gene, LoadError> {
        self.load_shared(Blob::from(bytes))
    }

    /// The same for shared bytes, which are not copied.
    pub fn load_shared(&self, component: Blob) -> Result<Gene, LoadError> {
        let manifest = inspect(component.bytes())?.manifest;
        let gene = self.gene(manifest, LazyLock::new(Box::new(move || component)), false);
        gene.ready()?;
        Ok(gene)
    }

    /// Reads the manifest of a bundled gene, and compiles and links the gene when it is first called: most cycles ask few of
    /// their genes. The other checks are those of a test, because these bytes are part of the program.
    pub fn load_when_called(&self, bundled: &Bundled) -> Result<Gene, LoadError> {
        let bytes = bundled.bytes;
        let component: LazyBlob = LazyLock::new(Box::new(move || Blob::of_program(bytes)));
        Ok(self.gene(manifest_of(bytes)?, component, bundled.needs_events))
    }

    fn gene(&self, manifest: Manifest, component: LazyBlob, needs_events: bool) -> Gene {
        let sandbox = self.clone();
        let prepare = Box::new(move |component: &Blob, world| sandbox.prepare(component, world));
        Gene { prepare, ready: OnceLock::new(), component, manifest, needs_events }
    }

    /// Compiles (or loads from the cache) and links a component of this world.
    fn prepare(&self, component: &Blob, world: World) -> Result<Ready, LoadError> {
        let Parts { compiled, input, lines } = Parts::of(component);
        let (code, cache) = self.machine_code(&compiled, world)?;
        let body = match &*self.isolated {
            Isolated::InProcesses(worker) => Body::InProcess(InProcess::new(worker.clone(), self.space, code, world)),
            Isolated::InThreads(threads) => Body::InThread(Box::new(threads.load(&code, world)?)),
        };
        Ok(Ready { body, input, lines, cache })
    }

    fn machine_code(&self, component: &Blob, world: World) -> Result<(MachineCode, CacheOutcome), LoadError> {
        let bytes = component.bytes();
        let compile = || {
            self.watched(bytes.len() as u64, || match &self.compiler {
                Some(compiler) => worker::compile(&compiler.worker, self.space, compiler.bounds, bytes, world),
                None => compile::compile(&self.engine, bytes, world),
            })
        };
        match &self.cache {
            Some(cache) => cache.load(&self.engine, component, compile),
            None => Ok((compile()?, CacheOutcome::Off)),
        }
    }

    /// Does the work, and tells of it if it takes long.
    fn watched<T>(&self, bytes: u64, work: impl FnOnce() -> T) -> T {
        let Some(told) = self.on_long_compile.as_ref().filter(|_| bytes >= LARGE) else { return work() };
        std::thread::scope(|scope| {
            let (working, ended) = channel::<()>();
            scope.spawn(move || {
                if ended.recv_timeout(QUIET) == Err(RecvTimeoutError::Timeout) {
                    told(bytes);
                }
            });
            let done = work();
            drop(working);
            done
        })
    }
}

impl Threads {
    /// Loads into the pool if there is one and the component fits. Otherwise its instances are made on demand.
    fn load(&self, code: &MachineCode, world: World) -> Result<Loaded, LoadError> {
        if let Some(loaded) = self.pool.as_ref().ok().and_then(|pool| pool.load(code, world)) {
            return Ok(loaded);
        }
        let component = code.load(&self.host.engine).map_err(|error| LoadError::Stale(error.to_string()))?;
        self.host.link(&component, world)
    }
}
