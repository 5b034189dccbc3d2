//! Probes: things that a validation command must not be able to do, each really tried, by `gephost doctor` on the
//! operator's machine and by the tests. [`attempt`] is the side that tries, run as a command in the sandbox.
//!
//! The probes are harmless: files are made by the caller for them, signals have no effect, and calls that would change the
//! machine are made with arguments that no kernel carries out. The attempts that fill the disk or the memory take no more
//! than [`MUCH_DISK`] and [`MUCH_MEMORY`], for five seconds at most.

#![expect(clippy::disallowed_methods, reason = "it attempts what a command must not be able to do")]

use std::ffi::CString;
use std::fs::{self, File, Permissions};
use std::io::{self, Error, Write as _};
use std::net::{TcpStream, UdpSocket};
use std::os::fd::{AsRawFd as _, FromRawFd as _};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixStream};
use std::path::{Path, PathBuf};
use std::time::Duration;

use gephost_core::validation::{Level, Network};
use libc::c_long;

/// Something that must be refused.
pub struct Probe {
    /// Name of the probe.
    pub id: &'static str,
    /// What it tries.
    pub what: &'static str,
    /// The lowest level that refuses it.
    pub refused_from: Level,
    /// What the command is granted of the network while it tries.
    pub network: Network,
    attempt: fn(&ProbeTargets) -> io::Result<()>,
}

/// What the probes are tried on. Each field is passed as one argument.
#[derive(Debug, Clone)]
pub struct ProbeTargets {
    /// A folder outside of what is granted. It has the files `secret` and `keep`, and the sockets `stream` and
    /// `datagram`, which are being listened on, as is an abstract socket with the folder's name.
    pub outside: PathBuf,
    /// A process outside.
    pub process: i32,
    /// A local TCP port that is being listened on.
    pub port: u16,
    /// Objects of System V IPC outside, by their kinds' numbers.
    pub system_v: SystemVIds,
}

/// Ids of a message queue, a semaphore set and a segment of shared memory.
#[derive(Debug, Clone, Copy)]
pub struct SystemVIds {
    /// The queue.
    pub messages: i32,
    /// The semaphores.
    pub semaphores: i32,
    /// The segment.
    pub memory: i32,
}

impl ProbeTargets {
    /// The targets as arguments.
    pub fn words(&self) -> [String; 6] {
        let SystemVIds { messages, semaphores, memory } = self.system_v;
        [
            self.outside.display().to_string(),
            self.process.to_string(),
            self.port.to_string(),
            messages.to_string(),
            semaphores.to_string(),
            memory.to_string(),
        ]
    }

    /// Reads the targets from arguments.
    pub fn read(words: &[String]) -> Option<Self> {
        let [outside, process, port, messages, semaphores, memory] = words else { return None };
        Some(Self {
            outside: outside.into(),
            process: process.parse().ok()?,
            port: port.parse().ok()?,
            system_v: SystemVIds {
                messages: messages.parse().ok()?,
                semaphores: semaphores.parse().ok()?,
                memory: memory.parse().ok()?,
            },
        })
    }
}

const fn from_l0(id: &'static str, what: &'static str, attempt: fn(&ProbeTargets) -> io::Result<()>) -> Probe {
    Probe { id, what, refused_from: Level::L0, network: Network::None, attempt }
}

const fn from_l1(id: &'static str, what: &'static str, attempt: fn(&ProbeTargets) -> io::Result<()>) -> Probe {
    Probe { id, what, refused_from: Level::L1, network: Network::None, attempt }
}

/// The same for a command that may use the network.
const fn online_from_l1(id: &'static str, what: &'static str, attempt: fn(&ProbeTargets) -> io::Result<()>) -> Probe {
    Probe { id, what, refused_from: Level::L1, network: Network::All, attempt }
}

const fn from_l2(id: &'static str, what: &'static str, attempt: fn(&ProbeTargets) -> io::Result<()>) -> Probe {
    Probe { id, what, refused_from: Level::L2, network: Network::None, attempt }
}

