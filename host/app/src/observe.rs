//! Reads agents' logs: those that were named, or those of the project.

use std::collections::BTreeSet;
use std::path::PathBuf;

use gephost_runner::observe::{self, Limits, LogPaths, Observation, ObserveError, Unreadable};
use gephost_runner::run_store::RunStore;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::error::AppError;
use crate::project::Project;
use crate::sink::{Note, Sink, while_reading};

/// The most bytes of text that the events of one cycle hold; the newest are kept.
const MAX_TEXT_BYTES: usize = 28 << 20;

/// Where a log that is not there may be named, if the request names none.
const NAMED_BY_CONFIG: &str = "`[observe] logs` of gephost.toml names it: make it, or take it out of the list";

/// Which logs a cycle reads, and how much of them.
#[derive(Debug, Clone, Default)]
pub struct LogOptions {
    /// Log files or folders, instead of those of the config and of `gephost record`.
    pub logs: Vec<PathBuf>,
    /// Only events since then.
    pub since: Option<Timestamp>,
    /// The most events, over all sessions; the newest are kept. `None` is what the config says.
    pub max_events: Option<usize>,
}

impl Project {
    /// Reads the logs of a cycle. Logs that cannot be read are noted.
    pub fn observe(&self, options: &LogOptions) -> Result<Observation, AppError> {
        let (paths, runs) = self.logs(&options.logs)?;
        let limits = Limits {
            since: options.since,
            max_events: options.max_events.unwrap_or(self.config.file.observe.max_events),
            max_text_bytes: MAX_TEXT_BYTES,
        };
        let redactor = self.config.policy.redactor();
        let sink = self.environment.sink.as_ref();
        let is_configured = options.logs.is_empty() && !self.config.file.observe.logs.is_empty();
        let observation =
            while_reading(sink, |meter| observe::observe(&paths, runs.as_ref(), None, limits, redactor, meter))
                .map_err(|error| observe_failed(&error))
                .map_err(|failed| if is_configured { failed.hint(NAMED_BY_CONFIG) } else { failed })?;
        note_unreadable(sink, &observation.unreadable);
        Ok(observation)
    }

    /// The logs that were named; else those of the config or, if it names none, the project's own sessions, and the run
    /// store beside them.
    ///
    /// Those of a config that the user does not trust are read only if they lie in the project. The project's own sessions
    /// are read only if the user said so.
    pub fn logs(&self, named: &[PathBuf]) -> Result<(LogPaths, Option<RunStore>), AppError> {
        if !named.is_empty() {
            let paths = named.iter().map(|log| self.environment.resolve(log)).collect();
            return Ok((LogPaths::named(paths), None));
        }
        let logs = &self.config.file.observe.logs;
        if logs.is_empty() {
            let paths = LogPaths::anywhere(self.own_sessions(named));
            return Ok((paths, Some(RunStore::new(self.state.root()))));
        }
        let paths: Vec<PathBuf> = logs.iter().map(|log| self.root.join(log)).collect();
        let is_bounded = !self.is_trusted()?;
        let paths = LogPaths { within: is_bounded.then(|| self.root.clone()), ..LogPaths::anywhere(paths) };
        Ok((paths, Some(RunStore::new(self.state.root()))))
    }
}

/// What reading logs came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// Whether there was anything to diagnose, and if not, why.
    pub state: ReadingState,
    /// Logs that were read.
    pub logs: u64,
    /// Sessions with events that count.
    pub sessions: u64,
    /// Events within the bounds of time and number.
    pub events: u64,
    /// Only events since then count.
    pub since: Option<Timestamp>,
    /// The time of the newest event that was read, whether it counts or not.
    pub newest: Option<Timestamp>,
}

/// Whether there was anything to diagnose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ReadingState {
    /// There were events.
    Read,
    /// No log was read.
    NoLogs,
    /// Logs were read, and no event is in them.
    NoEvents,
    /// No event is as new as was asked for.
    NothingSince,
}

impl Reading {
    /// Of an observation under these options.
    pub(crate) fn of(observation: &Observation, options: &LogOptions) -> Self {
        let events = &observation.events;
        let sessions: BTreeSet<&str> = events.iter().map(|event| &*event.session_key).collect();
        let state = match (observation.files.is_empty(), events.is_empty(), observation.newest) {
            (true, ..) => ReadingState::NoLogs,
            (_, false, _) => ReadingState::Read,
            (_, true, Some(_)) if options.since.is_some() => ReadingState::NothingSince,
            (_, true, _) => ReadingState::NoEvents,
        };
        Self {
            state,
            logs: observation.files.len() as u64,
            sessions: sessions.len() as u64,
            events: events.len() as u64,
            since: options.since,
            newest: observation.newest,
        }
    }
}

/// Notes logs that cannot be read.
pub fn note_unreadable<'a>(sink: &dyn Sink, unreadable: impl IntoIterator<Item = &'a Unreadable>) {
    for file in unreadable {
        sink.note(Note::Warning(&format!("{} cannot be read: {}", file.path, file.reason)));
    }
}

/// An error of reading logs.
pub fn observe_failed(error: &ObserveError) -> AppError {
    AppError::usage("observe", error.to_string())
}
