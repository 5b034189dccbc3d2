//! How much memory the processes of a command use, measured while they run. The system bounds the memory of one process
//! only, and counts what is reserved as if it were used, which sanitizers and runtimes do by the terabyte.
//!
//! What must stay true: memory that no process has mapped counts too, in `memfd_create` files and in a `/dev/shm` of the
//! command's own; so do the kernel's own tables of pages; memory that several processes share counts once.

#![expect(clippy::disallowed_methods, reason = "the kernel reports memory in files")]

use std::fs;
use std::os::unix::fs::MetadataExt as _;

use std::path::Path;

use super::open_files::Unlinked;
use super::tasks;

/// Where programs put shared memory.
const SHARED: &str = "/dev/shm";

/// Watches the memory of processes.
pub(super) struct MemoryWatch {
    /// Bytes.
    most: u64,
    /// Bytes of memory that could be had at the start, if the system says.
    free_at_start: Option<u64>,
    /// Bytes of all files in memory at the start.
    files_at_start: Option<u64>,
}

impl MemoryWatch {
    pub(super) fn new(most: u64) -> Self {
        Self { most, free_at_start: free_memory(), files_at_start: files_in_memory() }
    }

    /// Whether these processes use more than they may. The exact figure costs a walk through all their pages, so it is
    /// looked up only if the quick one, which counts shared pages once for each process, is over the bound. If a process
    /// does not show its files, or shows a part of one, or may have segments of System V that none has mapped, what they take
    /// shows in the figures of the machine only. It counts if it alone is over the bound.
    pub(super) fn is_over(&self, processes: &[i32], unlinked: Unlinked) -> bool {
        let folder = processes.iter().map(|process| shared_folder(*process)).max().unwrap_or_default();
        let over = |mapped: Mapped| {
            let in_memory = mapped.files.max(unlinked.bytes.saturating_add(folder));
            mapped.own.saturating_add(in_memory) > self.most
        };
        let is_over = |taken: Option<u64>| taken.is_some_and(|taken| taken > self.most);
        let in_part = || unlinked.in_part || processes.iter().any(|process| has_own_segments(*process));
        if (unlinked.hidden && is_over(self.taken_from_the_machine())) || (is_over(self.put_into_files()) && in_part())
        {
            return true;
        }
        over(sum(processes, quick)) && over(sum(processes, |process| exact(process).or_else(|| quick(process))))
    }

    fn taken_from_the_machine(&self) -> Option<u64> {
        Some(self.free_at_start?.saturating_sub(free_memory()?))
    }

    fn put_into_files(&self) -> Option<u64> {
        Some(files_in_memory()?.saturating_sub(self.files_at_start?))
    }
}

/// Bytes of memory that can be had without swapping, if the system says.
pub fn free_memory() -> Option<u64> {
    of_the_machine("MemAvailable:")
}

/// Bytes of all files in memory, of all programs, if the system says.
fn files_in_memory() -> Option<u64> {
    of_the_machine("Shmem:")
}

fn of_the_machine(name: &str) -> Option<u64> {
    kibibytes(&fs::read_to_string("/proc/meminfo").ok()?, name)
}

/// Bytes of memory that a process has mapped.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Mapped {
    /// Of no file, with the tables in which the kernel keeps where pages are.
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
    tasks::first(process, |thread| {
        let text = fs::read_to_string(thread.join("status")).ok()?;
        let own = kibibytes(&text, "RssAnon:")?.saturating_add(beside(&text));
        Some(Mapped { own, files: kibibytes(&text, "RssShmem:")? })
    })
}

/// The process's share of it: a page that two processes have counts half for each.
fn exact(process: i32) -> Option<Mapped> {
    tasks::first(process, |thread| {
        let text = fs::read_to_string(thread.join("smaps_rollup")).ok()?;
        let beside = fs::read_to_string(thread.join("status")).map_or(0, |status| beside(&status));
        let own = kibibytes(&text, "Pss_Anon:")?.saturating_add(beside);
        Some(Mapped { own, files: kibibytes(&text, "Pss_Shmem:")? })
    })
}

/// What the kernel does not count as resident: tables of pages, and large pages. A program that reads one byte of every
/// page of an empty mapping fills tables and no page.
fn beside(status: &str) -> u64 {
    ["VmPTE:", "HugetlbPages:"].iter().filter_map(|name| kibibytes(status, name)).fold(0, u64::saturating_add)
}

/// The value of a line such as `RssAnon:      1024 kB`, in bytes.
fn kibibytes(text: &str, name: &str) -> Option<u64> {
    let value = text.lines().find_map(|line| line.strip_prefix(name))?;
    value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
}

/// Whether a process is in a namespace of its own for System V IPC.
fn has_own_segments(process: i32) -> bool {
    let own = fs::read_link("/proc/self/ns/ipc").ok();
    tasks::first(process, |thread| fs::read_link(thread.join("ns/ipc")).ok()).is_some_and(|theirs| Some(theirs) != own)
}

/// What a process's own folder for shared memory holds; nothing if it has the machine's.
fn shared_folder(process: i32) -> u64 {
    let device = |path: &Path| fs::metadata(path).map(|folder| folder.dev()).ok();
    tasks::first(process, |thread| {
        let path = thread.join("root").join(SHARED.trim_start_matches('/'));
        if device(&path)? == device(Path::new(SHARED)).unwrap_or_default() {
            return Some(0);
        }
        let system = rustix::fs::statvfs(&path).ok()?;
        Some(system.f_blocks.saturating_sub(system.f_bfree).saturating_mul(system.f_frsize))
    })
    .unwrap_or_default()
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
