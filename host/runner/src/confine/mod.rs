//! Confines a process of ours: a value describes what it may still do, is sent to the process as data, and is applied
//! there for good.
//!
//! This is where a process gives up authority. Code that runs in the process later cannot undo it: Landlock rules and
//! system-call filters can only become stricter, are inherited by every thread and child, and persist across `exec`. A
//! part that the kernel lacks is reported; with [`Confinement::strict`] it is an error.
//!
//! | file | what |
//! |---|---|
//! | `files` | Landlock: files, TCP, signals and abstract sockets |
//! | `calls` | seccomp: which system calls there are for our own code |
//! | `commands` | the same for programs that are not ours |
//! | `filter` | one seccomp filter |
//! | `privileges` | capabilities, and rights that a started program could gain |
//! | `limits` | resource limits |
//! | `support` | what this kernel has, by trying |

mod calls;
mod commands;
mod error;
mod files;
mod filter;
mod limits;
mod privileges;
mod support;

use serde::{Deserialize, Serialize};

pub use calls::SystemCalls;
pub use commands::CommandCalls;
pub use error::ConfineError;
pub use files::FileRules;
pub use limits::Limits;
pub use support::Support;

/// What a process may still do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Rules for Landlock; `None` leaves files, TCP and signals unrestricted.
    pub files: Option<FileRules>,
    /// The allowed system calls.
    pub calls: SystemCalls,
    /// Resource limits.
    pub limits: Limits,
    /// Whether it drops every capability, which a process of root has.
    pub capabilities_dropped: bool,
    /// Whether a part that the kernel lacks is an error.
    pub strict: bool,
}

/// Which parts are in force in a process, as the kernel reported.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InForce {
    /// The enforced version of Landlock's interface, from 1.
    pub landlock: Option<u8>,
    /// Whether system calls are filtered.
    pub seccomp: bool,
}

impl Confinement {
    /// Confines this thread and every thread and process that it starts from now on. The system-call filter also
    /// applies to threads that are already running, but Landlock does not, so call this before starting threads.
    ///
    /// On success, everything requested is in force or, without `strict`, everything that this kernel supports.
    pub fn apply(&self) -> Result<InForce, ConfineError> {
        self.limits.apply()?;
        privileges::no_new().map_err(ConfineError::Privileges)?;
        let landlock = match &self.files {
            None => None,
            Some(rules) => files::apply(rules, self.strict)?,
        };
        if self.capabilities_dropped {
            privileges::drop_capabilities().map_err(ConfineError::Privileges)?;
        }
        let seccomp = tighten(self.calls, self.strict)?;
        Ok(InForce { landlock, seccomp })
    }
}

/// Restricts every thread of this process to these system calls. Returns whether they are filtered: `false` if all
/// calls are allowed, or if the kernel has no filters and `strict` is not set.
pub fn tighten(calls: SystemCalls, strict: bool) -> Result<bool, ConfineError> {
    match calls::apply(calls) {
        Err(_) if !strict && !Support::measure().seccomp => Ok(false),
        result => result,
    }
}
