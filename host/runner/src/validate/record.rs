//! Runs a command for the user and keeps its output, for `gephost record -- CMD…`. It sets no limits but the time that the
//! user gives: the command runs with the user's environment, folder, terminal and signals. Its output is passed through at
//! once. A program that is there but cannot be executed ends as in a shell.

#![expect(clippy::disallowed_methods, reason = "a command runs in a folder that is named by path")]

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, Signal, kill_process};

use super::capture::{Capture, CaptureLimit, Captured};
use super::family::{end_below, interrupt};
use super::process::{RunError, exec_error, start_error};
use super::terminal::open_like;
use crate::monotonic;
use crate::spawn;

/// How often the command is checked while it writes nothing.
const TICK: Duration = Duration::from_millis(20);
/// How long a stream is read after the command has ended. A process that it left behind may hold the stream forever.
const GRACE: Duration = Duration::from_millis(250);
/// How long a command that exceeded its time may take to end by itself, after the signal that Ctrl-C sends.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// The exit code of a command that exceeded its time, as `timeout` of coreutils has it.
const TIMED_OUT: i32 = 124;
/// Bytes read at once.
const PIECE: usize = 64 << 10;

/// The result of a recorded command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// Its exit code. If a signal ended it, 128 plus the signal's number, as shells report it; 124 if it exceeded its time.
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
/// without gephost. After `time`, the command and what it started are interrupted, and killed two seconds later.
pub fn run_recorded(
    argv: &[String],
    directory: &Path,
    environment: &[(OsString, OsString)],
    limit: CaptureLimit,
    time: Option<Duration>,
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
    let [first, second] = sinks.streams;
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => return not_executed(exec_error(argv, directory, error), Tee::new(None, second, limit)),
    };
    // It holds the command's side of the terminals. They end only when nobody holds that.
    drop(command);
    let pipes = [child.stdout.take().map(OwnedFd::from), child.stderr.take().map(OwnedFd::from)];
    let [out, err] = pipes;
    let mut streams = [Tee::new(stdout.or(out), first, limit), Tee::new(stderr.or(err), second, limit)];
    let status = follow(&mut child, &mut streams, time).map_err(failed)?;
    let exit_code = match (status, time) {
        (None, Some(time)) => {
            let [_, stderr] = &mut streams;
            stderr.say(&format!("Command timed out after {}s\n", time.as_secs()));
            TIMED_OUT
        }
        (status, _) => status.map_or(1, exit_code),
    };
    let [stdout, stderr] = streams.map(|stream| stream.capture.finish());
    Ok(Recorded { exit_code, stdout, stderr, duration: began.elapsed() })
}

