//! One call of a gene: a fresh instance, its budgets, and what became of it.

use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use gephost_core::diagnosis::{Diagnosis, Finding};
use gephost_core::proposal::Proposal;
use wasmtime::component::{Instance, ResourceTableError};
use wasmtime::{Engine, Store, Trap, UpdateDeadline};

use super::bindings::gephost::gene::types as wit;
use super::budget::{Budget, Budgets, Usage};
use super::convert::{self, InvalidAnswer};
use super::logging::printable;
use super::state::{GeneState, Granted, Inputs, LogLine};
use super::{Exports, Gene};

/// The most printed lines that are kept; the last ones, since a panic comes last.
const MAX_PRINTED_LINES: usize = 10_000;

/// What a call left behind, whether it went well or not.
#[derive(Debug, Clone, PartialEq)]
pub struct Call<T> {
    /// The answer, or why there is none.
    pub result: Result<T, CallError>,
    /// What it used.
    pub usage: Usage,
    /// What the gene wrote.
    pub log: Vec<LogLine>,
}

/// Why a call has no answer. Each names what the operator or the author can do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// A budget ran out.
    #[error("used up its {budget} budget ({limit}): give it more, or make it do less")]
    Budget {
        /// Which.
        budget: Budget,
        /// The limit, with its unit.
        limit: String,
    },
    /// The guest stopped itself.
    #[error("trapped: {message}{}", .said.as_ref().map(|text| format!("; its last words: {text}")).unwrap_or_default())]
    Trap {
        /// The trap's name, or the host's reason.
        message: String,
        /// The last thing it wrote before, which for a panic is the panic's text.
        said: Option<String>,
        /// Where, innermost first, by function name.
        backtrace: Vec<String>,
    },
    /// The gene gave up by itself.
    #[error("gave up: {message} (code `{code}`)")]
    GaveUp {
        /// The gene's code.
        code: String,
        /// The gene's words.
        message: String,
    },
    /// It answered something that cannot be used.
    #[error(transparent)]
    Invalid(#[from] InvalidAnswer),
    /// The other half of the contract was called.
    #[error("exports no `{0}`: its world is another")]
    NotExported(&'static str),
}

impl Gene {
    /// Asks a heuristic gene for findings.
    pub fn diagnose(&self, inputs: &Inputs, granted: &Granted, budgets: &Budgets) -> Call<Vec<Finding>> {
        let events = inputs.run_log.len() as u64;
        let called = self.call(inputs, granted, budgets, |exports, store, instance| {
            let Some(indices) = &exports.diagnosis else { return Ok(None) };
            Ok(Some(indices.load(&mut *store, instance)?.call_diagnose(store)?))
        });
        called.and_then(|answer| {
            let answer = answer.ok_or(CallError::NotExported("diagnosis"))?.map_err(gave_up)?;
            Ok(convert::findings(self.id(), answer, events)?)
        })
    }

    /// Asks a strategy gene for candidates.
    pub fn propose(
        &self,
        diagnosis: &Diagnosis,
        inputs: &Inputs,
        granted: &Granted,
        budgets: &Budgets,
    ) -> Call<Vec<Proposal>> {
        let question = convert::diagnosis(diagnosis);
        let created_at = inputs.now.to_string();
        let called = self.call(inputs, granted, budgets, |exports, store, instance| {
            let Some(indices) = &exports.proposals else { return Ok(None) };
            Ok(Some(indices.load(&mut *store, instance)?.call_propose(store, &question)?))
        });
        called.and_then(|answer| {
            let answer = answer.ok_or(CallError::NotExported("proposals"))?.map_err(gave_up)?;
            Ok(convert::proposals(self.id(), &created_at, answer)?)
        })
    }

    /// Runs `body` on a fresh instance under the budgets.
    fn call<T>(
        &self,
        inputs: &Inputs,
        granted: &Granted,
        budgets: &Budgets,
        body: impl FnOnce(&Exports, &mut Store<GeneState>, &Instance) -> wasmtime::Result<T>,
    ) -> Call<T> {
        let started = Instant::now();
        let mut store = Store::new(&self.engine, GeneState::new(inputs.clone(), granted.clone(), budgets, started));
        let result = prepare(&mut store, budgets, started).and_then(|()| {
            within(budgets.wall, &self.engine, || {
                let instance = self.pre.instantiate(&mut store)?;
                body(&self.exports, &mut store, &instance)
            })
        });
        conclude(store, result, budgets, started)
    }
}

fn prepare(store: &mut Store<GeneState>, budgets: &Budgets, started: Instant) -> wasmtime::Result<()> {
    store.limiter(|state| &mut state.limiter);
    store.set_fuel(budgets.fuel)?;
    store.set_hostcall_fuel(usize::try_from(budgets.output).unwrap_or(usize::MAX));
    store.set_epoch_deadline(1);
    let wall = budgets.wall;
    // Every call on the engine sees every tick; a tick that came for another call is none of ours.
    store.epoch_deadline_callback(move |mut context| {
        if started.elapsed() < wall {
            return Ok(UpdateDeadline::Continue(1));
        }
        Err(context.data_mut().meter.exhaust(Budget::Wall))
    });
    Ok(())
}

/// Runs `body`, and ticks the engine's epoch at `wall` and then every millisecond until `body` has ended.
fn within<T>(wall: Duration, engine: &Engine, body: impl FnOnce() -> T) -> T {
    let (ended, ending) = mpsc::channel::<()>();
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut wait = wall;
            while let Err(mpsc::RecvTimeoutError::Timeout) = ending.recv_timeout(wait) {
                engine.increment_epoch();
                wait = Duration::from_millis(1);
            }
        });
        let result = body();
        drop(ended);
        result
    })
}

