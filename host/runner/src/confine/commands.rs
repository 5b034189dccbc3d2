//! seccomp for programs that are not ours: the commands that validate a change.
//!
//! Commands may need nearly every call, so this list is the reverse of the one in `calls`: it allows what Linux had when
//! the list was written, less what reaches beyond the process. A refused call returns EPERM, so a program that can do
//! without it goes on. A call that is newer than the list returns ENOSYS, which programs are prepared for. So does a call
//! whose arguments lie in memory, where a filter cannot read them (`clone3`, `openat2`): the C library then takes the older
//! call. So does `memfd_secret`, whose memory nobody could measure. The processor's other call interfaces are closed,
//! since they would bypass the filter.

use std::collections::BTreeMap;

use seccompiler::{
    SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Operator, SeccompCondition as Condition, SeccompRule,
};
use serde::{Deserialize, Serialize};

use super::error::ConfineError;
use super::filter::{errno, install, masked};

/// What commands may do with sockets and names. The rest is the same for all commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandCalls {
    /// Whether sockets of the Internet protocols are allowed, and the one that lists the machine's addresses.
    pub internet: bool,
    /// Whether the command runs in mount, process and IPC namespaces of its own. There, names lead to nothing of the
    /// user's, so Unix sockets, System V IPC, message queues, inotify and extended attributes are allowed. Everywhere else
    /// a filter cannot see whose object a call names, so these calls are refused.
    pub own_namespaces: bool,
    /// Whether a file may be truncated by its name. Landlock before version 3 cannot refuse that.
    pub truncate: bool,
}

/// The newest call in the numbering that all processors share: `listns`.
const NEWEST: i64 = 470;
/// The first call in that numbering. Earlier numbers differ between processors.
const SHARED: i64 = 424;
/// The last call in the processor's own numbering.
#[cfg(target_arch = "x86_64")]
const LAST_OWN: i64 = 334;
#[cfg(not(target_arch = "x86_64"))]
const LAST_OWN: i64 = 294;

/// Calls that reach into the kernel or other processes, or leave the given files and namespaces.
const REFUSED: &[i64] = &[
    // Reach other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    // Change mounts, roots and namespaces.
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
    // Open files without their names.
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    libc::SYS_fanotify_init,
    // Let the kernel work for the process outside the filter.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    // Use the kernel's key rings.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Change the machine.
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

/// Calls that take a process or thread as their first argument, 0 for the caller. They change its limits, its scheduling
/// or where its memory lies, and the kernel allows them on every process of the same user.
const ON_OTHERS: &[i64] = &[
    libc::SYS_prlimit64,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
];

/// Calls that name an object of the machine, not of a folder: System V IPC, message queues and watches on files. Landlock
/// knows none of them. Refused without namespaces of its own.
const SHARED_OBJECTS: &[i64] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_inotify_add_watch,
];

/// Calls that set extended attributes, and with them access control lists. Landlock does not cover them, so they would
/// change files that the command cannot even read. They return EOPNOTSUPP, as on a file system that has no attributes:
/// `cp -p` and `tar` expect that, and go on.
const ATTRIBUTES: &[i64] = &[
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    SETXATTRAT,
    REMOVEXATTRAT,
];
/// Newer calls that the C library has no names for yet.
const SETXATTRAT: i64 = 463;
const REMOVEXATTRAT: i64 = 466;
const FCHMODAT2: i64 = 452;
const FILE_SETATTR: i64 = 469;

/// Calls that programs are told do not exist: those whose arguments lie in memory, and the one for memory that the figures
/// of no process show.
const UNKNOWN: [i64; 4] = [libc::SYS_clone3, libc::SYS_openat2, FILE_SETATTR, libc::SYS_memfd_secret];