/// All probes.
pub const PROBES: &[Probe] = &[
    from_l0("input", "read from standard input", |_| some(io::copy(&mut io::stdin(), &mut io::sink())? > 0)),
    from_l0("terminal", "open the terminal", |_| File::options().write(true).open("/dev/tty").map(drop)),
    from_l0("descriptors", "use an open file of the host", |_| some(inherited()?)),
    from_l0("privileges", "gain privileges by starting a program", |_| some(status("NoNewPrivs")? != "1")),
    from_l0("core", "write a core file", |_| some(limit("Max core file size")? != "0")),
    from_l1("read", "read a file of the user", |targets| File::open(targets.outside.join("secret")).map(drop)),
    from_l1("list", "list a folder of the user", |targets| fs::read_dir(&targets.outside).map(drop)),
    from_l1("create", "create a file", |targets| File::create_new(targets.outside.join("made")).map(drop)),
    from_l1("change", "change a file", |targets| {
        File::options().append(true).open(targets.outside.join("keep")).map(drop)
    }),
    from_l1("cut", "truncate a file by its name", |targets| cut(&targets.outside.join("keep"))),
    from_l1("remove", "remove a file", |targets| fs::remove_file(targets.outside.join("remove"))),
    from_l1("rename", "rename a file", |targets| {
        fs::rename(targets.outside.join("rename"), targets.outside.join("renamed"))
    }),
    from_l1("hard-link", "change a file through a hard link", |targets| {
        fs::hard_link(targets.outside.join("keep"), "linked")?;
        File::options().append(true).open("linked").map(drop)
    }),
    from_l1("symlink", "change a file through a symbolic link", |targets| {
        symlink(targets.outside.join("keep"), "symbolic")?;
        File::options().append(true).open("symbolic").map(drop)
    }),
    from_l1("dot-dot", "reach a file through `..`", |targets| {
        let up = "../".repeat(64);
        File::open(Path::new(&up).join(targets.outside.join("secret").strip_prefix("/").unwrap_or(Path::new(""))))
            .map(drop)
    }),
    from_l1("proc-root", "reach a file through the host's process", |targets| {
        let root = format!("/proc/{}/root{}/secret", targets.process, targets.outside.display());
        File::open(root).map(drop)
    }),
    from_l1("environment", "read the host's environment", |targets| {
        fs::read(format!("/proc/{}/environ", targets.process)).map(drop)
    }),
    from_l1("memory", "open the host's memory", |targets| {
        File::open(format!("/proc/{}/mem", targets.process)).map(drop)
    }),
    from_l1("shadow", "read the system's password hashes", |_| File::open("/etc/shadow").map(drop)),
    from_l1("settings", "change a setting of the kernel", |_| {
        File::options().write(true).open("/proc/sys/kernel/core_pattern").map(drop)
    }),
    from_l1("shared-memory", "create a file in shared memory", |_| shared_memory()),
    from_l1("capabilities", "keep a capability", |_| some(status("CapBnd")? != "0000000000000000" && is_root())),
    from_l1("signal", "signal the host", |targets| checked(call(libc::SYS_kill, [targets.process.into(), 0, 0, 0, 0]))),
    from_l1("trace", "trace the host", |targets| {
        checked(call(libc::SYS_ptrace, [i64::from(libc::PTRACE_SEIZE), targets.process.into(), 0, 0, 0]))
    }),
    from_l1("vm-read", "read the host's memory with a system call", |targets| {
        not_refused(call(libc::SYS_process_vm_readv, [targets.process.into(), 0, 0, 0, 0]))
    }),
    from_l1("inet", "create an IPv4 socket", |_| socket(libc::AF_INET, libc::SOCK_STREAM)),
    from_l1("inet6", "create an IPv6 socket", |_| socket(libc::AF_INET6, libc::SOCK_STREAM)),
    from_l1("udp", "send a datagram to the network", |_| {
        UdpSocket::bind("127.0.0.1:0").and_then(|socket| socket.send_to(b"x", "127.0.0.1:9")).map(drop)
    }),
    from_l1("tcp", "connect to a server on this machine", |targets| {
        TcpStream::connect(("127.0.0.1", targets.port)).map(drop)
    }),
    from_l1("netlink", "ask the kernel for the machine's addresses", |_| socket(libc::AF_NETLINK, libc::SOCK_RAW)),
    from_l1("packet", "create a raw packet socket", |_| socket(libc::AF_PACKET, libc::SOCK_RAW)),
    from_l1("unix-stream", "connect to a service through its Unix socket", |targets| {
        UnixStream::connect(targets.outside.join("stream")).map(drop)
    }),
    from_l1("unix-datagram", "send to a service through its Unix socket", |targets| {
        UnixDatagram::unbound()?.send_to(b"x", targets.outside.join("datagram")).map(drop)
    }),
    from_l1("unix-raw", "send to a service through one of a pair of raw Unix sockets", |targets| {
        raw_pair()?.send_to(b"x", targets.outside.join("datagram")).map(drop)
    }),
    from_l1("unix-abstract", "connect to a service through its abstract socket", |targets| {
        let name = targets.outside.as_os_str().as_encoded_bytes();
        UnixStream::connect_addr(&<SocketAddr as SocketAddrExt>::from_abstract_name(name)?).map(drop)
    }),
    from_l1("user-namespace", "create a user namespace", |_| unshare(libc::CLONE_NEWUSER)),
    from_l1("mount-namespace", "create a mount namespace", |_| unshare(libc::CLONE_NEWNS)),
    from_l1("mount", "mount a file system", |_| not_refused(call(libc::SYS_mount, [0; 5]))),
    from_l1("chroot", "change the root directory", |_| {
        let root = CString::new("/").map_err(Error::other)?;
        checked(call(libc::SYS_chroot, [root.as_ptr() as c_long, 0, 0, 0, 0]))
    }),
    from_l1("pivot-root", "replace the root directory", |_| not_refused(call(libc::SYS_pivot_root, [0; 5]))),
    from_l1("io-uring", "bypass the filter with io_uring", |_| not_refused(call(libc::SYS_io_uring_setup, [0; 5]))),
    from_l1("bpf", "load a program into the kernel", |_| not_refused(call(libc::SYS_bpf, [-1, 0, 0, 0, 0]))),
    from_l1("perf", "monitor the machine's events", |_| not_refused(call(libc::SYS_perf_event_open, [0; 5]))),
    from_l1("keys", "add a key to a kernel key ring", |_| not_refused(call(libc::SYS_add_key, [0; 5]))),
    from_l1("keyctl", "read the kernel's key rings", |_| not_refused(call(libc::SYS_keyctl, [-1, 0, 0, 0, 0]))),
    from_l1("kexec", "load another kernel", |_| not_refused(call(libc::SYS_kexec_load, [0, -1, 0, -1, 0]))),
    from_l1("module", "load a kernel module", |_| not_refused(call(libc::SYS_init_module, [0; 5]))),
    from_l1("userfault", "handle page faults", |_| not_refused(call(libc::SYS_userfaultfd, [-1, 0, 0, 0, 0]))),
    from_l1("handle", "open a file by its handle", |_| {
        not_refused(call(libc::SYS_open_by_handle_at, [-1, 0, 0, 0, 0]))
    }),
    from_l1("limits", "change the host's resource limits", |targets| {
        checked(call(libc::SYS_prlimit64, [targets.process.into(), libc::RLIMIT_NOFILE.into(), 0, 0, 0]))
    }),
    from_l1("nice", "change the host's priority", |targets| {
        not_refused(call(libc::SYS_setpriority, [libc::PRIO_PROCESS.into(), targets.process.into(), 0, 0, 0]))
    }),
    from_l1("nice-user", "change the priority of everything the user runs", |_| {
        not_refused(call(libc::SYS_setpriority, [libc::PRIO_USER.into(), UNUSED_USER, 0, 0, 0]))
    }),
    from_l1("scheduler", "change how the host is scheduled", |targets| {
        not_refused(call(libc::SYS_sched_setscheduler, [targets.process.into(), -1, 0, 0, 0]))
    }),
    from_l1("scheduling", "change the host's scheduling parameters", |targets| {
        not_refused(call(libc::SYS_sched_setparam, [targets.process.into(), 0, 0, 0, 0]))
    }),
    from_l1("scheduling-attributes", "change the host's scheduling attributes", |targets| {
        not_refused(call(libc::SYS_sched_setattr, [targets.process.into(), 0, 0, 0, 0]))
    }),
    from_l1("affinity", "choose the host's processors", |targets| {
        not_refused(call(libc::SYS_sched_setaffinity, [targets.process.into(), 0, 0, 0, 0]))
    }),
    from_l1("io-priority", "change the host's priority for the disk", |targets| {
        not_refused(call(libc::SYS_ioprio_set, [1, targets.process.into(), -1, 0, 0]))
    }),
    from_l1("system-v-messages", "look at a message queue of the machine", |targets| {
        not_gone(call(libc::SYS_msgctl, [targets.system_v.messages.into(), libc::IPC_STAT.into(), 0, 0, 0]))
    }),
    from_l1("system-v-semaphores", "look at semaphores of the machine", |targets| {
        not_gone(call(libc::SYS_semctl, [targets.system_v.semaphores.into(), 0, libc::IPC_STAT.into(), 0, 0]))
    }),
    from_l1("system-v-memory", "look at a segment of the machine's shared memory", |targets| {
        not_gone(call(libc::SYS_shmctl, [targets.system_v.memory.into(), libc::IPC_STAT.into(), 0, 0, 0]))
    }),
    online_from_l1("online-unix-stream", "reach a service by its Unix socket, with the network", |targets| {
        UnixStream::connect(targets.outside.join("stream")).map(drop)
    }),
    online_from_l1("online-unix-datagram", "send to a service by its Unix socket, with the network", |targets| {
        UnixDatagram::unbound()?.send_to(b"x", targets.outside.join("datagram")).map(drop)
    }),
    online_from_l1("online-unix-raw", "send to a service by a pair of raw Unix sockets, with the network", |targets| {
        raw_pair()?.send_to(b"x", targets.outside.join("datagram")).map(drop)
    }),
    online_from_l1("online-unix-abstract", "reach a service by its abstract socket, with the network", |targets| {
        let name = targets.outside.as_os_str().as_encoded_bytes();
        UnixStream::connect_addr(&<SocketAddr as SocketAddrExt>::from_abstract_name(name)?).map(drop)
    }),
    from_l1("set-user-id", "make a program that runs as its owner", |_| {
        let file = File::create("set-user-id")?;
        file.set_permissions(Permissions::from_mode(0o4755))
    }),
    from_l1("set-group-id", "make a file with the set-group-ID bit at once", |_| {
        File::options().write(true).create_new(true).mode(0o2755).open("set-group-id").map(drop)
    }),
    from_l1("set-id-node", "make such a file as a node", |_| {
        let path = CString::new("set-id-node").map_err(Error::other)?;
        let mode = c_long::from(libc::S_IFREG | 0o4755);
        checked(call(libc::SYS_mknodat, [libc::AT_FDCWD.into(), path.as_ptr() as c_long, mode, 0, 0]))
    }),
    from_l1("attribute", "set an attribute or an access control list of a file", |targets| {
        set_attribute(&targets.outside.join("keep"))
    }),
    from_l1("flags", "change the flags of a file that may be read", |_| set_flags()),
    from_l1("flags-by-name", "change the flags of a file by its name", |_| {
        not_refused(call(FILE_SETATTR, [libc::AT_FDCWD.into(), 0, 0, 0, 0]))
    }),
    from_l1("lease", "make others wait for a file that may be read", |_| {
        let program = File::open("/proc/self/exe")?;
        checked(call(
            libc::SYS_fcntl,
            [program.as_raw_fd().into(), libc::F_SETLEASE.into(), libc::F_RDLCK.into(), 0, 0],
        ))
    }),
    online_from_l1("online-sockets", "list the sockets of the machine, with the network", |_| {
        let descriptor = call(libc::SYS_socket, [libc::AF_NETLINK.into(), libc::SOCK_RAW.into(), SOCK_DIAG, 0, 0]);
        if descriptor < 0 { Err(Error::last_os_error()) } else { Ok(()) }
    }),
    from_l1("inotify", "watch a folder of the user", |targets| watch(&targets.outside)),
    from_l0("disk-without-a-name", "fill the disk with files that have no name", |_| {
        fill(MUCH_DISK, || {
            let file = File::create_new("without-a-name")?;
            fs::remove_file("without-a-name").map(|()| file)
        })
    }),
    from_l0("disk-behind-a-mode", "fill the disk in a folder that nobody may read", |_| {
        fs::create_dir("closed")?;
        let mut number = 0;
        fill(MUCH_DISK, || {
            number += 1;
            File::create_new(format!("closed/{number}"))
        })?;
        fs::set_permissions("closed", Permissions::from_mode(0o000))
    }),
    from_l0("much-memory", "take more memory than granted", |_| {
        let taken = std::hint::black_box(vec![1_u8; MUCH_MEMORY]);
        wait_for_the_end();
        some(taken.len() == MUCH_MEMORY)
    }),
    from_l0("much-memory-files", "take more memory than granted, in files without a name", |_| {
        let file = || Ok(File::from(rustix::fs::memfd_create(c"much", rustix::fs::MemfdFlags::CLOEXEC)?));
        fill(MUCH_MEMORY, file)
    }),
    from_l1("secret-memory", "take memory that the figures of no process show", |_| {
        not_refused(call(libc::SYS_memfd_secret, [0; 5]))
    }),
    from_l2("mode", "change the mode of a file", |targets| {
        fs::set_permissions(targets.outside.join("keep"), Permissions::from_mode(0o600))
    }),
    from_l2("exists", "learn whether a file exists", |targets| fs::metadata(targets.outside.join("keep")).map(drop)),
    from_l2("processes", "see a process of the host", |targets| {
        fs::read(format!("/proc/{}/cmdline", targets.process)).map(drop)
    }),
];

