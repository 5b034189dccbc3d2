//! Workers: processes of this same program that compile components and run genes. A gene that exploits a bug in the
//! compiler or the runtime gains control of a confined worker, not of the host.
//!
//! A worker serves one compilation or one call and then ends, so a compromised worker never sees another gene's data. It
//! has three descriptors: a socket to the host, the sealed machine code, and a pipe for its error output. It confines
//! itself by a [`Confinement`](crate::confine::Confinement) that the host sends. It asks the host for the content of
//! files, and the host checks each time that the gene may see the file. The host does not trust a worker: messages are
//! bounded, an answer is checked like that of a gene in the host's own process, and a worker that is late, dies or
//! breaks the protocol is killed and reaped.
//!
//! | file | what |
//! |---|---|
//! | `message` | the messages between host and worker |
//! | `child` | the worker's side |
//! | `process` | starts a worker, exchanges messages with it, and ends it |
//! | `in_process` | the host's side of a gene call |
//! | `compiler` | the host's side of a compilation |
//! | `probe` | forbidden operations that `gephost doctor` has a worker attempt |

mod child;
mod compiler;
mod in_process;
mod message;
mod probe;
mod process;

use std::ffi::OsString;
use std::path::PathBuf;

pub use child::serve;
pub use compiler::CompileBounds;
pub(super) use compiler::compile;
pub(super) use in_process::InProcess;
pub use probe::Probe;
pub use process::{Tried, try_out};

/// How a worker is started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worker {
    /// This program, or another copy of the same build.
    pub program: PathBuf,
    /// The arguments that make it call [`serve`].
    pub arguments: Vec<OsString>,
    /// Whether it is an error if the kernel lacks Landlock or system-call filters.
    pub strict: bool,
}