/// Requests of file systems, by their kind (the second byte): of ext4, fscrypt and most others; of versions; of XFS, FAT,
/// f2fs and btrfs. Many change a file or folder that is only open for reading, such as one of a toolchain: its flags,
/// layout, volumes, or the keys that its user unlocked. Landlock knows only the requests of devices.
const OF_FILE_SYSTEMS: [u64; 6] = [0x6600, 0x7600, 0x5800, 0x7200, 0xf500, 0x9400];
/// Those of them that only look: `FS_IOC_GETFLAGS` and `FS_IOC_GETVERSION`, both also for 32 bits, `FS_IOC_FIEMAP` and
/// `FS_IOC_FSGETXATTR`. Copies without data need a file that is open for writing.
const HARMLESS: [u64; 9] = [
    0x8008_6601,
    0x8004_6601,
    0x8008_7601,
    0x8004_7601,
    0xc020_660b,
    0x801c_581f,
    libc::FICLONE,
    libc::FICLONERANGE,
    0xc018_9436,
];
/// Requests that make others wait before they open a file, and that report what they do in a folder.
const WATCHES_A_FILE: [i32; 2] = [libc::F_SETLEASE, libc::F_NOTIFY];

/// The bits of a mode that let a program run with its file's owner or group.
const SET_ID: [u64; 2] = [libc::S_ISUID as u64, libc::S_ISGID as u64];
/// The flags of `open` with which it makes a file, and takes a mode.
const MAKES_A_FILE: [u64; 2] = [libc::O_CREAT as u64, (libc::O_TMPFILE & !libc::O_DIRECTORY) as u64];
/// Calls that set a mode, and the position of that argument.
const SETS_MODE: &[(i64, u8)] =
    &[(libc::SYS_fchmod, 1), (libc::SYS_fchmodat, 2), (FCHMODAT2, 2), (libc::SYS_mknodat, 2)];
/// The same for calls that only this processor has.
#[cfg(target_arch = "x86_64")]
const SETS_MODE_HERE: &[(i64, u8)] = &[(libc::SYS_chmod, 1), (libc::SYS_creat, 1), (libc::SYS_mknod, 1)];
#[cfg(not(target_arch = "x86_64"))]
const SETS_MODE_HERE: &[(i64, u8)] = &[];
/// Calls that open a file, and the position of their flags. The mode comes next.
#[cfg(target_arch = "x86_64")]
const OPENS: &[(i64, u8)] = &[(libc::SYS_openat, 2), (libc::SYS_open, 1)];
#[cfg(not(target_arch = "x86_64"))]
const OPENS: &[(i64, u8)] = &[(libc::SYS_openat, 2)];

/// `IOPRIO_WHO_PROCESS`: the second argument of `ioprio_set` is a process.
const PRIORITY_OF_A_PROCESS: u64 = 1;

/// Refused calls that only exist on this processor.
#[cfg(target_arch = "x86_64")]
const REFUSED_HERE: &[i64] = &[libc::SYS_iopl, libc::SYS_ioperm, libc::SYS_uselib, libc::SYS_ustat, libc::SYS_sysfs];
#[cfg(not(target_arch = "x86_64"))]
const REFUSED_HERE: &[i64] = &[];

/// `open_tree_attr`, which the C library does not name yet.
const OPEN_TREE_ATTR: i64 = 467;
/// Every namespace that a new process could request.
const NAMESPACES: u64 = (libc::CLONE_NEWUSER
    | libc::CLONE_NEWNS
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWCGROUP) as u64;
/// The flag for a time namespace. For `clone`, the bit means something else.
const NEW_TIME: u64 = 0x80;
/// The bits of a socket's type, without its flags.
const KIND: u64 = 0xf;
/// Requests that insert text into a terminal as if the user had typed it.
const TERMINAL: [u64; 2] = [libc::TIOCSTI, libc::TIOCLINUX];
/// Requests that add or remove a key of an encrypted folder, for everything that its user runs: a read-only mount does not
/// refuse them.
const UNLOCKED_KEYS: [u64; 3] = [0xc050_6617, 0xc040_6618, 0xc040_6619];

