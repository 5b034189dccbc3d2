//! `--diagnose model`: the model that the user's own config names is asked about the findings, and what it proposes takes
//! the place of the strategy genes' candidates.

use std::cell::Cell;
use std::fmt::Write as _;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use gephost_app::Project;
use gephost_app::files::{read_bounded, utf8};
use gephost_core::config::MAX_CONFIG_BYTES;
use gephost_core::event_log::EntryBody;
use gephost_core::model::{
    Answer, AskFailure, Fence, Limits, Material, NoOp, NoOpKind, Outcome, Reply, Request, Spent, Step,
};
use gephost_core::user_config::{ModelApi, ModelTable, UserConfig};
use gephost_model::{Api, Endpoint, Http, Key, Model};
use gephost_runner::exchange::{Exchange, Exchanges, Question};
use gephost_runner::key_command;
use serde_json::{Value, json};

use crate::args::{CycleArguments, Diagnose};
use crate::environment::Environment;
use crate::error::{Failure, io};
use crate::exit_code::Exit;
use crate::output::Output;
use crate::render::style::{bold, dim, printable};

/// How often a person's interrupt is looked for while a model answers.
const TICK: Duration = Duration::from_millis(50);

/// A model, and what it may still cost in this start of gephost.
pub(super) struct Consultant {
    model: Arc<dyn Model>,
    /// `model:` and the model's name.
    pub(super) author: String,
    limits: Limits,
    spent: Cell<Spent>,
    /// When nobody waits for an answer any more.
    until: Option<Instant>,
}

/// What a consultation came to.
pub(super) struct Consulted {
    outcome: Outcome,
    author: String,
    created_at: String,
    spent: Spent,
    /// Name of the recording, where one is kept.
    exchange: Option<String>,
}

impl Consultant {
    /// The model, where the command line asks for one. Opens no connection.
    pub(super) fn of(
        environment: &Environment,
        folder: &Project,
        arguments: &CycleArguments,
    ) -> Result<Option<Self>, Failure> {
        if arguments.diagnose != Diagnose::Model {
            return Ok(None);
        }
        let path = &environment.user_config;
        let refused = |code, message: String| Failure::new(Exit::Usage, code, message);
        let table = user_config(environment)?.model.ok_or_else(|| {
            refused("no_model", format!("`--diagnose model` is given, and {} names no model", path.display()))
                .hint("write the table `[model]` there, with `api`, `endpoint` and `name`; README.md shows one")
        })?;
        let repository = &folder.config.file.model;
        if environment.offline || table.offline || repository.offline {
            return Err(refused("offline", "a model cannot be asked: the network is refused".to_owned())
                .hint("leave out `--offline`, or `offline = true` in the table `[model]` of either config"));
        }
        let limits = table.limits(repository).map_err(|error| refused("config", error.to_string()))?;
        let api = match table.api {
            ModelApi::OpenAi => Api::OpenAi,
            ModelApi::Anthropic => Api::Anthropic,
        };
        let endpoint = Endpoint::new(api, &table.endpoint, &table.name, table.json_schema)
            .map_err(|error| refused("config", format!("{}: `model.endpoint`: {error}", path.display())))?;
        let http = Http::new(endpoint, key(environment, &table)?, Duration::from_secs(table.timeout_s));
        let author = format!("model:{}", folder.config.policy.redact(&table.name));
        Ok(Some(Self { model: Arc::new(http), author, limits, spent: Cell::default(), until: None }))
    }

    /// The same, with no answer waited for after `until`.
    pub(super) fn until(self, until: Instant) -> Self {
        Self { until: Some(until), ..self }
    }

    /// Asks, until the conversation is over, and records it; where that came to nothing, the log says why.
    pub(super) fn consult(
        &self,
        environment: &Environment,
        output: Output,
        folder: &Project,
        (material, created_at): (Material, String),
    ) -> Result<Consulted, Failure> {
        let fence = Fence::new(random_bits());
        let author = self.author.clone();
        let question = Question { author, created_at, fence, limits: self.limits, spent: self.spent.get(), material };
        let mut exchange = Exchange::new(&question);
        let mut redactor = folder.config.policy.redactor();
        let mut conversation = question.conversation();
        let outcome = loop {
            match conversation.step() {
                Step::Done(outcome) => break outcome,
                Step::Ask(request) => {
                    output.note(&format!("asking {}…", printable(&self.author)));
                    // Before it is looked at: what is read, recorded and shown is one text (invariant 12).
                    let came = match self.ask(environment, &request)? {
                        Ok(reply) => Ok(Reply { text: redactor.redact(&reply.text).into_owned(), ..reply }),
                        Err(AskFailure::Status { status, reason }) => {
                            Err(AskFailure::Status { status, reason: redactor.redact(&reason).into_owned() })
                        }
                        Err(failure) => Err(failure),
                    };
                    exchange.add(&request, &came);
                    conversation.answered(&came);
                    self.spent.set(conversation.spent());
                }
            }
        };
        exchange.outcome = outcome.document(&question.author, &question.created_at);
        exchange.at = environment.now().to_string();
        let exchange = keep(folder, &exchange).unwrap_or_else(|reason| {
            output.note(&format!("warning: the exchange with the model is not kept: {reason}"));
            None
        });
        let Question { author, created_at, .. } = question;
        let consulted = Consulted { outcome, author, created_at, spent: conversation.spent(), exchange };
        if let Some(no_op) = consulted.no_op() {
            let (model, exchange) = (consulted.author.clone(), consulted.exchange.clone());
            let body = EntryBody::ModelNoOp { model, no_op: no_op.kind, reason: no_op.reason.clone(), exchange };
            folder.append(&body)?;
        }
        Ok(consulted)
    }

