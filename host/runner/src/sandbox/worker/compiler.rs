//! The host's side of a compilation in a worker. A component of a few kilobytes can keep a compiler busy for hours or use
//! up all memory; a worker can be stopped.

use std::process::Stdio;
use std::time::Duration;

use gephost_core::gene::World;

use super::Worker;
use super::message::{Brief, Failed, Reply, Task};
use super::process::{Broken, Process, without_files};
use crate::confine::Limits;
use crate::sandbox::code::{MAX_CODE, MachineCode};
use crate::sandbox::engine::AddressSpace;
use crate::sandbox::{CompileBudget, LoadError};

/// The largest reply other than machine code, in bytes.
const MAX_REPLY: u64 = 1 << 20;

/// The limits of one compilation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompileBounds {
    /// Seconds of processor time of the compiler's process, summed over its threads. A busy machine does not use it up.
    pub processor_seconds: u64,
    /// Wall time. A last resort: if a compilation gets here, the machine gave it almost no processor time.
    pub wall: Duration,
    /// Writable memory of the compiler's process, in bytes.
    pub memory: u64,
}

impl Default for CompileBounds {
    /// A gene in Python needs a tenth of this processor time, and a fifth of this memory.
    fn default() -> Self {
        Self { processor_seconds: 120, wall: Duration::from_mins(10), memory: 2 << 30 }
    }
}

/// Compiles and links a component in a worker, and seals the machine code.
pub(in crate::sandbox) fn compile(
    worker: &Worker,
    space: AddressSpace,
    bounds: CompileBounds,
    component: &[u8],
    world: World,
) -> Result<MachineCode, LoadError> {
    let limits = Limits {
        data: Some(bounds.memory),
        cpu_seconds: Some(bounds.processor_seconds),
        file: Some(MAX_CODE),
        descriptors: Some(64),
        processes: None,
    };
    let brief = Brief { confinement: without_files(limits, worker.strict), task: Task::Compile(world, space) };
    let code = Process::start(worker, &brief, Stdio::null(), bounds.wall)
        .and_then(|process| converse(process, component))
        .map_err(|broken| refusal(&broken, bounds))?;
    MachineCode::of(&code?).map_err(|error| LoadError::Stale(error.to_string()))
}

fn converse(mut process: Process, component: &[u8]) -> Result<Result<Vec<u8>, LoadError>, Broken> {
    process.send_bytes(component)?;
    loop {
        return match process.receive(MAX_REPLY)? {
            Reply::Ready(_) => continue,
            Reply::Compiled => Ok(Ok(process.receive_bytes(MAX_CODE)?)),
            Reply::Failed(Failed::Compile(message)) => Ok(Err(LoadError::Compile(message))),
            Reply::Failed(Failed::Link(message)) => Ok(Err(LoadError::Link(message))),
            Reply::Failed(Failed::Wasi(message)) => Ok(Err(LoadError::Wasi(message))),
            Reply::Failed(Failed::Other(message)) => Err(Broken::Other(message)),
            other => Err(Broken::Other(format!("unexpected message {other:?}"))),
        };
    }
}

fn refusal(broken: &Broken, bounds: CompileBounds) -> LoadError {
    match broken {
        Broken::Late => LoadError::CompileBudget(CompileBudget::Wall(bounds.wall)),
        Broken::Ended(end) if end.out_of_processor_time() => {
            LoadError::CompileBudget(CompileBudget::Processor { seconds: bounds.processor_seconds })
        }
        Broken::Ended(end) if end.out_of_memory() => {
            LoadError::CompileBudget(CompileBudget::Memory { bytes: bounds.memory })
        }
        other => LoadError::Compiler(format!("its compiler's worker: {other}")),
    }
}
