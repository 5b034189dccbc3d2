//! A control group that was delegated to gephost, divided: one part for gephost itself, one for each command.

use std::io;
use std::os::fd::{AsFd as _, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::Dir;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};

use super::files;
use super::group::{Bounds, Group};
use crate::validate::family;

/// The controllers without which nothing is bounded.
pub(super) const NEEDED: &[&str] = &["memory", "pids"];

/// How the groups that gephost makes begin. Then come its process id and what it is for.
const PREFIX: &str = "gephost-";
/// How often the processes of gephost are moved, since new ones may be started meanwhile.
const TRIES: usize = 5;

/// A divided group. Dropping it puts everything back as it was.
#[derive(Debug)]
pub(super) struct Delegated {
    folder: Arc<OwnedFd>,
    needed: &'static [&'static str],
    /// The part that gephost moved into; none if the group may have processes of its own.
    seat: Option<String>,
    made: AtomicU64,
}

impl Delegated {
    /// Divides the group whose folder is handed over. The error says why that cannot be done; nothing has changed then.
    pub(super) fn divide(folder: OwnedFd, needed: &'static [&'static str]) -> Result<Self, String> {
        let at = folder.as_fd();
        let read = |name: &str| files::read(at, name).map_err(|error| format!("read {name}: {error}"));
        let available = read("cgroup.controllers")?;
        if let Some(missing) = needed.iter().find(|name| !has(&available, name)) {
            return Err(format!("the controller `{missing}` is not available in gephost's control group"));
        }
        let is_divided = needed.iter().all(|name| read("cgroup.subtree_control").is_ok_and(|text| has(&text, name)));
        // The root of the hierarchy has no type. It may have processes, and its settings are the machine's.
        let is_root = files::read(at, "cgroup.type").is_err();
        if is_root && !is_divided {
            return Err("gephost runs in the root group of the machine".to_owned());
        }
        let mut own = Self { folder: Arc::new(folder), needed, seat: None, made: AtomicU64::new(0) };
        own.sweep();
        if !is_divided {
            own.take_seat()?;
        }
        // Whether groups can be made and bounded is known only after one was.
        let tried = own.make(Bounds { memory: u64::MAX, tasks: u64::MAX });
        let tried = tried.map_err(|error| format!("make a control group: {error}"))?;
        if tried.end() { Ok(own) } else { Err("remove a control group: it is busy".to_owned()) }
    }

    fn folder(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }

    /// Makes a group for one command.
    pub(super) fn make(&self, bounds: Bounds) -> io::Result<Group> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let bounds = (self.needed == NEEDED).then_some(bounds);
        Group::make(&self.folder, format!("{PREFIX}{}-{number}", std::process::id()), bounds)
    }

    /// Moves gephost into a part of its own, so that the kernel divides the group.
    fn take_seat(&mut self) -> Result<(), String> {
        self.has_no_others()?;
        let name = format!("{PREFIX}{}-host", std::process::id());
        let seat = files::make(self.folder(), &name).map_err(|error| format!("make a control group: {error}"))?;
        self.seat = Some(name);
        let mut result = Ok(());
        for _ in 0..TRIES {
            result = move_all(self.folder(), seat.as_fd()).and_then(|()| self.control('+'));
            if result.is_ok() {
                return Ok(());
            }
        }
        result.map_err(|error| format!("divide gephost's control group: {error}"))
    }

    /// Only processes of gephost may be in the group: nobody else's are moved.
    fn has_no_others(&self) -> Result<(), String> {
        let all = files::processes(self.folder()).map_err(|error| format!("read cgroup.procs: {error}"))?;
        let own = family::with_descendants().map_err(|error| format!("read /proc: {error}"))?;
        let others = all.iter().filter(|process| !own.contains(process)).count();
        if others == 0 {
            Ok(())
        } else {
            Err(format!("gephost shares its control group with {others} other processes"))
        }
    }

    fn control(&self, sign: char) -> io::Result<()> {
        let words: Vec<String> = self.needed.iter().map(|name| format!("{sign}{name}")).collect();
        if words.is_empty() { Ok(()) } else { files::write(self.folder(), "cgroup.subtree_control", &words.join(" ")) }
    }

    /// Removes the groups of processes that are gone.
    fn sweep(&self) {
        let entries = Dir::read_from(self.folder()).into_iter().flatten().flatten();
        for name in entries.filter_map(|entry| entry.file_name().to_str().map(str::to_owned).ok()) {
            let process = name.strip_prefix(PREFIX).and_then(|rest| rest.split('-').next()?.parse().ok());
            let is_gone = |process| test_kill_process(process) == Err(Errno::SRCH);
            if process.and_then(Pid::from_raw).is_some_and(is_gone) {
                // One that is not empty stays.
                let _ = files::remove(self.folder(), &name);
            }
        }
    }
}

