//! Ends every process that came of one command, whatever it did to get away. Owns the signals that gephost sends.
//!
//! A command has a keeper (`launch`), which adopts what the command's processes leave behind (`PR_SET_CHILD_SUBREAPER`): a
//! daemon that left its session and its parent is still below the keeper. A command that is not confined can kill its
//! keeper; then this process adopts the orphans. They are found by the command's session and by descent, and among our own
//! children: no process can join a session that exists, so a child of this process in a foreign session was adopted. While
//! several commands run at once, it cannot be told whose such a child is; it ends with the last of them.
//!
//! A process table that cannot be read is never taken for an empty one: a command is over only when the table says so.

#![expect(clippy::disallowed_methods, reason = "the kernel lists processes in files")]

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, WaitOptions, getpgrp, getpid, getsid, kill_process,
    kill_process_group, pidfd_open, pidfd_send_signal, waitid, waitpid,
};

use crate::monotonic;

/// The keepers of the running commands.
static LEADERS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// How long killed processes may take to disappear.
const PATIENCE: Duration = Duration::from_secs(30);
/// Pause between two reads of the process table while it has nothing new. It doubles up to the longest pause.
const PAUSE: Duration = Duration::from_micros(250);
const LONGEST_PAUSE: Duration = Duration::from_millis(16);

/// The processes of a command: its keeper, and those below it. The keeper must have been started in its own session,
/// and must not have been waited for.
pub(super) struct Family {
    leader: Pid,
    /// The session of the command itself, by which it is found if the command killed its keeper.
    session: Cell<i32>,
}

/// What runs of a command at one moment.
pub(super) struct Running {
    /// The numbers of its processes.
    pub(super) processes: Vec<i32>,
    /// How many threads they have together.
    pub(super) threads: u64,
}

impl Family {
    /// Starts the keeper and registers it, so that the end of another command does not treat it as an orphan.
    pub(super) fn start<T>(start: impl FnOnce() -> io::Result<(Pid, T)>) -> io::Result<(Self, T)> {
        adopt_orphans()?;
        let mut leaders = leaders();
        let (leader, started) = start()?;
        leaders.insert(leader.as_raw_pid());
        Ok((Self { leader, session: Cell::new(leader.as_raw_pid()) }, started))
    }

    pub(super) fn leader(&self) -> Pid {
        self.leader
    }

    /// Records that the command itself leads this session.
    pub(super) fn leads(&self, session: i32) {
        self.session.set(session);
    }

    /// Whether the keeper has ended. This does not reap it.
    pub(super) fn leader_has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error means that there is no such child, so there is nothing to wait for.
        !matches!(waitid(WaitId::Pid(self.leader), options), Ok(None))
    }

    /// The command's processes that run, without its keeper.
    pub(super) fn running(&self) -> io::Result<Running> {
        let members = self.members(&process_table()?);
        let running = members.iter().filter(|process| !process.ended);
        Ok(Running {
            processes: running.clone().map(|process| process.pid).collect(),
            threads: running.map(|process| process.threads).fold(0, u64::saturating_add),
        })
    }

    /// Kills every process of the command, and then its keeper, which has reaped them. The keeper is left to the caller
    /// to reap. Returns true when all are gone, and false when some could not be ended in half a minute, or when the
    /// process table could not be read in that time: nobody knows then what still runs.
    pub(super) fn end(&self) -> bool {
        let deadline = monotonic::now() + PATIENCE;
        let mut looks = Looks::default();
        loop {
            let members = process_table().map(|table| self.members(&table));
            let living = members.as_deref().map(kill).unwrap_or_default();
            if living.is_empty() && members.is_ok_and(|members| self.end_leader(&members)) {
                return true;
            }
            if monotonic::now() >= deadline {
                return false;
            }
            looks.pause(living);
        }
    }

    /// Ends the keeper after the last process of the command. Not before: what the keeper has adopted would become ours,
    /// and nobody could tell whose it was. Returns whether it is gone.
    fn end_leader(&self, members: &[Process]) -> bool {
        let _ = kill_process(self.leader, Signal::KILL);
        reap_adopted(members);
        if !self.leader_has_ended() {
            return false;
        }
        // The keeper's zombies are children of this process since.
        if let Ok(table) = process_table() {
            reap_adopted(&self.members(&table));
        }
        true
    }

    fn members(&self, table: &BTreeMap<i32, Process>) -> Vec<Process> {
        let leaders = leaders();
        let alone = leaders.len() == 1;
        let sessions = [self.leader.as_raw_pid(), self.session.get()];
        members(table, &leaders, sessions, getpid().as_raw_pid(), own_session(), alone)
    }
}

