//! The messages between host and worker. Both are the same build of the program, so the messages have no version.
//!
//! The host sends a [`Brief`], then the input of the task, then answers to [`Reply::Ask`] and [`Reply::Complete`]. The worker sends [`Reply`]s.

use gephost_core::gene::World;
use gephost_core::model::Question as ModelQuestion;
use serde::{Deserialize, Serialize};
use serde_bytes::{ByteBuf, Bytes};

use crate::confine::{Confinement, InForce};

use super::super::attempt::Attempt;
use super::super::budget::Budgets;
use super::super::call::{Question, Report};
use super::super::columns::RunLog;
use super::super::engine::AddressSpace;
use super::super::executed::Coverage;
use super::super::files::FileKind;
use super::super::granted::Granted;
use super::probe::Probe;

/// The first message to a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Brief {
    /// How the worker confines itself before it does anything else.
    pub(super) confinement: Confinement,
    /// What the worker does then.
    pub(super) task: Task,
}

/// What a worker does.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Task {
    /// Compiles the component in the next message, which is of this world, for processes with this much address space.
    Compile(World, AddressSpace),
    /// Runs the machine code at descriptor 1, which is of this world and for this much address space. The [`Job`] is in the
    /// next message.
    Run(World, AddressSpace),
    /// Attempts something that the confinement must prevent.
    Probe(Probe),
}

/// One call of a gene.
#[derive(Debug, Serialize)]
pub(super) struct Job<'a> {
    pub(super) question: &'a Question,
    pub(super) run_log: &'a RunLog,
    /// The files that the gene may see: path, kind, and the target of a link. Hidden files are not listed.
    pub(super) files: Vec<(&'a str, FileKind, Option<&'a str>)>,
    pub(super) history: &'a [Attempt],
    pub(super) coverage: &'a Coverage,
    /// RFC 3339.
    pub(super) now: String,
    pub(super) seed: u64,
    /// As JSON, since settings have values of different types.
    pub(super) settings: String,
    /// What the gene reads as its standard input.
    pub(super) carried: &'a Bytes,
    pub(super) granted: &'a Granted,
    pub(super) budgets: &'a Budgets,
}

/// A [`Job`] as the worker receives it.
#[derive(Debug, Deserialize)]
pub(super) struct ReceivedJob {
    pub(super) question: Question,
    pub(super) run_log: RunLog,
    pub(super) files: Vec<(String, FileKind, Option<String>)>,
    pub(super) history: Vec<Attempt>,
    pub(super) coverage: Coverage,
    pub(super) now: String,
    pub(super) seed: u64,
    pub(super) settings: String,
    pub(super) carried: ByteBuf,
    pub(super) granted: Granted,
    pub(super) budgets: Budgets,
}

/// A message from a worker.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Reply {
    /// The worker is confined like this and starts its task.
    Ready(InForce),
    /// The worker cannot do its task.
    Failed(Failed),
    /// The worker has a question about files.
    Ask(Ask),
    /// The component compiled. The machine code is in the next message.
    Compiled,
    /// The call ended.
    Called(Box<Report>),
    /// The attempt of a probe was not refused. The text says what it achieved.
    Tried(String),
    /// The gene has a question to the model. The answer is a `Result<String, Unanswered>`.
    Complete(ModelQuestion),
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

/// A worker's question about files. The answer about several files may have fewer than were asked for, but one at least:
/// those at the start.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Ask {
    /// The sizes of files. The answer is a list of `Result<u64, ReadFailure>`.
    Sizes(Vec<String>),
    /// The contents of files. The answer is a list of `Result<ByteBuf, ContentError>`.
    Read(Vec<String>),
    /// Whether the gene may create an entry at this path. The answer is a `bool`.
    MayCreate(String),
}
