//! One call of a gene: a fresh instance, its budgets, and what became of it.
//!
//! A [`Report`] is what an instance leaves behind, in this process or in a worker; a [`Call`] is what the host makes of
//! it. What a gene answers is checked on that way only, wherever it ran.

use std::borrow::Cow;
use std::time::Instant;

use gephost_core::diagnosis::{Diagnosis, Finding};
use gephost_core::proposal::Proposal;
use gephost_core::recording::AuditLog;
use serde::{Deserialize, Serialize};
use wasmtime::component::{Instance, ResourceTableError};
use wasmtime::{Store, Trap, UpdateDeadline};

use super::bindings::gephost::gene::explanation::Explanation;
use super::bindings::gephost::gene::types as wit;
use super::budget::{Budget, Budgets, Usage};
use super::convert::{self, InvalidAnswer};
use super::host::{Exports, Loaded};
use super::logging::printable;
use super::state::{GeneState, Granted, Inputs, LogLevel, LogLine};
use super::worker::{self, RanIn};
use super::{Body, Gene};

/// The most printed lines that are kept; the last ones, since a panic comes last.
const MAX_PRINTED_LINES: usize = 10_000;

/// Handles that a guest keeps in its own tables at the same time, lent ones counted too: those of resources that it
/// made itself are memory of the host, and none of the linear memory that it pays for.
const MAX_OWN_HANDLES: usize = 1 << 16;

/// The most functions of a backtrace that are kept, and that one line shows.
pub(super) const MAX_FRAMES: usize = 32;
const SHOWN_FRAMES: usize = 3;
/// The longest name of a function that is read as a mangled one, in bytes: a short one may stand for a very long one.
const MAX_SYMBOL: usize = 2000;

/// What a gene is asked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Question {
    Diagnose,
    Propose(wit::Diagnosis),
}

/// What it answered, before anything of it was checked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Answer {
    Findings {
        answer: Result<Vec<wit::Finding>, wit::GeneError>,
        /// What it said of them through `explanation`.
        explanations: Vec<Explanation>,
    },
    Proposals {
        answer: Result<Vec<wit::Proposal>, wit::GeneError>,
        /// What it wrote through `wasi:filesystem`.
        written: Vec<wit::Change>,
    },
    /// Its world has no such function.
    NotExported,
}

/// What an instance left behind. It crosses from a worker in a form without names, in which no member may be left out.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Report {
    pub(super) result: Result<Answer, Ended>,
    pub(super) usage: Usage,
    pub(super) log: Vec<LogLine>,
    #[serde(with = "worker::audit")]
    pub(super) audit: AuditLog,
}

/// What ended an instance.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Ended {
    /// A budget.
    Budget(Budget),
    /// Itself; as in [`CallError::Trap`].
    Trap { message: String, said: Option<String>, backtrace: Vec<String> },
}

/// What a call left behind, whether it went well or not.
#[derive(Debug, Clone, PartialEq)]
pub struct Call<T> {
    /// The answer, or why there is none.
    pub result: Result<T, CallError>,
    /// What it used.
    pub usage: Usage,
    /// What the gene wrote.
    pub log: Vec<LogLine>,
    /// What it asked of the host.
    pub audit: AuditLog,
    /// Where it ran, and under what.
    pub ran_in: RanIn,
}

/// Why a call has no answer. Each names what the operator or the author can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
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
    #[error("trapped{}: {message}{}", place(.backtrace), .said.as_ref().map(|text| format!("; its last words: {text}")).unwrap_or_default())]
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
    /// Its worker process could not be started, or ended before it answered.
    #[error("its worker process failed: {reason}")]
    Worker {
        /// How it failed.
        reason: String,
    },
    /// It answered something that cannot be used.
    #[error(transparent)]
    Invalid {
        /// What is wrong with it.
        #[from]
        answer: InvalidAnswer,
    },
    /// The other half of the contract was called.
    #[error("exports no `{interface}`: its world is another")]
    NotExported {
        /// The half.
        interface: Cow<'static, str>,
    },
}

