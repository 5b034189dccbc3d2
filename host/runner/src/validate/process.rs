//! Runs one command to its end, confined and within limits.
//!
//! Invariants: there is no shell. The environment is exactly the given list. Standard input is empty. No open file is
//! inherited, neither of ours nor of whoever started gephost. The command has its own session and therefore no
//! terminal. Output is kept up to a limit and read further, so that the command cannot block. When the command ends, a
//! limit is exceeded or the user interrupts, every process that it started is killed and reaped. There is only one
//! thread, so nothing can keep waiting for a pipe that a daemon holds. `launch` starts and confines the command.

#![expect(clippy::disallowed_methods, reason = "a command runs in a folder that is named by path")]

use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use gephost_core::validation::TestEvidence;
use process_wrap::std::{CommandWrap, ProcessSession};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, WaitOptions, pidfd_open, waitpid};

use super::capture::Captured;
use super::enclosure::Enclosure;
use super::end::End;
use super::family::Family;
use super::groups::{ControlGroups, Group};
use super::limits::Limits;
use super::messages::{KeeperMessage, LaunchRequest, MAX_MESSAGE, Refusal, Start};
use super::stream::Stream;
use super::watch::{Watch, bounds, over};
use crate::confine::InForce;
use crate::frame;
use crate::monotonic;

/// How often the interrupt flag is checked.
const TICK: Duration = Duration::from_millis(50);
/// The same if the kernel has no descriptors for processes.
const SHORT_TICK: Duration = Duration::from_millis(5);

/// How long the keeper may take to send a message that it has started, or to receive ours.
const PATIENCE: Duration = Duration::from_secs(5);

/// How gephost starts itself to launch a command: a program of the same build, and the arguments that make it call
/// [`super::serve`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launcher {
    /// The program.
    pub program: PathBuf,
    /// A name of the program that is also valid in other namespaces; absent if there is none any more.
    pub name: Option<PathBuf>,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

/// A command, and everything it gets.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    /// Program and arguments. A program without a slash is searched in the `PATH` of `environment`.
    pub argv: &'a [String],
    /// The folder in which it runs.
    pub directory: &'a Path,
    /// Its complete environment.
    pub environment: &'a [(OsString, OsString)],
    /// Its limits.
    pub limits: Limits,
    /// What confines it.
    pub enclosure: &'a Enclosure,
    /// What starts it.
    pub launcher: &'a Launcher,
    /// The right to a control group for it, if there is one.
    pub groups: Option<&'a ControlGroups>,
}

/// The result of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRun {
    /// How it ended.
    pub end: End,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// Wall clock time.
    pub duration: Duration,
    /// What its test reports say. The validator reads them after its end.
    pub reports: Option<TestEvidence>,
    /// What confined it.
    pub in_force: InForce,
    /// False if one of its processes could not be killed, which only a system fault can cause.
    pub cleaned_up: bool,
}

impl CommandRun {
    /// Whether it exited with code 0.
    pub fn passed(&self) -> bool {
        self.end == End::Exited(0)
    }
}

/// Why a command was not run.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The command has no words.
    #[error("the command is empty")]
    Empty,
    /// The program does not exist.
    #[error("program {program:?} not found: it is neither in the search path of validation nor in the project")]
    NotFound {
        /// The program.
        program: String,
    },
    /// The program is a file that is there, but the system cannot run it. The message is that of a shell.
    #[error("{program}: {}", if *is_denied { "Permission denied" } else { "cannot execute: required file not found" })]
    NotExecutable {
        /// The program.
        program: String,
        /// Whether it may not be executed. Otherwise the interpreter that it names does not exist.
        is_denied: bool,
    },
    /// The folder does not exist.
    #[error("the folder {} to run in does not exist", directory.display())]
    NoFolder {
        /// The folder.
        directory: PathBuf,
    },
    /// The work copy could not be prepared: its caches and dependencies.
    #[error("cannot prepare the work copy: {0}")]
    Caches(String),
    /// It was not started, because it could not be confined.
    #[error("cannot confine {program:?}: {reason}")]
    Confine {
        /// The program.
        program: String,
        /// The reason.
        reason: String,
    },
    /// Its processes could not be counted, so nothing bounds them.
    #[error("the command was ended, since its processes could not be counted: read /proc: {source}")]
    Unwatched {
        /// The system's error message.
        source: io::Error,
    },
    /// The system could not run it.
    #[error("cannot run {program:?}: {source}")]
    System {
        /// The program.
        program: String,
        /// The system's error.
        source: io::Error,
    },
}

impl RunError {
    /// The exit code that a shell gives a command that fails like this: the command failed, and not what runs it.
    pub fn exit_code(&self) -> Option<i32> {
        match self {
            Self::NotExecutable { is_denied: true, .. } => Some(126),
            Self::NotExecutable { is_denied: false, .. } => Some(127),
            _ => None,
        }
    }
}

