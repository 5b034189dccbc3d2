//! Ends every process that came of one command, whatever it did to get away. Owns the signals that gephost sends.
//!
//! A command starts in a session of its own. Its processes are found by that session, by descent, and, as this process
//! adopts orphans (`PR_SET_CHILD_SUBREAPER`), among its own children: a daemon that left the session is still one of
//! those. No process can join a session that exists, so a child of this process in a foreign session was adopted.
//! While several commands run at once, it cannot be told whose such a child is; it ends with the last of them.
//!
//! On systems without `/proc` the process group is what can be ended.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, getsid, kill_process, kill_process_group, waitid, waitpid,
};

/// The leaders of the commands that run now.
static LEADERS: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

/// How long killed processes may take to disappear.
const PATIENCE: Duration = Duration::from_secs(5);
/// Pause between two looks at the process table.
const PAUSE: Duration = Duration::from_millis(2);

/// A command's processes. Its leader must have been started in a session of its own, and not been waited for.
pub(super) struct Family {
    leader: Pid,
}

impl Family {
    /// Starts the leader and enters it, so that no other command's end takes it for an orphan.
    pub(super) fn start<T>(start: impl FnOnce() -> std::io::Result<(Pid, T)>) -> std::io::Result<(Self, T)> {
        adopt_orphans()?;
        let mut leaders = leaders();
        let (leader, started) = start()?;
        leaders.insert(leader.as_raw_pid());
        Ok((Self { leader }, started))
    }

    pub(super) fn leader(&self) -> Pid {
        self.leader
    }

    /// Whether the leader has ended; it is not reaped by that.
    pub(super) fn leader_has_ended(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        // An error means that there is no such child, so nothing is left to wait for.
        !matches!(waitid(WaitId::Pid(self.leader), options), Ok(None))
    }

    /// Kills every process of the command and reaps those that became children of this one. The leader is killed and
    /// left to the caller to reap. True when all are gone; false when some could not be ended in five seconds.
    pub(super) fn end(&self) -> bool {
        let deadline = Instant::now() + PATIENCE;
        loop {
            // Safe to signal by number: the leader is not reaped, so its number is not given to another.
            let _ = kill_process_group(self.leader, Signal::KILL);
            if !self.kill_and_reap_once() && self.leader_has_ended() {
                return true;
            }
            if Instant::now() >= deadline {
                return false;
            }
            std::thread::park_timeout(PAUSE);
        }
    }

    /// Whether a process of the command was still there.
    fn kill_and_reap_once(&self) -> bool {
        let leaders = leaders();
        let alone = leaders.len() == 1;
        let table = process_table();
        let mut found = false;
        for process in members(&table, &leaders, self.leader.as_raw_pid(), getpid().as_raw_pid(), own_session(), alone)
        {
            let Some(pid) = Pid::from_raw(process.pid) else {
                continue;
            };
            if process.ended && process.parent == getpid().as_raw_pid() {
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            } else {
                found = true;
                let _ = kill_process(pid, Signal::KILL);
            }
        }
        found
    }
}

impl Drop for Family {
    fn drop(&mut self) {
        leaders().remove(&self.leader.as_raw_pid());
    }
}

/// Kills the commands that run now, without waiting for their end: for a process that ends at once itself.
pub(super) fn kill_all() {
    for leader in leaders().iter().copied().filter_map(Pid::from_raw) {
        let _ = kill_process_group(leader, Signal::KILL);
    }
}

fn leaders() -> MutexGuard<'static, BTreeSet<i32>> {
    LEADERS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn own_session() -> i32 {
    getsid(None).map_or(0, Pid::as_raw_pid)
}

#[cfg(target_os = "linux")]
fn adopt_orphans() -> std::io::Result<()> {
    // Any number but none switches it on, for the whole process and for good.
    Ok(rustix::process::set_child_subreaper(Some(getpid()))?)
}

#[cfg(not(target_os = "linux"))]
fn adopt_orphans() -> std::io::Result<()> {
    Ok(())
}

/// One line of the process table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Process {
    pid: i32,
    parent: i32,
    session: i32,
    /// A zombie.
    ended: bool,
}

/// The processes of a command, without its leader.
fn members(
    table: &BTreeMap<i32, Process>,
    leaders: &BTreeSet<i32>,
    leader: i32,
    own: i32,
    own_session: i32,
    alone: bool,
) -> Vec<Process> {
    let is_first = |process: &&Process| {
        let adopted = process.parent == own && process.session != own_session && !leaders.contains(&process.session);
        process.session == leader || process.parent == leader || (alone && adopted)
    };
    let mut found: BTreeSet<i32> = table.values().filter(is_first).map(|process| process.pid).collect();
    loop {
        let descends = |process: &&Process| found.contains(&process.parent) && !found.contains(&process.pid);
        let more: Vec<i32> = table.values().filter(descends).map(|process| process.pid).collect();
        if more.is_empty() {
            break;
        }
        found.extend(more);
    }
    found.remove(&leader);
    found.remove(&own);
    found.iter().filter_map(|pid| table.get(pid)).copied().collect()
}

fn process_table() -> BTreeMap<i32, Process> {
    let Ok(folders) = std::fs::read_dir("/proc") else {
        return BTreeMap::new();
    };
    folders
        .flatten()
        .filter_map(|folder| folder.file_name().to_str()?.parse::<i32>().ok())
        .filter_map(|pid| {
            // The program's name need not be UTF-8.
            let stat = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
            Some((pid, parse_stat(pid, &String::from_utf8_lossy(&stat))?))
        })
        .collect()
}

/// `pid (name) state parent group session …`; the name may hold anything, so what follows counts from its last `)`.
fn parse_stat(pid: i32, stat: &str) -> Option<Process> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_ascii_whitespace();
    let ended = matches!(fields.next()?, "Z" | "X");
    let parent = fields.next()?.parse().ok()?;
    let session = fields.nth(1)?.parse().ok()?;
    Some(Process { pid, parent, session, ended })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[(i32, i32, i32)]) -> BTreeMap<i32, Process> {
        let process = |&(pid, parent, session)| (pid, Process { pid, parent, session, ended: false });
        rows.iter().map(process).collect()
    }

    #[test]
    fn a_program_name_cannot_forge_a_parent() {
        let stat = "7 (x) R 1 1 1 (y) Z 1) S 3 4 5 0 -1";
        assert_eq!(parse_stat(7, stat), Some(Process { pid: 7, parent: 3, session: 5, ended: false }));
        assert_eq!(parse_stat(7, "7 (x"), None);
        assert_eq!(parse_stat(7, "7 (x) Z 1"), None);
    }

    #[test]
    fn members_are_found_by_session_descent_and_adoption() {
        // We are 10 in session 1; commands lead 20 and 30; 5 is a plain child of ours.
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
        assert_eq!(pids(members(&table, &leaders, 20, 10, 1, false)), [21, 22, 23, 24]);
        let leaders = BTreeSet::from([20]);
        assert_eq!(pids(members(&table, &leaders, 20, 10, 1, true)), [21, 22, 23, 24, 30, 31, 40, 41]);
    }
}
