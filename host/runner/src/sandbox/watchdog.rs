//! Enforces the wall budget: one thread for an engine, however many calls run on it.
//!
//! It sleeps until the earliest deadline. Then it increments the epoch of the engine every millisecond until that call
//! has ended. What must stay true: starting a call takes a lock but no system call if the thread will wake up in time
//! anyway. That is so whenever the previous call had the same budget.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::monotonic;
use wasmtime::Engine;

/// The time between two ticks for a call that is late.
const REMINDER: Duration = Duration::from_millis(1);

/// Increments the epoch of an engine. Dropping it ends its thread.
#[derive(Debug)]
pub(super) struct Watchdog(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The deadline of each running call. The number distinguishes equal times.
    deadlines: BTreeSet<(Instant, u64)>,
    calls: u64,
    /// When the thread wakes up next. `None` while it sleeps until it is woken.
    wakes: Option<Instant>,
    started: bool,
    stopped: bool,
}

/// A watched call. Dropping it ends the watch.
pub(super) struct Watch<'a> {
    shared: &'a Shared,
    entry: (Instant, u64),
}

impl Watchdog {
    /// Starts the thread.
    pub(super) fn start(engine: &Engine) -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let (own, engine) = (Arc::clone(&shared), engine.clone());
        std::thread::Builder::new().name("watchdog".to_owned()).spawn(move || own.run(&engine))?;
        // The thread must have started: starting needs system calls that a worker is about to give up.
        let starting = shared.changed.wait_while(shared.lock(), |state| !state.started);
        drop(starting.unwrap_or_else(PoisonError::into_inner));
        Ok(Self(shared))
    }

    /// From `deadline` on, the epoch ticks until the returned value is dropped.
    pub(super) fn watch(&self, deadline: Instant) -> Watch<'_> {
        let mut state = self.0.lock();
        state.calls += 1;
        let entry = (deadline, state.calls);
        state.deadlines.insert(entry);
        let in_time = state.wakes.is_some_and(|wakes| wakes <= deadline);
        drop(state);
        if !in_time {
            self.0.changed.notify_one();
        }
        Watch { shared: &self.0, entry }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.0.lock().stopped = true;
        self.0.changed.notify_one();
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        self.shared.lock().deadlines.remove(&self.entry);
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, engine: &Engine) {
        let mut state = self.lock();
        state.started = true;
        self.changed.notify_all();
        while !state.stopped {
            let Some((deadline, _)) = state.deadlines.first().copied() else {
                state.wakes = None;
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            let now = monotonic::now();
            if deadline <= now {
                engine.increment_epoch();
            }
            let wait = deadline.saturating_duration_since(now).max(REMINDER);
            state.wakes = Some(now + wait);
            state = self.changed.wait_timeout(state, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
