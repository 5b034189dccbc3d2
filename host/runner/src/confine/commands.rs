//! seccomp for programs that are not ours: the commands that validate a change.
//!
//! What they may need is nearly everything, so this list is the other way round from `calls`: what Linux had when this was
//! written, less what reaches beyond the process. A refused call answers EPERM, so that a program which can do without
//! does; a call that is newer than this list does not exist (ENOSYS), which programs are prepared for; so do those of the
//! processor's other interfaces, behind which a filter could be passed by.

use std::collections::{BTreeMap, BTreeSet};

use seccompiler::{
    SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Operator, SeccompCondition as Condition, SeccompRule,
};
use serde::{Deserialize, Serialize};

use super::ConfineError;
use super::calls::{errno, install, masked};

/// What commands may do with sockets and names; everything else is the same for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandCalls {
    /// Whether there are sockets of the Internet protocols, and the one that asks for the machine's addresses.
    pub internet: bool,
    /// Whether a Unix socket may be connected to. A filter cannot see whose it is: the user's agents and services have
    /// such sockets too, so only where none of those can be named.
    pub connect: bool,
    /// Whether a file may be cut by its name: a Landlock before version 3 does not see it.
    pub truncate: bool,
}

/// The newest call of the numbering that all processors share: `listns`.
const NEWEST: i64 = 470;
/// The first call of that numbering; those before it are each processor's own.
const SHARED: i64 = 424;
/// The last of the processor's own.
#[cfg(target_arch = "x86_64")]
const LAST_OWN: i64 = 334;
#[cfg(not(target_arch = "x86_64"))]
const LAST_OWN: i64 = 294;

/// Calls that reach into the kernel, into other processes, or out of the files and namespaces that were given.
const REFUSED: &[i64] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    // Mounts, roots and namespaces.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    OPEN_TREE_ATTR,
    libc::SYS_setns,
    // Files behind the back of their names.
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_fanotify_init,
    // Work that the kernel does for a process, past the filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    // Keys.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // The machine.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    libc::SYS_lookup_dcookie,
    libc::SYS_nfsservctl,
];

/// Calls that only this processor has.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[i64] = &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_uselib, libc::SYS_ustat, libc::SYS_sysfs];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[i64] = &[];

/// `open_tree_attr`, which the C library has no name for yet.
const OPEN_TREE_ATTR: i64 = 467;
/// Every namespace that a new process could ask for.
const NAMESPACES: u64 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u64;
/// The clock's, a bit that means something else for `clone`.
const NEW_TIME: u64 = 0x80;
/// The kinds of a socket, without its flags.
const KIND: u64 = 0xf;
/// Requests that put words into a terminal, as if its user had typed them.
const TERMINAL: [u64; 2] = [libc::TIOCSTI, libc::TIOCLINUX];

pub(super) fn apply(calls: CommandCalls) -> Result<(), ConfineError> {
    let refused = refused(calls)?;
    install(refused, SeccompAction::Allow, errno(libc::EPERM))?;
    let known = (0..=LAST_OWN).chain(SHARED..=NEWEST);
    // Its flags are in memory, where no filter can look. Without it the C library takes `clone`.
    let known: BTreeSet<i64> = known.filter(|number| *number != libc::SYS_clone3).collect();
    let known = known.into_iter().map(|number| (number, Vec::new())).collect();
    install(known, errno(libc::ENOSYS), SeccompAction::Allow)
}

/// For each call that is refused, the arguments that it is refused with; none means always.
fn refused(calls: CommandCalls) -> Result<BTreeMap<i64, Vec<SeccompRule>>, ConfineError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for number in REFUSED.iter().chain(REFUSED_HERE) {
        rules.insert(*number, Vec::new());
    }
    rules.insert(libc::SYS_clone, any_bit(NAMESPACES)?);
    rules.insert(libc::SYS_unshare, any_bit(NAMESPACES | NEW_TIME)?);
    let terminal = TERMINAL.iter().map(|request| rule(vec![(1, Operator::Eq, *request)]));
    rules.insert(libc::SYS_ioctl, terminal.collect::<Result<_, _>>()?);
    rules.insert(libc::SYS_socket, sockets(calls)?);
    if !calls.connect {
        // One end of a pair of datagram sockets can send to any name.
        rules.insert(libc::SYS_socketpair, vec![datagrams()?]);
    }
    if !calls.connect && !calls.internet {
        rules.insert(libc::SYS_connect, Vec::new());
    }
    if !calls.truncate {
        rules.insert(libc::SYS_truncate, Vec::new());
    }
    Ok(rules)
}

fn sockets(calls: CommandCalls) -> Result<Vec<SeccompRule>, ConfineError> {
    let families: &[i32] = if calls.internet {
        &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK]
    } else {
        &[libc::AF_UNIX]
    };
    let other = families.iter().map(|family| (0, Operator::Ne, u64::from(family.unsigned_abs()))).collect();
    let mut rules = vec![rule(other)?];
    // Raw packets are nobody's test.
    rules.push(rule(vec![(1, Operator::MaskedEq(KIND), libc::SOCK_RAW.unsigned_abs().into()), INTERNET])?);
    rules.push(rule(vec![(1, Operator::MaskedEq(KIND), libc::SOCK_RAW.unsigned_abs().into()), INTERNET_6])?);
    if !calls.connect {
        rules.push(datagrams()?);
    }
    Ok(rules)
}

const INTERNET: (u8, Operator, u64) = (0, Operator::Eq, libc::AF_INET as u64);
const INTERNET_6: (u8, Operator, u64) = (0, Operator::Eq, libc::AF_INET6 as u64);

/// A Unix datagram socket sends to any name without connecting.
fn datagrams() -> Result<SeccompRule, ConfineError> {
    let kind = (1, Operator::MaskedEq(KIND), u64::from(libc::SOCK_DGRAM.unsigned_abs()));
    rule(vec![(0, Operator::Eq, u64::from(libc::AF_UNIX.unsigned_abs())), kind])
}

/// One rule a bit: any of them set in the first argument.
fn any_bit(bits: u64) -> Result<Vec<SeccompRule>, ConfineError> {
    (0..64).map(|shift| 1 << shift).filter(|bit| bits & bit != 0).map(|bit| masked(0, bit, bit)).collect()
}

fn rule(conditions: Vec<(u8, Operator, u64)>) -> Result<SeccompRule, ConfineError> {
    let conditions = conditions
        .into_iter()
        .map(|(position, operator, value)| Condition::new(position, Length::Dword, operator, value))
        .collect::<Result<_, _>>()?;
    Ok(SeccompRule::new(conditions)?)
}
