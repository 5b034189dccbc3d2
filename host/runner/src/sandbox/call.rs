//! The question and the answer of one gene call.
//!
//! A [`Report`] is the result of an instance, in this process or in a worker. The host turns it into a [`Call`]. The
//! answer of a gene is checked only there, wherever it ran.

use std::borrow::Cow;
use std::cmp::Ordering;

use gephost_core::gene::Lines;
use gephost_core::recording::AuditLog;
use serde::{Deserialize, Serialize};

use super::bindings::gephost::gene::explanation::Explanation;
use super::bindings::gephost::gene::types as wit;
use super::budget::{Budget, Budgets, Usage};
use super::completions::Turn;
use super::convert::InvalidAnswer;
use super::log_line::LogLine;
use super::printable::printable;
use super::ran_in::RanIn;
use super::trace::HostCalls;

/// Most functions of a backtrace that are kept, and that one line shows.
pub(super) const MAX_FRAMES: usize = 32;
const SHOWN_FRAMES: usize = 3;

/// A question to a gene.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) enum Question {
    Diagnose,
    Propose {
        diagnosis: wit::Diagnosis,
        /// What its findings explain.
        explained: Vec<Explanation>,
    },
}

/// The answer, before it is checked.
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
    /// The world of the gene has no such function.
    NotExported,
}

/// The result of an instance. The binary encoding between worker and host has no member names, so no member may be
/// omitted.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Report {
    pub(super) result: Result<Answer, Ended>,
    pub(super) usage: Usage,
    pub(super) log: Vec<LogLine>,
    #[serde(with = "super::audit_encoding")]
    pub(super) audit: AuditLog,
    pub(super) host_calls: HostCalls,
}

/// What ended an instance early.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Ended {
    /// A budget, with the functions that were running.
    Budget { budget: Budget, frames: Vec<Frame> },
    /// A trap, as in [`CallError::Trap`].
    Trap { message: String, said: Option<String>, place: Option<String>, frames: Vec<Frame> },
    /// The host, as in [`CallError::Stopped`].
    Stopped(String),
}

/// A function of a backtrace, and where in it the trap or the call was.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Frame {
    pub(super) name: String,
    /// The core module's own name.
    pub(super) module: Option<String>,
    /// The function's index in the module.
    pub(super) function: u32,
    /// The instruction's offset in the body of the function.
    pub(super) offset: Option<u32>,
}

impl Frame {
    /// The author's line. The function is not named: it may be one that has others inlined.
    fn place(&self, lines: &Lines) -> Option<String> {
        let (file, line) = lines.at(self.module.as_deref(), self.function, self.offset?)?;
        Some(format!("{}:{line}", printable(file)))
    }
}

/// A place `SCRIPT:LINE:COLUMN in FUNCTION` of a script as that of the file that it was compiled from. The column and the
/// function may be absent.
fn compiled_from(place: &str, lines: &Lines) -> Option<String> {
    let (at, function) = place.split_once(" in ").map_or((place, None), |(at, function)| (at, Some(function)));
    let (script, numbers) = at.split_once(':')?;
    let number = numbers.split(':').next()?.parse().ok()?;
    let (file, line) = lines.of_script(script, number)?;
    let place = format!("{}:{line}", printable(file));
    Some(match function {
        Some(function) => format!("{place} in {function}"),
        None => place,
    })
}

/// The result of a call, successful or not.
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
    /// Its calls to the host, as many as [`Budgets::traced_calls`] keeps.
    pub host_calls: HostCalls,
    /// Where it ran, and how it was confined.
    pub ran_in: RanIn,
    /// What it asked a model, with the answers.
    pub turns: Vec<Turn>,
}

