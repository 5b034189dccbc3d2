//! One call in this process: a new instance, its budgets and its report.

use wasmtime::component::{Instance, ResourceTableError};
use wasmtime::{Store, Trap, UpdateDeadline};

use super::budget::{Budget, Budgets};
use super::call::{Answer, Ended, Frame, MAX_FRAMES, Question, Report};
use super::completions::Stopped;
use super::convert;
use super::fault_text::FaultText;
use super::granted::Granted;
use super::host::{Exports, Loaded};
use super::inputs::Inputs;
use super::log_line::{LogLevel, LogLine};
use super::printable::printable;
use super::state::GeneState;
use crate::monotonic;

/// Most handles in the guest's own tables at the same time, including borrowed ones. Handles of the guest's own
/// resources use memory of the host, which its memory budget does not cover.
const MAX_OWN_HANDLES: usize = 1 << 16;

/// Longest function name that is demangled, in bytes. A short mangled name can stand for a very long one.
const MAX_SYMBOL: usize = 2000;

impl Loaded {
    /// Asks a new instance in this process, within the budgets.
    pub(super) fn ask(&self, question: &Question, inputs: Inputs, granted: Granted, budgets: &Budgets) -> Report {
        // Returned after the store is dropped. Waiting for a seat does not count as time of the gene.
        let _seat = self.seats.as_ref().map(|seats| seats.take());
        let started = monotonic::now();
        let mut store = Store::new(&self.engine, GeneState::new(inputs, granted, budgets, started));
        let result = prepare(&mut store, budgets).and_then(|()| {
            let _watch = started.checked_add(budgets.wall).map(|deadline| self.watchdog.watch(deadline));
            let instance = self.pre.instantiate(&mut store)?;
            self.exports.ask(question, &mut store, &instance)
        });
        conclude(store, result, budgets)
    }
}

impl Exports {
    fn ask(&self, question: &Question, store: &mut Store<GeneState>, instance: &Instance) -> wasmtime::Result<Answer> {
        match (question, &self.diagnosis, &self.proposals) {
            (Question::Diagnose, Some(indices), _) => {
                let answer = indices.load(&mut *store, instance)?.call_diagnose(&mut *store)?;
                store.data_mut().take_written(false)?;
                let explanations = std::mem::take(&mut store.data_mut().explanations);
                Ok(Answer::Findings { answer, explanations })
            }
            (Question::Propose { diagnosis, explained }, _, Some(indices)) => {
                store.data_mut().explained.clone_from(explained);
                let answer = indices.load(&mut *store, instance)?.call_propose(&mut *store, diagnosis)?;
                let wanted = answer.as_ref().is_ok_and(|answer| !answer.is_empty());
                let written = convert::written(store.data_mut().take_written(wanted)?);
                Ok(Answer::Proposals { answer, written })
            }
            _ => Ok(Answer::NotExported),
        }
    }
}

fn prepare(store: &mut Store<GeneState>, budgets: &Budgets) -> wasmtime::Result<()> {
    store.limiter(|state| &mut state.limiter);
    store.set_fuel(budgets.fuel)?;
    store.set_hostcall_fuel(usize::try_from(budgets.output).unwrap_or(usize::MAX));
    store.set_max_component_handles(MAX_OWN_HANDLES);
    store.set_epoch_deadline(1);
    // Every call on the engine sees every tick, including those meant for other calls.
    store.epoch_deadline_callback(move |mut context| {
        let meter = &mut context.data_mut().meter;
        if meter.is_late() { Err(meter.exhaust(Budget::Wall)) } else { Ok(UpdateDeadline::Continue(1)) }
    });
    Ok(())
}

fn conclude(mut store: Store<GeneState>, result: wasmtime::Result<Answer>, budgets: &Budgets) -> Report {
    let fuel_left = store.get_fuel().unwrap_or_default();
    let state = store.data_mut();
    let mut usage = state.meter.usage;
    usage.fuel = budgets.fuel.saturating_sub(fuel_left);
    usage.memory = state.limiter.used();
    usage.table_elements = state.limiter.table_elements();
    usage.handles = state.most_handles();
    usage.wall_us = u64::try_from(state.meter.wall().as_micros()).unwrap_or(u64::MAX);
    let (audit, host_calls) = (state.audit.take(), state.trace.take());
    let log = state.lines.take();
    let exceeded = state.meter.exceeded.or(state.limiter.refused.then_some(Budget::Memory));
    let result = result.map_err(|error| ended(&error, exceeded, &log));
    Report { result, usage, log, audit, host_calls }
}

fn ended(error: &wasmtime::Error, exceeded: Option<Budget>, log: &[LogLine]) -> Ended {
    if let Some(Stopped(reason)) = error.downcast_ref() {
        return Ended::Stopped(reason.clone());
    }
    let trap = error.downcast_ref::<Trap>();
    let message = error.root_cause().to_string();
    let budget = exceeded.or(match trap {
        Some(Trap::OutOfFuel) => Some(Budget::Fuel),
        Some(Trap::Interrupt) => Some(Budget::Wall),
        _ if message.contains("hostcalls has been exhausted") => Some(Budget::Output),
        _ if message.contains("store handle limit exceeded") => Some(Budget::HostCalls),
        _ if matches!(error.downcast_ref(), Some(ResourceTableError::Full)) => Some(Budget::HostCalls),
        _ => None,
    });
    let running = error.downcast_ref::<wasmtime::WasmBacktrace>().map(frames).unwrap_or_default();
    if let Some(budget) = budget {
        let frames = if running.iter().any(is_interpreter) { Vec::new() } else { running };
        return Ended::Budget { budget, frames };
    }
    let words = log.iter().filter(|line| matches!(line.level, LogLevel::Error | LogLevel::Output));
    let text = FaultText::of(&words.map(|line| line.message.as_str()).collect::<Vec<_>>()).unwrap_or_default();
    let frames = if text.is_interpreted { Vec::new() } else { running };
    let said = (!text.message.is_empty()).then_some(text.message);
    Ended::Trap { message: printable(&message), said, place: text.place, frames }
}

/// The functions with their names as their author wrote them, innermost first. A stripped gene has only numbers. Debug
/// information is not read, because the guest can forge it and make it expensive to read.
fn frames(backtrace: &wasmtime::WasmBacktrace) -> Vec<Frame> {
    let frame = |frame: &wasmtime::FrameInfo| Frame {
        name: match frame.func_name() {
            Some(name) if name.len() <= MAX_SYMBOL => printable(&format!("{:#}", rustc_demangle::demangle(name))),
            Some(name) => printable(name),
            None => format!("function {}", frame.func_index()),
        },
        module: frame.module().name().map(printable),
        function: frame.func_index(),
        offset: frame.func_offset().and_then(|offset| u32::try_from(offset).ok()),
    };
    let frames = backtrace.frames().iter().map(frame).skip_while(|frame| is_machinery(&frame.name));
    frames.take(MAX_FRAMES).collect()
}

/// Whether a function runs a script: that of CPython, and that of QuickJS. The functions around it say nothing to its author.
fn is_interpreter(frame: &Frame) -> bool {
    matches!(&*frame.name, "_PyEval_EvalFrameDefault" | "JS_CallInternal")
}

/// Whether a function is how a language panics, and not where.
fn is_machinery(name: &str) -> bool {
    const BEGINNINGS: &[&str] =
        &["abort", "std::", "core::", "alloc::", "__rust", "rust_", "__abort", "__assert_fail", "debug.", "std.debug."];
    let name = name.trim_start_matches('<');
    BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
}
