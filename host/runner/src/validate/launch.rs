//! The two processes between gephost and a command. Both run this program.
//!
//! The **keeper** adopts every process that the command leaves behind, so that all of them stay below it. Whatever they
//! fork and whatever sessions they create, gephost finds them by descent, even while other commands run. If gephost
//! itself exits, the keeper's socket is closed and the keeper ends them all.
//!
//! The **starter** becomes the command: it starts its own session, confines itself, and replaces itself with the
//! program. Invariant: no instruction of the command runs before everything requested is in force (fail closed).

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;
use std::sync::mpsc;
use std::time::Duration;

use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, setsid, wait};

use super::family::end_below;
use super::messages::{KeeperMessage, LaunchRequest, MAX_MESSAGE, Refusal, Start, StarterMessage};
use crate::frame;

/// How long the wrapper's own processes may take to end after the wrapper.
const LAST_WORD: Duration = Duration::from_secs(5);

/// Executes the request that arrives on standard input, which is a socket to gephost, and returns. The process must
/// have been started only for this, and should exit afterwards.
pub fn serve() -> io::Result<()> {
    // The system closes it when the program replaces this process.
    let host = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    match frame::receive(&host, MAX_MESSAGE)? {
        LaunchRequest::Keep { wrapper, starter, start } => keep(&host, &wrapper, &starter, start),
        LaunchRequest::Start(start) => frame::send(&host, &StarterMessage::Refused(become_command(&host, start))),
    }
}

fn keep(host: &UnixStream, wrapper: &[OsString], starter: &[OsString], start: Start) -> io::Result<()> {
    set_child_subreaper(Some(getpid()))?;
    let command = match have_started(wrapper, starter, start) {
        Ok(command) => command,
        Err(refusal) => return frame::send(host, &KeeperMessage::Refused(refusal)),
    };
    frame::send(host, &KeeperMessage::Started { in_force: command.in_force, pid: command.leader.as_raw_pid() })?;
    let (done, end) = mpsc::channel();
    let (reporter, watched) = (host.try_clone()?, host.try_clone()?);
    let all_gone = done.clone();
    std::thread::spawn(move || {
        reap_all(&reporter, &command);
        all_gone.send(())
    });
    std::thread::spawn(move || {
        wait_for_end(watched);
        done.send(())
    });
    // Ends when the processes are gone, or when gephost is.
    let _ = end.recv();
    end_below(getpid());
    Ok(())
}

/// A command that is confined and starts now.
struct Started {
    in_force: crate::confine::InForce,
    leader: Pid,
    /// To the starter. It says no more, unless the program cannot be run. A wrapper holds the other end as long as the command
    /// runs, so its closing does not say that the program has begun.
    starter: UnixStream,
}

/// Starts the starter, through the wrapper if there is one, and waits until it is confined.
fn have_started(wrapper: &[OsString], starter: &[OsString], start: Start) -> Result<Started, Refusal> {
    let failed = |error: io::Error| Refusal::Confine(error.to_string());
    let (mine, theirs) = UnixStream::pair().map_err(failed)?;
    let mut words = wrapper.iter().chain(starter);
    let program = words.next().ok_or_else(|| Refusal::Confine("no program to start".to_owned()))?;
    let mut command = crate::spawn::command(program);
    command.args(words).current_dir("/").stdin(OwnedFd::from(theirs));
    crate::spawn::keep_descriptors();
    let child =
        command.spawn().map_err(|error| Refusal::Confine(format!("start {}: {error}", program.to_string_lossy())))?;
    // The command holds the starter's end of the socket. It must be dropped here, or its closing would not be noticed.
    drop(command);
    let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let leader = leader.ok_or_else(|| Refusal::Confine("no process id".to_owned()))?;
    frame::send(&mine, &LaunchRequest::Start(start)).map_err(failed)?;
    let ended = |_| Refusal::Confine(format!("{} ended before the command began", program.to_string_lossy()));
    match frame::receive(&mine, MAX_MESSAGE).map_err(ended)? {
        StarterMessage::Confined(in_force) => Ok(Started { in_force, leader, starter: mine }),
        StarterMessage::Refused(refusal) => Err(refusal),
    }
}

/// Reaps every process below this one until there are none, and reports how the command ended, or why it did not begin.
fn reap_all(host: &UnixStream, command: &Started) {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == command.leader => {
                let _ = command.starter.set_read_timeout(Some(LAST_WORD));
                let news = match frame::receive(&command.starter, MAX_MESSAGE) {
                    Ok(StarterMessage::Refused(refusal)) => KeeperMessage::Refused(refusal),
                    // Nobody holds the other end any more, or nobody who says anything.
                    Ok(StarterMessage::Confined(_)) | Err(_) => {
                        KeeperMessage::Ended { code: status.exit_status(), signal: status.terminating_signal() }
                    }
                };
                // If nobody listens any more, gephost is gone, which the other thread notices.
                let _ = frame::send(host, &news);
            }
            Err(rustix::io::Errno::CHILD) => break,
            Ok(_) | Err(_) => {}
        }
    }
}

/// Returns when the other side is gone. It sends nothing after its request.
fn wait_for_end(mut host: UnixStream) {
    let mut byte = [0];
    while matches!(host.read(&mut byte), Ok(1)) {}
}

/// Becomes the command, or returns why not.
fn become_command(host: &UnixStream, start: Start) -> Refusal {
    let confine = |error: &dyn std::fmt::Display| Refusal::Confine(error.to_string());
    if let Err(error) = setsid() {
        return confine(&error);
    }
    let in_force = match start.confinement.apply() {
        Ok(in_force) => in_force,
        Err(error) => return confine(&error),
    };
    let Some((program, arguments)) = start.argv.split_first() else { return confine(&"no words") };
    if let Err(error) = frame::send(host, &StarterMessage::Confined(in_force)) {
        return confine(&error);
    }
    let mut command = crate::spawn::command(program);
    command.args(arguments).envs(start.environment).current_dir(start.directory).stdin(Stdio::null());
    Refusal::Run(command.exec().raw_os_error().unwrap_or(libc::EINVAL))
}
