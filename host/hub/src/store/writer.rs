//! The one writer of the database, with group commit.
//!
//! What must stay true: an answer is sent only after the transaction of its write is on disk (`synchronous=FULL`), and a
//! write that is refused has changed nothing. After a crash every answered write is there. A write that was not answered
//! may be there or not.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gephost_core::a2a::{Code, Problem};
use sqlx::{Connection as _, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

use super::cache::Cache;
use crate::faults::{Faults, Part};

/// Most writes of one transaction.
const BATCH: usize = 256;

/// Why a write does not happen.
#[derive(Debug)]
pub(crate) enum Refused {
    /// The rules refuse it. The write returned this before it changed anything.
    Rule(Problem),
    /// The database failed.
    Store(sqlx::Error),
}

impl From<sqlx::Error> for Refused {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error)
    }
}

impl From<Problem> for Refused {
    fn from(problem: Problem) -> Self {
        Self::Rule(problem)
    }
}

/// The value of a write, and the ids of the assets that look different after it.
pub(crate) type Changed<T> = (T, Vec<[u8; 32]>);

/// A future that borrows the connection.
pub(crate) type Work<'c, T> = Pin<Box<dyn Future<Output = Result<Changed<T>, Refused>> + Send + 'c>>;

/// Sends the answer, after the commit (`true`) or the failure of the batch.
type Deliver = Box<dyn FnOnce(bool) + Send>;
type Job = Box<
    dyn for<'c> FnOnce(&'c mut SqliteConnection) -> Pin<Box<dyn Future<Output = (Deliver, bool)> + Send + 'c>> + Send,
>;

/// Takes writes.
#[derive(Debug, Clone)]
pub(crate) struct Writer {
    jobs: mpsc::Sender<Job>,
    counts: Arc<Counts>,
    cache: Arc<Cache>,
    faults: Faults,
}

/// What the writer did, for `/metrics`.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// Transactions.
    pub(crate) commits: AtomicU64,
    /// Writes in them.
    pub(crate) writes: AtomicU64,
    /// Writes that found the queue full.
    pub(crate) busy: AtomicU64,
    /// Batches that failed.
    pub(crate) failed: AtomicU64,
}

impl Writer {
    /// Starts the task that writes. It ends when every `Writer` is dropped and the queue is empty.
    pub(crate) fn start(connection: SqliteConnection, queue: usize, cache: Arc<Cache>, faults: Faults) -> Self {
        let (jobs, waiting) = mpsc::channel(queue.max(1));
        let counts = Arc::new(Counts::default());
        tokio::spawn(run(connection, waiting, Arc::clone(&counts), faults.clone()));
        Self { jobs, counts, cache, faults }
    }

    /// Writes. Returns after the commit.
    pub(crate) async fn write<T, F>(&self, work: F) -> Result<T, Problem>
    where
        T: Send + 'static,
        F: for<'c> FnOnce(&'c mut SqliteConnection) -> Work<'c, T> + Send + 'static,
    {
        let (send, answer) = oneshot::channel();
        let (cache, faults) = (Arc::clone(&self.cache), self.faults.clone());
        let job: Job = Box::new(move |connection| {
            Box::pin(async move {
                let done = work(connection).await;
                let failed = match &done {
                    Err(Refused::Store(error)) => {
                        faults.of(Part::Database, error);
                        true
                    }
                    Ok(_) | Err(Refused::Rule(_)) => false,
                };
                let deliver: Deliver = Box::new(move |committed| {
                    let answer = match done {
                        Ok((value, changed)) if committed => {
                            // Here, since whoever asked may be gone.
                            cache.forget(&changed);
                            Ok(value)
                        }
                        Err(Refused::Rule(problem)) => Err(problem),
                        Ok(_) | Err(Refused::Store(_)) => Err(store_failed()),
                    };
                    // Whoever asked may have gone away.
                    let _ = send.send(answer);
                });
                (deliver, failed)
            })
        });
        self.jobs.try_send(job).map_err(|_| {
            self.counts.busy.fetch_add(1, Ordering::Relaxed);
            Problem::new(Code::ServerBusy, "too many writes are waiting", "send it again after `retry_after_ms`")
        })?;
        answer.await.unwrap_or_else(|_| Err(store_failed()))
    }

    pub(crate) fn counts(&self) -> &Counts {
        &self.counts
    }
}

fn store_failed() -> Problem {
    Problem::new(Code::Internal, "the database failed, and nothing was stored", "send the same message again later")
}

async fn run(mut connection: SqliteConnection, mut waiting: mpsc::Receiver<Job>, counts: Arc<Counts>, faults: Faults) {
    let is_done = |done: Result<_, sqlx::Error>| match done {
        Ok(_) => true,
        Err(error) => {
            faults.of(Part::Database, &error);
            false
        }
    };
    while let Some(first) = waiting.recv().await {
        let mut delivers = Vec::new();
        let mut ok = is_done(sqlx::query("BEGIN IMMEDIATE").execute(&mut connection).await);
        let mut next = Some(first);
        while let Some(job) = next {
            let (deliver, failed) = job(&mut connection).await;
            delivers.push(deliver);
            ok &= !failed;
            next = if delivers.len() < BATCH && ok { waiting.try_recv().ok() } else { None };
        }
        ok = ok && is_done(sqlx::query("COMMIT").execute(&mut connection).await);
        if !ok {
            counts.failed.fetch_add(1, Ordering::Relaxed);
            // If the transaction is gone already, there is nothing to undo.
            let _ = sqlx::query("ROLLBACK").execute(&mut connection).await;
        }
        counts.commits.fetch_add(1, Ordering::Relaxed);
        counts.writes.fetch_add(delivers.len() as u64, Ordering::Relaxed);
        for deliver in delivers {
            deliver(ok);
        }
    }
    // A checkpoint of the WAL; what it cannot finish, the next start does.
    let _ = connection.close().await;
}
