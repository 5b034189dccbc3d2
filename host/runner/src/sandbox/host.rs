//! What runs genes in a process: the engine with all imports linked, and the watchdog thread. It is made once in the
//! host (mode `thread`) and once in each worker.

use std::sync::Arc;

use gephost_core::gene::World;
use wasmtime::Engine;
use wasmtime::component::{Component, InstancePre, Linker};

use super::bindings::exports::gephost::gene::{diagnosis, proposals};
use super::engine::{AddressSpace, engine};
use super::error::{EngineError, LoadError};
use super::printable::printable;
use super::seats::Seats;
use super::state::{GeneState, HasState};
use super::watchdog::Watchdog;
use super::{bindings, sockets, wasi, workspace_import};

/// The engine and the linker.
pub(super) struct Host {
    pub(super) engine: Engine,
    linker: Linker<GeneState>,
    watchdog: Arc<Watchdog>,
}

/// A component in this process, ready to be called.
pub(super) struct Loaded {
    pub(super) engine: Engine,
    pub(super) pre: InstancePre<GeneState>,
    pub(super) exports: Exports,
    pub(super) watchdog: Arc<Watchdog>,
    /// For instances from a pool: the seats of the pool.
    pub(super) seats: Option<Arc<Seats>>,
}

/// The functions that the component exports.
pub(super) struct Exports {
    pub(super) diagnosis: Option<diagnosis::GuestIndices>,
    pub(super) proposals: Option<proposals::GuestIndices>,
}

impl Host {
    /// An engine with every import linked.
    pub(super) fn new(space: AddressSpace) -> Result<Self, EngineError> {
        Self::engine(space).and_then(Self::of)
    }

    /// Only the engine. That is enough to know which machine code fits.
    pub(super) fn engine(space: AddressSpace) -> Result<Engine, EngineError> {
        engine(space).map_err(|error| EngineError(error.root_cause().to_string()))
    }

    /// A host with an engine that exists already.
    pub(super) fn of(engine: Engine) -> Result<Self, EngineError> {
        let build = || -> wasmtime::Result<Self> {
            let mut linker = Linker::new(&engine);
            bindings::Gene::add_to_linker::<GeneState, HasState>(&mut linker, |state| state)?;
            linker.allow_shadowing(true);
            workspace_import::link_read(&mut linker)?;
            linker.allow_shadowing(false);
            wasi::link(&mut linker)?;
            let watchdog = Arc::new(Watchdog::start(&engine)?);
            Ok(Self { engine, linker, watchdog })
        };
        build().map_err(|error| EngineError(error.root_cause().to_string()))
    }

    /// Links a component of a world. Its imports and exports must have the types of the contract.
    pub(super) fn link(&self, component: &Component, world: World) -> Result<Loaded, LoadError> {
        let own = sockets::link(&self.linker, component).map_err(misfit)?;
        let pre = own.as_ref().unwrap_or(&self.linker).instantiate_pre(component).map_err(misfit)?;
        let exports = Exports {
            diagnosis: world.diagnoses().then(|| diagnosis::GuestIndices::new(&pre)).transpose().map_err(misfit)?,
            proposals: world.proposes().then(|| proposals::GuestIndices::new(&pre)).transpose().map_err(misfit)?,
        };
        Ok(Loaded { engine: self.engine.clone(), pre, exports, watchdog: Arc::clone(&self.watchdog), seats: None })
    }
}

/// Why a component does not fit. The imports of our package were compared before, in the words of WIT. For imports of
/// WASI, the error of the linker has three layers: the import, the function in it, and the difference.
#[expect(clippy::needless_pass_by_value, reason = "it is given to `map_err`")]
fn misfit(error: wasmtime::Error) -> LoadError {
    let layers: Vec<String> = error.chain().map(ToString::to_string).collect();
    let quoted = |layer: usize| layers.get(layer).and_then(|text: &String| text.split('`').nth(1));
    let (import, item) = match (quoted(0), quoted(1)) {
        (Some(import), Some(item)) if import.starts_with("wasi:") => (import, item),
        _ => return LoadError::Link(printable(&layers.join(": "))),
    };
    let why = layers.get(2..).unwrap_or_default().join(": ");
    let difference = if why.ends_with("is missing") {
        format!("`{import}` has a function `{item}`, which WASI 0.2 does not have")
    } else {
        format!("`{item}` of the import `{import}` has another type: {why}")
    };
    LoadError::Wasi(printable(&difference))
}
