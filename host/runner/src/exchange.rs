//! What a model was asked and what it answered, kept so that it can be gone through again: offline, by the same code, to
//! the same bytes.
//!
//! What must stay true: a document is there whole or not at all; its name is over all that it holds but its time; no key
//! is in it, and every text in it is redacted.

use std::ffi::OsString;
use std::io;
use std::time::SystemTime;

use cap_std::fs::Metadata;
use gephost_core::digest::canonical_text;
use gephost_core::model::{AskFailure, Conversation, Fence, Limits, Material, Outcome, Reply, Request, Spent, Step};
use gephost_core::recording::Digest;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::durable::{self, Access};
use crate::place::Place;

const SCHEMA: &str = "gephost.exchange/1";
/// What names begin with.
pub const PREFIX: &str = "ask_";
/// The largest document, in bytes: two answers at their bound, written as JSON, with room.
const MAX_BYTES: u64 = 32 << 20;

/// One request and its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    request: Digest,
    #[serde(rename = "came")]
    answer: Answer,
}

/// A reply, or why there was none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Answer {
    Reply(Reply),
    Failure(AskFailure),
}

/// A whole conversation with a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Exchange {
    schema: String,
    /// Which gephost asked.
    pub gephost: String,
    /// In whose name proposals were made: `model:` and the model's name.
    pub author: String,
    created_at: String,
    fence: Fence,
    limits: Limits,
    /// What was used before it.
    before: Spent,
    material: Material,
    turns: Vec<Turn>,
    /// What it came to.
    pub outcome: Value,
    /// When it was recorded, RFC 3339; no part of the name.
    pub at: String,
}

/// What a conversation begins with.
#[derive(Debug, Clone)]
pub struct Question {
    /// In whose name proposals are made.
    pub author: String,
    /// The time of proposals.
    pub created_at: String,
    /// The mark on both sides of material.
    pub fence: Fence,
    /// What may be used.
    pub limits: Limits,
    /// What was used before.
    pub spent: Spent,
    /// What the model is shown.
    pub material: Material,
}

impl Question {
    /// The conversation about it.
    pub fn conversation(&self) -> Conversation {
        Conversation::new(&self.material, &self.fence, (self.limits, self.spent), &self.author, &self.created_at)
    }
}

/// Why an exchange cannot be written or read.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    /// The system.
    #[error("failed to {doing} {path}: {source}")]
    Io {
        /// What was being done.
        doing: &'static str,
        /// With what.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// No exchange, or more than one, has a name that begins so.
    #[error("no exchange with a model is named `{0}`, or more than one: `gephost replay --list` lists all recordings")]
    Unknown(String),
    /// Not as it was written.
    #[error("exchange {id} is damaged, was edited or is of another version: {reason}")]
    Damaged {
        /// Its name.
        id: String,
        /// What is wrong.
        reason: String,
    },
}

