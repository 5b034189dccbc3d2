//! The import `history`: what was tried for these signals, and how it ended.

use std::collections::HashSet;
use std::sync::Arc;

use gephost_core::gene::Capability;

use super::bindings::gephost::gene::history as wit;
use super::bindings::gephost::gene::types::HostError;
use super::state::GeneState;

/// The most attempts that one call answers.
const MAX_ATTEMPTS: usize = 100;

/// How an attempt ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttemptOutcome {
    /// Validated and published.
    Success,
    /// Validation failed.
    Failure,
    /// The gate refused it.
    Refused,
}

/// Something that was tried before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attempt {
    /// Id of the gene.
    pub gene: String,
    /// Signals of that cycle.
    pub signals: Vec<String>,
    /// How it ended.
    pub outcome: AttemptOutcome,
    /// Title of the proposal.
    pub title: String,
    /// Why it ended so.
    pub reason: String,
    /// When.
    pub at: Option<jiff::Timestamp>,
}

impl wit::Host for GeneState {
    fn attempts(&mut self, signals: Vec<String>) -> wasmtime::Result<Result<Vec<wit::Attempt>, HostError>> {
        if let Err(denied) = self.enter(Capability::History)? {
            return Ok(Err(denied));
        }
        let history = Arc::clone(&self.inputs.history);
        // A guest's list may be long: it is read once.
        let asked: HashSet<String> = signals.into_iter().collect();
        let shares = |attempt: &&Attempt| asked.is_empty() || attempt.signals.iter().any(|s| asked.contains(s));
        let found: Vec<_> = history.iter().rev().filter(shares).take(MAX_ATTEMPTS).map(convert).collect();
        self.meter.hand_over(found.iter().map(size).sum())?;
        Ok(Ok(found))
    }
}

fn convert(attempt: &Attempt) -> wit::Attempt {
    wit::Attempt {
        gene: attempt.gene.clone(),
        signals: attempt.signals.clone(),
        outcome: match attempt.outcome {
            AttemptOutcome::Success => wit::AttemptOutcome::Success,
            AttemptOutcome::Failure => wit::AttemptOutcome::Failure,
            AttemptOutcome::Refused => wit::AttemptOutcome::Refused,
        },
        title: attempt.title.clone(),
        reason: attempt.reason.clone(),
    }
}

fn size(attempt: &wit::Attempt) -> u64 {
    let signals: usize = attempt.signals.iter().map(String::len).sum();
    (attempt.gene.len() + attempt.title.len() + attempt.reason.len() + signals) as u64
}
