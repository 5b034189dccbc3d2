//! Sends one request over HTTP, within its bounds. No other file of gephost opens a connection.

use std::fmt;
use std::time::Duration;

use gephost_core::model::{AskFailure, MAX_ANSWER_BYTES, Reply, Request};
use serde_json::Value;
use ureq::http::HeaderValue;
use ureq::{Agent, Body};

use crate::endpoint::{Api, Endpoint};
use crate::{Model, anthropic, openai};

/// Most bytes of a response body, including everything around the answer's text.
const MAX_BODY_BYTES: u64 = 4 * MAX_ANSWER_BYTES as u64;
/// Most characters of a server's error message that are reported.
const MAX_MESSAGE_CHARS: usize = 300;
/// Longest key, in bytes.
const MAX_KEY_BYTES: usize = 8 << 10;

/// An API key. It is never shown.
#[derive(Clone)]
pub struct Key(String);

/// Why a text cannot be a key. The error does not contain the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it is empty, is longer than {MAX_KEY_BYTES} bytes, or has characters that are not visible ASCII")]
pub struct KeyError;

impl Key {
    /// Reads a key. Surrounding white space, such as the line end of a command's output, is removed.
    pub fn new(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        let fits = !text.is_empty() && text.len() <= MAX_KEY_BYTES && text.bytes().all(|byte| byte.is_ascii_graphic());
        if fits { Ok(Self(text.to_owned())) } else { Err(KeyError) }
    }

    /// Removes the key from a text, in case a server sends it back.
    fn redact_from(&self, text: &str) -> String {
        text.replace(&self.0, "[REDACTED:key]")
    }

    fn header(&self, before: &str) -> Option<HeaderValue> {
        let mut value = HeaderValue::from_str(&format!("{before}{}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// A model's server that is reached over HTTP.
#[derive(Debug)]
pub struct Http {
    agent: Agent,
    endpoint: Endpoint,
    key: Option<Key>,
}

impl Http {
    /// Opens no connection yet. `timeout` covers a whole request, from name resolution to the last byte of the response.
    pub fn new(endpoint: Endpoint, key: Option<Key>, timeout: Duration) -> Self {
        let agent = Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .https_only(!endpoint.is_local)
            .proxy(None)
            .user_agent(concat!("gephost/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { agent: agent.into(), endpoint, key }
    }

    fn send(&self, request: &Request) -> Result<(u16, String), AskFailure> {
        let body = match self.endpoint.api {
            Api::OpenAi => openai::body(&self.endpoint, request),
            Api::Anthropic => anthropic::body(&self.endpoint, request),
        };
        let mut sent = self.agent.post(&self.endpoint.url).header("content-type", "application/json");
        if self.endpoint.api == Api::Anthropic {
            sent = sent.header("anthropic-version", anthropic::VERSION);
        }
        let key = self.key.as_ref().and_then(|key| match self.endpoint.api {
            Api::OpenAi => Some(("authorization", key.header("Bearer ")?)),
            Api::Anthropic => Some(("x-api-key", key.header("")?)),
        });
        if let Some((name, value)) = key {
            sent = sent.header(name, value);
        }
        let mut response = sent.send(body.to_string().as_bytes()).map_err(|error| network(&error))?;
        let status = response.status();
        if status.is_redirection() {
            let to = response.headers().get("location").and_then(|to| to.to_str().ok()).unwrap_or("elsewhere");
            let reason = format!("it redirects to {to}, which is not followed: correct `endpoint`");
            return Err(self.refusal(status.as_u16(), &reason));
        }
        Ok((status.as_u16(), read(response.body_mut())?))
    }

    /// The failure for an error status, with the server's message on one line and without the key.
    fn refusal(&self, status: u16, message: &str) -> AskFailure {
        let message = self.key.as_ref().map_or_else(|| message.to_owned(), |key| key.redact_from(message));
        let line = message.split_whitespace().collect::<Vec<_>>().join(" ");
        let reason = line.chars().filter(|c| !c.is_control()).take(MAX_MESSAGE_CHARS).collect();
        AskFailure::Status { status, reason }
    }
}

impl Model for Http {
    fn ask(&self, request: &Request) -> Result<Reply, AskFailure> {
        let (status, body) = self.send(request)?;
        if !(200..300).contains(&status) {
            return Err(self.refusal(status, &error_message(&body)));
        }
        let read = match self.endpoint.api {
            Api::OpenAi => openai::reply(&body),
            Api::Anthropic => anthropic::reply(&body),
        };
        let mut reply = read.map_err(|error| AskFailure::Foreign { reason: error.to_string() })?;
        if reply.text.len() > MAX_ANSWER_BYTES {
            return Err(AskFailure::TooLarge { limit: MAX_ANSWER_BYTES as u64 });
        }
        if let Some(key) = &self.key {
            reply.text = key.redact_from(&reply.text);
        }
        Ok(reply)
    }
}

/// Reads a response body as text, up to the limit.
fn read(body: &mut Body) -> Result<String, AskFailure> {
    let bytes = body.with_config().limit(MAX_BODY_BYTES).read_to_vec();
    let bytes = bytes.map_err(|error| match error {
        ureq::Error::BodyExceedsLimit(_) => AskFailure::TooLarge { limit: MAX_BODY_BYTES },
        error => network(&error),
    })?;
    String::from_utf8(bytes).map_err(|_| AskFailure::Foreign { reason: "the answer is not UTF-8 text".to_owned() })
}

fn network(error: &ureq::Error) -> AskFailure {
    AskFailure::Network { reason: error.to_string() }
}

/// The message in an error response, in the form of either API. If there is none, the whole body.
fn error_message(body: &str) -> String {
    let document: Value = serde_json::from_str(body).unwrap_or_default();
    let message = document["error"]["message"].as_str().or(document["error"].as_str());
    message.or(document["message"].as_str()).unwrap_or(body).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_visible_ascii_and_is_shown_nowhere() {
        for text in ["", " \n", "a b", "ключ", "a\u{7f}", &"x".repeat(MAX_KEY_BYTES + 1)] {
            assert!(Key::new(text).is_err(), "{text:?}");
        }
        let key = Key::new("sk-not-a-real-one\n").unwrap();
        assert_eq!(format!("{key:?}"), "Key");
        assert_eq!(key.redact_from("bad key sk-not-a-real-one."), "bad key [REDACTED:key].");
        let header = key.header("Bearer ").unwrap();
        assert_eq!(header.as_bytes(), b"Bearer sk-not-a-real-one");
        assert!(!format!("{header:?}").contains("real"));
    }

    #[test]
    fn a_refusal_is_the_server_s_message_on_one_line() {
        assert_eq!(error_message(r#"{"error":{"message":"no such model"}}"#), "no such model");
        assert_eq!(error_message(r#"{"error":"nope"}"#), "nope");
        assert_eq!(error_message("<html>Bad Gateway</html>"), "<html>Bad Gateway</html>");
        let endpoint = Endpoint::new(Api::OpenAi, "http://localhost/v1", "m", true).unwrap();
        let http = Http::new(endpoint, Some(Key::new("k3y").unwrap()), Duration::from_secs(1));
        let AskFailure::Status { reason, .. } = http.refusal(400, &format!("k3y\n\u{1b}[31m{}", "x".repeat(999)))
        else {
            panic!("a status")
        };
        assert!(
            reason.starts_with("[REDACTED:key] [31mxxx") && reason.chars().count() == MAX_MESSAGE_CHARS,
            "{reason}"
        );
    }
}
