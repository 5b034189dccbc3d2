//! Compiles a component in this process. With workers this happens in one of theirs, where a hostile component that makes
//! the compiler run wild can be stopped.

use wasmtime::Engine;

use super::LoadError;
use super::code::MachineCode;

/// Compiles, and seals the machine code.
pub(super) fn compile(engine: &Engine, component: &[u8]) -> Result<MachineCode, LoadError> {
    let code = precompile(engine, component)?;
    MachineCode::of(&code).map_err(|error| LoadError::Stale(error.to_string()))
}

/// The machine code of a component.
pub(super) fn precompile(engine: &Engine, component: &[u8]) -> Result<Vec<u8>, LoadError> {
    engine.precompile_component(component).map_err(|error| LoadError::Compile(format!("{error:#}")))
}
