//! The host's functions in a native test, one module for each import. Types are those of the bindings.

pub(crate) mod completion {
    use crate::HostError;
    pub use crate::bindings::imports::gephost::gene::completion::Request;
    use crate::testing::{Capability, ask};

    /// Most requests of a call.
    const MAX_REQUESTS: usize = 16;

    /// Asks the operator's model.
    pub fn complete(request: &Request) -> Result<String, HostError> {
        ask(Capability::Completion, |state| {
            if request.max_tokens == 0 || (request.system.is_empty() && request.prompt.is_empty()) {
                return Err(HostError::Invalid("the request is empty".to_owned()));
            }
            if state.asked.len() == MAX_REQUESTS {
                return Err(HostError::Exhausted(format!("{MAX_REQUESTS} requests of a call")));
            }
            state.asked.push(request.clone());
            let none = || Err(HostError::Failed("network: no model is configured".to_owned()));
            state.host.answers.pop_front().unwrap_or_else(none)
        })
    }
}

pub(crate) mod coverage {
    use crate::HostError;
    pub use crate::bindings::imports::gephost::gene::coverage::{Executed, Measured};
    use crate::testing::{Capability, ask};

    /// What the failing command executed, or `failed` with the reason.
    pub fn lines() -> Result<Measured, HostError> {
        let nothing = || HostError::Failed("nothing was measured".to_owned());
        ask(Capability::Coverage, |state| state.host.coverage.clone().ok_or_else(nothing))
    }
}

pub(crate) mod explanation {
    pub use crate::bindings::imports::gephost::gene::explanation::{Absorbed, Explanation, Facet};
    use crate::testing::tell;

    /// Names all events that a finding explains. The last explanation of an id counts.
    pub fn explain(explanation: &Explanation) {
        tell(|state| {
            state.explained.retain(|other| other.finding != explanation.finding);
            state.explained.push(explanation.clone());
        });
    }

    /// What the gene of a finding said of it; nothing if there is no such finding.
    pub fn explained(finding: &str) -> Option<Explanation> {
        tell(|state| state.host.explanations.iter().find(|known| known.finding == finding).cloned())
    }
}

pub(crate) mod history {
    use crate::HostError;
    pub use crate::bindings::imports::gephost::gene::history::{Attempt, AttemptOutcome};
    use crate::testing::{Capability, ask};

    /// Most attempts in an answer.
    const MAX_ATTEMPTS: usize = 100;

    /// Attempts that share at least one of these signals, newest first. Without signals, all attempts.
    pub fn attempts(signals: &[String]) -> Result<Vec<Attempt>, HostError> {
        ask(Capability::History, |state| {
            let shares = |attempt: &&Attempt| {
                signals.is_empty() || attempt.signals.iter().any(|signal| signals.contains(signal))
            };
            Ok(state.host.attempts.iter().rev().filter(shares).take(MAX_ATTEMPTS).cloned().collect())
        })
    }
}

pub(crate) mod logging {
    pub(crate) use crate::bindings::imports::gephost::gene::logging::Level;
    use crate::testing::tell;

    /// Logs a message to the operator.
    pub(crate) fn log(level: Level, message: &str) {
        let level = match level {
            Level::Debug => "debug",
            Level::Info => "info",
            Level::Warn => "warn",
            Level::Error => "error",
        };
        tell(|state| state.log.push(format!("{level} {message}")));
    }
}

pub(crate) mod run_log {
    use std::cell::RefCell;

    use crate::HostError;
    pub use crate::bindings::imports::gephost::gene::run_log::{
        Batch, Correction, Difference, EventKind, FailureKind, Filter, Names, Outcome, UsageBatch,
    };
    use crate::run_log::Used;
    use crate::testing::LogEvent;
    use crate::testing::log_event::{batch, names};
    use crate::testing::{Capability, ask};

    /// An iterator over the selected events, oldest first.
    #[derive(Debug)]
    pub struct Cursor {
        names: Names,
        rest: RefCell<Vec<(u64, LogEvent)>>,
    }

    impl Cursor {
        /// The next events, or nothing at the end.
        pub fn next(&self, max: u32) -> Result<Option<Batch>, HostError> {
            at_least_one(max)?;
            let mut rest = self.rest.borrow_mut();
            let count = rest.len().min(max as usize);
            let next: Vec<_> = rest.drain(..count).collect();
            Ok((!next.is_empty()).then(|| batch(&self.names, &next)))
        }
    }

    /// The names that batches refer to.
    pub fn tool_names() -> Result<Names, HostError> {
        ask(Capability::RunLog, |state| Ok(names(&state.host.events)))
    }