pub(super) fn apply(calls: CommandCalls) -> Result<(), ConfineError> {
    install(refused(calls)?, SeccompAction::Allow, errno(libc::EPERM))?;
    if !calls.own_namespaces {
        install(attributes()?, SeccompAction::Allow, errno(libc::EOPNOTSUPP))?;
    }
    let known = (0..=LAST_OWN).chain(SHARED..=NEWEST);
    let known = known.filter(|number| !UNKNOWN.contains(number));
    let known = known.map(|number| (number, Vec::new())).collect();
    install(known, errno(libc::ENOSYS), SeccompAction::Allow)
}

/// The calls that change what belongs to a file besides its content.
fn attributes() -> Result<BTreeMap<i64, Vec<SeccompRule>>, ConfineError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = ATTRIBUTES.iter().map(|number| (*number, Vec::new())).collect();
    let of_kind = |kind: u64| {
        let harmless = HARMLESS.iter().filter(|request| *request & 0xff00 == kind);
        let is_other = harmless.map(|request| (1, Operator::Ne, *request));
        rule(std::iter::once((1, Operator::MaskedEq(0xff00), kind)).chain(is_other).collect())
    };
    let requests = OF_FILE_SYSTEMS.into_iter().map(of_kind).collect::<Result<_, _>>()?;
    rules.insert(libc::SYS_ioctl, requests);
    Ok(rules)
}

/// For each refused call, the arguments with which it is refused; no arguments mean always.
fn refused(calls: CommandCalls) -> Result<BTreeMap<i64, Vec<SeccompRule>>, ConfineError> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    for number in REFUSED.iter().chain(REFUSED_HERE) {
        rules.insert(*number, Vec::new());
    }
    rules.insert(libc::SYS_clone, any_bit(NAMESPACES)?);
    rules.insert(libc::SYS_unshare, any_bit(NAMESPACES | NEW_TIME)?);
    let requests = TERMINAL.iter().chain(&UNLOCKED_KEYS).map(|request| rule(vec![(1, Operator::Eq, *request)]));
    rules.insert(libc::SYS_ioctl, requests.collect::<Result<_, _>>()?);
    let watches = WATCHES_A_FILE.iter().map(|request| rule(vec![(1, Operator::Eq, u64::from(request.unsigned_abs()))]));
    rules.insert(libc::SYS_fcntl, watches.collect::<Result<_, _>>()?);
    rules.extend(on_others()?);
    rules.extend(set_id_modes()?);
    // A process that hides its open files would hide how much of the disk they take.
    let dumpable = u64::from(libc::PR_SET_DUMPABLE.unsigned_abs());
    rules.insert(libc::SYS_prctl, vec![rule(vec![(0, Operator::Eq, dumpable), (1, Operator::Eq, 0)])?]);
    rules.insert(libc::SYS_socket, sockets(calls)?);
    if !calls.own_namespaces {
        rules.extend(SHARED_OBJECTS.iter().map(|number| (*number, Vec::new())));
        // One end of a pair of datagram sockets can send to any name.
        let other = rule(vec![(0, Operator::Ne, u64::from(libc::AF_UNIX.unsigned_abs()))])?;
        rules.insert(libc::SYS_socketpair, datagrams()?.into_iter().chain([other]).collect());
    }
    if !calls.own_namespaces && !calls.internet {
        rules.insert(libc::SYS_connect, Vec::new());
    }
    if !calls.truncate {
        rules.insert(libc::SYS_truncate, Vec::new());
    }
    Ok(rules)
}

