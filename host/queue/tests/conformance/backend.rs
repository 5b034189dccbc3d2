//! What a case needs of a queue: a new one with certain bounds, and handles on it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gephost_queue::{Added, Bounds, End, JobQueue, Lease, LocalQueue, QueueError};

/// A kind of queue.
pub(crate) trait Backend {
    /// An empty queue. What comes out opens handles on it.
    fn fresh(&self, bounds: Bounds) -> Box<dyn Fn() -> Box<dyn JobQueue> + Sync + '_>;
}

/// Queues in memory.
pub(crate) struct Local;

impl Backend for Local {
    fn fresh(&self, bounds: Bounds) -> Box<dyn Fn() -> Box<dyn JobQueue> + Sync> {
        let queue = Arc::new(LocalQueue::new(bounds, Instant::now));
        Box::new(move || Box::new(Shared(Arc::clone(&queue))))
    }
}

struct Shared(Arc<LocalQueue>);

impl JobQueue for Shared {
    fn add(&self, key: &str, job: &[u8]) -> Result<Added, QueueError> {
        self.0.add(key, job)
    }
    fn lease(&self) -> Result<Option<Lease>, QueueError> {
        self.0.lease()
    }
    fn extend(&self, lease: &Lease) -> Result<bool, QueueError> {
        self.0.extend(lease)
    }
    fn finish(&self, lease: &Lease, result: &[u8]) -> Result<bool, QueueError> {
        self.0.finish(lease, result)
    }
    fn fail(&self, lease: &Lease, reason: &str) -> Result<(), QueueError> {
        self.0.fail(lease, reason)
    }
    fn end_of(&self, key: &str) -> Result<Option<End>, QueueError> {
        self.0.end_of(key)
    }
    fn put_blob(&self, digest: &str, bytes: &[u8]) -> Result<(), QueueError> {
        self.0.put_blob(digest, bytes)
    }
    fn blob(&self, digest: &str) -> Result<Option<Vec<u8>>, QueueError> {
        self.0.blob(digest)
    }
}

/// Bounds whose leases hold longer than any case.
pub(crate) fn long() -> Bounds {
    Bounds { open: 1000, attempts: 3, lease: Duration::from_mins(2) }
}

/// Bounds whose leases are soon over.
pub(crate) fn short() -> Bounds {
    Bounds { lease: Duration::from_millis(1500), ..long() }
}

/// A job that must be there.
pub(crate) fn leased(queue: &dyn JobQueue) -> Lease {
    queue.lease().unwrap().expect("a job waits")
}

/// Waits until there is a job.
pub(crate) fn leased_soon(queue: &dyn JobQueue) -> Lease {
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        if let Some(lease) = queue.lease().unwrap() {
            return lease;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("no job came");
}
