//! A queue of jobs that any worker may do: in this process, or on other machines.
//!
//! What must stay true of every queue:
//!
//! * A job that was accepted is done at least once, or given up after [`Bounds::attempts`] leases.
//! * Its first result stands, whoever brings another one.
//! * Once a job is leased again, given up or done, no earlier lease can end it.
//! * Times are those of the queue. No decision depends on the clock of a worker, and workers may disagree about the time.
//! * All handles on one queue have the same bounds. [`open`] refuses others.
//!
//! Jobs and results are bytes: what they mean is the caller's business. One suite, `tests/conformance`, holds every queue to
//! these promises. [`LocalQueue`] is in memory, [`PostgresQueue`] and [`NatsQueue`] reach the one server that the operator
//! named.

mod address;
mod limits;
mod local;
mod nats;
mod open;
mod postgres;
mod tls;

use std::error::Error;
use std::time::Duration;

pub use limits::{MAX_BYTES, MAX_KEY};
pub use local::LocalQueue;
pub use nats::NatsQueue;
pub use open::open;
pub use postgres::PostgresQueue;

/// The bounds of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Most jobs that wait or are leased. A further one is not accepted until one ends. On [`PostgresQueue`], `n` callers that
    /// add at the same moment can exceed it by `n - 1`.
    pub open: usize,
    /// How often a job is leased before it is given up.
    pub attempts: u32,
    /// How long a lease holds without being extended.
    pub lease: Duration,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { open: 10_000, attempts: 3, lease: Duration::from_mins(1) }
    }
}

/// What became of an attempt to add a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Added {
    /// It waits for a worker.
    New,
    /// A job with this key is there already, open or ended.
    Known,
    /// The queue is full. Add it again later.
    Full,
}

/// A job in the hands of one worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lease {
    /// The job's key.
    pub key: String,
    /// What is to be done.
    pub job: Vec<u8>,
    /// Which lease of the job it is, from 1.
    pub attempt: u32,
    /// What tells this lease from others of the same job.
    pub token: String,
}

/// How a job ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum End {
    /// With this result.
    Done(Vec<u8>),
    /// Every attempt failed or was lost; the last reason.
    GivenUp(String),
}

/// Why a queue cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the queue: {0}")]
pub struct QueueError(pub String);

impl QueueError {
    /// What was tried, and every cause that an error names.
    fn of(what: &str, error: &dyn Error) -> Self {
        let mut text = format!("{what}: {error}");
        let mut cause = error.source();
        while let Some(error) = cause {
            let error_text = error.to_string();
            if !text.contains(&error_text) {
                text.push_str(": ");
                text.push_str(&error_text);
            }
            cause = error.source();
        }
        Self(text)
    }
}

/// A queue of jobs. Every method may be called from any thread that does not run an async runtime.
///
/// Keys and digests have at most [`MAX_KEY`] bytes and no control character; jobs, results and blobs have at most
/// [`MAX_BYTES`]. Every method returns an error for others, and if the queue cannot be reached. After an error the caller does
/// not know whether the call took effect; every method may be called again.
pub trait JobQueue: Send + Sync {
    /// Adds a job under a key. Two jobs with one key are one, also after the first of them ended.
    fn add(&self, key: &str, job: &[u8]) -> Result<Added, QueueError>;

    /// Leases the oldest job that waits, or a job whose lease is over; `None` if there is none now. A job that was leased
    /// before may come sooner or later than jobs that were not. A job whose last lease is over is given up here, so a queue
    /// that no worker asks gives up nothing.
    fn lease(&self) -> Result<Option<Lease>, QueueError>;

    /// Lets a lease hold for its whole time again. Returns false if another worker has the job or the job has ended. A queue
    /// may also return false as soon as the lease is over; on [`NatsQueue`] a lease that nobody has taken yet can be extended
    /// late.
    fn extend(&self, lease: &Lease) -> Result<bool, QueueError>;

    /// Ends a job with its result. Returns false if another worker has leased the job since, or the job has ended; then the
    /// result counts for nothing. A queue may also return false as soon as the lease is over; [`NatsQueue`] accepts a late
    /// result until another worker leases the job.
    fn finish(&self, lease: &Lease, result: &[u8]) -> Result<bool, QueueError>;

    /// Gives a job back for another attempt, or, after the last one, up. Does nothing if the lease is over.
    fn fail(&self, lease: &Lease, reason: &str) -> Result<(), QueueError>;

    /// How a job ended; `None` if it has not, or is unknown.
    fn end_of(&self, key: &str) -> Result<Option<End>, QueueError>;

    /// Stores bytes that jobs refer to by their digest. The first bytes under a digest stay.
    fn put_blob(&self, digest: &str, bytes: &[u8]) -> Result<(), QueueError>;

    /// Bytes that were stored under a digest. The caller compares the digest.
    fn blob(&self, digest: &str) -> Result<Option<Vec<u8>>, QueueError>;
}
