//! The worker's side. It reads its brief, confines itself, does one task, and ends.
//!
//! What must stay true: while a gene's code runs, this process cannot reach the file system, the network or another
//! process, and cannot create executable memory. It can only ask the host, over descriptor 0. No data of a call outlives
//! the process.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use gephost_core::gene::World;
use gephost_core::model::{Question, Unanswered};
use gephost_core::path::RepoPath;
use rustix::process::{Signal, set_parent_process_death_signal};
use serde::de::DeserializeOwned;
use serde_bytes::ByteBuf;

use super::message::{Ask, Brief, Failed, ReceivedJob, Reply, Task};
use crate::confine::{Confinement, InForce, SystemCalls, tighten};
use crate::frame;
use crate::sandbox::completions::{Completed, Completions};
use crate::sandbox::engine::AddressSpace;
use crate::sandbox::error::LoadError;
use crate::sandbox::files::{ContentError, Files};
use crate::sandbox::host::{Host, Loaded};
use crate::sandbox::inputs::Inputs;
use crate::sandbox::inspect::MAX_COMPONENT_BYTES;
use crate::sandbox::workspace::{CreateCheck, Workspace};
use crate::sandbox::{ReadFailure, code, compile};

/// The largest brief, in bytes.
const MAX_BRIEF: u64 = 1 << 20;
/// The largest job, in bytes: large enough for a run log of ten million events. The host sends it, and a worker trusts the
/// host.
const MAX_JOB: u64 = 16 << 30;
/// The largest answer about a file, in bytes. The host bounds it.
const MAX_ANSWER: u64 = 1 << 30;
/// The descriptor of the machine code.
const CODE: i32 = 1;

/// Does the task that the host sends over standard input, which is a socket. The process must have been started for this
/// alone and should end when this returns.
pub fn serve() -> io::Result<()> {
    // If the host is killed, nobody else would end this process.
    set_parent_process_death_signal(Some(Signal::KILL))?;
    let brief: Brief = frame::receive(HostSocket, MAX_BRIEF)?;
    let in_force = match brief.confinement.apply() {
        Ok(in_force) => in_force,
        Err(error) => return reply(&Reply::Failed(Failed::Other(error.to_string()))),
    };
    match brief.task {
        Task::Compile(world, space) => {
            reply(&Reply::Ready(in_force))?;
            compile(world, space)
        }
        Task::Run(world, space) => run(world, space, &brief.confinement, in_force),
        Task::Probe(probe) => {
            reply(&Reply::Ready(in_force))?;
            match probe.attempt() {
                Ok(got) => reply(&Reply::Tried(got)),
                Err(error) => reply(&Reply::Failed(Failed::Other(error.to_string()))),
            }
        }
    }
}

fn reply(reply: &Reply) -> io::Result<()> {
    frame::send(HostSocket, reply)
}

fn compile(world: World, space: AddressSpace) -> io::Result<()> {
    let component = frame::receive_bytes(HostSocket, MAX_COMPONENT_BYTES)?;
    let compiled = Host::new(space).map_err(|error| Failed::Other(error.to_string())).and_then(|host| {
        let code = compile::precompile(&host.engine, &component, world).map_err(failed)?;
        // Linked here as well, so that everything in the cache is known to fit the contract.
        let sealed = code::MachineCode::of(&code).map_err(|error| Failed::Other(error.to_string()))?;
        let component = sealed.load(&host.engine).map_err(|error| Failed::Other(error.to_string()))?;
        host.link(&component, world).map_err(failed)?;
        Ok(code)
    });
    match compiled {
        Ok(code) => {
            reply(&Reply::Compiled)?;
            frame::send_bytes(HostSocket, &code)
        }
        Err(failure) => reply(&Reply::Failed(failure)),
    }
}

fn failed(error: LoadError) -> Failed {
    match error {
        LoadError::Compile(message) => Failed::Compile(message),
        LoadError::Link(message) => Failed::Link(message),
        LoadError::Wasi(message) => Failed::Wasi(message),
        other => Failed::Other(other.to_string()),
    }
}

fn run(world: World, space: AddressSpace, confinement: &Confinement, in_force: InForce) -> io::Result<()> {
    let host = Host::new(space).map_err(|error| Failed::Other(error.to_string()));
    let loaded = match host.and_then(|host| load(&host, world)) {
        Ok(loaded) => loaded,
        Err(failure) => return reply(&Reply::Failed(failure)),
    };
    let job: ReceivedJob = frame::receive(HostSocket, MAX_JOB)?;
    let (question, granted, budgets) = (job.question.clone(), job.granted.clone(), job.budgets);
    let inputs = inputs(job)?;
    if confinement.calls != SystemCalls::Any {
        tighten(SystemCalls::Run, confinement.strict).map_err(io::Error::other)?;
    }
    reply(&Reply::Ready(in_force))?;
    let report = loaded.ask(&question, inputs, granted, &budgets);
    reply(&Reply::Called(Box::new(report)))
}

