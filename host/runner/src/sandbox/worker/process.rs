//! One worker process. It inherits nothing from the host, every exchange with it has a deadline, and it is always killed and
//! reaped.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::message::{Brief, Failed, Reply, Task};
use super::{Probe, Worker};
use crate::confine::{Confinement, InForce};
use crate::frame;
use crate::monotonic;
use crate::sandbox::printable::printable;

/// The most bytes of a worker's error output that are read: what a pipe holds.
const MAX_LAST_WORDS: u64 = 64 << 10;
/// How long a probe may take.
const PROBE_TIME: Duration = Duration::from_secs(10);
/// The largest reply to a probe, in bytes.
const MAX_PROBE_REPLY: u64 = 1 << 16;

/// A running worker. Killed and reaped when dropped.
pub(super) struct Process {
    child: Child,
    stream: UnixStream,
    deadline: Instant,
}

/// Why a worker did not complete its task.
#[derive(Debug)]
pub(super) enum Broken {
    /// It did not answer in time.
    Late,
    /// It ended before it answered.
    Ended(End),
    /// It could not be started, or broke the protocol.
    Other(String),
    /// The host stopped it.
    Stopped(String),
}

/// How a worker ended.
#[derive(Debug)]
pub(super) struct End {
    status: Option<ExitStatus>,
    last_words: String,
}

impl Process {
    /// Starts a worker with `code` at descriptor 1 and sends it its brief. The worker has its own process group in the host's
    /// session: the host alone handles an interrupt from the terminal.
    pub(super) fn start(worker: &Worker, brief: &Brief, code: Stdio, time: Duration) -> Result<Self, Broken> {
        let failed = |error: io::Error| Broken::Other(format!("start {}: {error}", worker.program.display()));
        let (stream, theirs) = UnixStream::pair().map_err(failed)?;
        let mut command = crate::spawn::command(&worker.program);
        command.args(&worker.arguments).current_dir("/").process_group(0);
        command.stdin(OwnedFd::from(theirs)).stdout(code).stderr(Stdio::piped());
        crate::spawn::keep_descriptors();
        let child = command.spawn().map_err(failed)?;
        // The command holds the worker's end of the socket. While it is open, the end of the worker goes unnoticed.
        drop(command);
        let deadline = monotonic::now() + time;
        let mut process = Self { child, stream, deadline };
        process.send(brief)?;
        Ok(process)
    }

    /// Sets the deadline of all further exchanges to this long from now.
    pub(super) fn allow(&mut self, time: Duration) {
        self.deadline = monotonic::now() + time;
    }

    /// Moves the deadline: this time was the host's own.
    pub(super) fn extend(&mut self, time: Duration) {
        self.deadline += time;
    }

    pub(super) fn send(&mut self, value: &impl Serialize) -> Result<(), Broken> {
        let sent = frame::send(Timed(self), value);
        sent.map_err(|error| self.broken(error))
    }

    pub(super) fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        let sent = frame::send_bytes(Timed(self), bytes);
        sent.map_err(|error| self.broken(error))
    }

    pub(super) fn receive<T: DeserializeOwned>(&mut self, limit: u64) -> Result<T, Broken> {
        let received = frame::receive(Timed(self), limit);
        received.map_err(|error| self.broken(error))
    }

    pub(super) fn receive_bytes(&mut self, limit: u64) -> Result<Vec<u8>, Broken> {
        let received = frame::receive_bytes(Timed(self), limit);
        received.map_err(|error| self.broken(error))
    }

    /// What an error on the socket means. Afterwards the worker has ended: by itself, or because it is killed here.
    fn broken(&mut self, error: io::Error) -> Broken {
        use io::ErrorKind::{BrokenPipe, ConnectionReset, TimedOut, UnexpectedEof, WouldBlock};
        match error.kind() {
            TimedOut | WouldBlock => {
                self.kill_and_reap();
                Broken::Late
            }
            UnexpectedEof | BrokenPipe | ConnectionReset => Broken::Ended(self.wait_for_end()),
            _ => {
                self.kill_and_reap();
                Broken::Other(error.to_string())
            }
        }
    }

    /// Waits for the end of a worker that closed its socket. One that goes on running is killed.
    fn wait_for_end(&mut self) -> End {
        let patience = monotonic::now() + Duration::from_millis(200);
        let mut status = None;
        while status.is_none() && monotonic::now() < patience {
            status = self.child.try_wait().ok().flatten();
            if status.is_none() {
                std::thread::park_timeout(Duration::from_micros(200));
            }
        }
        if status.is_none() {
            self.kill_and_reap();
        }
        let mut words = Vec::new();
        if let Some(pipe) = self.child.stderr.take() {
            // The only writer has ended, so reading ends too.
            let _ = pipe.take(MAX_LAST_WORDS).read_to_end(&mut words);
        }
        End { status, last_words: String::from_utf8_lossy(&words).into_owned() }
    }

    fn kill_and_reap(&mut self) {
        // Errors mean that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_and_reap();
    }
}

