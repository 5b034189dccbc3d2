//! The operator's model. Capability `completion`.
//!
//! Instructions go into `system`. Text from logs, files and findings goes into `prompt`, which the host marks as data.

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
