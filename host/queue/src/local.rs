//! A queue in the memory of this process, for its own threads.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::limits::{check_bytes, check_key};
use super::{Added, Bounds, End, JobQueue, Lease, QueueError};

/// A queue for the threads of this process. It ends with the process.
#[derive(Debug)]
pub struct LocalQueue {
    bounds: Bounds,
    now: fn() -> Instant,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    jobs: BTreeMap<String, Job>,
    /// Keys of the jobs that wait, oldest first.
    waiting: VecDeque<String>,
    /// How many jobs have not ended.
    open: usize,
    blobs: BTreeMap<String, Vec<u8>>,
}

#[derive(Debug)]
struct Job {
    bytes: Vec<u8>,
    attempts: u32,
    /// When the present lease is over.
    leased_until: Option<Instant>,
    end: Option<End>,
}

impl LocalQueue {
    /// An empty queue. `now` is a clock that never goes back.
    pub fn new(bounds: Bounds, now: fn() -> Instant) -> Self {
        Self { bounds, now, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The job of a lease that still holds.
    fn held<'s>(&self, state: &'s mut State, lease: &Lease) -> Option<&'s mut Job> {
        let now = (self.now)();
        state.jobs.get_mut(&lease.key).filter(|job| {
            job.end.is_none() && job.attempts == lease.attempt && job.leased_until.is_some_and(|until| now < until)
        })
    }
}

impl State {
    fn end(&mut self, key: &str, end: End) {
        if let Some(job) = self.jobs.get_mut(key) {
            (job.end, job.leased_until) = (Some(end), None);
            self.open = self.open.saturating_sub(1);
        }
    }

    /// Puts jobs back whose lease is over, or gives them up.
    fn take_back(&mut self, now: Instant, attempts: u32) {
        let is_over = |job: &Job| job.leased_until.is_some_and(|until| until <= now);
        let over: Vec<String> = self.jobs.iter().filter(|(_, job)| is_over(job)).map(|(key, _)| key.clone()).collect();
        for key in over {
            self.put_back(key, attempts, "its worker was lost");
        }
    }

    fn put_back(&mut self, key: String, attempts: u32, reason: &str) {
        let Some(job) = self.jobs.get_mut(&key) else { return };
        job.leased_until = None;
        if job.attempts >= attempts {
            self.end(&key, End::GivenUp(reason.to_owned()));
        } else {
            self.waiting.push_back(key);
        }
    }
}

impl JobQueue for LocalQueue {
    fn add(&self, key: &str, job: &[u8]) -> Result<Added, QueueError> {
        check_key("a key", key)?;
        check_bytes("a job", job)?;
        let mut state = self.state();
        if state.jobs.contains_key(key) {
            return Ok(Added::Known);
        }
        if state.open >= self.bounds.open {
            return Ok(Added::Full);
        }
        let job = Job { bytes: job.to_vec(), attempts: 0, leased_until: None, end: None };
        state.jobs.insert(key.to_owned(), job);
        state.waiting.push_back(key.to_owned());
        state.open += 1;
        Ok(Added::New)
    }

    fn lease(&self) -> Result<Option<Lease>, QueueError> {
        let mut state = self.state();
        let now = (self.now)();
        state.take_back(now, self.bounds.attempts);
        let Some(key) = state.waiting.pop_front() else { return Ok(None) };
        let Some(job) = state.jobs.get_mut(&key) else { return Ok(None) };
        job.attempts += 1;
        job.leased_until = Some(now + self.bounds.lease);
        let (attempt, bytes) = (job.attempts, job.bytes.clone());
        Ok(Some(Lease { key, job: bytes, attempt, token: attempt.to_string() }))
    }

    fn extend(&self, lease: &Lease) -> Result<bool, QueueError> {
        let until = (self.now)() + self.bounds.lease;
        let mut state = self.state();
        Ok(self.held(&mut state, lease).map(|job| job.leased_until = Some(until)).is_some())
    }

    fn finish(&self, lease: &Lease, result: &[u8]) -> Result<bool, QueueError> {
        check_bytes("a result", result)?;
        let mut state = self.state();
        if self.held(&mut state, lease).is_none() {
            return Ok(false);
        }
        state.end(&lease.key, End::Done(result.to_vec()));
        Ok(true)
    }

    fn fail(&self, lease: &Lease, reason: &str) -> Result<(), QueueError> {
        let mut state = self.state();
        if self.held(&mut state, lease).is_some() {
            state.put_back(lease.key.clone(), self.bounds.attempts, reason);
        }
        Ok(())
    }

    fn end_of(&self, key: &str) -> Result<Option<End>, QueueError> {
        Ok(self.state().jobs.get(key).and_then(|job| job.end.clone()))
    }

    fn put_blob(&self, digest: &str, bytes: &[u8]) -> Result<(), QueueError> {
        check_key("a digest", digest)?;
        check_bytes("a blob", bytes)?;
        self.state().blobs.entry(digest.to_owned()).or_insert_with(|| bytes.to_vec());
        Ok(())
    }

    fn blob(&self, digest: &str) -> Result<Option<Vec<u8>>, QueueError> {
        Ok(self.state().blobs.get(digest).cloned())
    }
}
