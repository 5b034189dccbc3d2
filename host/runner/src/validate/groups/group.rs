//! The control group of one command: its bounds, the processes in it, and its end.

use std::io;
use std::os::fd::{AsFd as _, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

use super::files;
use crate::monotonic;

/// How long killed processes may take to disappear.
const PATIENCE: Duration = Duration::from_secs(30);
const PAUSE: Duration = Duration::from_millis(2);

/// What the processes of a command may use together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::validate) struct Bounds {
    /// Bytes of memory, with files in memory and what the kernel keeps for the processes. `u64::MAX` bounds nothing.
    pub(in crate::validate) memory: u64,
    /// Processes and threads.
    pub(in crate::validate) tasks: u64,
}

/// What the kernel refused a command.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::validate) struct Refusals {
    /// Whether it ended processes, because the memory was full.
    pub(in crate::validate) memory: bool,
    /// Whether it refused to start a process or a thread.
    pub(in crate::validate) tasks: bool,
}

/// The group of one command. When it is dropped, every process in it is killed and the group is removed.
#[derive(Debug)]
pub(in crate::validate) struct Group {
    /// The folder in which it was made.
    within: Arc<OwnedFd>,
    name: String,
    folder: OwnedFd,
}

impl Group {
    /// Makes a group with these bounds. It is gone again if one of them cannot be set.
    pub(super) fn make(within: &Arc<OwnedFd>, name: String, bounds: Option<Bounds>) -> io::Result<Self> {
        let folder = files::make(within.as_fd(), &name)?;
        let group = Self { within: Arc::clone(within), name, folder };
        for (file, text, is_optional) in bounds.map(settings).unwrap_or_default() {
            match files::write(group.folder.as_fd(), file, &text) {
                // A kernel without swap, or before the setting came, has no such file.
                Err(error) if is_optional && error.kind() == io::ErrorKind::NotFound => {}
                result => result.map_err(|error| io::Error::new(error.kind(), format!("set {file}: {error}")))?,
            }
        }
        Ok(group)
    }

    /// Moves a process into the group. What it starts from now on is in it too.
    pub(in crate::validate) fn add(&self, process: Pid) -> io::Result<()> {
        files::write(self.folder.as_fd(), "cgroup.procs", &process.as_raw_pid().to_string())
    }

    /// What the kernel has refused so far. A file that cannot be read says nothing.
    pub(in crate::validate) fn refusals(&self) -> Refusals {
        let count = |file, key| files::read(self.folder.as_fd(), file).map_or(0, |text| files::counter(&text, key));
        Refusals { memory: count("memory.events", "oom_kill") > 0, tasks: count("pids.events", "max") > 0 }
    }

    /// Kills what is still in the group, and removes it. Returns whether it is gone.
    pub(in crate::validate) fn end(&self) -> bool {
        let deadline = monotonic::now() + PATIENCE;
        loop {
            match files::remove(self.within.as_fd(), &self.name) {
                Ok(()) => return true,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return true,
                Err(_) => self.kill(),
            }
            if monotonic::now() >= deadline {
                return false;
            }
            std::thread::park_timeout(PAUSE);
        }
    }

    /// Kills every process in the group, at once where the kernel can do that.
    fn kill(&self) {
        if files::write(self.folder.as_fd(), "cgroup.kill", "1").is_ok() {
            return;
        }
        for process in files::processes(self.folder.as_fd()).unwrap_or_default() {
            // 0 would be this process and its group.
            let Some(process) = Pid::from_raw(process).filter(|pid| pid.as_raw_pid() > 1) else { continue };
            // One that has ended meanwhile cannot be killed.
            let _ = kill_process(process, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // What is left is removed when gephost starts again.
        let _ = self.end();
    }
}

/// The files of a group's bounds, what is written to them, and whether a kernel may lack them.
fn settings(bounds: Bounds) -> Vec<(&'static str, String, bool)> {
    let number = |value: u64| if value == u64::MAX { "max".to_owned() } else { value.to_string() };
    vec![
        ("memory.max", number(bounds.memory), false),
        // What is moved to the swap would not count.
        ("memory.swap.max", "0".to_owned(), true),
        // A command that lost one of its processes would go on with half an answer.
        ("memory.oom.group", "1".to_owned(), true),
        ("pids.max", number(bounds.tasks), false),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_bound_is_written_and_no_bound_is_max() {
        let texts = |memory, tasks| {
            let all = settings(Bounds { memory, tasks });
            all.into_iter().map(|(file, text, _)| format!("{file}={text}")).collect::<Vec<_>>()
        };
        let expected = ["memory.max=1024", "memory.swap.max=0", "memory.oom.group=1", "pids.max=9"];
        assert_eq!(texts(1024, 9), expected);
        assert_eq!(texts(u64::MAX, u64::MAX)[0], "memory.max=max");
    }
}
