//! Compiles a component in this process. With workers this happens in one of theirs, where a hostile component that makes
//! the compiler run wild can be stopped.

use gephost_core::gene::World;
use wasmtime::Engine;

use super::code::MachineCode;
use super::contract;
use super::error::LoadError;

/// Compiles, and seals the machine code.
pub(super) fn compile(engine: &Engine, component: &[u8], world: World) -> Result<MachineCode, LoadError> {
    let code = precompile(engine, component, world)?;
    MachineCode::of(&code).map_err(|error| LoadError::Stale(error.to_string()))
}

/// The machine code of a component of a world. What does not fit that is not compiled.
pub(super) fn precompile(engine: &Engine, component: &[u8], world: World) -> Result<Vec<u8>, LoadError> {
    if let Some(misfit) = contract::misfit(component, world) {
        return Err(LoadError::Link(misfit));
    }
    engine.precompile_component(component).map_err(|error| LoadError::Compile(format!("{error:#}")))
}
