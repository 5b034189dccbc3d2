//! Workers: processes of this very program in which components are compiled and genes are run, so that neither can hurt
//! the host, whatever it finds in the compiler or the runtime.
//!
//! A worker lives for one compilation or one call. It has three descriptors: a socket to the host, the sealed machine
//! code, and a pipe for its last words. It confines itself by a [`Confinement`](crate::confine::Confinement) that the host
//! sends; what it then needs of a file it asks the host for, which checks again that the file is shown. The host takes no
//! word of a worker for granted: messages are bounded, an answer is converted and checked as one of a gene in this
//! process is, and a worker that is late, dies or says something else is killed and reaped.
//!
//! | file | what |
//! |---|---|
//! | `message` | what is said |
//! | `child` | the worker's side |
//! | `process` | starting, talking to and ending one |
//! | `apart` | a gene's call |
//! | `audit` | the form of a call's audit |
//! | `compiler` | a compilation |
//! | `probe` | what `gephost doctor` has a worker try |

mod apart;
pub(super) mod audit;
mod child;
mod compiler;
mod message;
mod probe;
mod process;

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::confine::InForce;

pub(super) use apart::Apart;
pub use child::serve;
pub use compiler::CompileBounds;
pub(super) use compiler::compile;
pub use probe::Probe;
pub use process::{Tried, try_out};

/// How a worker is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker {
    /// The program: this one, or one of the same build.
    pub program: PathBuf,
    /// The arguments that make it call [`serve`].
    pub arguments: Vec<OsString>,
    /// Whether a kernel that lacks Landlock or filters of system calls is an error.
    pub strict: bool,
}

/// Where a gene ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum RanIn {
    /// In the host's process.
    Thread,
    /// In a process of its own, with these parts of the kernel in force.
    Process(InForce),
}

impl std::fmt::Display for RanIn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self::Process(in_force) = self else { return f.write_str("thread") };
        f.write_str("process")?;
        if let Some(version) = in_force.landlock {
            write!(f, "+landlock{version}")?;
        }
        if in_force.seccomp { f.write_str("+seccomp") } else { Ok(()) }
    }
}
