//! Resource limits of a process. The kernel enforces them even without Landlock and seccomp.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde::{Deserialize, Serialize};

use super::error::ConfineError;

/// Seconds of processor time between SIGXCPU and SIGKILL. Without them, the kernel sends SIGKILL only, which does not say
/// what ran out.
const AFTER_SIGNAL: u64 = 1;

/// Limits for each resource; `None` leaves it unchanged. A stricter limit that exists already is kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of private writable memory. Reserved address space does not count: guests' memories reserve far more than
    /// they use.
    pub data: Option<u64>,
    /// Seconds of processor time, summed over all threads. Then the process receives SIGXCPU, and is killed if it goes on.
    pub cpu_seconds: Option<u64>,
    /// Size of any file that it writes, including memory files.
    pub file: Option<u64>,
    /// Open file descriptors.
    pub descriptors: Option<u64>,
    /// Processes and threads of this user, including those of other programs. The kernel does not enforce it for root.
    pub processes: Option<u64>,
}

impl Limits {
    pub(super) fn apply(&self) -> Result<(), ConfineError> {
        set("data", Resource::Data, self.data)?;
        let killed = self.cpu_seconds.map(|seconds| seconds.saturating_add(AFTER_SIGNAL));
        set_both("cpu", Resource::Cpu, self.cpu_seconds, killed)?;
        set("fsize", Resource::Fsize, self.file)?;
        set("nofile", Resource::Nofile, self.descriptors)?;
        set("nproc", Resource::Nproc, self.processes)?;
        // A core file of a confined process would be a copy of its data.
        set("core", Resource::Core, Some(0))
    }
}

fn set(name: &'static str, resource: Resource, most: Option<u64>) -> Result<(), ConfineError> {
    set_both(name, resource, most, most)
}

fn set_both(
    name: &'static str,
    resource: Resource,
    current: Option<u64>,
    maximum: Option<u64>,
) -> Result<(), ConfineError> {
    let (Some(current), Some(maximum)) = (current, maximum) else { return Ok(()) };
    let old = getrlimit(resource);
    let least = |old: Option<u64>, most: u64| Some(old.map_or(most, |old| old.min(most)));
    let new = Rlimit { current: least(old.current, current), maximum: least(old.maximum, maximum) };
    setrlimit(resource, new).map_err(|error| ConfineError::Limit { name, source: error.into() })
}