fn conclude<T>(
    mut store: Store<GeneState>,
    result: wasmtime::Result<T>,
    budgets: &Budgets,
    started: Instant,
) -> Call<T> {
    let fuel_left = store.get_fuel().unwrap_or_default();
    let state = store.data_mut();
    let mut usage = state.meter.usage;
    usage.fuel = budgets.fuel.saturating_sub(fuel_left);
    usage.memory = state.limiter.used();
    usage.wall_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    let printed = state.printed.contents();
    let mut log = std::mem::take(&mut state.log);
    let printed = String::from_utf8_lossy(&printed);
    let too_many = printed.lines().count().saturating_sub(MAX_PRINTED_LINES);
    log.extend(printed.lines().skip(too_many).map(|line| LogLine { level: "output", message: printable(line) }));
    let exceeded = state.meter.exceeded.or(state.limiter.refused.then_some(Budget::Memory));
    let result = result.map_err(|error| call_error(&error, exceeded, budgets, &log));
    Call { result, usage, log }
}

fn call_error(error: &wasmtime::Error, exceeded: Option<Budget>, budgets: &Budgets, log: &[LogLine]) -> CallError {
    let trap = error.downcast_ref::<Trap>();
    let message = error.root_cause().to_string();
    let budget = exceeded.or(match trap {
        Some(Trap::OutOfFuel) => Some(Budget::Fuel),
        Some(Trap::Interrupt) => Some(Budget::Wall),
        _ if message.contains("hostcalls has been exhausted") => Some(Budget::Output),
        _ if matches!(error.downcast_ref(), Some(ResourceTableError::Full)) => Some(Budget::HostCalls),
        _ => None,
    });
    if let Some(budget) = budget {
        return CallError::Budget { budget, limit: limit(budget, budgets) };
    }
    let backtrace = error.downcast_ref::<wasmtime::WasmBacktrace>().map(functions).unwrap_or_default();
    let said = log.iter().rev().find(|line| line.level == "error" || line.level == "output");
    CallError::Trap { message: printable(&message), said: said.map(|line| line.message.clone()), backtrace }
}

fn functions(backtrace: &wasmtime::WasmBacktrace) -> Vec<String> {
    let name = |frame: &wasmtime::FrameInfo| {
        frame.func_name().map_or_else(|| format!("function {}", frame.func_index()), printable)
    };
    backtrace.frames().iter().take(32).map(name).collect()
}

fn limit(budget: Budget, budgets: &Budgets) -> String {
    match budget {
        Budget::Wall => format!("{} ms", budgets.wall.as_millis()),
        Budget::Fuel => format!("{} units", budgets.fuel),
        Budget::Memory => format!("{} MiB of memory, {} table elements", budgets.memory >> 20, budgets.table_elements),
        Budget::Output => format!("{} bytes", budgets.output),
        Budget::HostCalls => format!(
            "{} calls, {} MiB handed over, {} handles",
            budgets.host_calls,
            budgets.host_bytes >> 20,
            budgets.handles
        ),
    }
}

fn gave_up(error: wit::GeneError) -> CallError {
    CallError::GaveUp { code: printable(&error.code), message: printable(&error.message) }
}

impl<T> Call<T> {
    fn and_then<U>(self, next: impl FnOnce(T) -> Result<U, CallError>) -> Call<U> {
        Call { result: self.result.and_then(next), usage: self.usage, log: self.log }
    }
}