/// Runs a command to its end. Returns soon after `interrupt` is set.
pub fn run(invocation: &Invocation<'_>, interrupt: &AtomicBool) -> Result<CommandRun, RunError> {
    let began = monotonic::now();
    let started = start(invocation)?;
    let mut run = Running { news: started.news, streams: started.streams, in_force: None, end: None };
    let outcome = run.follow(&started.family, invocation, began, interrupt);
    let mut cleaned_up = started.family.end();
    reap(started.family.leader());
    if let Some(group) = &started.group {
        // Read first: the figures go with the group.
        let refusals = group.refusals();
        cleaned_up &= group.end();
        run.end = over(run.end, refusals).or(run.end);
    }
    let (refused, watch) = outcome?;
    // A command that fills the disk and fails because of it, or ends before anybody looked, has filled it all the same.
    if refused.is_none() && watch.disk.has_grown_in_the_end() {
        run.end = Some(End::DiskFull);
    }
    let [stdout, stderr] = run.streams.map(Stream::finish);
    if let Some(refusal) = refused {
        return Err(refusal_error(invocation, refusal, &stderr));
    }
    let end = run.end.unwrap_or(End::Unknown);
    let in_force = run.in_force.unwrap_or_default();
    Ok(CommandRun { end, stdout, stderr, duration: began.elapsed(), reports: None, in_force, cleaned_up })
}

fn refusal_error(invocation: &Invocation<'_>, refusal: Refusal, stderr: &Captured) -> RunError {
    let argv = invocation.argv;
    match refusal {
        Refusal::Run(number) => exec_error(argv, invocation.directory, io::Error::from_raw_os_error(number)),
        Refusal::Confine(mut reason) => {
            // The wrapper's error message.
            if let Some(line) = stderr.text().lines().find(|line| !line.trim().is_empty()) {
                reason = format!("{reason}: {}", line.trim());
            }
            RunError::Confine { program: argv.first().cloned().unwrap_or_default(), reason }
        }
    }
}

/// Why the system did not run a program. A path is looked up in the folder, as the system did.
pub(super) fn exec_error(argv: &[String], directory: &Path, source: io::Error) -> RunError {
    let program = argv.first().filter(|program| program.contains('/') && directory.join(program).is_file());
    match (program, source.kind()) {
        (Some(program), io::ErrorKind::NotFound) => {
            RunError::NotExecutable { program: program.clone(), is_denied: false }
        }
        (Some(program), io::ErrorKind::PermissionDenied) => {
            RunError::NotExecutable { program: program.clone(), is_denied: true }
        }
        _ => start_error(argv, source),
    }
}

pub(super) fn start_error(argv: &[String], source: io::Error) -> RunError {
    let program = argv.first().cloned().unwrap_or_default();
    match source.kind() {
        io::ErrorKind::NotFound => RunError::NotFound { program },
        _ => RunError::System { program, source },
    }
}

/// A keeper that has received its request.
struct Started {
    family: Family,
    /// The control group of the command. Its keeper is in it too.
    group: Option<Group>,
    news: UnixStream,
    streams: [Stream; 2],
}

fn start(invocation: &Invocation<'_>) -> Result<Started, RunError> {
    let argv = invocation.argv;
    if argv.is_empty() {
        return Err(RunError::Empty);
    }
    if !invocation.directory.is_dir() {
        return Err(RunError::NoFolder { directory: invocation.directory.to_owned() });
    }
    let failed = |source| start_error(argv, source);
    let launcher = invocation.launcher;
    let (news, theirs) = UnixStream::pair().map_err(failed)?;
    let mut command = crate::spawn::command(&launcher.program);
    command.args(&launcher.arguments).current_dir("/").stdin(OwnedFd::from(theirs));
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let confine = |error: io::Error| RunError::Confine {
        program: argv.first().cloned().unwrap_or_default(),
        reason: format!("start {}: {error}", launcher.program.display()),
    };
    let group = invocation.groups.map(|groups| groups.make(bounds(invocation.limits))).transpose();
    let group = group.map_err(|error| confine(io::Error::new(error.kind(), format!("control group: {error}"))))?;
    let (family, [stdout, stderr]) = Family::start(|| start_keeper(command)).map_err(confine)?;
    // Before the keeper gets its request: all that comes of it is in the group.
    let grouped = group.as_ref().map_or(Ok(()), |group| group.add(family.leader()));
    let output = invocation.limits.output;
    let streams = Stream::new(stdout, output).and_then(|stdout| Ok([stdout, Stream::new(stderr, output)?]));
    let requested = news
        .set_write_timeout(Some(PATIENCE))
        .and_then(|()| news.set_read_timeout(Some(PATIENCE)))
        .and(grouped)
        .and_then(|()| frame::send(&news, &launch_request(invocation)));
    match (streams, requested) {
        (Ok(streams), Ok(())) => Ok(Started { family, group, news, streams }),
        (streams, requested) => {
            family.end();
            reap(family.leader());
            Err(failed(streams.err().or(requested.err()).unwrap_or_else(|| io::Error::other("no keeper"))))
        }
    }
}