/// The socket. Every read and write ends at the deadline.
struct Timed<'a>(&'a mut Process);

impl Timed<'_> {
    fn left(&self) -> io::Result<Duration> {
        let left = self.0.deadline.saturating_duration_since(monotonic::now());
        if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
    }
}

impl Read for Timed<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        self.0.stream.set_read_timeout(Some(self.left()?))?;
        self.0.stream.read(bytes)
    }
}

impl Write for Timed<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.stream.set_write_timeout(Some(self.left()?))?;
        self.0.stream.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl End {
    /// The signal that ended it.
    pub(super) fn signal(&self) -> Option<i32> {
        self.status.and_then(|status| status.signal())
    }

    /// Whether it used up its processor time.
    pub(super) fn out_of_processor_time(&self) -> bool {
        self.signal() == Some(libc::SIGXCPU)
    }

    /// Whether it ran out of memory. The allocator of a worker then aborts with a message.
    pub(super) fn out_of_memory(&self) -> bool {
        self.signal() == Some(libc::SIGABRT) && self.last_words.contains("memory allocation of")
    }
}

impl std::fmt::Display for End {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.signal() {
            Some(libc::SIGSYS) => {
                f.write_str("killed by the kernel for a forbidden system call (SIGSYS)")?;
            }
            Some(libc::SIGSEGV) => {
                f.write_str("killed by the kernel for an invalid memory access (SIGSEGV)")?;
            }
            Some(libc::SIGKILL) => f.write_str("killed (SIGKILL), perhaps because the machine ran out of memory")?,
            Some(libc::SIGXCPU) => f.write_str("used up its processor time (SIGXCPU)")?,
            Some(number) => write!(f, "ended by signal {number}")?,
            None => match self.status.and_then(|status| status.code()) {
                Some(code) => write!(f, "ended with code {code}")?,
                None => f.write_str("closed its socket and was killed")?,
            },
        }
        let words = printable(&self.last_words);
        if words.trim().is_empty() { Ok(()) } else { write!(f, "; its last words: {}", words.trim()) }
    }
}

impl std::fmt::Display for Broken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Late => f.write_str("it did not answer in time"),
            Self::Ended(end) => end.fmt(f),
            Self::Other(message) | Self::Stopped(message) => f.write_str(message),
        }
    }
}

/// The outcome of a [`Probe`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tried {
    /// It was refused. The text says by what.
    Refused(String),
    /// It was not refused. The text says what it achieved.
    Got(String),
    /// It could not be attempted.
    Unavailable(String),
}

/// Starts a worker that confines itself and attempts a probe. Returns the outcome and what was in force.
pub fn try_out(worker: &Worker, confinement: &Confinement, probe: &Probe) -> (Tried, InForce) {
    let brief = Brief { confinement: confinement.clone(), task: Task::Probe(probe.clone()) };
    let started = Process::start(worker, &brief, Stdio::null(), PROBE_TIME);
    let begun = started.and_then(|mut process| Ok((process.receive(MAX_PROBE_REPLY)?, process)));
    match begun {
        Ok((Reply::Ready(in_force), mut process)) => (outcome(process.receive(MAX_PROBE_REPLY)), in_force),
        Ok((Reply::Failed(Failed::Other(message)), _)) => (Tried::Unavailable(message), InForce::default()),
        Ok((other, _)) => (Tried::Unavailable(format!("unexpected message {other:?}")), InForce::default()),
        Err(broken) => (Tried::Unavailable(broken.to_string()), InForce::default()),
    }
}

fn outcome(reply: Result<Reply, Broken>) -> Tried {
    match reply {
        Ok(Reply::Tried(got)) => Tried::Got(got),
        Ok(Reply::Failed(Failed::Other(message))) => Tried::Refused(message),
        Ok(other) => Tried::Unavailable(format!("unexpected message {other:?}")),
        Err(Broken::Ended(end)) if end.signal() == Some(libc::SIGSYS) => Tried::Refused(end.to_string()),
        Err(broken) => Tried::Unavailable(broken.to_string()),
    }
}

/// A confinement that allows no access to files.
pub(super) fn without_files(limits: crate::confine::Limits, strict: bool) -> Confinement {
    Confinement {
        files: Some(crate::confine::FileRules::default()),
        calls: crate::confine::SystemCalls::Load,
        limits,
        capabilities_dropped: true,
        strict,
    }
}