/// Kills all that are not dead yet, and returns them. Process groups are killed first: the kernel ends a group at once,
/// and a concurrent fork either joins the group before or fails. A fork bomb is thus not chased process by process.
fn kill(processes: &[Process]) -> Vec<Process> {
    let living: Vec<Process> = processes.iter().filter(|process| !process.ended).copied().collect();
    let own = (own_session(), getpgrp().as_raw_pid());
    let groups: BTreeSet<i32> =
        living.iter().filter(|process| process.session != own.0).map(|process| process.group).collect();
    for group in groups.into_iter().filter(|group| *group != own.1).filter_map(Pid::from_raw) {
        let _ = kill_process_group(group, Signal::KILL);
    }
    for process in &living {
        send(process, Signal::KILL);
    }
    living
}

/// Reads the process table repeatedly. New processes are killed at once; killed ones are given time to disappear.
#[derive(Default)]
struct Looks {
    before: Vec<Process>,
    pause: Duration,
}

impl Looks {
    /// Pauses if these are the same processes as at the last read.
    fn pause(&mut self, living: Vec<Process>) {
        let is_new =
            |process: &Process| !self.before.iter().any(|old| (old.pid, old.began) == (process.pid, process.began));
        if living.iter().any(is_new) {
            self.pause = Duration::ZERO;
        } else {
            self.pause = (self.pause * 2).clamp(PAUSE, LONGEST_PAUSE);
            std::thread::park_timeout(self.pause);
        }
        self.before = living;
    }
}

/// Sends a signal to a process of the table, unless its number has been reused.
fn send(process: &Process, signal: Signal) {
    let Some(pid) = Pid::from_raw(process.pid) else { return };
    match pidfd_open(pid, PidfdFlags::empty()) {
        Ok(descriptor) if look_up(process.pid).is_ok_and(|now| now.is_some_and(|now| now.began == process.began)) => {
            let _ = pidfd_send_signal(&descriptor, signal);
        }
        // This kernel has no process descriptors.
        Err(rustix::io::Errno::NOSYS) => drop(kill_process(pid, signal)),
        Ok(_) | Err(_) => {}
    }
}

/// Reaps those that became children of this process.
fn reap_adopted(processes: &[Process]) {
    let own = getpid().as_raw_pid();
    for process in processes.iter().filter(|process| process.ended && process.parent == own) {
        let _ = Pid::from_raw(process.pid).map(|pid| waitpid(Some(pid), WaitOptions::NOHANG));
    }
}

/// Asks a child of this process, and everything below it, to end: the signal that Ctrl-C sends.
pub(super) fn interrupt(top: Pid) {
    let table = process_table().unwrap_or_default();
    for process in below(&table, BTreeSet::from([top.as_raw_pid()])) {
        send(&process, Signal::INT);
    }
    let _ = kill_process(top, Signal::INT);
}

/// Kills everything below a process, for at most half a minute.
pub(super) fn end_below(top: Pid) {
    let deadline = monotonic::now() + PATIENCE;
    let mut looks = Looks::default();
    while monotonic::now() < deadline {
        let living = process_table().map(|table| kill(&below(&table, BTreeSet::from([top.as_raw_pid()]))));
        if living.as_ref().is_ok_and(Vec::is_empty) {
            return;
        }
        looks.pause(living.unwrap_or_default());
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        leaders().remove(&self.leader.as_raw_pid());
    }
}

/// Kills the running commands without waiting for their end, for a process that is about to exit.
pub(super) fn kill_all() {
    // Their keepers end what is forked meanwhile, and all of it where the table cannot be read, as soon as this process is
    // gone.
    if let Ok(table) = process_table() {
        kill(&below(&table, leaders().clone()));
    }
}

fn leaders() -> MutexGuard<'static, BTreeSet<i32>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn own_session() -> i32 {
    getsid(None).map_or(0, Pid::as_raw_pid)
}

#[cfg(target_os = "linux")]
fn adopt_orphans() -> io::Result<()> {
    // Any number but 0 enables it for the whole process, permanently.
    Ok(rustix::process::set_child_subreaper(Some(getpid()))?)
}

#[cfg(not(target_os = "linux"))]
fn adopt_orphans() -> io::Result<()> {
    Ok(())
}

/// A line of the process table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Process {
    pid: i32,
    parent: i32,
    group: i32,
    session: i32,
    /// Whether it is a zombie with no thread left. The kernel calls a process a zombie as soon as its first thread has
    /// ended, even if others run.
    ended: bool,
    threads: u64,
    /// Start time, in the kernel's ticks.
    began: u64,
}

/// The processes of a command, without its keeper. `sessions` starts with the keeper's.
fn members(
    table: &BTreeMap<i32, Process>,
    leaders: &BTreeSet<i32>,
    sessions: [i32; 2],
    own: i32,
    own_session: i32,
    alone: bool,
) -> Vec<Process> {
    let [keeper, _] = sessions;
    let is_first = |process: &&Process| {
        let adopted = process.parent == own && process.session != own_session && !leaders.contains(&process.session);
        sessions.contains(&process.session) || process.parent == keeper || (alone && adopted)
    };
    let mut found = below(table, table.values().filter(is_first).map(|process| process.pid).collect());
    found.extend(table.values().filter(is_first));
    found.retain(|process| process.pid != keeper && process.pid != own);
    found.sort_by_key(|process| process.pid);
    found.dedup();
    found
}