/// Runs the probe with this name. `Ok` means that it succeeded; an error is the refusal.
pub fn attempt(id: &str, targets: &ProbeTargets) -> io::Result<()> {
    let probe = PROBES.iter().find(|probe| probe.id == id);
    probe.map_or_else(|| Err(Error::other("no such probe")), |probe| (probe.attempt)(targets))
}

/// Bytes of memory that are more than an attempt is granted.
const MUCH_MEMORY: usize = 128 << 20;
/// Bytes on the disk that are more than an attempt is granted.
const MUCH_DISK: usize = 48 << 20;
/// Bytes that one file of an attempt may have.
const FILE: usize = 1 << 20;
/// A user that runs nothing.
const UNUSED_USER: c_long = 0x7fff_fff0;

/// `file_setattr`, which the C library does not name yet.
const FILE_SETATTR: c_long = 469;
/// `NETLINK_SOCK_DIAG`.
const SOCK_DIAG: c_long = 4;
/// `FS_IOC_GETFLAGS` and `FS_IOC_SETFLAGS`.
const FLAGS: [c_long; 2] = [0x8008_6601, 0x4008_6602];

/// Gives this program the flags that it has.
fn set_flags() -> io::Result<()> {
    let program = File::open("/proc/self/exe")?;
    let mut flags: c_long = 0;
    for request in FLAGS {
        checked(call(libc::SYS_ioctl, [program.as_raw_fd().into(), request, (&raw mut flags) as c_long, 0, 0]))?;
    }
    Ok(())
}