/// Why a call has no answer. Each message says what the operator or the author can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CallError {
    /// A budget was exceeded. Where the gene was is no part of the message: two runs may be stopped at different places.
    #[error("used up its {budget} budget ({limit}): {}", remedy(.key.as_deref()))]
    Budget {
        /// Which.
        budget: Budget,
        /// The limit, with its unit.
        limit: String,
        /// The key of the config that sets the limit; none if the limit is fixed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        key: Option<Cow<'static, str>>,
        /// The line of the author's that was running, as in [`CallError::Trap`].
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<String>,
        /// The functions, as in [`CallError::Trap`].
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        backtrace: Vec<String>,
    },
    /// The guest trapped.
    #[error("{}", trap(.message, .said.as_deref(), .place.as_deref(), .backtrace))]
    Trap {
        /// The trap's name, or the host's reason.
        message: String,
        /// What the gene printed of it: the message of an exception or a panic, or else its last line.
        said: Option<String>,
        /// The line of the author's that the gene or its table of lines names: `FILE:LINE`, and the function if it is known.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<String>,
        /// The functions, innermost first; empty if they are an interpreter's.
        backtrace: Vec<String>,
    },
    /// The gene gave up by itself.
    #[error("gave up: {message} (code `{code}`)")]
    GaveUp {
        /// The gene's code.
        code: String,
        /// The message of the gene.
        message: String,
    },
    /// The host stopped it while it waited for a model.
    #[error("was stopped: {reason}")]
    Stopped {
        /// Why.
        reason: String,
    },
    /// Its worker process could not be started, or ended before it answered.
    #[error("its worker process failed: {reason}")]
    Worker {
        /// How it failed.
        reason: String,
    },
    /// Its answer cannot be used.
    #[error(transparent)]
    Invalid {
        /// What is wrong with it.
        #[from]
        answer: InvalidAnswer,
    },
    /// It does not export the function that was called.
    #[error("does not export `{interface}`: it has another world")]
    NotExported {
        /// The interface.
        interface: Cow<'static, str>,
    },
}

/// What to do about a budget that ran out.
fn remedy(key: Option<&str>) -> String {
    match key {
        Some(key) => format!("raise `{key}` in the config, or make the gene do less"),
        None => "make the gene do less".to_owned(),
    }
}

/// A trap on one line: where, and what the gene says of it. The trap's own name counts only if the gene says nothing.
fn trap(message: &str, said: Option<&str>, place: Option<&str>, backtrace: &[String]) -> String {
    match (said, place) {
        (said, Some(place)) => format!("failed at {place}: {}", said.unwrap_or(message)),
        (Some(said), None) => format!("trapped{}: {message}; its last words: {said}", functions(backtrace)),
        (None, None) => format!("trapped{}: {message}", functions(backtrace)),
    }
}