impl Exchange {
    /// One that begins with this question.
    pub fn new(question: &Question) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            gephost: env!("CARGO_PKG_VERSION").to_owned(),
            author: question.author.clone(),
            created_at: question.created_at.clone(),
            fence: question.fence.clone(),
            limits: question.limits,
            before: question.spent,
            material: question.material.clone(),
            turns: Vec::new(),
            outcome: Value::Null,
            at: String::new(),
        }
    }

    /// Adds a request and its answer.
    pub fn add(&mut self, request: &Request, answer: &Result<Reply, AskFailure>) {
        let answer = answer.clone().map_or_else(Answer::Failure, Answer::Reply);
        self.turns.push(Turn { request: digest(request), answer });
    }

    /// Says what it came to.
    pub fn set_outcome(&mut self, outcome: &Outcome) {
        self.outcome = self.written(outcome);
    }

    fn written(&self, outcome: &Outcome) -> Value {
        serde_json::to_value(outcome.document(&self.author, &self.created_at)).unwrap_or_default()
    }

    /// How many requests were sent.
    pub fn requests(&self) -> usize {
        self.turns.len()
    }

    fn question(&self) -> Question {
        Question {
            author: self.author.clone(),
            created_at: self.created_at.clone(),
            fence: self.fence.clone(),
            limits: self.limits,
            spent: self.before,
            material: self.material.clone(),
        }
    }

    /// Goes through it again, asking nobody, and says where it differs: not at all, where this gephost asks and judges as
    /// the one did that recorded it.
    pub fn replay(&self) -> Vec<String> {
        let mut differences = Vec::new();
        let mut conversation = self.question().conversation();
        let mut turns = self.turns.iter().enumerate();
        loop {
            match conversation.step() {
                Step::Ask(request) => {
                    let Some((number, turn)) = turns.next() else {
                        differences.push("there is a request more than in the recording".to_owned());
                        return differences;
                    };
                    if digest(&request) != turn.request {
                        differences.push(format!("request {} is another text", number + 1));
                    }
                    let answer = match &turn.answer {
                        Answer::Reply(reply) => Ok(reply.clone()),
                        Answer::Failure(failure) => Err(failure.clone()),
                    };
                    conversation.answered(&answer);
                }
                Step::Done(outcome) => {
                    if turns.next().is_some() {
                        differences.push("there are fewer requests than in the recording".to_owned());
                    }
                    if self.written(&outcome) != self.outcome {
                        differences.push("the outcome is another one".to_owned());
                    }
                    return differences;
                }
            }
        }
    }

    /// Its name: `ask_` and 16 hex digits over everything but the time of the recording.
    pub fn id(&self) -> String {
        let bare = Self { at: String::new(), ..self.clone() };
        let value = serde_json::to_value(&bare).unwrap_or_default();
        let text = canonical_text(&value).unwrap_or_default();
        format!("{PREFIX}{}", Digest::of(text.as_bytes()).hex().get(..16).unwrap_or_default())
    }
}

fn digest(request: &Request) -> Digest {
    Digest::of(&serde_json::to_vec(request).unwrap_or_default())
}

/// An exchange in the folder.
#[derive(Debug)]
pub struct Listed {
    /// Its name.
    pub id: String,
    /// The document, or why it cannot be read.
    pub exchange: Result<Exchange, ExchangeError>,
}

/// The folder of exchanges.
#[derive(Debug, Clone)]
pub struct Exchanges {
    folder: Place,
}

impl Exchanges {
    /// The folder. Touches nothing.
    pub fn new(folder: &Place) -> Self {
        Self { folder: folder.clone() }
    }

    /// Writes one and gives its name; then removes the oldest over `keep`. With 0 none is written.
    pub fn write(&self, exchange: &Exchange, keep: usize) -> Result<Option<String>, ExchangeError> {
        if keep == 0 {
            return Ok(None);
        }
        durable::create_folder(&self.folder, Access::Private).map_err(self.io("create"))?;
        let id = exchange.id();
        let text = serde_json::to_vec(exchange).map_err(|error| self.io("write")(io::Error::other(error)))?;
        durable::replace(&self.place(&id), &text, Access::Private).map_err(self.io("write"))?;
        for (_, old) in self.names()?.into_iter().filter(|(_, name)| *name != id).skip(keep - 1) {
            durable::remove(&self.place(&old)).map_err(self.io("remove"))?;
        }
        Ok(Some(id))
    }

    /// Every exchange, newest first, or why it cannot be read.
    pub fn list(&self) -> Result<Vec<Listed>, ExchangeError> {
        Ok(self.names()?.into_iter().map(|(_, id)| Listed { exchange: self.document(&id), id }).collect())
    }

    /// The exchange with this name, or with the only name that begins so.
    pub fn read(&self, name: &str) -> Result<Exchange, ExchangeError> {
        let mut matching = self.names()?.into_iter().map(|(_, id)| id).filter(|id| id.starts_with(name));
        match (matching.next(), matching.next()) {
            (Some(id), None) => self.document(&id),
            _ => Err(ExchangeError::Unknown(name.chars().take(80).collect())),
        }
    }

    fn document(&self, id: &str) -> Result<Exchange, ExchangeError> {
        let damaged = |reason: String| ExchangeError::Damaged { id: id.to_owned(), reason };
        let text = durable::read_text(&self.place(id), MAX_BYTES).map_err(self.io("read"))?;
        let text = text.ok_or_else(|| ExchangeError::Unknown(id.to_owned()))?;
        let exchange: Exchange = serde_json::from_str(&text).map_err(|error| damaged(error.to_string()))?;
        if exchange.schema != SCHEMA {
            return Err(damaged(format!("its schema is not {SCHEMA}")));
        }
        if exchange.id() != id {
            return Err(damaged(format!("it holds {}", exchange.id())));
        }
        Ok(exchange)
    }

