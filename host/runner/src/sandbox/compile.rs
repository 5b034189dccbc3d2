//! Compiles a component in the process that calls it. With workers, that is a worker, because it can be stopped if a
//! hostile component makes the compiler run for too long.

use gephost_core::gene::World;
use wasmtime::Engine;

use super::code::MachineCode;
use super::contract;
use super::error::LoadError;

/// Compiles a component and seals its machine code.
pub(super) fn compile(engine: &Engine, component: &[u8], world: World) -> Result<MachineCode, LoadError> {
    let code = precompile(engine, component, world)?;
    MachineCode::of(&code).map_err(|error| LoadError::Stale(error.to_string()))
}

/// The machine code of a component of a world. A component that does not fit the contract is refused without compiling
/// it.
pub(super) fn precompile(engine: &Engine, component: &[u8], world: World) -> Result<Vec<u8>, LoadError> {
    if let Some(misfit) = contract::misfit(component, world) {
        return Err(LoadError::Link(misfit));
    }
    engine.precompile_component(component).map_err(|error| LoadError::Compile(format!("{error:#}")))
}
