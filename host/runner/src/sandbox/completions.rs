//! What answers genes' questions to a model, and the witness of the questions of one call.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gephost_core::model::{MAX_QUESTIONS, Question, Unanswered};
use gephost_core::recording::Digest;

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