impl Gene {
    /// Asks a heuristic gene for findings.
    pub fn diagnose(&self, inputs: &Inputs, granted: &Granted, budgets: &Budgets) -> Call<Vec<Finding>> {
        let events = inputs.run_log.len() as u64;
        self.ask(&Question::Diagnose, inputs, granted, budgets).and_then(|answer| {
            let Answer::Findings { answer, explanations } = answer else {
                return Err(CallError::NotExported { interface: "diagnosis".into() });
            };
            Ok(convert::findings(self.id(), answer.map_err(gave_up)?, explanations, events)?)
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
        let question = Question::Propose(convert::diagnosis(diagnosis));
        let created_at = inputs.now.to_string();
        self.ask(&question, inputs, granted, budgets).and_then(|answer| {
            let Answer::Proposals { answer, written } = answer else {
                return Err(CallError::NotExported { interface: "proposals".into() });
            };
            let answer = convert::with_written(answer.map_err(gave_up)?, written)?;
            Ok(convert::proposals(self.id(), &created_at, answer)?)
        })
    }

    /// The answer as the gene gave it, from this process or from a worker.
    fn ask(&self, question: &Question, inputs: &Inputs, granted: &Granted, budgets: &Budgets) -> Call<Answer> {
        match &self.body {
            Body::InThread(loaded) => {
                loaded.ask(question, inputs.clone(), granted.clone(), budgets).into_call(RanIn::Thread, budgets)
            }
            Body::InProcess(gene) => gene.ask(question, inputs, granted, budgets),
        }
    }
}

impl Loaded {
    /// Asks a fresh instance in this process, under the budgets.
    pub(super) fn ask(&self, question: &Question, inputs: Inputs, granted: Granted, budgets: &Budgets) -> Report {
        // Given back after the store. Waiting for it is none of the gene's time.
        let _seat = self.seats.as_ref().map(|seats| seats.take());
        let started = Instant::now();
        let mut store = Store::new(&self.engine, GeneState::new(inputs, granted, budgets, started));
        let result = prepare(&mut store, budgets, started).and_then(|()| {
            let _watch = started.checked_add(budgets.wall).map(|deadline| self.watchdog.watch(deadline));
            let instance = self.pre.instantiate(&mut store)?;
            self.exports.ask(question, &mut store, &instance)
        });
        conclude(store, result, budgets, started)
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
            (Question::Propose(diagnosis), _, Some(indices)) => {
                let answer = indices.load(&mut *store, instance)?.call_propose(&mut *store, diagnosis)?;
                let wanted = answer.as_ref().is_ok_and(|answer| !answer.is_empty());
                let written = convert::written(store.data_mut().take_written(wanted)?);
                Ok(Answer::Proposals { answer, written })
            }
            _ => Ok(Answer::NotExported),
        }
    }
}

fn prepare(store: &mut Store<GeneState>, budgets: &Budgets, started: Instant) -> wasmtime::Result<()> {
    store.limiter(|state| &mut state.limiter);
    store.set_fuel(budgets.fuel)?;
    store.set_hostcall_fuel(usize::try_from(budgets.output).unwrap_or(usize::MAX));
    store.set_max_component_handles(MAX_OWN_HANDLES);
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

fn conclude(
    mut store: Store<GeneState>,
    result: wasmtime::Result<Answer>,
    budgets: &Budgets,
    started: Instant,
) -> Report {
    let fuel_left = store.get_fuel().unwrap_or_default();
    let state = store.data_mut();
    let mut usage = state.meter.usage;
    usage.fuel = budgets.fuel.saturating_sub(fuel_left);
    usage.memory = state.limiter.used();
    usage.table_elements = state.limiter.table_elements();
    usage.handles = state.most_handles();
    usage.wall_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    let audit = state.audit.take();
    let printed = state.printed.contents();
    let mut log = std::mem::take(&mut state.log);
    let printed = String::from_utf8_lossy(&printed);
    let too_many = printed.lines().count().saturating_sub(MAX_PRINTED_LINES);
    log.extend(
        printed.lines().skip(too_many).map(|line| LogLine { level: LogLevel::Output, message: printable(line) }),
    );
    let exceeded = state.meter.exceeded.or(state.limiter.refused.then_some(Budget::Memory));
    let result = result.map_err(|error| ended(&error, exceeded, &log));
    Report { result, usage, log, audit }
}

fn ended(error: &wasmtime::Error, exceeded: Option<Budget>, log: &[LogLine]) -> Ended {
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
    if let Some(budget) = budget {
        return Ended::Budget(budget);
    }
    let backtrace = error.downcast_ref::<wasmtime::WasmBacktrace>().map(functions).unwrap_or_default();
    let said = log.iter().rev().find(|line| matches!(line.level, LogLevel::Error | LogLevel::Output));
    Ended::Trap { message: printable(&message), said: said.map(|line| line.message.clone()), backtrace }
}

/// The functions' names as their author wrote them, innermost first. A stripped gene has numbers only. Debug information
/// is not read: it is the guest's to forge, and reading it costs what it likes.
fn functions(backtrace: &wasmtime::WasmBacktrace) -> Vec<String> {
    let name = |frame: &wasmtime::FrameInfo| match frame.func_name() {
        Some(name) if name.len() <= MAX_SYMBOL => printable(&format!("{:#}", rustc_demangle::demangle(name))),
        Some(name) => printable(name),
        None => format!("function {}", frame.func_index()),
    };
    backtrace.frames().iter().take(MAX_FRAMES).map(name).collect()
}

/// The innermost functions, in a few words.
fn place(backtrace: &[String]) -> String {
    if backtrace.is_empty() {
        return String::new();
    }
    let short = |name: &String| {
        let short: String = name.chars().take(80).collect();
        format!("`{}{}`", short, if short.len() < name.len() { "…" } else { "" })
    };
    let shown: Vec<String> = backtrace.iter().take(SHOWN_FRAMES).map(short).collect();
    let more = if backtrace.len() > SHOWN_FRAMES { ", …" } else { "" };
    format!(" in {}{more}", shown.join(", called by "))
}

impl CallError {
    /// A short name for programs. The five budgets have one each.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Budget { budget, .. } => budget.code(),
            Self::Trap { .. } => "gene_trapped",
            Self::GaveUp { .. } => "gene_gave_up",
            Self::Worker { .. } => "gene_worker",
            Self::Invalid { .. } => "gene_answer",
            Self::NotExported { .. } => "gene_not_exported",
        }
    }

