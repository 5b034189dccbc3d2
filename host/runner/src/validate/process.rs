//! Runs one command to its end, within limits.
//!
//! What must stay true: no shell; the environment is the given list and nothing of ours; standard input is empty; no
//! open file is inherited, neither ours nor one that whoever started gephost left open; the command has a
//! session of its own, so no terminal; output is kept within a limit, and read on so that it cannot block; when the
//! command ends, or the time does, or the user interrupts, every process that came of it is killed and reaped. One
//! thread, no helpers: nothing can be left waiting on a pipe that a daemon holds.

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use process_wrap::std::{CommandWrap, ProcessSession};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Resource, Rlimit, WaitOptions, pidfd_open, prlimit, waitpid};

use super::capture::{CaptureLimit, Captured};
use super::family::Family;
use super::stream::Stream;

/// How often the interrupt flag is looked at.
const TICK: Duration = Duration::from_millis(50);
/// The same where the kernel cannot tell of a process's end by a descriptor.
const SHORT_TICK: Duration = Duration::from_millis(5);

/// A command and all that it is given.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    /// Program and arguments. A program without a slash is looked up in the `PATH` of `environment`.
    pub argv: &'a [String],
    /// Where it runs.
    pub directory: &'a Path,
    /// Its whole environment.
    pub environment: &'a [(OsString, OsString)],
    /// Its limits.
    pub limits: Limits,
}

/// What one command may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Wall time.
    pub time: Duration,
    /// What is kept of each of its two output streams.
    pub output: CaptureLimit,
    /// Bytes of any one file that it writes. Set right after the start, so a file written in the first microseconds
    /// escapes it.
    pub file_bytes: u64,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// It ended itself, with this code.
    Exited(i32),
    /// A signal of this number ended it, and it was not gephost that sent it.
    Signaled(i32),
    /// Its time was up.
    TimedOut,
    /// The user interrupted gephost.
    Interrupted,
}

/// What came of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRun {
    /// How it ended.
    pub end: End,
    /// What it wrote to standard output.
    pub stdout: Captured,
    /// What it wrote to standard error.
    pub stderr: Captured,
    /// Wall time.
    pub duration: Duration,
    /// False when a process of it could not be killed, which takes a fault of the system.
    pub cleaned_up: bool,
}

impl CommandRun {
    /// Whether it ended itself with code 0.
    pub fn passed(&self) -> bool {
        self.end == End::Exited(0)
    }
}

/// Why a command did not run at all.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// No words.
    #[error("empty command")]
    Empty,
    /// The program is not there.
    #[error("program {program:?} not found: it is neither in the PATH of validation nor in the project")]
    NotFound {
        /// The program.
        program: String,
    },
    /// The folder is not there.
    #[error("no folder {} to run in", directory.display())]
    NoFolder {
        /// The folder.
        directory: PathBuf,
    },
    /// The system refused.
    #[error("run {program:?}: {source}")]
    System {
        /// The program.
        program: String,
        /// What it said.
        source: io::Error,
    },
}

