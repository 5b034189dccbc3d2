//! The operator's model, as everything in a process reaches it: one model and one budget for `--diagnose model` and for
//! genes.
//!
//! What must stay true: nobody is asked before something is worth asking, not even the program that prints the key; and a
//! gene learns nothing of this machine.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use gephost_core::config::ModelLimitsTable;
use gephost_core::model::{Question, Unanswered};
use gephost_core::policy::Policy;
use gephost_runner::sandbox::{Completed, Completions};

use crate::consultant::Consultant;
use crate::deadline::Deadline;
use crate::environment::Environment;
use crate::error::AppError;

/// The model of a process, made when it is first needed.
#[derive(Debug)]
pub struct ModelAccess {
    environment: Environment,
    /// What the repository's config says of the limits.
    repository: ModelLimitsTable,
    policy: Policy,
    until: OnceLock<Deadline>,
    consultant: OnceLock<Result<Arc<Consultant>, AppError>>,
    /// Why a gene's question was broken off.
    stopped: Mutex<Option<AppError>>,
}

impl ModelAccess {
    /// Reads nothing.
    pub(crate) fn new(environment: &Environment, repository: &ModelLimitsTable, policy: &Policy) -> Self {
        Self {
            environment: environment.clone(),
            repository: repository.clone(),
            policy: policy.clone(),
            until: OnceLock::new(),
            consultant: OnceLock::new(),
            stopped: Mutex::default(),
        }
    }

    /// From now on, nobody waits for an answer after `until`. The first such moment counts.
    pub(crate) fn wait_until(&self, until: Deadline) {
        self.until.get_or_init(|| until);
    }

    /// The model. Opens no connection.
    pub(crate) fn consultant(&self) -> Result<Arc<Consultant>, AppError> {
        self.known().map(Arc::clone).map_err(Clone::clone)
    }

    /// Why a question of a gene was broken off, if one was: the use case ends with it.
    pub(crate) fn take_stopped(&self) -> Option<AppError> {
        self.stopped.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn known(&self) -> Result<&Arc<Consultant>, &AppError> {
        let until = self.until.get().copied();
        let make = || Consultant::of(&self.environment, &self.repository, &self.policy, until).map(Arc::new);
        self.consultant.get_or_init(make).as_ref()
    }
}

impl Completions for ModelAccess {
    fn complete(&self, question: &Question) -> Completed {
        let refused = |answer| {
            let sent = question.redacted(&mut self.policy.redactor());
            Completed { sent, answer: Err(answer) }
        };
        let consultant = match self.known() {
            Ok(consultant) => consultant,
            Err(error) => return refused(Unanswered::nobody(told(error))),
        };
        match consultant.complete(&self.environment, &self.policy, question) {
            Ok(completed) => completed,
            Err(stopped) => {
                let reason = stopped.message.clone();
                *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = Some(stopped);
                refused(Unanswered::Stopped(reason))
            }
        }
    }

    fn unavailable(&self) -> Option<String> {
        let error = self.known().err()?;
        let hint = error.hint.as_ref().map(|hint| format!(": {hint}")).unwrap_or_default();
        Some(format!("{}{hint}", error.message))
    }
}

/// What a gene learns of an error: the same words on every machine.
fn told(error: &AppError) -> &'static str {
    match error.code {
        "no_model" => "the operator has configured no model",
        "offline" => "the operator refuses the network",
        "no_key" => "the operator has no key for the model",
        _ => "the operator's config of the model is wrong",
    }
}
