//! Runs a command for the user and keeps its output, for `gephost record -- CMD…`. It sets no limits: the command runs
//! with the user's environment, folder, terminal and signals. Its output is passed through at once.

#![expect(clippy::disallowed_methods, reason = "a command runs in a folder that is named by path")]

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::capture::{Capture, CaptureLimit, Captured};
use super::process::{RunError, start_error};
use super::terminal::open_like;
use crate::monotonic;
use crate::spawn;

/// How often the command is checked while it writes nothing.
const TICK: Duration = Duration::from_millis(20);
/// How long a stream is read after the command has ended. A process that it left behind may hold the stream forever.
const GRACE: Duration = Duration::from_millis(250);
/// Bytes read at once.
const PIECE: usize = 64 << 10;

/// The result of a recorded command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Its exit code. If a signal ended it, 128 plus the signal's number, as shells report it.
    pub exit_code: i32,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// Wall clock time.
    pub duration: Duration,
}

/// Where a recorded command's output goes.
pub struct Sinks<'a> {
    /// Standard output and standard error.
    pub streams: [&'a mut dyn Write; 2],
    /// The terminals that they are, if they are. The command then has a terminal too.
    pub terminals: [Option<BorrowedFd<'a>>; 2],
}

/// Runs a command in a folder with an environment, whose `PATH` is searched for it. Passes its output on, and keeps
/// `limit` bytes of each stream. If one is closed, the command's own stream is closed too, so it notices as it would
/// without gephost.
pub fn run_recorded(
    argv: &[String],
    directory: &Path,
    environment: &[(OsString, OsString)],
    limit: CaptureLimit,
    sinks: Sinks<'_>,
) -> Result<Recorded, RunError> {
    let failed = |source| start_error(argv, source);
    let began = monotonic::now();
    let mut command = command(argv, directory, environment)?;
    // Without a terminal of its own, the command gets a pipe, as in a script.
    let [stdout, stderr] = sinks.terminals.map(|other| other.and_then(|other| open_like(other).ok()));
    let (stdout, to_stdout) = stdout.unzip();
    let (stderr, to_stderr) = stderr.unzip();
    command.stdout(to_stdout.map_or_else(Stdio::piped, Stdio::from));
    command.stderr(to_stderr.map_or_else(Stdio::piped, Stdio::from));
    let mut child = command.spawn().map_err(failed)?;
    // It holds the command's side of the terminals. They end only when nobody holds that.
    drop(command);
    let pipes = [child.stdout.take().map(OwnedFd::from), child.stderr.take().map(OwnedFd::from)];
    let [first, second] = sinks.streams;
    let [out, err] = pipes;
    let mut streams = [Tee::new(stdout.or(out), first, limit), Tee::new(stderr.or(err), second, limit)];
    let status = follow(&mut child, &mut streams).map_err(failed)?;
    let [stdout, stderr] = streams.map(|stream| stream.capture.finish());
    Ok(Recorded { exit_code: exit_code(status), stdout, stderr, duration: began.elapsed() })
}

fn command(argv: &[String], directory: &Path, environment: &[(OsString, OsString)]) -> Result<Command, RunError> {
    let (program, arguments) = argv.split_first().ok_or(RunError::Empty)?;
    if !directory.is_dir() {
        return Err(RunError::NoFolder { directory: directory.to_owned() });
    }
    let mut command = spawn::command(program);
    command.args(arguments).current_dir(directory).envs(environment.iter().map(|(name, value)| (name, value)));
    Ok(command)
}

fn exit_code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| 128 + signal)).unwrap_or(1)
}