    /// Opens a cursor at the oldest selected event.
    pub fn open(filter: &Filter) -> Result<Cursor, HostError> {
        ask(Capability::RunLog, |state| {
            let selected = (0..).zip(&state.host.events).filter(|(_, event)| event.passes(filter));
            let rest = selected.map(|(index, event)| (index, event.clone())).collect();
            Ok(Cursor { names: names(&state.host.events), rest: RefCell::new(rest) })
        })
    }

    /// The names that the column `model` refers to.
    pub fn models() -> Result<Vec<String>, HostError> {
        ask(Capability::RunLog, |state| Ok(state.host.models.clone()))
    }

    /// What requests to a model used, of the events from number `first` on; at most `max` rows.
    pub fn usage(first: u64, max: u32) -> Result<Option<UsageBatch>, HostError> {
        ask(Capability::RunLog, |state| {
            at_least_one(max)?;
            let rows = state.host.usage.iter().filter(|used| used.index >= first).take(max as usize);
            let rows: Vec<&Used> = rows.collect();
            Ok((!rows.is_empty()).then(|| usage_batch(&rows)))
        })
    }

    /// The corrections of the failed calls from number `first` on; at most `max`.
    pub fn corrections(first: u64, max: u32) -> Result<Vec<Correction>, HostError> {
        ask(Capability::RunLog, |state| {
            at_least_one(max)?;
            let rest = state.host.corrections.iter().filter(|correction| correction.failed >= first);
            Ok(rest.take(max as usize).cloned().collect())
        })
    }

    fn at_least_one(max: u32) -> Result<(), HostError> {
        if max == 0 { Err(HostError::Invalid("at most 0 rows".to_owned())) } else { Ok(()) }
    }

    fn usage_batch(rows: &[&Used]) -> UsageBatch {
        let column = |value: fn(&Used) -> Option<u64>| rows.iter().map(|row| value(row).unwrap_or(u64::MAX)).collect();
        UsageBatch {
            index: rows.iter().map(|row| row.index).collect(),
            session: rows.iter().map(|row| row.session_number).collect(),
            model: rows.iter().map(|row| row.model_number.unwrap_or(u32::MAX)).collect(),
            input: column(|row| row.input),
            output: column(|row| row.output),
            cache_read: column(|row| row.cache_read),
            cache_write: column(|row| row.cache_write),
            cost_nano_usd: column(|row| row.cost_nano_usd),
        }
    }
}

pub(crate) mod settings {
    pub use crate::bindings::imports::gephost::gene::settings::{Setting, Value};
    use crate::testing::tell;

    /// All settings, sorted by name.
    pub fn all() -> Vec<Setting> {
        tell(|state| state.host.settings.values().cloned().collect())
    }
}

pub(crate) mod workspace {
    use std::path::PathBuf;

    use crate::HostError;
    pub use crate::bindings::imports::gephost::gene::workspace::{Entry, EntryKind, Found};
    use crate::testing::folder::Folder;
    use crate::testing::{CURRENT, Capability, ask, files};

    /// Whole files, in the order of `paths`.
    pub fn read(paths: &[String]) -> Vec<Result<Vec<u8>, HostError>> {
        let one = |path: &String| ask(Capability::Workspace, |state| files::read(&state.host.files, path));
        paths.iter().map(one).collect()
    }

    /// The entries of a directory, sorted by name.
    pub fn list_directory(path: &str) -> Result<Vec<Entry>, HostError> {
        ask(Capability::Workspace, |state| files::list(&state.host.files, path))
    }

    /// Files whose path matches a glob, sorted by path, at most `limit`. `*` matches within one segment of a path,
    /// `**` across segments.
    pub fn glob(pattern: &str, limit: u32) -> Result<Vec<Entry>, HostError> {
        ask(Capability::Workspace, |state| files::glob(&state.host.files, pattern, limit))
    }

    /// Lines that match a regular expression, in files whose path matches a glob, at most `limit`.
    pub fn search(regex: &str, glob: &str, limit: u32) -> Result<Vec<Found>, HostError> {
        ask(Capability::Workspace, |state| files::search(&state.host.files, regex, glob, limit))
    }

    pub(crate) fn root() -> PathBuf {
        CURRENT.with_borrow_mut(|current| {
            let state = current.as_mut().expect("there is no host; use gephost_gene::testing::Host::run");
            let is_denied = state.host.denied.contains(&Capability::Workspace);
            let folder = state.folder.get_or_insert_with(|| Folder::with(&state.host.files));
            if is_denied { folder.path().join("denied") } else { folder.path().to_owned() }
        })
    }
}
