//! The clock behind the wall budget: one thread for an engine, however many calls run on it.
//!
//! It sleeps until the earliest deadline and then ticks the engine's epoch every millisecond until that call has ended.
//! What must stay true: starting a call costs a lock and no system call, as long as the thread will be awake by then
//! anyway, which it is whenever the call before had the same budget.

use std::collections::BTreeSet;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::monotonic;
use wasmtime::Engine;

/// How often a call that is late is reminded.
const REMINDER: Duration = Duration::from_millis(1);

/// Ticks an engine's epoch. Its thread ends with it.
#[derive(Debug)]
pub(super) struct Watchdog(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// When each running call must have ended. The number tells equal times apart.
    deadlines: BTreeSet<(Instant, u64)>,
    calls: u64,
    /// When the thread will look again; none while it sleeps until it is woken.
    wakes: Option<Instant>,
    started: bool,
    stopped: bool,
}

/// A call that is being watched, until this is dropped.
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
        // A thread that is still coming up needs system calls that a worker is about to give up.
        let starting = shared.changed.wait_while(shared.lock(), |state| !state.started);
        drop(starting.unwrap_or_else(PoisonError::into_inner));
        Ok(Self(shared))
    }

    /// From `deadline` on the epoch ticks until the answer is dropped.
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
