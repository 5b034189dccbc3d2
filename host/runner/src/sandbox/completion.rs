//! The import `completion`: a gene asks the operator's model. The host answers, in whose process alone there are a key and a
//! network. In a worker, a question is a message to the host.
//!
//! What must stay true: a question is checked and counted by the host, wherever the gene runs; and the time until an answer
//! is there is not the gene's.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gephost_core::gene::Capability;
use gephost_core::model::{MAX_QUESTIONS, Question, Unanswered};
use gephost_core::recording::{Decision, Digest};

use super::audit::Handed;
use super::bindings::gephost::gene::completion::{Host, Request};
use super::bindings::gephost::gene::types::HostError;
use super::state::GeneState;
use crate::monotonic;

/// What answers genes' questions to a model.
pub trait Completions: fmt::Debug + Send + Sync {
    /// Asks, and waits for the answer.
    fn complete(&self, question: &Question) -> Completed;

    /// Why nobody can be asked; `None` if it is worth trying.
    fn unavailable(&self) -> Option<String> {
        None
    }
}

/// A question that was asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completed {
    /// The question as it was sent: redacted.
    pub sent: Question,
    /// The answer, redacted.
    pub answer: Result<String, Unanswered>,
}

/// Nobody to ask.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoModel;

impl Completions for NoModel {
    fn complete(&self, question: &Question) -> Completed {
        Completed { sent: question.clone(), answer: Err(Unanswered::nobody("there is no model to ask")) }
    }

    fn unavailable(&self) -> Option<String> {
        Some("there is no model to ask".to_owned())
    }
}

/// One question of a call, with its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// Digest of the question as the gene asked it.
    pub asked: Digest,
    /// The question as it was sent.
    pub sent: Question,
    /// The answer.
    pub answer: Result<String, Unanswered>,
}

/// The digest of a question.
pub(crate) fn digest(question: &Question) -> Digest {
    Digest::of(&serde_json::to_vec(question).unwrap_or_default())
}

/// Passes the questions of one call on, within the bounds of a call, and keeps them. It is in the host's process.
#[derive(Debug)]
pub(super) struct Witness {
    asks: Arc<dyn Completions>,
    turns: Mutex<Vec<Turn>>,
}

impl Witness {
    pub(super) fn new(asks: &Arc<dyn Completions>) -> Self {
        Self { asks: Arc::clone(asks), turns: Mutex::default() }
    }

    /// The questions that were passed on.
    pub(super) fn take(&self) -> Vec<Turn> {
        std::mem::take(&mut *self.turns())
    }

    fn turns(&self) -> MutexGuard<'_, Vec<Turn>> {
        self.turns.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Completions for Witness {
    fn complete(&self, question: &Question) -> Completed {
        let not_sent = |answer| Completed { sent: question.clone(), answer: Err(answer) };
        if let Err(invalid) = question.check() {
            return not_sent(invalid);
        }
        if self.turns().len() >= MAX_QUESTIONS {
            let reason = format!("a gene may ask the model {MAX_QUESTIONS} times in one call");
            return not_sent(Unanswered::Exhausted(reason));
        }
        let completed = self.asks.complete(question);
        let Completed { sent, answer } = completed.clone();
        self.turns().push(Turn { asked: digest(question), sent, answer });
        completed
    }

    fn unavailable(&self) -> Option<String> {
        self.asks.unavailable()
    }
}

/// Ends a call: the operator interrupted, or the time of the whole run is over.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Stopped(pub(super) String);

impl Host for GeneState {
    fn complete(&mut self, request: Request) -> wasmtime::Result<Result<String, HostError>> {
        if let Err(denied) = self.enter(Capability::Completion, "complete", "")? {
            return Ok(Err(denied));
        }
        let Request { system, prompt, json_schema, max_tokens } = request;
        let question = Question { system, prompt, json_schema, max_tokens };
        self.meter.take(question.bytes() as u64)?;
        // A replay tells by it whether the gene asks the same.
        let target = format!("{} {} bytes", digest(&question), question.bytes());
        let began = monotonic::now();
        let answer = self.inputs.completions.complete(&question).answer;
        self.meter.waited(began.elapsed());
        let refused = match answer {
            Ok(text) => {
                let bytes = text.len() as u64;
                self.meter.hand_over(bytes)?;
                let handed = Handed::Digest(bytes, Digest::of(text.as_bytes()));
                self.audit.record(Capability::Completion, "complete", &target, Decision::Granted, handed);
                return Ok(Ok(text));
            }
            Err(Unanswered::Stopped(reason)) => return Err(wasmtime::Error::new(Stopped(reason))),
            Err(Unanswered::Invalid(reason)) => HostError::Invalid(reason),
            Err(Unanswered::Exhausted(reason)) => HostError::Exhausted(reason),
            Err(Unanswered::Failed(_, reason)) => HostError::Failed(reason),
        };
        self.audit.refuse(Capability::Completion, "complete", &target, &refused);
        Ok(Err(refused))
    }
}
