//! A host for unit tests that run natively, with `cargo test`. Components do not contain it.
//!
//! [`Host`] is a script: files, events of the run log, settings, answers of the model. [`Host::run`] runs a piece of code
//! with this host, in the current thread, and returns what the code did. Tests may run in parallel.
//!
//! ```
//! use gephost_gene::testing::{Host, finding};
//! use gephost_gene::{log, workspace};
//!
//! let ran = Host::new().file("a.sh", "python x.py\n").run(|| {
//!     log::info("reading");
//!     workspace::read_text("a.sh")
//! });
//! assert_eq!(ran.answer?, "python x.py\n");
//! assert_eq!(ran.log, ["info reading"]);
//! # Ok::<(), gephost_gene::HostError>(())
//! ```
//!
//! It answers like gephost, but it has no budgets and no limits of length, and it refuses globs with classes such as
//! `[[:alpha:]]`. `gephost gene test` runs the component in gephost itself.

mod files;
mod folder;
mod glob;
pub(crate) mod imports;
mod log_event;
#[cfg(test)]
mod tests;

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use crate::completion::Request;
use crate::coverage::Measured;
use crate::history::Attempt;
use crate::run_log::{Correction, Used};
use crate::settings::{Setting, Value};
use crate::{Change, Diagnosis, Explanation, Finding, Gene, GeneError, HostError, Proposal, Severity};
use folder::Folder;
pub use log_event::LogEvent;

/// Something that a gene may be denied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// The events of the agent's log.
    RunLog,
    /// The files.
    Workspace,
    /// Earlier attempts.
    History,
    /// The model.
    Completion,
    /// The executed lines.
    Coverage,
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::RunLog => "run-log",
            Self::Workspace => "workspace",
            Self::History => "history",
            Self::Completion => "completion",
            Self::Coverage => "coverage",
        })
    }
}

/// What the host has and answers. A new one grants every capability, and has no files, no events and no model.
#[derive(Debug, Clone, Default)]
pub struct Host {
    denied: Vec<Capability>,
    files: BTreeMap<String, Vec<u8>>,
    events: Vec<LogEvent>,
    models: Vec<String>,
    usage: Vec<Used>,
    corrections: Vec<Correction>,
    attempts: Vec<Attempt>,
    settings: BTreeMap<String, Setting>,
    answers: VecDeque<Result<String, HostError>>,
    coverage: Option<Measured>,
    explanations: Vec<Explanation>,
}

impl Host {
    /// An empty host.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Denies a capability.
    #[must_use]
    pub fn deny(mut self, capability: Capability) -> Self {
        self.denied.push(capability);
        self
    }

    /// Adds a file of the workspace, by its path from the root.
    #[must_use]
    pub fn file(mut self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let path = files::normal(path).unwrap_or_else(|| panic!("{path:?} is not a path within the workspace"));
        self.files.insert(path, content.as_ref().to_vec());
        self
    }

    /// Adds an event to the run log. The first one has the number 0.
    #[must_use]
    pub fn event(mut self, event: LogEvent) -> Self {
        self.events.push(event);
        self
    }

    /// The names that [`Used::model_number`] refers to.
    #[must_use]
    pub fn models(mut self, names: &[&str]) -> Self {
        self.models = names.iter().map(|name| (*name).to_owned()).collect();
        self
    }

    /// Adds what the requests of one event used.
    #[must_use]
    pub fn usage(mut self, used: Used) -> Self {
        self.usage.push(used);
        self.usage.sort_by_key(|used| used.index);
        self
    }

    /// Adds a correction of a failed call.
    #[must_use]
    pub fn correction(mut self, correction: Correction) -> Self {
        self.corrections.push(correction);
        self.corrections.sort_by_key(|correction| correction.failed);
        self
    }

    /// Adds an earlier attempt. Add the oldest first.
    #[must_use]
    pub fn attempt(mut self, attempt: Attempt) -> Self {
        self.attempts.push(attempt);
        self
    }

    /// Gives a setting a value.
    #[must_use]
    pub fn setting(mut self, name: &str, value: Value) -> Self {
        self.settings.insert(name.to_owned(), Setting { name: name.to_owned(), value });
        self
    }

    /// Adds an answer of the model. Each request takes the next one. Without any, no model is configured.
    #[must_use]
    pub fn model_answers(mut self, answer: Result<&str, HostError>) -> Self {
        self.answers.push_back(answer.map(str::to_owned));
        self
    }

    /// The executed lines of the failing command.
    #[must_use]
    pub fn coverage(mut self, measured: Measured) -> Self {
        self.coverage = Some(measured);
        self
    }

