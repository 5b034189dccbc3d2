//! What the host and a worker say to each other. Both are the same program, so there are no versions.
//!
//! Host: [`Brief`], then what the task brings, then answers to [`Reply::Ask`]. Worker: [`Reply`]s.

use gephost_core::gene::World;
use serde::{Deserialize, Serialize};

use crate::confine::{Confinement, InForce};

use super::super::budget::Budgets;
use super::super::call::{Question, Report};
use super::super::engine::AddressSpace;
use super::super::history::Attempt;
use super::super::run_log::RunLog;
use super::super::state::Granted;
use super::super::vfs::FileKind;
use super::probe::Probe;

/// The first message to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Brief {
    /// How it confines itself before anything else.
    pub(super) confinement: Confinement,
    /// What it is for.
    pub(super) task: Task,
}

/// What a worker is for.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Task {
    /// To compile the component of the next message, which is of this world, for processes with this much address space.
    Compile(World, AddressSpace),
    /// To run the machine code at descriptor 1, which is of this world and for this much address space, for the [`Job`] of the next
    /// message.
    Run(World, AddressSpace),
    /// To try something that it must not be able to do.
    Probe(Probe),
}

/// One call of a gene.
#[derive(Debug, Serialize)]
pub(super) struct Job<'a> {
    pub(super) question: &'a Question,
    pub(super) run_log: &'a RunLog,
    /// What the gene sees: path, kind, and where a link leads. Nothing is said of what it does not see.
    pub(super) files: Vec<(&'a str, FileKind, Option<&'a str>)>,
    pub(super) history: &'a [Attempt],
    /// RFC 3339.
    pub(super) now: String,
    pub(super) seed: u64,
    /// As JSON: their values are of different types.
    pub(super) settings: String,
    pub(super) granted: &'a Granted,
    pub(super) budgets: &'a Budgets,
}

/// The same, as it arrives.
#[derive(Debug, Deserialize)]
pub(super) struct ReceivedJob {
    pub(super) question: Question,
    pub(super) run_log: RunLog,
    pub(super) files: Vec<(String, FileKind, Option<String>)>,
    pub(super) history: Vec<Attempt>,
    pub(super) now: String,
    pub(super) seed: u64,
    pub(super) settings: String,
    pub(super) granted: Granted,
    pub(super) budgets: Budgets,
}

/// What a worker says.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// It is confined like this, and begins.
    Ready(InForce),
    /// It cannot do its task.
    Failed(Failed),
    /// It needs something of a file.
    Ask(Ask),
    /// The machine code is in the next message.
    Compiled,
    /// The call ended.
    Called(Box<Report>),
    /// What was tried was not refused: this is what it got.
    Tried(String),
}

/// Why a worker cannot do its task.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Failed {
    /// The component does not compile.
    Compile(String),
    /// It does not fit the contract.
    Link(String),
    /// It does not fit WASI 0.2.
    Wasi(String),
    /// Anything else.
    Other(String),
}

/// What a worker asks of files.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Ask {
    /// The size of a shown one; answered with a `Result<u64, Unread>`.
    Size(String),
    /// The bytes of a shown one; answered with a `Result<ByteBuf, Unread>`.
    Read(String),
    /// Whether the gene may make something at a path, which may be that of a hidden file; answered with a `bool`.
    Room { path: String, is_directory: bool },
}