    /// This budget ran out.
    pub(super) fn out_of(budget: Budget, budgets: &Budgets) -> Self {
        Self::Budget { budget, limit: limit(budget, budgets) }
    }
}

fn limit(budget: Budget, budgets: &Budgets) -> String {
    match budget {
        Budget::Wall => format!("{} ms", budgets.wall.as_millis()),
        Budget::Fuel => format!("{} units", budgets.fuel),
        Budget::Memory => format!("{} MiB of memory, {} table elements", budgets.memory >> 20, budgets.table_elements),
        Budget::Output => format!("{} bytes, {} log lines", budgets.output, budgets.log_lines),
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

impl Report {
    /// What the host makes of it.
    pub(super) fn into_call(self, ran_in: RanIn, budgets: &Budgets) -> Call<Answer> {
        let result = self.result.map_err(|ended| match ended {
            Ended::Budget(budget) => CallError::out_of(budget, budgets),
            Ended::Trap { message, said, backtrace } => CallError::Trap { message, said, backtrace },
        });
        Call { result, usage: self.usage, log: self.log, audit: self.audit, ran_in }
    }
}

impl<T> Call<T> {
    fn and_then<U>(self, next: impl FnOnce(T) -> Result<U, CallError>) -> Call<U> {
        let Self { result, usage, log, audit, ran_in } = self;
        Call { result: result.and_then(next), usage, log, audit, ran_in }
    }
}