fn load(host: &Host, world: World) -> Result<Loaded, Failed> {
    let component = code::load(&host.engine, CODE).map_err(|error| Failed::Other(error.to_string()))?;
    host.link(&component, world).map_err(failed)
}

fn inputs(job: ReceivedJob) -> io::Result<Inputs> {
    let mut listing = Vec::with_capacity(job.files.len());
    let mut targets = BTreeMap::new();
    for (path, kind, target) in job.files {
        let path = RepoPath::new(&path).map_err(io::Error::other)?;
        targets.extend(target.map(|target| (path.clone(), target)));
        listing.push((path, kind));
    }
    let asking = Arc::new(Asking { turn: Mutex::default(), targets });
    Ok(Inputs {
        run_log: Arc::new(job.run_log),
        workspace: Arc::new(Workspace::copy_of(
            Arc::clone(&asking) as Arc<dyn Files>,
            listing,
            Arc::clone(&asking) as Arc<dyn CreateCheck>,
        )),
        history: job.history.into(),
        coverage: Arc::new(job.coverage),
        now: job.now.parse().map_err(io::Error::other)?,
        seed: job.seed,
        settings: Arc::new(serde_json::from_str(&job.settings).map_err(io::Error::other)?),
        carried: job.carried.into_vec().into(),
        completions: asking,
    })
}

/// What the host has, asked for with one question at a time: files, and a model. This process does not know the names of hidden files, so it also asks
/// the host whether one of them is in the way of a new file.
#[derive(Debug)]
struct Asking {
    turn: Mutex<()>,
    targets: BTreeMap<RepoPath, String>,
}

impl Asking {
    fn ask<T: DeserializeOwned>(&self, ask: Ask) -> io::Result<T> {
        self.say(&Reply::Ask(ask))
    }

    fn say<T: DeserializeOwned>(&self, message: &Reply) -> io::Result<T> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        reply(message)?;
        frame::receive(HostSocket, MAX_ANSWER)
    }
}

fn names(paths: &[&RepoPath]) -> Vec<String> {
    paths.iter().map(|path| path.as_str().to_owned()).collect()
}

fn no_answer(error: &io::Error) -> ReadFailure {
    ReadFailure::Failed(format!("the host does not answer: {error}"))
}

/// The only answer about one file.
fn only<T, E>(mut answers: Vec<Result<T, E>>, otherwise: impl FnOnce(ReadFailure) -> E) -> Result<T, E> {
    let nothing = || Err(otherwise(ReadFailure::Failed("the host does not answer".to_owned())));
    answers.pop().unwrap_or_else(nothing)
}

impl Files for Asking {
    fn size(&self, path: &RepoPath) -> Result<u64, ReadFailure> {
        only(self.sizes_ahead(&[path]), |unread| unread)
    }

    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure> {
        self.read_at_most(path, u64::MAX).map_err(|error| match error {
            ContentError::Source(unread) => unread,
            too_large @ ContentError::TooLarge(_) => ReadFailure::Failed(too_large.to_string()),
        })
    }

    fn read_at_most(&self, path: &RepoPath, most: u64) -> Result<Arc<[u8]>, ContentError> {
        only(self.read_ahead(&[path], most), ContentError::Source)
    }

    fn sizes_ahead(&self, paths: &[&RepoPath]) -> Vec<Result<u64, ReadFailure>> {
        self.ask(Ask::Sizes(names(paths))).unwrap_or_else(|error| vec![Err(no_answer(&error))])
    }

    /// The host applies the same limit to every file.
    fn read_ahead(&self, paths: &[&RepoPath], _most: u64) -> Vec<Result<Arc<[u8]>, ContentError>> {
        let answers: io::Result<Vec<Result<ByteBuf, ContentError>>> = self.ask(Ask::Read(names(paths)));
        let answers = answers.unwrap_or_else(|error| vec![Err(ContentError::Source(no_answer(&error)))]);
        answers.into_iter().map(|answer| answer.map(|bytes| Arc::from(bytes.into_vec()))).collect()
    }

    fn link_target(&self, path: &RepoPath) -> Result<String, ReadFailure> {
        self.targets.get(path).cloned().ok_or(ReadFailure::NotFound)
    }
}

impl Completions for Asking {
    fn complete(&self, question: &Question) -> Completed {
        let answer = self.say(&Reply::Complete(question.clone()));
        let answer =
            answer.unwrap_or_else(|error| Err(Unanswered::nobody(format!("the host does not answer: {error}"))));
        Completed { sent: question.clone(), answer }
    }
}

impl CreateCheck for Asking {
    fn may_create(&self, path: &RepoPath) -> bool {
        // If the host does not answer, it is gone, and this process ends with it.
        self.ask(Ask::MayCreate(path.as_str().to_owned())).unwrap_or(false)
    }
}

/// The socket to the host, descriptor 0. It uses plain reads and writes: a running gene's process may make few other system
/// calls.
struct HostSocket;

impl Read for HostSocket {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(io::stdin(), bytes)?)
    }
}

impl Write for HostSocket {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(io::stdin(), bytes)?)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