/// Passes output on until the command and both streams have ended, or the streams have been quiet for a while.
fn follow(child: &mut Child, streams: &mut [Tee<'_>; 2]) -> io::Result<ExitStatus> {
    let mut quiet_since = monotonic::now();
    loop {
        let ended = child.try_wait()?;
        if wait_and_pass_on(streams, TICK) {
            quiet_since = monotonic::now();
            continue;
        }
        let Some(status) = ended else {
            quiet_since = monotonic::now();
            continue;
        };
        if streams.iter().all(|stream| stream.pipe.is_none()) || quiet_since.elapsed() >= GRACE {
            return Ok(status);
        }
    }
}

/// Whether any output arrived.
fn wait_and_pass_on(streams: &mut [Tee<'_>; 2], time: Duration) -> bool {
    let time = Timespec { tv_sec: 0, tv_nsec: i64::from(time.subsec_nanos()) };
    let mut waited: Vec<PollFd<'_>> = Vec::new();
    let mut owners = Vec::new();
    for (owner, stream) in streams.iter().enumerate() {
        if let Some(pipe) = &stream.pipe {
            waited.push(PollFd::from_borrowed_fd(pipe.as_fd(), PollFlags::IN));
            owners.push(owner);
        }
    }
    let _ = poll(&mut waited, Some(&time));
    let ready: Vec<usize> =
        owners.into_iter().zip(&waited).filter(|(_, fd)| !fd.revents().is_empty()).map(|(owner, _)| owner).collect();
    let mut came = false;
    for (owner, stream) in streams.iter_mut().enumerate() {
        // A pipe that is ready returns what it has without blocking.
        came |= ready.contains(&owner) && stream.pass_on();
    }
    came
}

/// A stream that is passed on.
struct Tee<'a> {
    /// `None` after its end, or after its destination was closed.
    pipe: Option<std::fs::File>,
    sink: &'a mut dyn Write,
    capture: Capture,
    buffer: Vec<u8>,
}

impl<'a> Tee<'a> {
    fn new(pipe: Option<OwnedFd>, sink: &'a mut dyn Write, limit: CaptureLimit) -> Self {
        Self { pipe: pipe.map(std::fs::File::from), sink, capture: Capture::new(limit), buffer: vec![0; PIECE] }
    }

    fn pass_on(&mut self) -> bool {
        let Some(pipe) = &mut self.pipe else {
            return false;
        };
        let length = match pipe.read(&mut self.buffer) {
            Ok(length) if length > 0 => length,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => return true,
            Ok(_) | Err(_) => {
                self.pipe = None;
                return false;
            }
        };
        let piece = self.buffer.get(..length).unwrap_or_default();
        self.capture.push(piece);
        if self.sink.write_all(piece).and_then(|()| self.sink.flush()).is_err() {
            self.pipe = None;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: CaptureLimit = CaptureLimit { head: 4, tail: 4 };

    fn record(script: &str, stdout: &mut dyn Write) -> (Recorded, Vec<u8>) {
        let argv = ["sh", "-c", script].map(str::to_owned);
        let mut stderr = Vec::new();
        let sinks = Sinks { streams: [stdout, &mut stderr], terminals: [None, None] };
        let recorded = run_recorded(&argv, Path::new("/"), &[], LIMIT, sinks).expect("it runs");
        (recorded, stderr)
    }

    #[test]
    fn output_passes_through_whole_and_is_kept_in_part() {
        let mut stdout = Vec::new();
        let (recorded, stderr) = record("pwd; echo 0123456789; echo no >&2; exit 3", &mut stdout);
        assert_eq!((stdout.as_slice(), stderr.as_slice()), (b"/\n0123456789\n".as_slice(), b"no\n".as_slice()));
        assert_eq!(recorded.exit_code, 3);
        assert_eq!((recorded.stdout.head.as_slice(), recorded.stdout.dropped), (b"/\n01".as_slice(), 5));
        assert_eq!(recorded.stdout.tail, b"789\n");
        assert_eq!(recorded.stderr.text(), "no\n");
    }

    #[test]
    fn a_signal_counts_as_in_a_shell() {
        assert_eq!(record("kill -9 $$", &mut Vec::new()).0.exit_code, 137);
    }

    #[test]
    fn a_process_that_is_left_behind_does_not_keep_us_and_is_not_ended() {
        let mut stdout = Vec::new();
        let (recorded, _) = record("sleep 20 & echo $!", &mut stdout);
        assert!(recorded.duration < Duration::from_secs(10));
        let pid: i32 = String::from_utf8_lossy(&stdout).trim().parse().expect("a number");
        let pid = rustix::process::Pid::from_raw(pid).expect("a number");
        rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("it lives");
    }

    #[test]
    fn a_reader_that_leaves_ends_the_command_as_without_us() {
        struct Closed;
        impl Write for Closed {
            fn write(&mut self, _: &[u8]) -> io::Result<usize> {
                Err(io::ErrorKind::BrokenPipe.into())
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let (recorded, _) = record("yes", &mut Closed);
        // `yes` is ended by SIGPIPE unless that is ignored; then it reports an error.
        assert!(matches!(recorded.exit_code, 1 | 141), "{}", recorded.exit_code);
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let argv = ["no-such-program".to_owned()];
        let sinks = Sinks { streams: [&mut Vec::new(), &mut Vec::new()], terminals: [None, None] };
        let error = run_recorded(&argv, Path::new("/"), &[], LIMIT, sinks);
        assert!(matches!(error, Err(RunError::NotFound { program }) if program == "no-such-program"));
    }
}