    /// What a heuristic said of a finding. Of other findings, [`explained`](crate::explained) returns the evidence.
    #[must_use]
    pub fn explained(mut self, explanation: Explanation) -> Self {
        self.explanations.push(explanation);
        self
    }

    /// Calls a gene's `diagnose`.
    pub fn diagnose<G: Gene>(self) -> Ran<Result<Vec<Finding>, GeneError>> {
        self.run(G::diagnose)
    }

    /// Calls a gene's `propose`.
    pub fn propose<G: Gene>(mut self, diagnosis: Diagnosis) -> Ran<Result<Vec<Proposal>, GeneError>> {
        for finding in &diagnosis.findings {
            if !self.explanations.iter().any(|known| known.finding == finding.id) {
                self.explanations.push(evidence(finding));
            }
        }
        self.run(|| G::propose(diagnosis))
    }

    /// Runs code with this host.
    pub fn run<T>(self, body: impl FnOnce() -> T) -> Ran<T> {
        let _outer = Outer(CURRENT.replace(Some(State::of(self))));
        let answer = body();
        let mut state = CURRENT.take().expect("only this function takes it away");
        let written = state.folder.as_ref().map(|folder| folder.difference(&state.host.files)).unwrap_or_default();
        Ran {
            answer,
            written,
            log: std::mem::take(&mut state.log),
            explained: std::mem::take(&mut state.explained),
            asked: std::mem::take(&mut state.asked),
        }
    }
}

/// What code did while it ran with a [`Host`].
#[derive(Debug, Clone)]
pub struct Ran<T> {
    /// What it returned.
    pub answer: T,
    /// The lines of its log. Each begins with the level, as in the `expected.json` of a fixture.
    pub log: Vec<String>,
    /// The files that it wrote or removed below [`workspace::root`](crate::workspace::root), by path.
    pub written: Vec<Change>,
    /// What it explained, one explanation for each finding.
    pub explained: Vec<Explanation>,
    /// What it asked the model.
    pub asked: Vec<Request>,
}

/// A finding with an id of its own, to be completed where a test needs more.
#[must_use]
pub fn finding(title: &str, signals: &[&str]) -> Finding {
    Finding {
        id: format!("test:{title}"),
        kind: "test".to_owned(),
        title: title.to_owned(),
        severity: Severity::Medium,
        confidence: 1.0,
        hypothesis: String::new(),
        evidence: Vec::new(),
        direction: String::new(),
        signals: signals.iter().map(|signal| (*signal).to_owned()).collect(),
        occurrences: 1,
    }
}

/// A diagnosis with the signals of its findings.
#[must_use]
pub fn diagnosis(findings: Vec<Finding>) -> Diagnosis {
    let mut signals: Vec<String> = findings.iter().flat_map(|finding| finding.signals.clone()).collect();
    signals.sort();
    signals.dedup();
    Diagnosis { findings, signals }
}

/// What is known of a finding that nobody explained.
fn evidence(finding: &Finding) -> Explanation {
    let mut events: Vec<u64> = finding.evidence.iter().map(|evidence| evidence.event).collect();
    events.sort_unstable();
    events.dedup();
    Explanation { finding: finding.id.clone(), events, facets: Vec::new(), absorbed: Vec::new(), expected: false }
}

/// The host of a thread, and what was asked of it.
#[derive(Debug)]
struct State {
    host: Host,
    log: Vec<String>,
    explained: Vec<Explanation>,
    asked: Vec<Request>,
    folder: Option<Folder>,
}

impl State {
    fn of(host: Host) -> Self {
        Self { host, log: Vec::new(), explained: Vec::new(), asked: Vec::new(), folder: None }
    }
}

thread_local! {
    static CURRENT: RefCell<Option<State>> = const { RefCell::new(None) };
}

/// The host outside of a [`Host::run`]. It returns when that one ends, also by a panic.
struct Outer(Option<State>);

impl Drop for Outer {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Answers a call that needs a capability.
fn ask<T>(capability: Capability, answer: impl FnOnce(&mut State) -> Result<T, HostError>) -> Result<T, HostError> {
    CURRENT.with_borrow_mut(|current| match current {
        None => Err(HostError::Denied(format!("{capability}: there is no host; use gephost_gene::testing::Host::run"))),
        Some(state) if state.host.denied.contains(&capability) => Err(HostError::Denied(capability.to_string())),
        Some(state) => answer(state),
    })
}

/// Answers a call that is always granted. Without a host it does nothing.
fn tell<T: Default>(answer: impl FnOnce(&mut State) -> T) -> T {
    CURRENT.with_borrow_mut(|current| current.as_mut().map(answer)).unwrap_or_default()
}
