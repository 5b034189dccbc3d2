//! Control groups: the kernel's own bound on what the processes of a command use together (cgroup v2). Owns the groups
//! that are made below the one in which gephost was started.
//!
//! gephost uses them only if that group was delegated to it: it may write there, the controllers `memory` and `pids` are
//! available, and no foreign process is in it, since the kernel does not divide a group that has processes of its own.
//! Otherwise the limits that gephost measures hold alone, and the reason is reported.
//!
//! What must stay true: gephost changes nothing above its own group. Every file is reached from the handle of that group by
//! one name, and no link is followed. No process of a command runs outside of the command's group. Only groups that
//! gephost named are removed, and only empty ones: the kernel removes no others.
//!
//! | file | what |
//! |---|---|
//! | `own` | finds the group in which this process is |
//! | `delegated` | divides it: gephost moves into a part of its own, and makes room for commands |
//! | `group` | the group of one command |
//! | `files` | the files of a group, read and written by handle |

mod delegated;
mod files;
mod group;
mod own;

use std::sync::{Arc, Mutex, PoisonError, Weak};

use delegated::Delegated;
pub(super) use group::{Bounds, Group, Refusals};

/// The right to make groups for commands. While a copy of it lives, gephost itself is in a part of its own group.
#[derive(Debug, Clone)]
pub struct ControlGroups(Arc<Delegated>);

/// A process has one group, so all copies share it.
static HELD: Mutex<Weak<Delegated>> = Mutex::new(Weak::new());

impl ControlGroups {
    /// Those below the group of this process. The error says why there are none.
    pub fn of_this_process() -> Result<Self, String> {
        let mut held = HELD.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(shared) = held.upgrade() {
            return Ok(Self(shared));
        }
        let shared = Arc::new(Delegated::divide(own::folder()?, delegated::NEEDED)?);
        *held = Arc::downgrade(&shared);
        Ok(Self(shared))
    }

    /// Makes a group for one command.
    pub(super) fn make(&self, bounds: Bounds) -> std::io::Result<Group> {
        self.0.make(bounds)
    }
}

impl PartialEq for ControlGroups {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for ControlGroups {}