/// Runs a command to its end. Returns soon after `interrupt` is set.
pub fn run(invocation: &Invocation<'_>, interrupt: &AtomicBool) -> Result<CommandRun, RunError> {
    let mut command = command(invocation.argv, invocation.directory)?;
    command.env_clear().envs(invocation.environment.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let failed = |source| start_error(invocation.argv, source);
    let began = Instant::now();
    let (family, [stdout, stderr]) = Family::start(|| start(command)).map_err(failed)?;
    let limits = invocation.limits;
    limit(family.leader(), limits);
    let mut streams =
        Stream::new(stdout, limits.output).and_then(|stdout| Ok([stdout, Stream::new(stderr, limits.output)?]));
    let stopped = match &mut streams {
        Ok(streams) => follow(&family, streams, began, limits.time, interrupt),
        // Without its output there is nothing to run it for.
        Err(_) => None,
    };
    let cleaned_up = family.end();
    let end = reap(family.leader());
    let [stdout, stderr] = streams.map_err(failed)?.map(Stream::finish);
    Ok(CommandRun { end: stopped.unwrap_or(end), stdout, stderr, duration: began.elapsed(), cleaned_up })
}

/// The command's words and its folder.
pub(super) fn command(argv: &[String], directory: &Path) -> Result<Command, RunError> {
    let (program, arguments) = argv.split_first().ok_or(RunError::Empty)?;
    if !directory.is_dir() {
        return Err(RunError::NoFolder { directory: directory.to_owned() });
    }
    let mut command = crate::spawn::command(program);
    command.args(arguments).current_dir(directory);
    Ok(command)
}

pub(super) fn start_error(argv: &[String], source: io::Error) -> RunError {
    let program = argv.first().cloned().unwrap_or_default();
    match source.kind() {
        io::ErrorKind::NotFound => RunError::NotFound { program },
        _ => RunError::System { program, source },
    }
}

/// Starts the command in a session of its own. The handle is let go: the process is waited for by its number.
fn start(command: Command) -> io::Result<(Pid, [OwnedFd; 2])> {
    crate::spawn::keep_descriptors();
    let mut wrapped = CommandWrap::from(command);
    wrapped.wrap(ProcessSession);
    let mut child = wrapped.spawn()?;
    let no_pipe = || io::Error::other("no pipe to the command");
    let pid =
        i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or_else(|| io::Error::other("no process id"))?;
    let stdout = child.stdout().take().ok_or_else(no_pipe)?;
    let stderr = child.stderr().take().ok_or_else(no_pipe)?;
    Ok((pid, [stdout.into(), stderr.into()]))
}

fn limit(leader: Pid, limits: Limits) {
    // A command that has ended already needs no limit.
    let most = |value| Rlimit { current: Some(value), maximum: Some(value) };
    let _ = prlimit(Some(leader), Resource::Core, most(0));
    let _ = prlimit(Some(leader), Resource::Fsize, most(limits.file_bytes));
}

/// Reads both streams until the leader has ended, which gives `None`, or has to be stopped.
fn follow(
    family: &Family,
    streams: &mut [Stream; 2],
    began: Instant,
    time: Duration,
    interrupt: &AtomicBool,
) -> Option<End> {
    let ended = pidfd_open(family.leader(), PidfdFlags::empty()).ok();
    let tick = if ended.is_some() { TICK } else { SHORT_TICK };
    loop {
        if family.leader_has_ended() {
            return None;
        }
        if interrupt.load(Ordering::Relaxed) {
            return Some(End::Interrupted);
        }
        let left = time.saturating_sub(began.elapsed());
        if left.is_zero() {
            return Some(End::TimedOut);
        }
        wait_for_any(streams, ended.as_ref(), tick.min(left));
        for stream in streams.iter_mut() {
            stream.read_piece();
        }
    }
}

fn wait_for_any(streams: &[Stream; 2], ended: Option<&OwnedFd>, time: Duration) {
    let pipes = streams.iter().filter_map(Stream::pipe);
    let mut waited: Vec<PollFd<'_>> = pipes
        .chain(ended.map(OwnedFd::as_fd))
        .map(|descriptor| PollFd::from_borrowed_fd(descriptor, PollFlags::IN))
        .collect();
    let time = Timespec { tv_sec: 0, tv_nsec: i64::from(time.min(TICK).subsec_nanos()) };
    // A signal ends the wait early, which is as good as a tick.
    let _ = poll(&mut waited, Some(&time));
}

/// Takes the leader's end from the system, so that no zombie stays.
fn reap(leader: Pid) -> End {
    match waitpid(Some(leader), WaitOptions::NOHANG) {
        Ok(Some((_, status))) => status
            .exit_status()
            .map(End::Exited)
            .or_else(|| status.terminating_signal().map(End::Signaled))
            .unwrap_or(End::Interrupted),
        // Killed and not gone after seconds: it hangs in the kernel.
        Ok(None) | Err(_) => End::Interrupted,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::Arc;

    use tempfile::TempDir;

    use super::*;

    const LIMITS: Limits = Limits {
        time: Duration::from_secs(20),
        output: CaptureLimit { head: 1 << 16, tail: 1 << 16 },
        file_bytes: 1 << 20,
    };
    /// Far above what an end by force takes, far below what the commands would take by themselves.
    const SOON: Duration = Duration::from_secs(10);

    fn shell(script: &str) -> Vec<String> {
        ["sh", "-c", script].map(str::to_owned).to_vec()
    }

    fn run_in(directory: &Path, argv: &[String], limits: Limits) -> Result<CommandRun, RunError> {
        let environment = [("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into()), ("ONLY".into(), "this".into())];
        run(&Invocation { argv, directory, environment: &environment, limits }, &AtomicBool::new(false))
    }

    fn run_script(script: &str, limits: Limits) -> (TempDir, CommandRun) {
        let folder = TempDir::new().expect("a temporary folder");
        let result = run_in(folder.path(), &shell(script), limits).expect("it runs");
        (folder, result)
    }

    fn within(milliseconds: u64) -> Limits {
        Limits { time: Duration::from_millis(milliseconds), ..LIMITS }
    }

    /// The process whose number a script wrote to a file is gone, and no zombie.
    fn assert_gone(folder: &TempDir, file: &str) {
        let pid = fs::read_to_string(folder.path().join(file)).expect("the script came so far");
        let stat = fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        assert!(stat.is_err(), "still there: {stat:?}");
    }

    #[test]
    fn codes_signals_and_both_streams_are_told() {
        let (_, result) = run_script("echo out; echo err >&2; exit 7", LIMITS);
        assert_eq!((result.end, result.passed(), result.cleaned_up), (End::Exited(7), false, true));
        assert_eq!((result.stdout.text().as_str(), result.stderr.text().as_str()), ("out\n", "err\n"));
        assert!(run_script("true", LIMITS).1.passed());
        assert_eq!(run_script("kill -SEGV $$", LIMITS).1.end, End::Signaled(11));
    }

    #[test]
    fn nothing_of_ours_reaches_the_command() {
        let folder = TempDir::new().expect("a temporary folder");
        let open = fs::File::open(folder.path()).expect("a folder");
        rustix::io::fcntl_setfd(&open, rustix::io::FdFlags::empty()).expect("an open file");
        let env = run_in(folder.path(), &["env".to_owned()], LIMITS).expect("it runs").stdout.text();
        assert_eq!(env, "ONLY=this\nPATH=/usr/local/bin:/usr/bin:/bin\n");
        let (_, result) = run_script("cat; ls /proc/$$/fd | tr '\\n' ' '; pwd >/dev/null", LIMITS);
        assert_eq!(result.stdout.text(), "0 1 2 ", "an empty input and no other descriptor");
        let (_, result) = run_script("cut -d' ' -f1,6 /proc/$$/stat; : < /dev/tty", LIMITS);
        let ids = result.stdout.text();
        let ids: Vec<&str> = ids.split_whitespace().collect();
        assert!(matches!(ids.as_slice(), [pid, session] if pid == session), "leads a session: {ids:?}");
        assert_ne!(result.end, End::Exited(0), "there is no terminal to open");
    }

    #[test]
    fn words_are_words() {
        let folder = TempDir::new().expect("a temporary folder");
        let argv = ["echo", "$HOME; touch x", "*"].map(str::to_owned);
        assert_eq!(run_in(folder.path(), &argv, LIMITS).expect("it runs").stdout.text(), "$HOME; touch x *\n");
    }

    #[test]
    fn what_cannot_start_says_why() {
        let folder = TempDir::new().expect("a temporary folder");
        fs::write(folder.path().join("plain"), "text").expect("a file");
        let error = |argv: &[&str], directory: &Path| {
            let argv: Vec<String> = argv.iter().map(|word| (*word).to_owned()).collect();
            run_in(directory, &argv, LIMITS).expect_err("this cannot start")
        };
        assert!(matches!(error(&[], folder.path()), RunError::Empty));
        assert!(matches!(error(&["no-such-program"], folder.path()), RunError::NotFound { .. }));
        assert!(matches!(error(&["true"], &folder.path().join("none")), RunError::NoFolder { .. }));
        assert!(matches!(error(&["./plain"], folder.path()), RunError::System { .. }));
        assert!(matches!(error(&["a\0b"], folder.path()), RunError::System { .. }));
    }

    #[test]
    fn a_command_that_will_not_end_is_ended() {
        for script in [
            "echo $$ > pid; trap '' TERM INT HUP; while :; do sleep 60; done",
            "echo $$ > pid; exec >&- 2>&-; sleep 60",
            "echo $$ > pid; sleep 60 & sleep 60 & wait",
            "echo $$ > pid; kill -STOP $$",
        ] {
            let (folder, result) = run_script(script, within(400));
            assert_eq!((result.end, result.cleaned_up), (End::TimedOut, true), "{script}");
            assert!(result.duration < SOON, "{script}: {:?}", result.duration);
            assert_gone(&folder, "pid");
        }
    }

    #[test]
    fn a_daemon_neither_keeps_us_nor_stays() {
        for script in [
            "sleep 60 & echo $! > pid",
            "setsid sleep 60 & echo $! > pid",
            "setsid sh -c 'setsid sleep 60 & echo $! > pid'; exit 0",
            "(setsid env -i sleep 60 >/dev/null 2>&1 & echo $! > pid) & wait",
            "sh -c 'trap \"\" HUP TERM; (setsid sleep 60 & echo $! > pid; sleep 60) &'; while ! [ -s pid ]; do :; done",
        ] {
            let (folder, result) = run_script(script, LIMITS);
            assert_eq!((result.end, result.cleaned_up), (End::Exited(0), true), "{script}");
            assert!(result.duration < SOON, "{script}: {:?}", result.duration);
            // Another test's command may run now, and then an orphan without a known family ends with that one.
            let until = Instant::now() + SOON;
            let pid = fs::read_to_string(folder.path().join("pid")).expect("the script came so far");
            while Path::new(&format!("/proc/{}", pid.trim())).exists() && Instant::now() < until {
                run_script("true", LIMITS);
            }
            assert_gone(&folder, "pid");
        }
    }

    #[test]
    fn a_flood_is_read_and_mostly_forgotten() {
        let (_, result) = run_script("echo first; yes 0123456789", within(700));
        assert_eq!(result.end, End::TimedOut);
        assert!(result.stdout.head.starts_with(b"first\n"));
        assert_eq!(result.stdout.head.len() + result.stdout.tail.len(), 2 << 16);
        assert!(result.stdout.dropped > 1 << 20, "{} bytes", result.stdout.dropped);
    }

    #[test]
    fn the_last_words_of_a_command_are_kept() {
        let (_, result) = run_script("head -c 60000 /dev/zero | tr '\\0' x; echo end", LIMITS);
        assert_eq!((result.stdout.head.len(), result.stdout.dropped), (60_004, 0));
    }

    #[test]
    fn an_interrupt_ends_it() {
        let folder = TempDir::new().expect("a temporary folder");
        let interrupt = Arc::new(AtomicBool::new(false));
        let (flag, pid) = (Arc::clone(&interrupt), folder.path().join("pid"));
        let user = std::thread::spawn(move || {
            while !pid.exists() {
                std::thread::park_timeout(Duration::from_millis(5));
            }
            flag.store(true, Ordering::Relaxed);
        });
        let argv = shell("echo $$ > pid.new; mv pid.new pid; sleep 60");
        let environment = [("PATH".into(), "/usr/bin:/bin".into())];
        let invocation =
            Invocation { argv: &argv, directory: folder.path(), environment: &environment, limits: LIMITS };
        let result = run(&invocation, &interrupt).expect("it runs");
        user.join().expect("no panic");
        assert_eq!(result.end, End::Interrupted);
        assert!(result.duration < SOON);
        assert_gone(&folder, "pid");
    }

    #[test]
    fn a_file_does_not_grow_past_its_limit() {
        let (folder, result) = run_script("sleep 0.3; head -c 3000000 /dev/zero > big", LIMITS);
        assert_ne!(result.end, End::Exited(0));
        assert_eq!(fs::metadata(folder.path().join("big")).expect("a file").len(), 1 << 20);
    }

    #[test]
    fn commands_side_by_side_do_not_end_each_other() {
        let quick = std::thread::spawn(|| (0..20).all(|_| run_script("sleep 0.01", LIMITS).1.passed()));
        let (_, slow) = run_script("sleep 0.2 & sleep 0.4; wait; echo done", LIMITS);
        assert!(quick.join().expect("no panic"));
        assert_eq!((slow.end, slow.stdout.text().as_str()), (End::Exited(0), "done\n"));
    }
}
