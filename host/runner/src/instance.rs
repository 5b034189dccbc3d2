//! One gephost at a time changes a repository. Owns the lock file that says which one.
//!
//! What must stay true: the lock is the system's, so that it ends with its process, whatever ends that; what stands in
//! the file is for people only.

use std::fs::{File, TryLockError};
use std::io::{self, Read as _, Seek as _, Write as _};
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use rustix::fs::{Mode, OFlags};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::durable::{self, Access};
use crate::place::Place;

/// The largest lock file that is read, in bytes.
const MAX_BYTES: u64 = 4096;
/// How often the lock is tried for while nobody alive stands in the file. Whoever only looks holds it for a moment too,
/// and so does a child that the system has not let start its program yet when its parent is killed.
const ATTEMPTS: u32 = 200;
/// The pause between two of them.
const PAUSE: Duration = Duration::from_millis(10);

/// Who holds the lock.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Holder {
    /// Its process.
    pub pid: u32,
    /// Since when (RFC 3339).
    pub since: String,
    /// The command that it runs.
    pub command: String,
}

/// The lock, held while this value lives.
#[derive(Debug)]
pub struct Instance {
    file: File,
}

/// Why the lock is not to be had.
#[derive(Debug, thiserror::Error)]
pub enum InstanceError {
    /// Another one holds it.
    #[error("another gephost changes this repository{}", of(holder.as_ref()))]
    Held {
        /// Which; `None` where it has not written itself down yet.
        holder: Option<Holder>,
    },
    /// The system.
    #[error("failed to lock {}: {source}", path.display())]
    Io {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

fn of(holder: Option<&Holder>) -> String {
    holder
        .map(|holder| format!(": process {} runs `gephost {}` since {}", holder.pid, holder.command, holder.since))
        .unwrap_or_default()
}

impl Instance {
    /// Takes the lock for this process, or says who has it. Does not wait.
    pub fn take(place: &Place, command: &str, now: Timestamp) -> Result<Self, InstanceError> {
        let io = |source| InstanceError::Io { path: place.path(), source };
        durable::create_folder(&place.parent(), Access::Private).map_err(io)?;
        let file = place.open(OFlags::RDWR | OFlags::CREATE, Mode::RUSR | Mode::WUSR);
        let mut file = file.map_err(io)?;
        lock(&mut file).map_err(|error| match error {
            TryLockError::WouldBlock => InstanceError::Held { holder: read(&mut file) },
            TryLockError::Error(source) => io(source),
        })?;
        let holder = Holder { pid: std::process::id(), since: now.to_string(), command: command.to_owned() };
        let text = serde_json::to_string(&holder).map_err(|error| io(error.into()))?;
        file.set_len(0).and_then(|()| file.rewind()).and_then(|()| file.write_all(text.as_bytes())).map_err(io)?;
        Ok(Self { file })
    }

    /// Who holds the lock now, if anyone does. Makes nothing, and works in a folder that cannot be written to.
    pub fn holder(place: &Place) -> io::Result<Option<Holder>> {
        let Some(mut file) = durable::open_to_read(place)? else { return Ok(None) };
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Ok(read(&mut file)),
            Ok(()) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // The lock itself goes with the descriptor; an empty file says that nobody has it.
        let _ = self.file.set_len(0);
    }
}

fn lock(file: &mut File) -> Result<(), TryLockError> {
    for _ in 1..ATTEMPTS {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if !is_held_by_the_living(file) => std::thread::park_timeout(PAUSE),
            result => return result,
        }
    }
    file.try_lock()
}

/// Whether the file names a process that is there.
fn is_held_by_the_living(file: &mut File) -> bool {
    let pid = read(file).and_then(|holder| rustix::process::Pid::from_raw(i32::try_from(holder.pid).ok()?));
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH))
}

fn read(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_one_is_told_who_has_it_and_the_next_one_gets_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = Place::own(folder.path()).join("state/lock");
        assert_eq!(Instance::holder(&path).unwrap(), None);
        assert!(!path.exists().unwrap(), "looking makes nothing");
        let first = Instance::take(&path, "autopilot", Timestamp::UNIX_EPOCH).unwrap();
        let refused = Instance::take(&path, "run --apply", Timestamp::UNIX_EPOCH).unwrap_err().to_string();
        let expect = format!("process {} runs `gephost autopilot` since 1970-01-01T00:00:00Z", std::process::id());
        assert!(refused.ends_with(&expect), "{refused}");
        assert_eq!(Instance::holder(&path).unwrap().map(|holder| holder.pid), Some(std::process::id()));
        drop(first);
        assert_eq!(Instance::holder(&path).unwrap(), None);
        Instance::take(&path, "run --apply", Timestamp::UNIX_EPOCH).unwrap();
    }

    #[test]
    fn what_a_dead_one_left_in_the_file_holds_nobody_up() {
        let folder = tempfile::tempdir().unwrap();
        let path = Place::own(folder.path()).join("lock");
        for left in ["", "not json", r#"{"pid":1,"since":"1970-01-01T00:00:00Z","command":"run"}"#] {
            std::fs::write(path.path(), left).unwrap();
            assert_eq!(Instance::holder(&path).unwrap(), None);
            Instance::take(&path, "run", Timestamp::UNIX_EPOCH).unwrap();
        }
    }

    #[test]
    fn a_link_in_its_place_is_refused_and_its_target_kept() {
        let folder = tempfile::tempdir().unwrap();
        let (path, target) = (Place::own(folder.path()).join("lock"), folder.path().join("target"));
        std::fs::write(&target, "mine").unwrap();
        std::os::unix::fs::symlink(&target, path.path()).unwrap();
        assert!(matches!(Instance::take(&path, "run", Timestamp::UNIX_EPOCH), Err(InstanceError::Io { .. })));
        assert_eq!(std::fs::read_to_string(&target).unwrap(), "mine");
    }

    #[test]
    fn a_lock_that_cannot_be_written_to_can_be_looked_at() {
        let folder = tempfile::tempdir().unwrap();
        let path = Place::own(folder.path()).join("lock");
        drop(Instance::take(&path, "autopilot", Timestamp::UNIX_EPOCH).unwrap());
        // Root may write to any file, but gephost writes to none that has a second name.
        std::fs::hard_link(path.path(), folder.path().join("other")).unwrap();
        assert!(matches!(Instance::take(&path, "autopilot", Timestamp::UNIX_EPOCH), Err(InstanceError::Io { .. })));
        assert_eq!(Instance::holder(&path).unwrap(), None);
    }
}
