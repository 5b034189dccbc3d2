//! Operations that a confined process must not be able to do. Each is really attempted. It returns what it achieved, or the
//! kernel's error; if a system-call filter forbids it, the kernel ends the process instead.

#![expect(clippy::disallowed_methods, reason = "it attempts what a worker must not be able to do")]

use std::fs::{self, File};
use std::io;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::path::PathBuf;

use rustix::process::{Pid, Signal, kill_process};
use serde::{Deserialize, Serialize};

/// An operation to attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Probe {
    /// Nothing. Shows that the worker itself works.
    Nothing,
    /// Open a file for reading.
    OpenFile(PathBuf),
    /// List a folder.
    ListFolder(PathBuf),
    /// Create a file.
    WriteFile(PathBuf),
    /// Remove a file.
    RemoveFile(PathBuf),
    /// Listen on a TCP socket at the loopback address.
    TcpSocket,
    /// Create a Unix socket.
    UnixSocket,
    /// Run a program.
    Exec(PathBuf),
    /// Read the memory of the process with this id.
    ReadMemory(i32),
    /// Send SIGCONT, which does nothing to a running process, to the process with this id.
    Signal(i32),
    /// Create memory that is both writable and executable.
    ExecutableMemory,
}

impl Probe {
    /// Attempts it and returns what it achieved.
    pub(super) fn attempt(&self) -> io::Result<String> {
        match self {
            Self::Nothing => Ok("nothing to refuse".to_owned()),
            Self::OpenFile(path) => File::open(path).map(|_| format!("opened {}", path.display())),
            Self::ListFolder(path) => fs::read_dir(path).map(|_| format!("listed {}", path.display())),
            Self::WriteFile(path) => File::create_new(path).map(|_| format!("made {}", path.display())),
            Self::RemoveFile(path) => fs::remove_file(path).map(|()| format!("removed {}", path.display())),
            Self::TcpSocket => TcpListener::bind(("127.0.0.1", 0)).map(|_| "listens on TCP".to_owned()),
            Self::UnixSocket => unix_socket(),
            Self::Exec(path) => crate::spawn::command(path).output().map(|_| format!("ran {}", path.display())),
            Self::ReadMemory(pid) => {
                File::open(format!("/proc/{pid}/mem")).map(|_| format!("opened the memory of process {pid}"))
            }
            Self::Signal(pid) => signal(*pid),
            Self::ExecutableMemory => executable_memory(),
        }
    }
}

fn signal(number: i32) -> io::Result<String> {
    let pid = Pid::from_raw(number).ok_or_else(|| io::Error::other("no process number"))?;
    Ok(kill_process(pid, Signal::CONT).map(|()| format!("signalled process {number}"))?)
}

fn unix_socket() -> io::Result<String> {
    UnixStream::pair()?;
    // A name in the abstract space is no file.
    let name = format!("gephost-probe-{}", std::process::id());
    let address = <SocketAddr as SocketAddrExt>::from_abstract_name(name)?;
    UnixListener::bind_addr(&address).map(|_| "listens on a Unix socket".to_owned())
}

#[expect(unsafe_code, reason = "only asking for executable memory shows that it is refused")]
fn executable_memory() -> io::Result<String> {
    use rustix::mm::{MapFlags, ProtFlags, mmap_anonymous, munmap};
    let all = ProtFlags::READ | ProtFlags::WRITE | ProtFlags::EXEC;
    // SAFETY: a new private mapping at an address of the kernel's choice overlaps nothing, and it is unmapped unused.
    unsafe {
        let mapping = mmap_anonymous(std::ptr::null_mut(), 4096, all, MapFlags::PRIVATE)?;
        munmap(mapping, 4096)?;
    }
    Ok("has writable executable memory".to_owned())
}