impl Drop for Delegated {
    fn drop(&mut self) {
        let Some(name) = &self.seat else { return };
        // A group that distributes controllers cannot have processes, so that goes first.
        let _ = self.control('-');
        if let Ok(seat) = files::open(self.folder(), name) {
            let _ = move_all(seat.as_fd(), self.folder());
        }
        let _ = files::remove(self.folder(), name);
    }
}

fn move_all(from: BorrowedFd<'_>, to: BorrowedFd<'_>) -> io::Result<()> {
    for process in files::processes(from)? {
        match files::write(to, "cgroup.procs", &process.to_string()) {
            // It has ended meanwhile.
            Err(error) if error.raw_os_error() == Some(libc::ESRCH) => {}
            result => result?,
        }
    }
    Ok(())
}

fn has(list: &str, name: &str) -> bool {
    list.split_whitespace().any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use std::process::{Child, Command};

    use super::super::own;
    use super::*;

    /// The group of this process, divided without a controller, so that it works wherever groups can be made.
    fn here() -> Option<Delegated> {
        own::folder().and_then(|folder| Delegated::divide(folder, &[])).ok()
    }

    fn sleeper() -> (Child, Pid) {
        let child = Command::new("sleep").arg("600").spawn().expect("a process");
        let pid = Pid::from_child(&child);
        (child, pid)
    }

    fn names(delegated: &Delegated) -> Vec<String> {
        let entries = Dir::read_from(delegated.folder()).expect("a folder").flatten();
        let names = entries.filter_map(|entry| entry.file_name().to_str().map(str::to_owned).ok());
        names.filter(|name| name.starts_with(&format!("{PREFIX}{}-", std::process::id()))).collect()
    }

    #[test]
    fn what_is_in_a_group_ends_with_it_and_nothing_else_does() {
        let Some(delegated) = here() else { return };
        let bounds = Bounds { memory: 1 << 30, tasks: 8 };
        let (group, other) = (delegated.make(bounds).expect("a group"), delegated.make(bounds).expect("a group"));
        let ((mut inside, pid), (mut outside, _)) = (sleeper(), sleeper());
        group.add(pid).expect("a member");
        assert!(group.end(), "it is gone");
        assert!(!inside.wait().expect("an end").success());
        assert!(outside.try_wait().expect("a process").is_none());
        outside.kill().expect("ours");
        outside.wait().expect("an end");
        assert_eq!(names(&delegated).len(), 1, "the other one is there");
        drop((group, other));
        assert_eq!(names(&delegated), [""; 0]);
    }

    #[test]
    fn a_folder_that_is_no_group_is_refused_and_left_as_it_is() {
        let folder = tempfile::tempdir().expect("a folder");
        for (files, reason) in [
            (&[][..], "read cgroup.controllers"),
            (&[("cgroup.controllers", "cpu pids\n")], "the controller `memory` is not available"),
            (&[("cgroup.controllers", "memory pids\n"), ("cgroup.subtree_control", "cpu\n")], "the root group"),
        ] {
            for (name, text) in files {
                std::fs::write(folder.path().join(name), text).expect("a file");
            }
            let opened = std::fs::File::open(folder.path()).expect("a folder");
            let refused = Delegated::divide(opened.into(), NEEDED).expect_err("no group");
            assert!(refused.contains(reason), "{refused}");
            assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), files.len());
        }
    }

    #[test]
    fn a_group_with_foreign_processes_is_not_divided() {
        let folder = tempfile::tempdir().expect("a folder");
        let own = std::process::id().to_string();
        for (name, text) in [
            ("cgroup.controllers", "memory pids\n"),
            ("cgroup.subtree_control", "\n"),
            ("cgroup.type", "domain\n"),
            ("cgroup.procs", &*format!("{own}\n1\n0\n")),
        ] {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let opened = std::fs::File::open(folder.path()).expect("a folder");
        let refused = Delegated::divide(opened.into(), NEEDED).expect_err("a shared group");
        assert_eq!(refused, "gephost shares its control group with 2 other processes");
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 4, "nothing was made");
    }
}
