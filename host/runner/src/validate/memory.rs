//! How much memory the processes of a command use, measured while they run. The system bounds the memory of one process
//! only, and counts what is reserved as if it were used, which sanitizers and runtimes do by the terabyte.
//!
//! What must stay true: memory that no process has mapped counts too, in `memfd_create` files and in a `/dev/shm` of the
//! command's own; memory that several processes share counts once.

#![expect(clippy::disallowed_methods, reason = "the kernel reports memory in files")]

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use super::open_files;

/// Where programs put shared memory.
const SHARED: &str = "/dev/shm";

/// Watches the memory of processes.
pub(super) struct MemoryWatch {
    /// Bytes.
    most: u64,
    /// The device of the folder that the command writes to.
    work: u64,
    /// Bytes of memory that could be had at the start, if the system says.
    free_at_start: Option<u64>,
}

impl MemoryWatch {
    pub(super) fn new(most: u64, work: u64) -> Self {
        Self { most, work, free_at_start: free_memory() }
    }

    /// Whether these processes use more than they may. The exact figure costs a walk through all their pages, so it is
    /// looked up only if the quick one, which counts shared pages once for each process, is over the bound. Where a process
    /// does not show its files, what they take shows in the free memory of the machine only; it counts if it alone is over
    /// the bound.
    pub(super) fn is_over(&self, processes: &[i32]) -> bool {
        let unlinked = open_files::unlinked_in_memory(processes, self.work);
        let folder = processes.iter().map(|process| shared_folder(*process)).max().unwrap_or_default();
        let over = |mapped: Mapped| {
            let in_memory = mapped.files.max(unlinked.bytes.saturating_add(folder));
            mapped.own.saturating_add(in_memory) > self.most
        };
        if unlinked.hidden && self.taken_from_the_machine().is_some_and(|taken| taken > self.most) {
            return true;
        }
        over(sum(processes, quick)) && over(sum(processes, |process| exact(process).or_else(|| quick(process))))
    }
}

impl MemoryWatch {
    fn taken_from_the_machine(&self) -> Option<u64> {
        Some(self.free_at_start?.saturating_sub(free_memory()?))
    }
}

/// Bytes of memory that can be had without swapping, if the system says.
pub fn free_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    kibibytes(&text, "MemAvailable:")
}

/// Bytes of memory that a process has mapped.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Mapped {
    /// Of no file.
    own: u64,
    /// Of files in memory.
    files: u64,
}

fn sum(processes: &[i32], of: impl Fn(i32) -> Option<Mapped>) -> Mapped {
    processes.iter().filter_map(|process| of(*process)).fold(Mapped::default(), |sum, mapped| Mapped {
        own: sum.own.saturating_add(mapped.own),
        files: sum.files.saturating_add(mapped.files),
    })
}

/// All that is resident.
fn quick(process: i32) -> Option<Mapped> {
    let text = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    Some(Mapped { own: kibibytes(&text, "RssAnon:")?, files: kibibytes(&text, "RssShmem:")? })
}

/// The process's share of it: a page that two processes have counts half for each.
fn exact(process: i32) -> Option<Mapped> {
    let text = fs::read_to_string(format!("/proc/{process}/smaps_rollup")).ok()?;
    Some(Mapped { own: kibibytes(&text, "Pss_Anon:")?, files: kibibytes(&text, "Pss_Shmem:")? })
}

/// The value of a line such as `RssAnon:      1024 kB`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// What a process's own folder for shared memory holds; nothing if it has the machine's.
fn shared_folder(process: i32) -> u64 {
    let path = format!("/proc/{process}/root{SHARED}");
    let device = |path: &str| fs::metadata(path).map(|folder| folder.dev()).ok();
    if device(&path).is_none() || device(&path) == device(SHARED) {
        return 0;
    }
    let Ok(system) = rustix::fs::statvfs(&path) else { return 0 };
    system.f_blocks.saturating_sub(system.f_bfree).saturating_mul(system.f_frsize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> i32 {
        i32::try_from(std::process::id()).unwrap()
    }

    #[test]
    fn both_ways_of_counting_see_what_a_process_takes() {
        for count in [quick, exact] {
            let before = count(own()).unwrap().own;
            let taken = std::hint::black_box(vec![1_u8; 64 << 20]);
            let after = count(own()).unwrap().own;
            assert!(after >= before + (60 << 20), "{before} {after}");
            drop(taken);
        }
    }

    #[test]
    fn a_process_that_has_gone_takes_nothing() {
        assert_eq!(sum(&[i32::MAX], quick), Mapped::default());
        assert_eq!(shared_folder(i32::MAX), 0);
    }

    #[test]
    fn lines_of_the_kernel_are_read_to_the_letter() {
        assert_eq!(kibibytes("Name:\tx\nRssAnon:\t    12 kB\n", "RssAnon:"), Some(12 << 10));
        assert_eq!(kibibytes("RssAnon:\t 12 MB\n", "RssAnon:"), None);
        assert_eq!(kibibytes("", "RssAnon:"), None);
    }
}