/// What a shell makes of a program that cannot be executed: its sentence and its exit code.
fn not_executed(error: RunError, mut stderr: Tee<'_>) -> Result<Recorded, RunError> {
    let Some(exit_code) = error.exit_code() else { return Err(error) };
    stderr.say(&format!("{error}\n"));
    let stderr = stderr.capture.finish();
    Ok(Recorded { exit_code, stdout: Captured::default(), stderr, duration: Duration::ZERO })
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

/// Passes output on until the command and both streams have ended, or the streams have been quiet for a while. Returns no
/// status if the command exceeded its time.
fn follow(child: &mut Child, streams: &mut [Tee<'_>; 2], time: Option<Duration>) -> io::Result<Option<ExitStatus>> {
    let began = monotonic::now();
    let mut quiet_since = began;
    let mut interrupted = None;
    loop {
        let ended = child.try_wait()?;
        let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw).filter(|_| ended.is_none());
        match (pid, interrupted) {
            (Some(pid), None) if time.is_some_and(|time| began.elapsed() >= time) => {
                interrupt(pid);
                interrupted = Some(monotonic::now());
            }
            (Some(pid), Some(since)) if monotonic::now().duration_since(since) >= LAST_WORDS => end(child, pid)?,
            _ => {}
        }
        if wait_and_pass_on(streams, TICK) {
            quiet_since = monotonic::now();
            continue;
        }
        let Some(status) = ended else {
            quiet_since = monotonic::now();
            continue;
        };
        if streams.iter().all(|stream| stream.pipe.is_none()) || quiet_since.elapsed() >= GRACE {
            return Ok(interrupted.is_none().then_some(status));
        }
    }
}

/// Kills a command and what it started. It is stopped first, so that it starts nothing meanwhile.
fn end(child: &mut Child, pid: Pid) -> io::Result<()> {
    let _ = kill_process(pid, Signal::STOP);
    end_below(pid);
    child.kill()
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

    /// Adds a line of ours to the stream. A sink that is closed misses it, as it misses the command's own.
    fn say(&mut self, text: &str) {
        self.capture.push(text.as_bytes());
        let _ = self.sink.write_all(text.as_bytes()).and_then(|()| self.sink.flush());
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
        let recorded = run_recorded(&argv, Path::new("/"), &[], LIMIT, None, sinks).expect("it runs");
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
        assert!(recorded.duration < Duration::from_secs(15));
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
        let error = run_recorded(&argv, Path::new("/"), &[], LIMIT, None, sinks);
        assert!(matches!(error, Err(RunError::NotFound { program }) if program == "no-such-program"));
    }

    #[test]
    fn a_file_that_cannot_be_executed_ends_as_in_a_shell() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().expect("a folder");
        let run = |text: &str, mode: u32, program: &str| {
            let path = folder.path().join("run.sh");
            std::fs::write(&path, text).expect("written");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("a mode");
            let mut stderr = Vec::new();
            let sinks = Sinks { streams: [&mut Vec::new(), &mut stderr], terminals: [None, None] };
            let limit = CaptureLimit { head: 100, tail: 0 };
            let recorded = run_recorded(&[program.to_owned()], folder.path(), &[], limit, None, sinks).ok()?;
            assert_eq!(recorded.stderr.head, stderr);
            Some((recorded.exit_code, String::from_utf8(stderr).expect("a text")))
        };
        let denied = (126, "./run.sh: Permission denied\n".to_owned());
        assert_eq!(run("#!/bin/sh\n", 0o644, "./run.sh"), Some(denied));
        let lacking = (127, "./run.sh: cannot execute: required file not found\n".to_owned());
        assert_eq!(run("#!/bin/sh\r\n", 0o755, "./run.sh"), Some(lacking));
        assert_eq!(run("#!/bin/sh\nexit 3\n", 0o755, "./run.sh"), Some((3, String::new())));
        assert_eq!(run("", 0o644, "./other.sh"), None);
        assert_eq!(run("", 0o644, "run.sh"), None);
    }

    #[test]
    fn a_command_that_exceeds_its_time_is_ended_with_what_it_started() {
        let limit = CaptureLimit { head: 200, tail: 0 };
        let run = |script: &str| {
            let argv = ["sh", "-c", script].map(str::to_owned);
            let (mut stdout, mut stderr) = (Vec::new(), Vec::new());
            let sinks = Sinks { streams: [&mut stdout, &mut stderr], terminals: [None, None] };
            // Long enough for a shell to start and to set its trap on a busy machine.
            let time = Some(Duration::from_secs(3));
            let recorded = run_recorded(&argv, Path::new("/"), &[], limit, time, sinks).expect("it runs");
            (recorded, String::from_utf8(stdout).expect("a text"))
        };
        // It can still say what it was doing.
        let (recorded, _) = run("trap 'echo at 7 >&2; exit 1' INT; while :; do sleep 0.05; done");
        assert_eq!(recorded.exit_code, 124);
        assert_eq!(recorded.stderr.text(), "at 7\nCommand timed out after 3s\n");
        // It need not be asked twice.
        let (recorded, stdout) = run("trap '' INT; sleep 20 & echo $!; wait");
        assert_eq!(recorded.exit_code, 124);
        assert!(recorded.duration < Duration::from_secs(15), "{:?}", recorded.duration);
        let pid = stdout.trim().parse().ok().and_then(Pid::from_raw).expect("a number");
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).unwrap_or_default();
        assert!(stat.is_empty() || stat.contains(") Z "), "{stat}");
        assert_eq!(run("exit 3").0.exit_code, 3);
    }
}
