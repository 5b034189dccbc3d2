//! The model that the user's own config names: sends it requests, within its limits.
//!
//! What must stay true: what is sent was redacted before, and what comes back is redacted before anything looks at it.

use std::fmt;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use gephost_core::config::ModelLimitsTable;
use gephost_core::model::{AskFailure, Fence, Inquiry, InquiryStep, Limits, Question, Reply, Request, Spent};
use gephost_core::policy::Policy;
use gephost_core::redact::Redactor;
use gephost_core::user_config::{ModelApi, ModelTable};
use gephost_model::{Api, Endpoint, Http, Key, Model};
use gephost_runner::key_command;
use gephost_runner::sandbox::Completed;

use crate::deadline::Deadline;
use crate::environment::Environment;
use crate::error::{AppError, ErrorKind};
use crate::files::user_config;
use crate::sink::Note;

/// How often an interrupt is looked for while a model answers.
const TICK: Duration = Duration::from_millis(50);

/// A model, and what it may still cost.
pub(crate) struct Consultant {
    model: Arc<dyn Model>,
    /// `model:` and the model's name.
    pub author: String,
    pub(crate) limits: Limits,
    spent: Mutex<Spent>,
    /// When nobody waits for an answer any more.
    until: Option<Deadline>,
}

impl fmt::Debug for Consultant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Consultant").field("author", &self.author).finish_non_exhaustive()
    }
}

impl Consultant {
    /// The model that the user's config names, within the limits of both configs. Opens no connection.
    pub(crate) fn of(
        environment: &Environment,
        repository: &ModelLimitsTable,
        policy: &Policy,
        until: Option<Deadline>,
    ) -> Result<Self, AppError> {
        let path = &environment.user_config;
        let table = user_config(environment)?.model.ok_or_else(|| {
            let message = format!("a model was requested, but {} names no model", path.display());
            AppError::usage("no_model", message)
                .hint("write the table `[model]` there, with `api`, `endpoint` and `name`; docs/src/how-to/model.md shows one")
        })?;
        if environment.offline || table.offline || repository.offline {
            return Err(AppError::usage("offline", "a model cannot be asked: the network is turned off")
                .hint("leave out `--offline`, or `offline = true` in the table `[model]` of either config"));
        }
        let limits = table.limits(repository).map_err(|error| AppError::usage("config", error.to_string()))?;
        let api = match table.api {
            ModelApi::OpenAi => Api::OpenAi,
            ModelApi::Anthropic => Api::Anthropic,
        };
        let endpoint = Endpoint::new(api, &table.endpoint, &table.name, table.json_schema)
            .map_err(|error| AppError::usage("config", format!("{}: `model.endpoint`: {error}", path.display())))?;
        let http = Http::new(endpoint, key(environment, &table)?, Duration::from_secs(table.timeout_s));
        let author = format!("model:{}", policy.redact(&table.name));
        Ok(Self { model: Arc::new(http), author, limits, spent: Mutex::default(), until })
    }

    /// What has been used since the consultant was made.
    pub(crate) fn spent(&self) -> Spent {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn set_spent(&self, spent: Spent) {
        *self.spent.lock().unwrap_or_else(PoisonError::into_inner) = spent;
    }

    /// Answers a gene's question. Genes run one after the other, and so do their questions.
    pub(crate) fn complete(
        &self,
        environment: &Environment,
        policy: &Policy,
        question: &Question,
    ) -> Result<Completed, AppError> {
        let mut redactor = policy.redactor();
        let sent = question.redacted(&mut redactor);
        let mut inquiry = Inquiry::new(&sent, &Fence::new(random_bits()), (self.limits, self.spent()));
        loop {
            match inquiry.step() {
                InquiryStep::Done(answer) => return Ok(Completed { sent, answer }),
                InquiryStep::Ask(request) => {
                    let reply = self.asked(environment, &mut redactor, &request)?;
                    inquiry.answered(&reply);
                    self.set_spent(inquiry.spent());
                }
            }
        }
    }

    /// Sends one request and redacts the reply before it is looked at: what is read, recorded and shown is one text
    /// (invariant 12).
    pub(crate) fn asked(
        &self,
        environment: &Environment,
        redactor: &mut Redactor,
        request: &Request,
    ) -> Result<Result<Reply, AskFailure>, AppError> {
        environment.sink.note(Note::Step(&format!("asking {}…", self.author)));
        Ok(match self.ask(environment, request)? {
            Ok(reply) => Ok(Reply { text: redactor.redact(&reply.text).into_owned(), ..reply }),
            Err(AskFailure::Status { status, reason }) => {
                Err(AskFailure::Status { status, reason: redactor.redact(&reason).into_owned() })
            }
            Err(failure) => Err(failure),
        })
    }

    /// Sends one request. An interrupt ends the wait, and so does the end of the time; the process ends then.
    fn ask(&self, environment: &Environment, request: &Request) -> Result<Result<Reply, AskFailure>, AppError> {
        let (send, receive) = channel();
        let (model, request) = (Arc::clone(&self.model), request.clone());
        std::thread::spawn(move || send.send(model.ask(&request)));
        loop {
            match receive.recv_timeout(TICK) {
                Ok(reply) => return Ok(reply),
                Err(RecvTimeoutError::Timeout) if environment.is_interrupted() => {
                    let message = "interrupted while a model was asked";
                    return Err(AppError::new(ErrorKind::Interrupted, "interrupted", message));
                }
                Err(RecvTimeoutError::Timeout) if self.until.is_some_and(Deadline::is_over) => {
                    let message = "`[autopilot] max_wall_s` was over while a model was asked";
                    return Err(AppError::new(ErrorKind::Budget, "max_wall_s", message));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(AppError::new(ErrorKind::Bug, "bug", "the request to the model was cut off"));
                }
            }
        }
    }
}

/// The key that the config names; `None` if it names none.
fn key(environment: &Environment, table: &ModelTable) -> Result<Option<Key>, AppError> {
    let refused = |message: String| AppError::new(ErrorKind::Unauthenticated, "no_key", message);
    let text = match (&table.key_env, &table.key_command) {
        (Some(name), _) => {
            environment.variable(name).and_then(|key| key.to_str()).map(str::to_owned).ok_or_else(|| {
                refused(format!("the key is in the environment variable {name}, which is not set"))
                    .hint(format!("set it, or change `model.key_env` in {}", environment.user_config.display()))
            })?
        }
        (None, Some(words)) => key_command::run(words, &environment.signing)
            .map_err(|error| refused(format!("`model.key_command` gives no key: {error}")))?,
        (None, None) => return Ok(None),
    };
    let key = Key::new(&text).map_err(|error| refused(format!("the key of the model cannot be sent: {error}")))?;
    Ok(Some(key))
}

/// Bits that nobody knew before.
pub(crate) fn random_bits() -> u128 {
    let mut bytes = [0; 16];
    let filled = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    assert_eq!(filled, Ok(bytes.len()), "the kernel gives so few bytes at once");
    u128::from_ne_bytes(bytes)
}
