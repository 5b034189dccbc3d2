//! What a process of ours may still do once it has confined itself: a value that is built in one place, sent to the
//! process as data, and applied there for good.
//!
//! Owns the effect "this process gives up authority". Nothing here can be undone by whoever runs in the process later:
//! Landlock rules and system-call filters only ever get tighter, are inherited by every thread and child, and hold across
//! `exec`. A part that the kernel does not have is reported, never assumed; with [`Confinement::strict`] it is an error.
//!
//! | file | what |
//! |---|---|
//! | `files` | Landlock: files, TCP, signals and abstract sockets |
//! | `calls` | seccomp: which system calls there are for our own code |
//! | `commands` | the same for programs that are not ours |
//! | `privileges` | capabilities, and rights that a started program could gain |
//! | `limits` | resource limits |
//! | `support` | what this kernel has, by trying |

mod calls;
mod commands;
mod files;
mod limits;
mod privileges;
mod support;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use calls::SystemCalls;
pub use commands::CommandCalls;
pub use limits::Limits;
pub use support::Support;

/// What a process may still do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// Landlock's part; none leaves files, TCP and signals as they are.
    pub files: Option<FileRules>,
    /// Which system calls there are.
    pub calls: SystemCalls,
    /// Resource limits.
    pub limits: Limits,
    /// Whether it gives up every capability, as a process of root has.
    pub capabilities_dropped: bool,
    /// Whether a part that the kernel lacks is an error.
    pub strict: bool,
}

/// Which files a process may use. What is not named cannot be opened, listed, made, linked or removed; TCP, signals to
/// processes outside and abstract sockets of others are refused altogether, as far as the kernel knows how.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileRules {
    /// Files and folders that may be read and executed, with everything below.
    pub readable: Vec<PathBuf>,
    /// Files and folders that may be changed too.
    pub writable: Vec<PathBuf>,
    /// Whether TCP is left as it is.
    pub tcp: bool,
}

/// Which parts hold in a process, as the kernel said when they were applied.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InForce {
    /// The version of Landlock's interface whose rules hold, from 1.
    pub landlock: Option<u8>,
    /// Whether system calls are filtered.
    pub seccomp: bool,
}

/// Why a process could not confine itself.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// The kernel has no Landlock, or it is switched off.
    #[error("this kernel has no Landlock (Linux 5.13 or newer, `lsm=landlock`)")]
    NoLandlock,
    /// Landlock refused a rule.
    #[error("Landlock: {0}")]
    Landlock(#[from] landlock::RulesetError),
    /// A named file could not be opened.
    #[error("Landlock: {0}")]
    Path(#[from] landlock::PathFdError),
    /// The filter could not be built for this processor.
    #[error("seccomp: {0}")]
    Filter(#[from] seccompiler::BackendError),
    /// The kernel refused the filter.
    #[error("seccomp: {0}")]
    Seccomp(#[from] seccompiler::Error),
    /// Privileges could not be given up.
    #[error("give up privileges: {0}")]
    Privileges(std::io::Error),
    /// A resource limit was refused.
    #[error("resource limit {name}: {source}")]
    Limit {
        /// Which.
        name: &'static str,
        /// What the kernel said.
        source: std::io::Error,
    },
}

impl Confinement {
    /// Confines this thread and every thread and process that it starts from now on; the filter of system calls holds in
    /// threads that run already, too. Call it before there are other threads: Landlock's part does not reach those.
    ///
    /// Afterwards either all that was asked for is in force, or, without `strict`, all that this kernel has.
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

/// Leaves only these system calls to every thread of this process. Answers whether they are filtered: false where
/// everything is let through, or where the kernel has no filters and `strict` is not asked for.
pub fn tighten(calls: SystemCalls, strict: bool) -> Result<bool, ConfineError> {
    match calls::apply(calls) {
        Err(_) if !strict && !Support::measure().seccomp => Ok(false),
        result => result,
    }
}