/// The innermost functions, on one line.
fn functions(backtrace: &[String]) -> String {
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
            Self::Stopped { .. } => "gene_stopped",
            Self::Worker { .. } => "gene_worker",
            Self::Invalid { .. } => "gene_answer",
            Self::NotExported { .. } => "gene_not_exported",
        }
    }

    /// The error for this budget, of which only the fullest part is named: most budgets count several things.
    fn used_up(budget: Budget, usage: &Usage, budgets: &Budgets) -> Self {
        let parts = usage.headroom(budgets).into_iter().filter(|part| part.budget == budget);
        // A limit of 0 is full as soon as anything is asked for.
        let fullest =
            parts.max_by(|a, b| (a.share(), a.used).partial_cmp(&(b.share(), b.used)).unwrap_or(Ordering::Equal));
        let Some(part) = fullest else { return Self::out_of(budget, budgets) };
        let key = part.key().map(Cow::Borrowed);
        Self::Budget { budget, limit: part.limit_text(), key, place: None, backtrace: Vec::new() }
    }

    /// The error for this budget.
    pub(super) fn out_of(budget: Budget, budgets: &Budgets) -> Self {
        let key = Some(Cow::Borrowed(budget.key()));
        Self::Budget { budget, limit: limit(budget, budgets), key, place: None, backtrace: Vec::new() }
    }

    /// Where the gene was when a budget ran out, if that is known.
    pub fn stopped_at(&self) -> Option<String> {
        match self {
            Self::Budget { place: Some(place), .. } => Some(format!("it was stopped at {place}")),
            Self::Budget { backtrace, .. } if !backtrace.is_empty() => {
                Some(format!("it was stopped{}", functions(backtrace)))
            }
            _ => None,
        }
    }

    /// The functions of a trap, or those that were running when a budget ran out, innermost first. Empty if they are an
    /// interpreter's.
    pub fn backtrace(&self) -> &[String] {
        match self {
            Self::Trap { backtrace, .. } | Self::Budget { backtrace, .. } => backtrace,
            _ => &[],
        }
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

impl Report {
    /// Turns it into the result of a call. `lines` is the section of the component with its table of lines, which is read
    /// only after a trap; empty if it has none.
    pub(super) fn into_call(self, ran_in: RanIn, budgets: &Budgets, lines: &[u8]) -> Call<Answer> {
        let result = self.result.map_err(|ended| match ended {
            Ended::Budget { budget, frames } => {
                let known = Lines::read(lines).unwrap_or_default();
                let at = frames.iter().find_map(|frame| frame.place(&known));
                let mut error = CallError::used_up(budget, &self.usage, budgets);
                if let CallError::Budget { place, backtrace, .. } = &mut error {
                    (*place, *backtrace) = (at, frames.into_iter().map(|frame| frame.name).collect());
                }
                error
            }
            Ended::Trap { message, said, place, frames } => {
                let lines = Lines::read(lines).unwrap_or_default();
                let place = match place {
                    Some(place) => Some(compiled_from(&place, &lines).unwrap_or(place)),
                    None => frames.iter().find_map(|frame| frame.place(&lines)),
                };
                let backtrace = frames.into_iter().map(|frame| frame.name).collect();
                CallError::Trap { message, said, place, backtrace }
            }
            Ended::Stopped(reason) => CallError::Stopped { reason },
        });
        let Self { usage, log, audit, host_calls, .. } = self;
        Call { result, usage, log, audit, host_calls, ran_in, turns: Vec::new() }
    }
}

impl<T> Call<T> {
    /// A call that ended before the gene ran.
    pub(super) fn not_begun(error: CallError) -> Self {
        Self::without_report(error, Usage::default(), RanIn::Thread)
    }

    /// A call of which nothing but this is known.
    pub(super) fn without_report(error: CallError, usage: Usage, ran_in: RanIn) -> Self {
        let (audit, host_calls) = (AuditLog::default(), HostCalls::default());
        Self { result: Err(error), usage, log: Vec::new(), audit, host_calls, ran_in, turns: Vec::new() }
    }

    pub(super) fn and_then<U>(self, next: impl FnOnce(T) -> Result<U, CallError>) -> Call<U> {
        let Self { result, usage, log, audit, host_calls, ran_in, turns } = self;
        Call { result: result.and_then(next), usage, log, audit, host_calls, ran_in, turns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_names_its_fullest_part_and_only_a_limit_that_can_be_raised() {
        let budgets = Budgets::default();
        let said = |budget, usage| CallError::used_up(budget, &usage, &budgets).to_string();
        let lines = Usage { log_lines: budgets.log_lines + 1, ..Usage::default() };
        assert_eq!(said(Budget::Output, lines), "used up its output budget (10000 log lines): make the gene do less");
        let memory = Usage { memory: budgets.memory as u64, ..Usage::default() };
        assert_eq!(
            said(Budget::Memory, memory),
            "used up its memory budget (256 MiB): raise `memory_mib` in the config, or make the gene do less"
        );
        let stopped = |place: Option<&str>, backtrace: &[&str]| {
            let mut error = CallError::out_of(Budget::Wall, &budgets);
            let CallError::Budget { place: at, backtrace: functions, .. } = &mut error else { return None };
            *at = place.map(str::to_owned);
            *functions = backtrace.iter().map(|&name| name.to_owned()).collect();
            assert!(!error.to_string().contains("stopped"), "two runs give the same message: {error}");
            error.stopped_at()
        };
        assert_eq!(stopped(None, &[]), None);
        assert_eq!(stopped(None, &["a", "b"]).as_deref(), Some("it was stopped in `a`, called by `b`"));
        assert_eq!(stopped(Some("gene.c:7"), &["a"]).as_deref(), Some("it was stopped at gene.c:7"));
    }
}
