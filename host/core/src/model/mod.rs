//! Asks a language model about findings: what it is shown, what its answer must be and what it may cost.
//!
//! All of this is decided from plain data. `gephost-model` sends a [`Request`] and returns a [`Reply`] or an
//! [`AskFailure`]. [`Conversation`] is the only transition function, so a replay takes the same steps as the run.
//!
//! Invariants: every text of a log, a file or a gene is enclosed in marks that its author could not know in advance,
//! and is bounded in length. An answer is either valid or rejected, and what it proposes passes the gate like any other
//! proposal.

mod answer;
mod budget;
mod conversation;
mod excerpt;
mod inquiry;
mod prompt;
mod repair;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use answer::{Answer, AnswerError, Hypothesis, MAX_ANSWER_BYTES, schema};
pub use budget::{Budget, Limits, Spent};
pub use conversation::{Conversation, NoOp, NoOpDocument, NoOpKind, Outcome, OutcomeDocument, Step};
pub use excerpt::{Excerpt, FileIndex, MAX_EXCERPTS, Place, cut, places};
pub use inquiry::{Inquiry, InquiryStep, MAX_QUESTION_BYTES, MAX_QUESTIONS, Question, Unanswered};
pub use prompt::{Fence, Material, Subject};

/// The author of a message.
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
    /// Who wrote it.
    pub role: Role,
    /// Its content.
    pub text: String,
}

/// One request, independent of the API that sends it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// The instructions for the whole conversation.
    pub system: String,
    /// The conversation so far. The last message is gephost's.
    pub messages: Vec<Message>,
    /// Most tokens of the answer.
    pub max_tokens: u32,
    /// The JSON Schema that the answer must follow; `None` for free text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub schema: Option<Value>,
}

/// The answer of a model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reply {
    /// The text, redacted; at most [`MAX_ANSWER_BYTES`].
    pub text: String,
    /// Whether the answer ends at the token limit.
    pub cut: bool,
    /// Tokens of the request, if the server reports them.
    pub tokens_in: Option<u64>,
    /// Tokens of the answer, if the server reports them.
    pub tokens_out: Option<u64>,
}

/// Why there is no answer. These texts are recorded in exchanges, and a replay compares them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum AskFailure {
    /// The server could not be reached, or did not answer completely in time.
    #[error("the network: {reason}")]
    Network {
        /// What happened.
        reason: String,
    },
    /// The server answered with an error, or with a redirection, which is not followed.
    #[error("the server answered {status}: {reason}")]
    Status {
        /// The HTTP status.
        status: u16,
        /// The server's message, redacted.
        reason: String,
    },
    /// The response does not have the form of the API that the config names.
    #[error("the server does not speak this API: {reason}")]
    Foreign {
        /// What is wrong with it.
        reason: String,
    },
    /// The answer is too long.
    #[error("the answer has more than {limit} bytes, which is the limit")]
    TooLarge {
        /// The limit in bytes.
        limit: u64,
    },
}
