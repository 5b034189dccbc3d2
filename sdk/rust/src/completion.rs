//! The operator's model. Capability `completion`.
//!
//! Instructions go into `system`. Text from logs, files and findings goes into `prompt`, which the host marks as data.
//!
//! The text of [`HostError::Failed`] begins with a word and a colon: `network` if nobody can be asked or the model does not
//! answer, `unauthenticated` or `refused` if it refuses, `empty` or `invalid` if its answer cannot be used. [`NoAnswer`] reads
//! it. Asking again helps at most in the first case.

use crate::HostError;
pub use crate::host::completion::{Request, complete};

/// Asks for a text of at most `max_tokens` tokens.
pub fn text(system: &str, prompt: &str, max_tokens: u32) -> Result<String, HostError> {
    let (system, prompt) = (system.to_owned(), prompt.to_owned());
    complete(&Request { system, prompt, json_schema: None, max_tokens })
}

/// Asks for a JSON object of this schema, and returns its text. It has the members that the schema requires; whether they
/// have the right form, the gene checks itself.
pub fn object(system: &str, prompt: &str, schema: &str, max_tokens: u32) -> Result<String, HostError> {
    let (system, prompt) = (system.to_owned(), prompt.to_owned());
    complete(&Request { system, prompt, json_schema: Some(schema.to_owned()), max_tokens })
}

/// Why a request has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAnswer {
    /// The gene may not ask, or the request is wrong.
    Request,
    /// A limit of the operator does not allow it.
    Limit,
    /// Nobody can be asked, or the model does not answer.
    Network,
    /// The model or its server refuses.
    Refused,
    /// The model answered twice, and neither answer can be used.
    Useless,
    /// The host failed for another reason.
    Other,
}

impl NoAnswer {
    /// The reason that an error of this module gives.
    pub fn of(error: &HostError) -> Self {
        match error {
            HostError::Denied(_) | HostError::NotFound | HostError::Invalid(_) => Self::Request,
            HostError::Exhausted(_) => Self::Limit,
            HostError::Failed(text) => match text.split_once(':').map(|(word, _)| word) {
                Some("network") => Self::Network,
                Some("unauthenticated" | "refused") => Self::Refused,
                Some("empty" | "invalid") => Self::Useless,
                _ => Self::Other,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_network_error_and_a_useless_answer_differ() {
        let failed = |text: &str| NoAnswer::of(&HostError::Failed(text.to_owned()));
        assert_eq!(failed("network: the server did not answer"), NoAnswer::Network);
        assert_eq!(failed("invalid: the answer is no object, also when asked again"), NoAnswer::Useless);
        assert_eq!(failed("refused: status 500"), NoAnswer::Refused);
        assert_eq!(failed("something else"), NoAnswer::Other);
        assert_eq!(NoAnswer::of(&HostError::Exhausted("tokens".to_owned())), NoAnswer::Limit);
    }
}