    /// Names with the times of their files, newest first.
    fn names(&self) -> Result<Vec<(SystemTime, String)>, ExchangeError> {
        let files = self.folder.files().map_err(self.io("read"))?;
        let read = |(name, found): (OsString, Metadata)| {
            let name = name.to_str()?.strip_suffix(".json").filter(|name| name.starts_with(PREFIX))?.to_owned();
            Some((found.modified().ok()?.into_std(), name))
        };
        let mut names: Vec<(SystemTime, String)> = files.into_iter().filter_map(read).collect();
        names.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        Ok(names)
    }

    fn place(&self, id: &str) -> Place {
        self.folder.join(format!("{id}.json"))
    }

    fn io(&self, doing: &'static str) -> impl Fn(io::Error) -> ExchangeError {
        let path = self.folder.display().to_string();
        move |source| ExchangeError::Io { doing, path: path.clone(), source }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn question() -> Question {
        Question {
            author: "model:m".to_owned(),
            created_at: "1970-01-01T00:00:00Z".to_owned(),
            fence: Fence::new(1),
            limits: Limits { answer_tokens: 100, max_tokens: 10_000, price_in: 1, price_out: 1, max_cost: None },
            spent: Spent::default(),
            material: Material { findings: Vec::new(), excerpts: Vec::new(), may_change: Vec::new() },
        }
    }

    /// A conversation in which the model answers nonsense, and then that it knows nothing.
    fn exchange() -> Exchange {
        let mut replies = ["nonsense", r#"{"summary":"s","findings":[],"proposals":[]}"#].into_iter();
        let (question, mut exchange) = (question(), Exchange::new(&question()));
        let mut conversation = question.conversation();
        let outcome = loop {
            match conversation.step() {
                Step::Ask(request) => {
                    let text = replies.next().unwrap().to_owned();
                    let answer = Ok(Reply { text, cut: false, tokens_in: None, tokens_out: None });
                    exchange.add(&request, &answer);
                    conversation.answered(&answer);
                }
                Step::Done(outcome) => break outcome,
            }
        };
        exchange.set_outcome(&outcome);
        exchange
    }

    #[test]
    fn what_was_written_is_read_and_comes_to_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let store = Exchanges::new(&Place::own(folder.path()).join("exchanges"));
        let id = store.write(&exchange(), 5).unwrap().unwrap();
        let read = store.read(&id[..8]).unwrap();
        assert_eq!((read.requests(), read.replay()), (2, Vec::<String>::new()));
        let again = Exchange { at: "later".to_owned(), ..exchange() };
        assert_eq!(store.write(&again, 5).unwrap(), Some(id), "the time is no part of the name");
        assert_eq!(store.list().unwrap().len(), 1);
    }

    #[test]
    fn an_edit_is_noticed_and_a_difference_told() {
        let folder = tempfile::tempdir().unwrap();
        let store = Exchanges::new(&Place::own(folder.path()));
        let id = store.write(&exchange(), 5).unwrap().unwrap();
        let path = folder.path().join(format!("{id}.json"));
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("nonsense", "sense")).unwrap();
        assert!(matches!(store.read(&id), Err(ExchangeError::Damaged { .. })));
        let mut other = exchange();
        other.fence = Fence::new(2);
        other.outcome = Value::Null;
        let told = other.replay();
        assert_eq!(told, ["request 1 is another text", "request 2 is another text", "the outcome is another one"]);
        other.turns.pop();
        assert_eq!(other.replay().last().map(String::as_str), Some("there is a request more than in the recording"));
    }

    #[test]
    fn the_oldest_go_first_and_none_is_kept_where_none_shall_be() {
        let folder = tempfile::tempdir().unwrap();
        let store = Exchanges::new(&Place::own(folder.path()));
        for number in 0..4 {
            let mut exchange = exchange();
            exchange.created_at = number.to_string();
            store.write(&exchange, 2).unwrap();
        }
        assert_eq!(store.list().unwrap().len(), 2);
        assert_eq!(store.write(&exchange(), 0).unwrap(), None);
    }
}
