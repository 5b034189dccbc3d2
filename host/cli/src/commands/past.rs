//! What earlier cycles left: the assets, and the log.

use gephost_core::event_log::{Entry, State};
use gephost_core::evolution_event::EvolutionEvent;
use gephost_runner::cycle::Past;
use gephost_runner::event_log::EventLog;
use gephost_runner::registry::Registry;
use gephost_runner::sandbox::{Attempt, AttemptOutcome};

use crate::context::Folder;
use crate::error::Failure;
use crate::exit_code::Exit;

/// Reads the assets folder; one that is not there is an empty past.
pub(super) fn read(folder: &Folder) -> Result<Past, Failure> {
    let registry = Registry::new(folder.state.assets());
    let failed = |error: gephost_runner::registry::RegistryError| {
        Failure::new(Exit::Failed, "assets", error.to_string())
            .hint("the assets folder holds genes.json, capsules.json, failed_capsules.json and events.jsonl")
    };
    let events = registry.events().map_err(failed)?;
    let capsules = registry.capsules().map_err(failed)?;
    let attempts = events.iter().map(attempt).collect();
    Ok(Past { capsules, events, attempts })
}

fn attempt(event: &EvolutionEvent) -> Attempt {
    let success = event.outcome.is_success();
    Attempt {
        gene: event.genes_used.first().cloned().unwrap_or_default(),
        signals: event.signals.clone(),
        outcome: if success { AttemptOutcome::Success } else { AttemptOutcome::Failure },
        title: event.id.clone(),
        reason: if success { "validated and published" } else { "validation failed" }.to_owned(),
        at: event.at,
    }
}

/// The log of a project.
pub(super) fn log(folder: &Folder) -> EventLog {
    EventLog::new(&folder.state.log(), folder.state.head())
}

pub(super) fn log_failed(error: &gephost_runner::event_log::LogError) -> Failure {
    Failure::new(Exit::Failed, "log", error.to_string()).hint("`gephost log verify` says what is wrong with the log")
}

/// The entries of the log, none where there is no log yet.
pub(super) fn entries(folder: &Folder) -> Result<Vec<Entry>, Failure> {
    if !folder.state.log().exists() {
        return Ok(Vec::new());
    }
    log(folder).read_all().map_err(|error| log_failed(&error))
}

/// What the log adds up to.
pub(super) fn state(folder: &Folder) -> Result<State, Failure> {
    state_of(&entries(folder)?)
}

/// What entries add up to.
pub(super) fn state_of(entries: &[Entry]) -> Result<State, Failure> {
    let mut state = State::default();
    for entry in entries {
        state.apply(&entry.body).map_err(|error| Failure::new(Exit::Failed, "log", error.to_string()))?;
    }
    Ok(state)
}
