//! seccomp: which system calls a process may make. A call that is not on the list ends the process with SIGSYS, because
//! our own code never makes it.
//!
//! The lists are short because a worker does little: it reads and writes one socket, and asks for memory. They follow
//! the C library's current system calls and do not name calls that only exist on older processor interfaces.

use std::collections::BTreeMap;

use seccompiler::{
    SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Operator, SeccompCondition as Condition, SeccompRule,
};
use serde::{Deserialize, Serialize};

use super::commands::{self, CommandCalls};
use super::error::ConfineError;
use super::filter::{errno, install, masked};

/// A list of system calls, by purpose. [`Self::Load`] includes the calls of [`Self::Run`], so a worker can switch from
/// the first to the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum SystemCalls {
    /// All checks.
    Any,
    /// What programs of others may do.
    Commands(CommandCalls),
    /// What a worker needs to compile, or to load a gene's machine code: threads, executable memory, and opening files
    /// (of which Landlock only allows the worker's own). It has no sockets, and cannot start programs or reach other
    /// processes.
    Load,
    /// What running a gene needs: memory that is not executable, waiting, the clock, reading descriptor 0, writing
    /// descriptors 0 and 2, and exiting.
    Run,
}

/// Condition: the argument at this position has one of these values.
type Allowed = (u8, &'static [u64]);

/// A system call, and conditions for its arguments.
struct Entry {
    number: i64,
    /// All conditions must hold.
    when: &'static [Allowed],
    /// None of these bits may be set in the argument at this position.
    never: Option<(u8, u64)>,
}

const fn call(number: i64) -> Entry {
    Entry { number, when: &[], never: None }
}

const fn call_when(number: i64, when: &'static [Allowed]) -> Entry {
    Entry { number, when, never: None }
}

const fn call_never(number: i64, position: u8, bits: u64) -> Entry {
    Entry { number, when: &[], never: Some((position, bits)) }
}

const EXECUTABLE: u64 = libc::PROT_EXEC as u64;
/// The flag that `clone` has for a thread and for nothing else.
const THREAD: u64 = libc::CLONE_THREAD as u64;

/// What every worker needs.
const BOTH: &[Entry] = &[
    call(libc::SYS_brk),
    call(libc::SYS_munmap),
    call(libc::SYS_mremap),
    call(libc::SYS_madvise),
    call(libc::SYS_futex),
    call(libc::SYS_clock_gettime),
    call(libc::SYS_clock_nanosleep),
    call(libc::SYS_getrandom),
    call(libc::SYS_rt_sigaction),
    call(libc::SYS_rt_sigprocmask),
    call(libc::SYS_rt_sigreturn),
    call(libc::SYS_sigaltstack),
    call(libc::SYS_sched_yield),
    call(libc::SYS_sched_getaffinity),
    call(libc::SYS_restart_syscall),
    // An abort looks up its own ids and signals itself. Signals to other processes are refused, see `own_signals`.
    call(libc::SYS_getpid),
    call(libc::SYS_gettid),
    call(libc::SYS_exit),
    call(libc::SYS_exit_group),
];

const LOAD: &[Entry] = &[
    call(libc::SYS_read),
    call(libc::SYS_write),
    call(libc::SYS_close),
    call(libc::SYS_fstat),
    call(libc::SYS_newfstatat),
    call(libc::SYS_statx),
    call(libc::SYS_lseek),
    call(libc::SYS_pread64),
    call(libc::SYS_readlinkat),
    // Landlock refuses to open files by name. It cannot refuse memory files, which have no name.
    call(libc::SYS_openat),
    call(libc::SYS_memfd_create),
    call(libc::SYS_ftruncate),
    call_when(libc::SYS_fcntl, &[(1, &[0, 1, 2, 3, 1030, 1033, 1034])]),
    call(libc::SYS_mmap),
    call(libc::SYS_mprotect),
    call(libc::SYS_set_robust_list),
    call(libc::SYS_rseq),
    call_when(libc::SYS_prctl, &[(0, &[15, 0x5356_4d41, 38])]),
    call(libc::SYS_seccomp),
    call(libc::SYS_prlimit64),
];

const RUN: &[Entry] = &[
    call_when(libc::SYS_read, &[(0, &[0])]),
    call_when(libc::SYS_write, &[(0, &[0, 2])]),
    call_never(libc::SYS_mmap, 2, EXECUTABLE),
    call_never(libc::SYS_mprotect, 2, EXECUTABLE),
    call(libc::SYS_close),
];

/// Filters the system calls of this process. Returns whether they are filtered.
pub(super) fn apply(calls: SystemCalls) -> Result<bool, ConfineError> {
    let list = match calls {
        SystemCalls::Any => return Ok(false),
        SystemCalls::Commands(calls) => return commands::apply(calls).map(|()| true),
        SystemCalls::Load => LOAD,
        SystemCalls::Run => RUN,
    };
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for entry in BOTH.iter().chain(list) {
        rules.insert(entry.number, entry.rules()?);
    }
    rules.insert(libc::SYS_tgkill, own_signals()?);
    let (refused, error) = match calls {
        // `clone3` keeps its flags in memory, where a filter cannot read them. The C library falls back to `clone`,
        // which may only create threads.
        SystemCalls::Load => {
            rules.insert(libc::SYS_clone, vec![masked(0, THREAD, THREAD)?]);
            (libc::SYS_clone3, libc::ENOSYS)
        }
        // The C library's allocator sometimes reads the list of processors. It works without an answer.
        _ => (libc::SYS_openat, libc::EACCES),
    };
    // The first list allows the call, and a second filter returns the error. The stricter result applies.
    rules.insert(refused, Vec::new());
    install(BTreeMap::from([(refused, Vec::new())]), SeccompAction::Allow, errno(error))?;
    install(rules, SeccompAction::KillProcess, SeccompAction::Allow)?;
    Ok(true)
}

/// A process may signal itself, because that is how it aborts.
fn own_signals() -> Result<Vec<SeccompRule>, ConfineError> {
    let own = u64::from(std::process::id());
    Ok(vec![SeccompRule::new(vec![Condition::new(0, Length::Dword, Operator::Eq, own)?])?])
}

impl Entry {
    /// One rule for each allowed value. No rule at all allows the call with any arguments.
    fn rules(&self) -> Result<Vec<SeccompRule>, ConfineError> {
        if let Some((position, bits)) = self.never {
            return Ok(vec![masked(position, bits, 0)?]);
        }
        let values =
            self.when.iter().flat_map(|(position, values)| values.iter().map(move |value| (*position, *value)));
        values
            .map(|(position, value)| {
                let condition = Condition::new(position, Length::Dword, Operator::Eq, value)?;
                Ok(SeccompRule::new(vec![condition])?)
            })
            .collect()
    }
}
