//! What runs genes in a process: the engine with every import linked, and the thread that watches the time. Made once in
//! the host for mode `thread`, and once in each worker.

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
    /// Where its instances come from a pool: how many calls that has room for.
    pub(super) seats: Option<Arc<Seats>>,
}

/// Where the functions of the contract are.
pub(super) struct Exports {
    pub(super) diagnosis: Option<diagnosis::GuestIndices>,
    pub(super) proposals: Option<proposals::GuestIndices>,
}

impl Host {
    /// An engine with every import linked.
    pub(super) fn new(space: AddressSpace) -> Result<Self, EngineError> {
        Self::engine(space).and_then(Self::of)
    }

    /// The engine alone, which is enough to know what machine code fits.
    pub(super) fn engine(space: AddressSpace) -> Result<Engine, EngineError> {
        engine(space).map_err(|error| EngineError(error.root_cause().to_string()))
    }

    /// The same of an engine that is there.
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

    /// Links a component of a world: its imports and exports must have the contract's types.
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

/// What does not fit. Imports of our package were compared before, in the words of WIT; of those of WASI the linker knows
/// best, and its error has the import, the function in it, and the difference, one beneath the other.
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
        format!("`{import}` has a function `{item}`, which WASI 0.2 has not")
    } else {
        format!("`{item}` of the import `{import}` is another: {why}")
    };
    LoadError::Wasi(printable(&difference))
}
