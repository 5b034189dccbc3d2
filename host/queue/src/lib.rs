//! A queue of jobs that any worker may do: in this process, or on other machines.
//!
//! What must stay true of every queue: a job that was accepted is done at least once, or given up after
//! [`Bounds::attempts`] leases; its first result stands, whoever brings another one; a worker whose lease is over cannot end
//! the job; and times are those of the queue, never of a worker's clock. Jobs and results are bytes: what they mean is the
//! caller's business.

mod local;

use std::time::Duration;

pub use local::LocalQueue;

/// The bounds of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bounds {
    /// Most jobs that wait or are leased. A further one is not accepted until one ends.
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

/// A queue of jobs. Every method may be called from any thread.
pub trait JobQueue: Send + Sync {
    /// Adds a job under a key. Two jobs with one key are one.
    fn add(&self, key: &str, job: &[u8]) -> Result<Added, QueueError>;

    /// Leases the oldest job that waits, or whose lease is over; `None` if there is none now.
    fn lease(&self) -> Result<Option<Lease>, QueueError>;

    /// Lets a lease hold for its whole time again. Returns false if it is over: another worker may have the job.
    fn extend(&self, lease: &Lease) -> Result<bool, QueueError>;

    /// Ends a job with its result. Returns false if the lease is over; then the result counts for nothing.
    fn finish(&self, lease: &Lease, result: &[u8]) -> Result<bool, QueueError>;

    /// Gives a job back for another attempt, or, after the last one, up.
    fn fail(&self, lease: &Lease, reason: &str) -> Result<(), QueueError>;

    /// How a job ended; `None` if it has not, or is unknown.
    fn end_of(&self, key: &str) -> Result<Option<End>, QueueError>;

    /// Stores bytes that jobs refer to by their digest.
    fn put_blob(&self, digest: &str, bytes: &[u8]) -> Result<(), QueueError>;

    /// Bytes that were stored under a digest. The caller compares the digest.
    fn blob(&self, digest: &str) -> Result<Option<Vec<u8>>, QueueError>;
}