/// This process and its descendants.
pub(super) fn with_descendants() -> io::Result<BTreeSet<i32>> {
    let own = BTreeSet::from([getpid().as_raw_pid()]);
    let below = below(&process_table()?, own.clone());
    Ok(own.into_iter().chain(below.iter().map(|process| process.pid)).collect())
}

/// The descendants of these processes.
fn below(table: &BTreeMap<i32, Process>, mut known: BTreeSet<i32>) -> Vec<Process> {
    let top = known.clone();
    loop {
        let descends = |process: &&Process| known.contains(&process.parent) && !known.contains(&process.pid);
        let more: Vec<i32> = table.values().filter(descends).map(|process| process.pid).collect();
        if more.is_empty() {
            break;
        }
        known.extend(more);
    }
    known.difference(&top).filter_map(|pid| table.get(pid)).copied().collect()
}

/// Every process of the machine that this one may see. A table that cannot be read is an error: an empty one would say that
/// all are gone.
fn process_table() -> io::Result<BTreeMap<i32, Process>> {
    let mut table = BTreeMap::new();
    for folder in std::fs::read_dir("/proc")? {
        let name = folder?.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse().ok()) else { continue };
        if let Some(process) = look_up(pid)? {
            table.insert(pid, process);
        }
    }
    if table.is_empty() {
        return Err(io::Error::other("/proc lists no process"));
    }
    Ok(table)
}

/// A process by its number; none if it has gone.
fn look_up(pid: i32) -> io::Result<Option<Process>> {
    match std::fs::read(format!("/proc/{pid}/stat")) {
        // The program's name may not be UTF-8.
        Ok(stat) => Ok(parse_stat(pid, &String::from_utf8_lossy(&stat))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.raw_os_error() == Some(libc::ESRCH) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Parses `pid (name) state parent group session …`. The name may contain anything, so the fields after its last `)`
/// are used.
fn parse_stat(pid: i32, stat: &str) -> Option<Process> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let is_zombie = matches!(fields.next()?, "Z" | "X");
    let mut number = || fields.next()?.parse().ok();
    let (parent, group, session) = (number()?, number()?, number()?);
    let threads = fields.nth(13)?.parse().ok()?;
    let began = fields.nth(1)?.parse().ok()?;
    Some(Process { pid, parent, group, session, ended: is_zombie && threads <= 1, threads, began })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(i32, i32, i32)]) -> BTreeMap<i32, Process> {
        let process = |&(pid, parent, session)| {
            (pid, Process { pid, parent, group: pid, session, ended: false, threads: 1, began: 0 })
        };
        rows.iter().map(process).collect()
    }

    #[test]
    fn a_program_name_cannot_forge_a_parent() {
        let stat = "7 (x) R 1 1 1 (y) Z 1) S 3 4 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 9 100";
        assert_eq!(
            parse_stat(7, stat),
            Some(Process { pid: 7, parent: 3, group: 4, session: 5, ended: false, threads: 1, began: 9 })
        );
        assert_eq!(parse_stat(7, "7 (x"), None);
        assert_eq!(parse_stat(7, "7 (x) Z 1"), None);
    }

    #[test]
    fn a_process_has_ended_when_its_last_thread_has() {
        for (state, threads, ended) in
            [("S", 1, false), ("S", 2, false), ("Z", 1, true), ("Z", 0, true), ("X", 0, true), ("Z", 2, false)]
        {
            let stat = format!("7 (x) {state} 3 4 5 0 -1 0 0 0 0 0 0 0 0 0 20 0 {threads} 0 9 100");
            assert_eq!(parse_stat(7, &stat).map(|process| process.ended), Some(ended), "{stat}");
        }
    }

    #[test]
    fn members_are_found_by_session_descent_and_adoption() {
        // We are 10 in session 1. Commands lead 20 and 30. 5 is an ordinary child of ours.
        let table = table(&[
            (10, 1, 1),
            (5, 10, 1),
            (20, 10, 20),
            (30, 10, 30),
            (31, 30, 30),
            (21, 20, 20),
            (22, 21, 22),
            (23, 22, 23),
            (40, 10, 40),
            (41, 40, 41),
            (24, 10, 20),
            (99, 1, 99),
        ]);
        let leaders = BTreeSet::from([20, 30]);
        let pids = |found: Vec<Process>| found.iter().map(|process| process.pid).collect::<Vec<_>>();
        assert_eq!(pids(members(&table, &leaders, [20, 20], 10, 1, false)), [21, 22, 23, 24]);
        assert_eq!(pids(members(&table, &leaders, [20, 40], 10, 1, false)), [21, 22, 23, 24, 40, 41]);
        let leaders = BTreeSet::from([20]);
        assert_eq!(pids(members(&table, &leaders, [20, 20], 10, 1, true)), [21, 22, 23, 24, 30, 31, 40, 41]);
    }
}