fn set_attribute(path: &Path) -> io::Result<()> {
    let (path, name) = (CString::new(path.as_os_str().as_encoded_bytes()).map_err(Error::other)?, c"user.gephost");
    let words = [path.as_ptr() as c_long, name.as_ptr() as c_long, name.as_ptr() as c_long, 1, 0];
    checked(call(libc::SYS_setxattr, words))
}

fn watch(folder: &Path) -> io::Result<()> {
    use rustix::fs::inotify;
    let watcher = inotify::init(inotify::CreateFlags::CLOEXEC)?;
    inotify::add_watch(&watcher, folder, inotify::WatchFlags::ACCESS)?;
    Ok(())
}

/// Writes so many bytes, into files as large as one may be, and holds them open.
fn fill(bytes: usize, mut make: impl FnMut() -> io::Result<File>) -> io::Result<()> {
    let piece = vec![1; FILE];
    let mut files = Vec::new();
    for _ in 0..bytes / FILE {
        let mut file = make()?;
        file.write_all(&piece)?;
        files.push(file);
    }
    wait_for_the_end();
    Ok(())
}

/// Gives whoever measures the command time to do so.
fn wait_for_the_end() {
    std::thread::park_timeout(Duration::from_secs(5));
}

fn some(found: bool) -> io::Result<()> {
    if found { Ok(()) } else { Err(Error::other("there is none")) }
}

fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// The caller has descriptors 0, 1 and 2. Reading the list opens one more.
fn inherited() -> io::Result<bool> {
    let open = fs::read_dir("/proc/self/fd")?.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Ok(open.filter(|number: &u32| *number > 2).count() > 1)
}

fn status(key: &str) -> io::Result<String> {
    let text = fs::read_to_string("/proc/self/status")?;
    let line = text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'));
    line.map(|value| value.trim().to_owned()).ok_or_else(|| Error::other(format!("the kernel does not report {key}")))
}

fn limit(key: &str) -> io::Result<String> {
    let text = fs::read_to_string("/proc/self/limits")?;
    let value = text.lines().find_map(|line| line.strip_prefix(key)?.split_whitespace().next().map(str::to_owned));
    value.ok_or_else(|| Error::other("the kernel does not report it"))
}

fn cut(path: &Path) -> io::Result<()> {
    let path = CString::new(path.as_os_str().as_encoded_bytes()).map_err(Error::other)?;
    checked(call(libc::SYS_truncate, [path.as_ptr() as c_long, 4, 0, 0, 0]))
}

/// A file that every process can see. If the sandbox has its own folder for it, there is nothing to refuse.
fn shared_memory() -> io::Result<()> {
    let path = Path::new("/dev/shm").join(format!("gephost-attempt-{}", std::process::id()));
    File::create_new(&path)?;
    fs::remove_file(&path)?;
    let mounts = fs::read_to_string("/proc/self/mountinfo")?;
    some(!mounts.contains("/newroot") && mounts.lines().any(|line| line.contains(" /dev/shm ")))
}

