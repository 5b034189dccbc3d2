//! The import `history`: what was tried before for the given signals, and how it ended.

use std::collections::HashSet;
use std::sync::Arc;

use gephost_core::gene::Capability;
use gephost_core::recording::{Decision, Digest, Hasher};

use super::attempt::{Attempt, AttemptOutcome};
use super::audit::Handed;
use super::bindings::gephost::gene::history as wit;
use super::bindings::gephost::gene::types::HostError;
use super::state::GeneState;

/// Most attempts in one answer.
pub(super) const MAX_ATTEMPTS: usize = 100;
/// Most signals of a call that the audit names.
const SHOWN_SIGNALS: usize = 8;

impl wit::Host for GeneState {
    fn attempts(&mut self, signals: Vec<String>) -> wasmtime::Result<Result<Vec<wit::Attempt>, HostError>> {
        let target = shown(&signals);
        if let Err(denied) = self.enter(Capability::History, "attempts", &target)? {
            return Ok(Err(denied));
        }
        let history = Arc::clone(&self.inputs.history);
        // The list of a guest may be long, so it is read only once.
        let asked: HashSet<String> = signals.into_iter().collect();
        let shares = |attempt: &&Attempt| asked.is_empty() || attempt.signals.iter().any(|s| asked.contains(s));
        let found: Vec<_> = history.iter().rev().filter(shares).take(MAX_ATTEMPTS).map(convert).collect();
        let bytes = found.iter().map(size).sum();
        self.meter.hand_over(bytes)?;
        let handed = Handed::Digest(bytes, digest(&found));
        self.audit.record(Capability::History, "attempts", &target, Decision::Granted, handed);
        Ok(Ok(found))
    }
}

/// The first few signals, for the audit.
fn shown(signals: &[String]) -> String {
    let clipped = signals.iter().take(SHOWN_SIGNALS).map(|signal| signal.chars().take(100).collect::<String>());
    clipped.collect::<Vec<_>>().join(" ")
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

fn digest(attempts: &[wit::Attempt]) -> Digest {
    let mut hasher = Hasher::default();
    for attempt in attempts {
        for text in [&attempt.gene, &attempt.title, &attempt.reason] {
            hasher.field(text.as_bytes());
        }
        hasher.number(attempt.outcome as u64);
        hasher.number(attempt.signals.len() as u64);
        for signal in &attempt.signals {
            hasher.field(signal.as_bytes());
        }
    }
    hasher.digest()
}