/// Limits, scheduling and priority of processes other than the caller.
fn on_others() -> Result<BTreeMap<i64, Vec<SeccompRule>>, ConfineError> {
    let mut rules = BTreeMap::new();
    for number in ON_OTHERS {
        rules.insert(*number, vec![rule(vec![(0, Operator::Ne, 0)])?]);
    }
    for (number, process) in
        [(libc::SYS_setpriority, libc::PRIO_PROCESS.into()), (libc::SYS_ioprio_set, PRIORITY_OF_A_PROCESS)]
    {
        rules.insert(number, vec![rule(vec![(0, Operator::Ne, process)])?, rule(vec![(1, Operator::Ne, 0)])?]);
    }
    Ok(rules)
}

/// Modes with a set-user-ID or set-group-ID bit. A file with one outlives the confinement: whoever runs it gets its
/// owner's rights.
fn set_id_modes() -> Result<BTreeMap<i64, Vec<SeccompRule>>, ConfineError> {
    let mut rules = BTreeMap::new();
    for (number, mode) in SETS_MODE.iter().chain(SETS_MODE_HERE) {
        let bits = SET_ID.iter().map(|bit| rule(vec![(*mode, Operator::MaskedEq(*bit), *bit)]));
        rules.insert(*number, bits.collect::<Result<_, _>>()?);
    }
    for (number, flags) in OPENS {
        let both = SET_ID.iter().flat_map(|bit| MAKES_A_FILE.iter().map(move |flag| (*bit, *flag)));
        let makes = |(bit, flag)| {
            rule(vec![(*flags, Operator::MaskedEq(flag), flag), (*flags + 1, Operator::MaskedEq(bit), bit)])
        };
        rules.insert(*number, both.map(makes).collect::<Result<_, _>>()?);
    }
    Ok(rules)
}

fn sockets(calls: CommandCalls) -> Result<Vec<SeccompRule>, ConfineError> {
    // A filter cannot see what a socket connects to. Where `connect` is allowed for the Internet's sake, a Unix socket would
    // reach the user's agents and services, so there is none; a pair of them needs no name, and stays.
    let families: &[i32] = match (calls.internet, calls.own_namespaces) {
        (true, true) => &[libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
        (true, false) => &[libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK],
        (false, _) => &[libc::AF_UNIX],
    };
    let other = families.iter().map(|family| (0, Operator::Ne, u64::from(family.unsigned_abs()))).collect();
    let mut rules = vec![rule(other)?];
    // Of the kernel's own services, only the one for addresses and routes: others list every socket of the machine.
    rules.push(rule(vec![(0, Operator::Eq, NETLINK), (2, Operator::Ne, libc::NETLINK_ROUTE.unsigned_abs().into())])?);
    // Tests do not need raw packets.
    rules.push(rule(vec![(1, Operator::MaskedEq(KIND), libc::SOCK_RAW.unsigned_abs().into()), INTERNET])?);
    rules.push(rule(vec![(1, Operator::MaskedEq(KIND), libc::SOCK_RAW.unsigned_abs().into()), INTERNET_6])?);
    if !calls.own_namespaces {
        rules.extend(datagrams()?);
    }
    Ok(rules)
}

const NETLINK: u64 = libc::AF_NETLINK as u64;
const INTERNET: (u8, Operator, u64) = (0, Operator::Eq, libc::AF_INET as u64);
const INTERNET_6: (u8, Operator, u64) = (0, Operator::Eq, libc::AF_INET6 as u64);

/// A Unix datagram socket can send to any name without connecting. The kernel makes one of a raw Unix socket too.
fn datagrams() -> Result<Vec<SeccompRule>, ConfineError> {
    let of_kind = |kind: i32| {
        let unix = (0, Operator::Eq, u64::from(libc::AF_UNIX.unsigned_abs()));
        rule(vec![unix, (1, Operator::MaskedEq(KIND), u64::from(kind.unsigned_abs()))])
    };
    [libc::SOCK_DGRAM, libc::SOCK_RAW].into_iter().map(of_kind).collect()
}

/// One rule per bit: refuses a call if any of the bits is set in the first argument.
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
