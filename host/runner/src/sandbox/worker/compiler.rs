//! Compiles a component in a worker, which can be stopped: a component of a few kilobytes can keep a compiler busy for
//! hours, or have it take all memory.

use std::process::Stdio;
use std::time::Duration;

use gephost_core::gene::World;

use super::Worker;
use super::message::{Brief, Failed, Reply, Task};
use super::process::{Broken, Process, without_files};
use crate::confine::Limits;
use crate::sandbox::LoadError;
use crate::sandbox::code::{MAX_CODE, MachineCode};

/// Wall time of one compilation. The largest gene of `TOOLCHAINS` takes a tenth of it on two cores.
const TIME: Duration = Duration::from_mins(1);
/// Writable memory of the compiler, in bytes.
const MEMORY: u64 = 2 << 30;
/// Processor time over all threads, in seconds: the last resort should the host be stopped itself.
const CPU_SECONDS: u64 = 64 * TIME.as_secs();
/// The largest reply that is no machine code, in bytes.
const MAX_REPLY: u64 = 1 << 20;

/// Compiles and links in a worker; seals what it gives.
pub(in crate::sandbox) fn compile(worker: &Worker, component: &[u8], world: World) -> Result<MachineCode, LoadError> {
    let limits =
        Limits { data: Some(MEMORY), cpu_seconds: Some(CPU_SECONDS), file: Some(MAX_CODE), descriptors: Some(64) };
    let brief = Brief { confinement: without_files(limits, worker.strict), task: Task::Compile(world) };
    let code = Process::start(worker, &brief, Stdio::null(), TIME)
        .and_then(|process| converse(process, component))
        .map_err(|broken| LoadError::Compiler(reason(&broken)))?;
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
            Reply::Failed(Failed::Other(message)) => Err(Broken::Other(message)),
            other => Err(Broken::Other(format!("the compiler's worker answered {other:?}"))),
        };
    }
}

fn reason(broken: &Broken) -> String {
    let limits = format!("{} s and {} GiB", TIME.as_secs(), MEMORY >> 30);
    match broken {
        Broken::Late => format!("it did not compile within {limits}; its functions may be too large"),
        Broken::Ended(end) if end.out_of_memory() => {
            format!("it did not compile within {limits}: memory ran out; its functions may be too large")
        }
        other => format!("its compiler's worker: {other}"),
    }
}
