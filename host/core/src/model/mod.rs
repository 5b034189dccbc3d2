//! Asking a language model about findings: what it is told, what its answer must be, what it may cost.
//!
//! Everything here is a decision over plain data. `gephost-model` sends a [`Request`] and gives back a [`Reply`] or an
//! [`AskFailure`]; [`Conversation`] is the one transition function, so that a replay goes the way that the run went.
//!
//! What must stay true: every text of a log, of a file or of a gene stands between fences that nobody could know
//! beforehand; nothing in it is longer than its bound; an answer is taken as it was meant or not at all, and what it
//! proposes is a candidate for the gate like any other.

mod answer;
mod conversation;
mod excerpt;
mod prompt;
mod purse;
mod repair;

use serde::{Deserialize, Serialize};

pub use answer::{Answer, AnswerError, Hypothesis, MAX_ANSWER_BYTES, schema};
pub use conversation::{Conversation, NoOp, NoOpKind, Outcome, Step};
pub use excerpt::{Excerpt, FileIndex, MAX_EXCERPTS, Place, cut, places};
pub use prompt::{Fence, Material, Subject};
pub use purse::{Limits, Purse, Spent};

/// Who says a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// gephost.
    User,
    /// The model.
    Assistant,
}

/// One message of a conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Message {
    /// Who says it.
    pub role: Role,
    /// What.
    pub text: String,
}

/// One request, whatever the API in which it is sent. The answer shall be of [`schema`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// What holds for the whole conversation.
    pub system: String,
    /// The conversation so far; the last message is gephost's.
    pub messages: Vec<Message>,
    /// The most tokens of the answer.
    pub max_tokens: u32,
}

/// What a model answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// Its text, redacted; at most [`MAX_ANSWER_BYTES`].
    pub text: String,
    /// Whether the answer was cut at a limit of tokens.
    pub cut: bool,
    /// Tokens of the request, where the server counts them.
    pub tokens_in: Option<u64>,
    /// Tokens of the answer, where the server counts them.
    pub tokens_out: Option<u64>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum AskFailure {
    /// The server was not reached, or did not answer to the end in time.
    #[error("the network: {reason}")]
    Network {
        /// What happened.
        reason: String,
    },
    /// The server answered with an error, or with a redirection, which is not followed.
    #[error("the server answered {status}: {reason}")]
    Status {
        /// Of HTTP.
        status: u16,
        /// What it said, redacted.
        reason: String,
    },
    /// What came is not an answer of the API that the config names.
    #[error("the server does not speak this API: {reason}")]
    Foreign {
        /// What is wrong with it.
        reason: String,
    },
    /// An answer over the bound.
    #[error("the answer has more than {limit} bytes, which is the limit")]
    TooLarge {
        /// In bytes.
        limit: u64,
    },
}
