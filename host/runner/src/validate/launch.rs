//! The two processes between gephost and a command, both this very program.
//!
//! The **keeper** adopts every process that the command leaves behind, so that all of them stay below it: however often
//! they fork and whatever session they make, gephost finds them by descent, also while other commands run. When gephost
//! itself is gone, its socket says so, and the keeper ends them all.
//!
//! The **starter** becomes the command: it leads a session of its own, confines itself, and lets the program take its
//! place. What must stay true: no instruction of the command runs before all that was asked for is in force (fail closed).

use std::ffi::OsString;
use std::io::{self, Read as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::Stdio;
use std::sync::mpsc;

use rustix::process::{Pid, WaitOptions, getpid, set_child_subreaper, setsid, wait};

use super::family::end_below;
use super::order::{Answer, MAX_MESSAGE, News, Order, Refusal, Start};
use crate::frame;

/// Does what standard input, a socket to gephost, asks for, and returns. The process must have been started for nothing
/// else, and should end when this returns.
pub fn serve() -> io::Result<()> {
    // Closed by the system when a program takes this process's place.
    let host = UnixStream::from(io::stdin().as_fd().try_clone_to_owned()?);
    match frame::receive(&host, MAX_MESSAGE)? {
        Order::Keep { wrapper, starter, start } => keep(&host, &wrapper, &starter, start),
        Order::Start(start) => frame::send(&host, &Answer::Refused(become_command(&host, start))),
    }
}

fn keep(host: &UnixStream, wrapper: &[OsString], starter: &[OsString], start: Start) -> io::Result<()> {
    set_child_subreaper(Some(getpid()))?;
    let (in_force, leader) = match have_started(wrapper, starter, start) {
        Ok(command) => command,
        Err(refusal) => return frame::send(host, &News::Refused(refusal)),
    };
    frame::send(host, &News::Started { in_force, pid: leader.as_raw_pid() })?;
    let (done, end) = mpsc::channel();
    let (reporter, watched) = (host.try_clone()?, host.try_clone()?);
    let all_gone = done.clone();
    std::thread::spawn(move || {
        reap_all(&reporter, leader);
        all_gone.send(())
    });
    std::thread::spawn(move || {
        wait_for_end(watched);
        done.send(())
    });
    // Whichever comes first: nothing is left to keep, or nobody to keep it for.
    let _ = end.recv();
    end_below(getpid());
    Ok(())
}

/// Starts the starter, by way of the wrapper, and waits until it is the command.
fn have_started(
    wrapper: &[OsString],
    starter: &[OsString],
    start: Start,
) -> Result<(crate::confine::InForce, Pid), Refusal> {
    let failed = |error: io::Error| Refusal::Confine(error.to_string());
    let (mine, theirs) = UnixStream::pair().map_err(failed)?;
    let mut words = wrapper.iter().chain(starter);
    let program = words.next().ok_or_else(|| Refusal::Confine("no program to start".to_owned()))?;
    let mut command = crate::spawn::command(program);
    command.args(words).current_dir("/").stdin(OwnedFd::from(theirs));
    crate::spawn::keep_descriptors();
    let child =
        command.spawn().map_err(|error| Refusal::Confine(format!("start {}: {error}", program.to_string_lossy())))?;
    // The command holds the starter's end of the socket: without it the starter's end is seen.
    drop(command);
    let leader = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    let leader = leader.ok_or_else(|| Refusal::Confine("no process id".to_owned()))?;
    frame::send(&mine, &Order::Start(start)).map_err(failed)?;
    let ended = |_| Refusal::Confine(format!("{} ended before the command began", program.to_string_lossy()));
    let in_force = match frame::receive(&mine, MAX_MESSAGE).map_err(ended)? {
        Answer::Confined(in_force) => in_force,
        Answer::Refused(refusal) => return Err(refusal),
    };
    match frame::receive(&mine, MAX_MESSAGE) {
        Ok(Answer::Refused(refusal)) => Err(refusal),
        // Its end of the socket is closed: it is the command.
        Ok(Answer::Confined(_)) | Err(_) => Ok((in_force, leader)),
    }
}

/// Takes the end of every process below this one, until there is none, and reports that of the command.
fn reap_all(host: &UnixStream, leader: Pid) {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == leader => {
                let news = News::Ended { code: status.exit_status(), signal: status.terminating_signal() };
                // Who does not listen any more is gone, which the other thread notices.
                let _ = frame::send(host, &news);
            }
            Err(rustix::io::Errno::CHILD) => break,
            Ok(_) | Err(_) => {}
        }
    }
}

/// Returns when the other side is gone. It says nothing more after its order.
fn wait_for_end(mut host: UnixStream) {
    let mut byte = [0];
    while matches!(host.read(&mut byte), Ok(1)) {}
}

/// Becomes the command, or says why not.
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
    if let Err(error) = frame::send(host, &Answer::Confined(in_force)) {
        return confine(&error);
    }
    let mut command = crate::spawn::command(program);
    command.args(arguments).envs(start.environment).current_dir(start.directory).stdin(Stdio::null());
    Refusal::Run(command.exec().raw_os_error().unwrap_or(libc::EINVAL))
}
