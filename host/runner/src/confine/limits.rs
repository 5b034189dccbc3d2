//! Resource limits of a process. The kernel enforces them without Landlock or seccomp, so they hold everywhere.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

use super::ConfineError;

/// The most of each resource; none leaves it as it is. A limit that is tighter already stays.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of writable memory of its own. Reserved address space is free: guests' memories reserve far more than they
    /// use.
    pub data: Option<u64>,
    /// Seconds of processor time, over all threads.
    pub cpu_seconds: Option<u64>,
    /// Bytes of any one file that it writes, memory files included.
    pub file: Option<u64>,
    /// Open descriptors.
    pub descriptors: Option<u64>,
    /// Processes and threads of this user, those of other programs included. The kernel does not hold root to it.
    pub processes: Option<u64>,
}

impl Limits {
    pub(super) fn apply(&self) -> Result<(), ConfineError> {
        set("data", Resource::Data, self.data)?;
        set("cpu", Resource::Cpu, self.cpu_seconds)?;
        set("fsize", Resource::Fsize, self.file)?;
        set("nofile", Resource::Nofile, self.descriptors)?;
        set("nproc", Resource::Nproc, self.processes)?;
        // A core file of a confined process would be a copy of what it was given.
        set("core", Resource::Core, Some(0))
    }
}

fn set(name: &'static str, resource: Resource, most: Option<u64>) -> Result<(), ConfineError> {
    let Some(most) = most else { return Ok(()) };
    let old = getrlimit(resource);
    let least = |limit: Option<u64>| Some(limit.map_or(most, |limit| limit.min(most)));
    let new = Rlimit { current: least(old.current), maximum: least(old.maximum) };
    setrlimit(resource, new).map_err(|error| ConfineError::Limit { name, source: error.into() })
}
