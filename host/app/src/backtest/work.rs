//! A worker: takes cells from a queue and carries them out in the clones that its operator named.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use gephost_core::backtest::Cell;
use gephost_core::digest::sha256_hex;
use gephost_queue::{Bounds, JobQueue, Lease, QueueError};
use gephost_runner::sandbox::Sandbox;
use gephost_runner::worktree;

use super::cells::{model_of, policy_digest};
use super::execute::Execution;
use crate::environment::Environment;
use crate::error::{AppError, ErrorKind};
use crate::project::Project;
use crate::sink::Note;

/// How long a worker without work waits before it looks again.
const IDLE: Duration = Duration::from_millis(50);

/// How a worker works.
#[derive(Debug, Clone, Default)]
pub struct WorkOptions {
    /// Clones of the repositories, or folders of projects in them.
    pub repos: Vec<PathBuf>,
    /// Whether commands may run that somebody else recorded.
    pub recorded: bool,
    /// Whether whoever filled the queue judged the signatures of the genes by the policy that holds here. Without it, a
    /// worker whose user requires signatures carries out bundled genes only, since a queue brings no envelopes.
    pub vouched: bool,
    /// Whether the worker ends once it has seen the queue empty.
    pub until_empty: bool,
}

/// What a worker did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Worked {
    /// Cells whose result counts.
    pub done: u64,
    /// Cells that it gave back.
    pub given_back: u64,
    /// Cells whose lease was over before it had a result.
    pub lost: u64,
}

/// What the work on one cell and the keeping of its lease tell each other.
#[derive(Debug, Default)]
struct Signs {
    /// The work has ended.
    ended: AtomicBool,
    /// The lease is over.
    lost: AtomicBool,
    /// What runs is to end.
    halt: AtomicBool,
}

/// One thread that works.
pub(super) struct Worker<'w> {
    pub(super) environment: &'w Environment,
    pub(super) queue: &'w dyn JobQueue,
    pub(super) bounds: Bounds,
    pub(super) options: &'w WorkOptions,
    /// Set when the work is to end.
    pub(super) stop: &'w AtomicBool,
}

/// A clone in which cells can be carried out.
struct Place {
    project: Project,
    git: worktree::Project,
    policy: String,
    model: String,
    sandbox: Sandbox,
}