fn socket(family: i32, kind: i32) -> io::Result<()> {
    let descriptor = call(libc::SYS_socket, [family.into(), kind.into(), 0, 0, 0]);
    if descriptor < 0 { Err(Error::last_os_error()) } else { Ok(()) }
}

/// One of a pair of Unix sockets that are made as raw ones. The kernel makes them datagram sockets.
fn raw_pair() -> io::Result<UnixDatagram> {
    let mut ends = [-1_i32; 2];
    let raw = [libc::AF_UNIX.into(), libc::SOCK_RAW.into(), 0, ends.as_mut_ptr() as c_long, 0];
    checked(call(libc::SYS_socketpair, raw))?;
    #[expect(unsafe_code, reason = "the standard library makes no raw sockets")]
    // SAFETY: the call has just made this descriptor, and nothing else owns it.
    let one = unsafe { UnixDatagram::from_raw_fd(ends[0]) };
    Ok(one)
}

fn unshare(namespace: i32) -> io::Result<()> {
    checked(call(libc::SYS_unshare, [namespace.into(), 0, 0, 0, 0]))
}

/// Makes a system call. The arguments are numbers, or pointers to texts that the caller holds.
fn call(number: c_long, arguments: [c_long; 5]) -> c_long {
    let [one, two, three, four, five] = arguments;
    #[expect(unsafe_code, reason = "to show that a call is refused it has to be made")]
    // SAFETY: the pointers among the arguments are to terminated text, or to numbers that the call may set, and outlive the
    // call; every other argument is one with which the call changes no memory of this process.
    let result = unsafe { libc::syscall(number, one, two, three, four, five) };
    result
}

fn checked(result: c_long) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(Error::last_os_error()) }
}

/// A call about an object of the machine: where there is none of that number, this process has a machine of its own.
fn not_gone(result: c_long) -> io::Result<()> {
    match Error::last_os_error() {
        error if result < 0 && error.raw_os_error() == Some(libc::EINVAL) => Err(error),
        _ => not_refused(result),
    }
}

/// For a call with arguments that it cannot carry out: any result but a refusal shows that it would be carried out.
fn not_refused(result: c_long) -> io::Result<()> {
    let error = Error::last_os_error();
    let refused = [libc::EPERM, libc::EACCES, libc::ENOSYS].map(Some).contains(&error.raw_os_error());
    if result < 0 && refused { Err(error) } else { Ok(()) }
}