fn launch_request(invocation: &Invocation<'_>) -> LaunchRequest {
    let (enclosure, launcher) = (invocation.enclosure, invocation.launcher);
    // Inside a wrapper's namespaces, the program can only be reached by a name.
    let program = if enclosure.wrapper().is_empty() { Some(&launcher.program) } else { launcher.name.as_ref() };
    let starter = program.into_iter().map(|program| program.clone().into_os_string());
    LaunchRequest::Keep {
        wrapper: enclosure.wrapper().to_vec(),
        starter: starter.chain(launcher.arguments.iter().cloned()).collect(),
        start: Start {
            argv: invocation.argv.to_vec(),
            environment: invocation.environment.to_vec(),
            directory: invocation.directory.as_os_str().to_owned(),
            confinement: enclosure.confinement(invocation.limits),
        },
    }
}

/// Starts the keeper in its own session. The handle is dropped, because the process is waited for by its id.
fn start_keeper(command: Command) -> io::Result<(Pid, [OwnedFd; 2])> {
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

/// A command on its way.
struct Running {
    news: UnixStream,
    streams: [Stream; 2],
    in_force: Option<InForce>,
    /// How it ended.
    end: Option<End>,
}

impl Running {
    /// Reads output and news until the command has ended or has to be stopped. Returns why it did not start, if so, and
    /// what measures it.
    fn follow(
        &mut self,
        family: &Family,
        invocation: &Invocation<'_>,
        began: Instant,
        interrupt: &AtomicBool,
    ) -> Result<(Option<Refusal>, Watch), RunError> {
        let limits = invocation.limits;
        let failed = |source| start_error(invocation.argv, source);
        let mut watch = Watch::start(invocation.enclosure.folder(), limits).map_err(failed)?;
        let keeper = pidfd_open(family.leader(), PidfdFlags::empty()).ok();
        let tick = if keeper.is_some() { TICK } else { SHORT_TICK };
        while self.end.is_none() {
            let left = limits.time.saturating_sub(began.elapsed());
            self.end = if interrupt.load(Ordering::Relaxed) {
                Some(End::Interrupted)
            } else if left.is_zero() {
                Some(End::TimedOut)
            } else {
                watch.end(family).map_err(|source| RunError::Unwatched { source })?
            };
            if self.end.is_some() {
                break;
            }
            let has_news = wait_for_any(&self.streams, &self.news, keeper.as_ref(), tick.min(left));
            for stream in &mut self.streams {
                stream.read_piece();
            }
            if !has_news {
                continue;
            }
            if let Some(refusal) = self.hear(family) {
                return Ok((Some(refusal), watch));
            }
        }
        Ok((None, watch))
    }

    /// Handles one message of the keeper.
    fn hear(&mut self, family: &Family) -> Option<Refusal> {
        match frame::receive(&self.news, MAX_MESSAGE) {
            Ok(KeeperMessage::Started { in_force, pid }) => {
                family.leads(pid);
                self.in_force = Some(in_force);
            }
            Ok(KeeperMessage::Refused(refusal)) => return Some(refusal),
            Ok(KeeperMessage::Ended { code, signal }) => {
                self.end = Some(code.map(End::Exited).or(signal.map(End::Signaled)).unwrap_or(End::Unknown));
            }
            // Before the command started, only gephost can have ended the keeper.
            Err(error) if self.in_force.is_none() => return Some(Refusal::Confine(format!("no keeper: {error}"))),
            Err(_) => self.end = Some(End::Unknown),
        }
        None
    }
}

/// Waits until there is something to read, or the keeper has ended. Returns whether the keeper sent a message.
fn wait_for_any(streams: &[Stream; 2], news: &UnixStream, keeper: Option<&OwnedFd>, time: Duration) -> bool {
    let pipes = streams.iter().filter_map(Stream::pipe);
    let mut waited: Vec<PollFd<'_>> = std::iter::once(news.as_fd())
        .chain(pipes)
        .chain(keeper.map(OwnedFd::as_fd))
        .map(|descriptor| PollFd::from_borrowed_fd(descriptor, PollFlags::IN))
        .collect();
    let time = Timespec { tv_sec: 0, tv_nsec: i64::from(time.min(TICK).subsec_nanos()) };
    // A signal ends the wait early, like a tick.
    let _ = poll(&mut waited, Some(&time));
    waited.first().is_some_and(|news| !news.revents().is_empty())
}

/// Reaps the keeper, so that no zombie remains.
fn reap(keeper: Pid) {
    let _ = waitpid(Some(keeper), WaitOptions::NOHANG);
}