impl Worker<'_> {
    /// Works until it is stopped, or the queue is empty if that was asked for.
    pub(super) fn run(&self) -> Result<Worked, AppError> {
        let places = self.places()?;
        let mut worked = Worked::default();
        while !self.is_over() {
            match self.queue.lease().map_err(queue_failed)? {
                Some(lease) => self.carry_out(&places, &lease, &mut worked)?,
                None if self.options.until_empty => break,
                None => thread::park_timeout(IDLE),
            }
        }
        Ok(worked)
    }

    fn is_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.environment.is_interrupted()
    }

    fn places(&self) -> Result<Vec<Place>, AppError> {
        let open = |dir: &PathBuf| {
            let directory = self.environment.resolve(dir);
            let project = Project::open_quietly(&Environment { directory, ..self.environment.clone() })?;
            project.create_state()?;
            let (git, policy, sandbox) = (project.repository()?, policy_digest(&project), project.sandbox()?);
            let model = model_of(&project)?;
            Ok(Place { project, git, policy, model, sandbox })
        };
        self.options.repos.iter().map(open).collect()
    }

    fn carry_out(&self, places: &[Place], lease: &Lease, worked: &mut Worked) -> Result<(), AppError> {
        let signs = Signs::default();
        let result = thread::scope(|scope| {
            let keeper = scope.spawn(|| self.keep(lease, &signs));
            let result = self.result(places, lease, &signs.halt);
            signs.ended.store(true, Ordering::Relaxed);
            keeper.thread().unpark();
            result
        });
        if signs.lost.load(Ordering::Relaxed) {
            worked.lost += 1;
            return Ok(());
        }
        match result {
            Ok(_) if signs.halt.load(Ordering::Relaxed) => {
                // Half a validation is no result.
                self.queue.fail(lease, "its worker was stopped").map_err(queue_failed)?;
                worked.given_back += 1;
            }
            Ok(result) if self.queue.finish(lease, &result).map_err(queue_failed)? => worked.done += 1,
            Ok(_) => worked.lost += 1,
            Err(error) => {
                self.environment.sink.note(Note::Warning(&format!("a cell was given back: {error}")));
                self.queue.fail(lease, &error.to_string()).map_err(queue_failed)?;
                worked.given_back += 1;
            }
        }
        Ok(())
    }

    /// Extends a lease until the work on it ends. Whoever lost it, or is stopped, ends what runs.
    fn keep(&self, lease: &Lease, signs: &Signs) {
        let third = self.bounds.lease / 3;
        let tick = IDLE.min(third);
        let mut waited = Duration::ZERO;
        while !signs.ended.load(Ordering::Relaxed) {
            if self.is_over() {
                return signs.halt.store(true, Ordering::Relaxed);
            }
            thread::park_timeout(tick);
            waited += tick;
            if waited >= third {
                waited = Duration::ZERO;
                // A queue that does not answer now may answer at the next look.
                if matches!(self.queue.extend(lease), Ok(false)) {
                    signs.lost.store(true, Ordering::Relaxed);
                    return signs.halt.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    fn result(&self, places: &[Place], lease: &Lease, halt: &AtomicBool) -> Result<Vec<u8>, AppError> {
        let cell: Cell = serde_json::from_slice(&lease.job).map_err(|error| AppError::failed("job", error))?;
        if cell.key().ok().as_deref() != Some(&lease.key) {
            return Err(AppError::new(ErrorKind::Failed, "job", "its key is not that of its content"));
        }
        if cell.version != env!("CARGO_PKG_VERSION") {
            let message = format!("it is for gephost {}, and this is {}", cell.version, env!("CARGO_PKG_VERSION"));
            return Err(AppError::new(ErrorKind::Failed, "job", message));
        }
        let place = place_of(places, &cell)?;
        if cell.model.as_ref().is_some_and(|model| *model != place.model) {
            let message = "its gene asks a model, and the user's config here names another one";
            return Err(AppError::new(ErrorKind::Failed, "job", message));
        }
        let (gene, events) = (self.blob(&cell.gene)?, self.blob(&cell.events)?);
        if !self.options.vouched {
            let (name, vouching) = (Path::new(&cell.gene), place.project.vouching()?);
            vouching.admit(name, &vouching.judge(name, &gene, None)?)?;
        }
        let recorded = self.options.recorded;
        let execution = Execution { project: &place.project, sandbox: &place.sandbox, recorded, flag: halt };
        let end = execution.run(&cell, &gene, &events)?;
        serde_json::to_vec(&end).map_err(|error| AppError::failed("job", error))
    }

    fn blob(&self, digest: &str) -> Result<Vec<u8>, AppError> {
        let bytes = self.queue.blob(digest).map_err(queue_failed)?;
        let bytes = bytes.filter(|bytes| sha256_hex(bytes) == digest);
        bytes.ok_or_else(|| {
            let message = format!("the queue does not have the bytes with the digest {digest}");
            AppError::new(ErrorKind::Failed, "job", message)
        })
    }
}

/// The clone that has the commit of a cell, under the same config.
fn place_of<'p>(places: &'p [Place], cell: &Cell) -> Result<&'p Place, AppError> {
    let failed = |message: String| Err(AppError::new(ErrorKind::Failed, "job", message));
    let has = |place: &&Place| place.git.base(&cell.base).is_ok();
    let mut with_commit = places.iter().filter(has).peekable();
    if with_commit.peek().is_none() {
        return failed(format!("no clone that was named has the commit {}", cell.base));
    }
    match with_commit.find(|place| place.policy == cell.policy) {
        Some(place) => Ok(place),
        None => failed(format!("the clone with the commit {} has another config, or does not trust it", cell.base)),
    }
}

/// Works in several threads until all of them end.
pub(super) fn work_side_by_side(worker: &Worker<'_>, threads: usize) -> Result<Worked, AppError> {
    let (done, given_back, lost) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
    let failed: Mutex<Option<AppError>> = Mutex::new(None);
    thread::scope(|scope| {
        for _ in 0..threads.max(1) {
            scope.spawn(|| match worker.run() {
                Ok(sum) => {
                    done.fetch_add(sum.done, Ordering::Relaxed);
                    given_back.fetch_add(sum.given_back, Ordering::Relaxed);
                    lost.fetch_add(sum.lost, Ordering::Relaxed);
                }
                Err(error) => {
                    worker.stop.store(true, Ordering::Relaxed);
                    failed.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                }
            });
        }
    });
    match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(error) => Err(error),
        None => Ok(Worked { done: done.into_inner(), given_back: given_back.into_inner(), lost: lost.into_inner() }),
    }
}

pub(super) fn queue_failed(error: QueueError) -> AppError {
    AppError::failed("queue", error)
}
