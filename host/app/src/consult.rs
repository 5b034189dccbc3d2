//! Asks the model that the user's own config names about the findings. What it proposes takes the place of the strategy
//! genes' candidates.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use gephost_core::event_log::EntryBody;
use gephost_core::model::{Answer, AskFailure, Fence, Limits, Material, NoOp, Outcome, Reply, Request, Spent, Step};
use gephost_core::user_config::{ModelApi, ModelTable};
use gephost_model::{Api, Endpoint, Http, Key, Model};
use gephost_runner::exchange::{Exchange, Exchanges, Question};
use gephost_runner::key_command;

use crate::deadline::Deadline;
use crate::environment::Environment;
use crate::error::{AppError, ErrorKind};
use crate::files::user_config;
use crate::project::Project;
use crate::sink::Note;

/// How often an interrupt is looked for while a model answers.
const TICK: Duration = Duration::from_millis(50);

/// A model, and what it may still cost.
pub struct Consultant {
    model: Arc<dyn Model>,
    /// `model:` and the model's name.
    pub author: String,
    limits: Limits,
    spent: Cell<Spent>,
    /// When nobody waits for an answer any more.
    until: Option<Deadline>,
}

/// What a model said about the findings.
#[derive(Debug)]
pub struct Consulted {
    /// An answer, or why there is none.
    pub outcome: Outcome,
    /// `model:` and the model's name.
    pub author: String,
    /// The time of the newest event that was read.
    pub created_at: String,
    /// What the model has cost since the consultant was made.
    pub spent: Spent,
    /// Name of the recording, if one is kept.
    pub exchange: Option<String>,
}

impl Consultant {
    /// The model that the user's config names. Opens no connection.
    pub fn of(project: &Project) -> Result<Self, AppError> {
        let environment = &project.environment;
        let path = &environment.user_config;
        let table = user_config(environment)?.model.ok_or_else(|| {
            let message = format!("a model is asked for, and {} names no model", path.display());
            AppError::usage("no_model", message)
                .hint("write the table `[model]` there, with `api`, `endpoint` and `name`; README.md shows one")
        })?;
        let repository = &project.config.file.model;
        if environment.offline || table.offline || repository.offline {
            return Err(AppError::usage("offline", "a model cannot be asked: the network is refused")
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
        let author = format!("model:{}", project.config.policy.redact(&table.name));
        Ok(Self { model: Arc::new(http), author, limits, spent: Cell::default(), until: None })
    }

    /// The same consultant, which waits for no answer after `until`.
    pub(crate) fn until(self, until: Deadline) -> Self {
        Self { until: Some(until), ..self }
    }

    /// Asks until the conversation is over, and records it. If nothing came of it, the log says why.
    pub(crate) fn consult(
        &self,
        project: &Project,
        material: Material,
        created_at: String,
    ) -> Result<Consulted, AppError> {
        let fence = Fence::new(random_bits());
        let author = self.author.clone();
        let question = Question { author, created_at, fence, limits: self.limits, spent: self.spent.get(), material };
        let mut exchange = Exchange::new(&question);
        let mut redactor = project.config.policy.redactor();
        let mut conversation = question.conversation();
        let outcome = loop {
            match conversation.step() {
                Step::Done(outcome) => break outcome,
                Step::Ask(request) => {
                    project.environment.sink.note(Note::Step(&format!("asking {}…", self.author)));
                    // Before it is looked at: what is read, recorded and shown is one text (invariant 12).
                    let reply = match self.ask(&project.environment, &request)? {
                        Ok(reply) => Ok(Reply { text: redactor.redact(&reply.text).into_owned(), ..reply }),
                        Err(AskFailure::Status { status, reason }) => {
                            Err(AskFailure::Status { status, reason: redactor.redact(&reason).into_owned() })
                        }
                        Err(failure) => Err(failure),
                    };
                    exchange.add(&request, &reply);
                    conversation.answered(&reply);
                    self.spent.set(conversation.spent());
                }
            }
        };
        exchange.set_outcome(&outcome);
        exchange.at = project.environment.now().to_string();
        let exchange = keep(project, &exchange).unwrap_or_else(|reason| {
            let text = format!("the exchange with the model is not kept: {reason}");
            project.environment.sink.note(Note::Warning(&text));
            None
        });
        let Question { author, created_at, .. } = question;
        let consulted = Consulted { outcome, author, created_at, spent: conversation.spent(), exchange };
        if let Some(no_op) = consulted.no_op() {
            let (model, exchange) = (consulted.author.clone(), consulted.exchange.clone());
            let body = EntryBody::ModelNoOp { model, no_op: no_op.kind, reason: no_op.reason.clone(), exchange };
            project.append(&body)?;
        }
        Ok(consulted)
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
                    return Err(AppError::new(ErrorKind::Bug, "bug", "the request to the model broke off"));
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
fn random_bits() -> u128 {
    let mut bytes = [0; 16];
    let filled = rustix::rand::getrandom(&mut bytes, rustix::rand::GetRandomFlags::empty());
    assert_eq!(filled, Ok(bytes.len()), "the kernel gives so few bytes at once");
    u128::from_ne_bytes(bytes)
}

fn keep(project: &Project, exchange: &Exchange) -> Result<Option<String>, String> {
    project.create_state().map_err(|error| error.to_string())?;
    let keep = usize::try_from(project.config.file.recordings.keep).unwrap_or(usize::MAX);
    Exchanges::new(&project.state.exchanges()).write(exchange, keep).map_err(|error| error.to_string())
}

impl Consulted {
    /// What was answered, also if that holds no proposal.
    pub fn answer(&self) -> Option<&Answer> {
        match &self.outcome {
            Outcome::Answer(answer) | Outcome::NoOp(_, Some(answer)) => Some(answer),
            Outcome::NoOp(_, None) => None,
        }
    }

    /// Why there is no proposal.
    pub fn no_op(&self) -> Option<&NoOp> {
        match &self.outcome {
            Outcome::NoOp(no_op, _) => Some(no_op),
            Outcome::Answer(_) => None,
        }
    }

    /// Why there is what there is, in a line.
    pub fn reason(&self) -> String {
        self.no_op().map_or_else(|| "`--diagnose model`: it was asked".to_owned(), |no_op| no_op.reason.clone())
    }
}
