//! The bounds of a command: what the kernel holds in a control group, and what gephost measures, since the system has no
//! limit of the kind.

use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::disk::DiskWatch;
use super::end::End;
use super::family::{Family, Running};
use super::groups::{Bounds, Refusals};
use super::limits::{Limits, THREADS};
use super::memory::MemoryWatch;
use super::open_files;
use crate::monotonic;

/// How often a command's processes are counted and measured.
const LOOK: Duration = Duration::from_millis(100);
/// Processes and threads of a group that are not the command's: its keeper and the wrapper.
const STAFF: u64 = 16;
/// Threads that each allowed process may have on average before the command is ended. The kernel refuses new ones far
/// earlier, but not to root.
const MOST_THREADS: u64 = 4 * THREADS;

/// What the kernel bounds in a control group.
pub(super) fn bounds(limits: Limits) -> Bounds {
    Bounds { memory: limits.memory_bytes, tasks: limits.processes.saturating_mul(THREADS).saturating_add(STAFF) }
}

/// The bound of a control group that ended a command, or made it fail.
pub(super) fn over(end: Option<End>, refusals: Refusals) -> Option<End> {
    match end {
        Some(End::TimedOut | End::Interrupted | End::DiskFull) => None,
        _ if refusals.memory => Some(End::OutOfMemory),
        Some(End::Exited(0)) => None,
        _ if refusals.tasks => Some(End::TooManyProcesses),
        _ => None,
    }
}

/// The limits that gephost measures, since the system has none of the kind.
pub(super) struct Watch {
    pub(super) disk: DiskWatch,
    memory: MemoryWatch,
    most_processes: u64,
    next_look: Instant,
}

impl Watch {
    pub(super) fn start(folder: &Path, limits: Limits) -> io::Result<Self> {
        let disk = DiskWatch::start(folder, limits.disk_bytes)?;
        let memory = MemoryWatch::new(limits.memory_bytes);
        Ok(Self { disk, memory, most_processes: limits.processes, next_look: monotonic::now() + LOOK })
    }

    /// Which limit ends the command now. An error means that nobody can tell.
    pub(super) fn end(&mut self, family: &Family) -> io::Result<Option<End>> {
        let began = monotonic::now();
        if began < self.next_look {
            return Ok(None);
        }
        let over = self.exceeded(&family.running()?);
        // On a machine with very many processes a look takes long; it must not take the machine.
        self.next_look = monotonic::now() + LOOK.max(began.elapsed() * 10);
        Ok(over)
    }

    fn exceeded(&mut self, Running { processes, threads }: &Running) -> Option<End> {
        let most_threads = self.most_processes.saturating_mul(MOST_THREADS);
        if processes.len() as u64 > self.most_processes || *threads > most_threads {
            return Some(End::TooManyProcesses);
        }
        let open = open_files::look(processes, self.disk.device());
        if self.memory.is_over(processes, open.in_memory) {
            Some(End::OutOfMemory)
        } else if self.disk.is_over(open.on_disk) {
            Some(End::DiskFull)
        } else {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_refused_is_why_a_command_ended() {
        let memory = Refusals { memory: true, tasks: false };
        let tasks = Refusals { memory: false, tasks: true };
        for (end, refusals, expected) in [
            // The keeper is in the group and ends with it.
            (Some(End::Unknown), memory, Some(End::OutOfMemory)),
            (Some(End::Signaled(9)), memory, Some(End::OutOfMemory)),
            (Some(End::Exited(0)), memory, Some(End::OutOfMemory)),
            (Some(End::TimedOut), memory, None),
            (Some(End::Interrupted), memory, None),
            (Some(End::Exited(1)), tasks, Some(End::TooManyProcesses)),
            // It tried, and could do without.
            (Some(End::Exited(0)), tasks, None),
            (Some(End::Exited(1)), Refusals::default(), None),
        ] {
            assert_eq!(over(end, refusals), expected, "{end:?} {refusals:?}");
        }
    }
}