    /// Sends one request. A person's interrupt ends the waiting, and so does the end of the time; the process ends then.
    fn ask(&self, environment: &Environment, request: &Request) -> Result<Result<Reply, AskFailure>, Failure> {
        let (send, receive) = channel();
        let (model, request) = (Arc::clone(&self.model), request.clone());
        std::thread::spawn(move || send.send(model.ask(&request)));
        loop {
            match receive.recv_timeout(TICK) {
                Ok(came) => return Ok(came),
                Err(RecvTimeoutError::Timeout) if environment.interrupted.load(Ordering::Relaxed) => {
                    return Err(Failure::new(Exit::Interrupted, "interrupted", "interrupted while a model was asked"));
                }
                Err(RecvTimeoutError::Timeout) if self.until.is_some_and(|until| Instant::now() >= until) => {
                    let message = "`[autopilot] max_wall_s` was over while a model was asked";
                    return Err(Failure::new(Exit::Budget, "max_wall_s", message));
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    return Err(Failure::new(Exit::Bug, "bug", "the request to the model broke off"));
                }
            }
        }
    }
}

/// The user's own config; one that is not there is empty.
fn user_config(environment: &Environment) -> Result<UserConfig, Failure> {
    let path = &environment.user_config;
    let text = match File::open(path) {
        Ok(file) => utf8(path, read_bounded(path, file, MAX_CONFIG_BYTES)?)?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(io(path, "open", &error)),
    };
    UserConfig::from_toml(&text)
        .map_err(|error| Failure::new(Exit::Usage, "config", format!("{}: {error}", path.display())))
}

/// The key that the config names; `None` where it names none.
fn key(environment: &Environment, table: &ModelTable) -> Result<Option<Key>, Failure> {
    let refused = |message: String| Failure::new(Exit::Unauthenticated, "no_key", message);
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

fn keep(folder: &Project, exchange: &Exchange) -> Result<Option<String>, String> {
    folder.create_state().map_err(|error| error.to_string())?;
    let keep = usize::try_from(folder.config.file.recordings.keep).unwrap_or(usize::MAX);
    Exchanges::new(&folder.state.exchanges()).write(exchange, keep).map_err(|error| error.to_string())
}

impl Consulted {
    /// What was answered, also where that holds no proposal.
    pub(super) fn answer(&self) -> Option<&Answer> {
        match &self.outcome {
            Outcome::Answer(answer) | Outcome::NoOp(_, Some(answer)) => Some(answer),
            Outcome::NoOp(_, None) => None,
        }
    }

    fn no_op(&self) -> Option<&NoOp> {
        match &self.outcome {
            Outcome::NoOp(no_op, _) => Some(no_op),
            Outcome::Answer(_) => None,
        }
    }

    /// Why there is what there is, in a line.
    pub(super) fn reason(&self) -> String {
        self.no_op().map_or_else(|| "`--diagnose model`: it was asked".to_owned(), |no_op| no_op.reason.clone())
    }

    /// How the command ends where there is no candidate: a model that has nothing useful to say is no failure, one that
    /// could not be asked is.
    pub(super) fn exit(&self) -> Option<Exit> {
        self.no_op().map(|no_op| match no_op.kind {
            NoOpKind::Empty | NoOpKind::Invalid | NoOpKind::Declined => Exit::Done,
            NoOpKind::Unauthenticated => Exit::Unauthenticated,
            NoOpKind::Network | NoOpKind::Refused => Exit::Failed,
            NoOpKind::Budget => Exit::Budget,
        })
    }

    /// For `--json`.
    pub(super) fn document(&self) -> Value {
        let mut document = self.outcome.document(&self.author, &self.created_at);
        document["name"] = self.author.as_str().into();
        document["exchange"] = self.exchange.as_deref().into();
        document["spent"] = json!({
            "requests": self.spent.requests,
            "tokens_in": self.spent.tokens_in,
            "tokens_out": self.spent.tokens_out,
            "nano_dollars": self.spent.cost,
        });
        document
    }

    /// For a person.
    pub(super) fn page(&self) -> String {
        let spent = &self.spent;
        let mut text = format!("{}  {}\n", bold("Model     "), printable(&self.author));
        if let Some(answer) = self.answer() {
            let _ = writeln!(text, "            {}", printable(&answer.summary));
        }
        if let Some(no_op) = self.no_op() {
            let _ = writeln!(text, "            no proposal: {}", printable(&no_op.reason));
        }
        let used = format!(
            "{} requests, {} tokens sent, {} answered; recorded as {}",
            spent.requests,
            spent.tokens_in,
            spent.tokens_out,
            self.exchange.as_deref().unwrap_or("nothing")
        );
        let _ = writeln!(text, "            {}", dim(used));
        text
    }
}
