//! The calls to a hub.

use std::fmt;
use std::io::Read as _;
use std::time::Duration;

use gephost_core::a2a::{COMPONENT_MEDIA_TYPE, MessageType, RECORDING_MEDIA_TYPE};
use gephost_core::digest;
use gephost_core::recording::Digest;
use serde_json::{Map, Value};
use ureq::http::{HeaderValue, Response};
use ureq::{Agent, Body};

use crate::address::HubAddress;
use crate::error::ClientError;

/// Most bytes of an answer that is a JSON document.
const MAX_ANSWER_BYTES: u64 = 8 << 20;
/// Most bytes of a refusal that are read.
const MAX_REFUSAL_BYTES: u64 = 64 << 10;
/// Most characters of a hub's message that are reported.
const MAX_MESSAGE_CHARS: usize = 400;
/// Longest wait that a hub may ask for.
const MAX_WAIT: Duration = Duration::from_hours(24);

/// The secret that a hub gave a node. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// Why a text is no secret of a node. The error does not contain the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a node's secret is 16 to 256 visible ASCII characters")]
pub struct SecretError;

impl Secret {
    /// Reads a secret.
    pub fn new(text: &str) -> Result<Self, SecretError> {
        let fits = (16..=256).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic());
        if fits { Ok(Self(text.to_owned())) } else { Err(SecretError) }
    }

    /// The text, to be kept in a file that only the user reads.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// What a hub answers: its members, whether they are at the top or within `payload`.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The whole document.
    pub document: Map<String, Value>,
}

impl Answer {
    /// A member of the answer, or of its `payload`.
    pub fn member(&self, name: &str) -> Option<&Value> {
        let of_payload = || self.document.get("payload")?.get(name);
        self.document.get(name).or_else(of_payload).filter(|value| !value.is_null())
    }

    /// A text of the answer, or of its `payload`.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.member(name)?.as_str()
    }
}

/// Calls to one hub.
#[derive(Debug)]
pub struct Client {
    agent: Agent,
    address: HubAddress,
    secret: Option<Secret>,
}

impl Client {
    /// Opens no connection yet. `timeout` covers each whole call.
    pub fn new(address: HubAddress, secret: Option<Secret>, timeout: Duration) -> Self {
        let agent = Agent::config_builder()
            .timeout_global(Some(timeout))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .https_only(!address.is_local())
            .proxy(None)
            .user_agent(concat!("gephost/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { agent: agent.into(), address, secret }
    }

    /// The hub.
    pub fn address(&self) -> &HubAddress {
        &self.address
    }

    /// The secret that is sent from now on.
    pub fn set_secret(&mut self, secret: Secret) {
        self.secret = Some(secret);
    }

    /// Sends a message to the endpoint of its type.
    pub fn send(&self, kind: MessageType, message: &Map<String, Value>) -> Result<Answer, ClientError> {
        let body = serde_json::to_vec(message).map_err(|error| foreign(&error))?;
        let mut response = self.post(&format!("/a2a/{kind}"), "application/json", &body)?;
        self.answer(&mut response)
    }

    /// What a path answers, such as `/a2a/stats`. The caller encodes what it puts into the path.
    pub fn get(&self, path: &str) -> Result<Answer, ClientError> {
        let mut response = self.fetch(path)?;
        self.answer(&mut response)
    }

    /// The bytes of a component with this digest, of at most `limit` bytes. Whether they have the digest is checked here.
    pub fn component(&self, digest: &str, limit: u64) -> Result<Vec<u8>, ClientError> {
        self.blob("components", digest, limit)
    }

    /// The same for a recording.
    pub fn recording(&self, digest: &str, limit: u64) -> Result<Vec<u8>, ClientError> {
        self.blob("recordings", digest, limit)
    }

    /// Stores the bytes of a component, under their digest.
    pub fn put_component(&self, digest: &str, bytes: &[u8]) -> Result<Answer, ClientError> {
        self.put(&format!("/a2a/components/{digest}"), COMPONENT_MEDIA_TYPE, bytes)
    }

    /// The same for a recording.
    pub fn put_recording(&self, digest: &str, bytes: &[u8]) -> Result<Answer, ClientError> {
        self.put(&format!("/a2a/recordings/{digest}"), RECORDING_MEDIA_TYPE, bytes)
    }

    /// The signed statements about a component, as they were stored.
    pub fn attestations(&self, digest: &str) -> Result<Vec<Value>, ClientError> {
        let answer = self.get(&format!("/a2a/components/{digest}/attestations"))?;
        Ok(answer.member("attestations").and_then(Value::as_array).cloned().unwrap_or_default())
    }

    /// Adds a signed statement about a component.
    pub fn put_attestation(&self, digest: &str, statement: &[u8]) -> Result<Answer, ClientError> {
        self.put(&format!("/a2a/components/{digest}/attestations"), "application/json", statement)
    }

    fn blob(&self, kind: &str, digest: &str, limit: u64) -> Result<Vec<u8>, ClientError> {
        let mut response = self.fetch(&format!("/a2a/{kind}/{digest}"))?;
        if !response.status().is_success() {
            return Err(self.refusal(&mut response));
        }
        let mut bytes = Vec::new();
        let read = response.body_mut().as_reader().take(limit + 1).read_to_end(&mut bytes);
        read.map_err(|error| ClientError::Network { reason: error.to_string() })?;
        if bytes.len() as u64 > limit {
            return Err(ClientError::TooLarge { limit });
        }
        let computed = Digest::of(&bytes).to_string();
        if computed != digest {
            let reason = format!("it sent bytes with the digest {computed} for {digest}");
            return Err(ClientError::Foreign { reason });
        }
        Ok(bytes)
    }

    fn fetch(&self, path: &str) -> Result<Response<Body>, ClientError> {
        let mut request = self.agent.get(format!("{}{path}", self.address));
        if let Some(value) = self.authorization() {
            request = request.header("authorization", value);
        }
        request.call().map_err(|error| network(&error))
    }

    fn post(&self, path: &str, media_type: &str, body: &[u8]) -> Result<Response<Body>, ClientError> {
        let mut request = self.agent.post(format!("{}{path}", self.address)).header("content-type", media_type);
        if let Some(value) = self.authorization() {
            request = request.header("authorization", value);
        }
        request.send(body).map_err(|error| network(&error))
    }

    fn put(&self, path: &str, media_type: &str, body: &[u8]) -> Result<Answer, ClientError> {
        let mut request = self.agent.put(format!("{}{path}", self.address)).header("content-type", media_type);
        if let Some(value) = self.authorization() {
            request = request.header("authorization", value);
        }
        let mut response = request.send(body).map_err(|error| network(&error))?;
        self.answer(&mut response)
    }

    fn authorization(&self) -> Option<HeaderValue> {
        let secret = self.secret.as_ref()?;
        let mut value = HeaderValue::from_str(&format!("Bearer {}", secret.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    fn answer(&self, response: &mut Response<Body>) -> Result<Answer, ClientError> {
        if !response.status().is_success() {
            return Err(self.refusal(response));
        }
        let bytes = response.body_mut().with_config().limit(MAX_ANSWER_BYTES).read_to_vec();
        let bytes = bytes.map_err(|error| match error {
            ureq::Error::BodyExceedsLimit(_) => ClientError::TooLarge { limit: MAX_ANSWER_BYTES },
            error => network(&error),
        })?;
        if bytes.is_empty() {
            return Ok(Answer { document: Map::new() });
        }
        let limit = usize::try_from(MAX_ANSWER_BYTES).unwrap_or(usize::MAX);
        let document = digest::read_object(&bytes, limit).map_err(|error| foreign(&error))?;
        Ok(Answer { document })
    }

    /// What a status that is no success means.
    fn refusal(&self, response: &mut Response<Body>) -> ClientError {
        let status = response.status();
        let header = |name: &str| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
        let (location, retry) = (header("location"), header("retry-after"));
        let body = match response.body_mut().with_config().limit(MAX_REFUSAL_BYTES).read_to_vec() {
            Ok(body) => body,
            Err(ureq::Error::BodyExceedsLimit(_)) => Vec::new(),
            // Half a refusal does not say what is refused, nor for how long.
            Err(error) => return network(&error),
        };
        let document: Value = serde_json::from_slice(&body).unwrap_or_default();
        let text = |name: &str| document[name].as_str().or(document["payload"][name].as_str());
        let code = text("code").or(text("error")).map_or_else(|| status.as_str().to_owned(), |code| self.shown(code));
        let message = match text("message").or(text("detail")) {
            Some(message) => self.shown(message),
            None if status.is_redirection() => {
                let to = location.as_deref().unwrap_or("elsewhere");
                format!("it redirects to {}, which is not followed: correct the address of the hub", self.shown(to))
            }
            None => self.shown(&String::from_utf8_lossy(&body)),
        };
        let millis = document["retry_after_ms"].as_u64().map(Duration::from_millis);
        let seconds = || retry.as_deref()?.parse().ok().map(Duration::from_secs);
        ClientError::Refused {
            status: status.as_u16(),
            code,
            message,
            correction: text("correction").map(|text| self.shown(text)),
            field: text("field").map(|text| self.shown(text)),
            retry_after: millis.or_else(seconds).map(|wait| wait.min(MAX_WAIT)),
        }
    }

    /// A text of the hub on one line, bounded, without control characters and without the secret.
    fn shown(&self, text: &str) -> String {
        let text = match &self.secret {
            Some(secret) => text.replace(&secret.0, "[REDACTED:secret]"),
            None => text.to_owned(),
        };
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        line.chars().filter(|c| !c.is_control()).take(MAX_MESSAGE_CHARS).collect()
    }
}

fn network(error: &ureq::Error) -> ClientError {
    ClientError::Network { reason: error.to_string() }
}

fn foreign(error: &dyn fmt::Display) -> ClientError {
    ClientError::Foreign { reason: error.to_string() }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a server of the test's own")]
mod tests {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// A server that answers one connection with `answer`, and hands over the head of the request.
    fn answering(answer: impl Into<Vec<u8>>) -> (Client, thread::JoinHandle<String>) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}", listener.local_addr().expect("an address"));
        let answer = answer.into();
        let served = thread::spawn(move || {
            let (mut stream, _) = listener.accept().expect("a connection");
            let mut reader = BufReader::new(stream.try_clone().expect("a stream"));
            let (mut head, mut length) = (String::new(), 0);
            loop {
                let mut line = String::new();
                reader.read_line(&mut line).expect("a line");
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().expect("a length");
                }
                if line.trim().is_empty() {
                    break;
                }
                head.push_str(&line);
            }
            std::io::copy(&mut reader.take(length), &mut std::io::sink()).expect("a body");
            stream.write_all(&answer).expect("an answer");
            head
        });
        let secret = Secret::new("s3cr3t-of-this-node").expect("a secret");
        let address = HubAddress::read(&address).expect("an address");
        (Client::new(address, Some(secret), Duration::from_secs(5)), served)
    }

    fn http(status: &str, more: &str, body: &str) -> String {
        format!("HTTP/1.1 {status}\r\n{more}content-length: {}\r\nconnection: close\r\n\r\n{body}", body.len())
    }

    #[test]
    fn members_are_found_at_the_top_and_in_the_payload() {
        let body = r#"{"status":"ok","payload":{"node_secret":"x","status":"inner"}}"#;
        let (client, served) = answering(http("200 OK", "", body));
        let answer = client.send(MessageType::Hello, &Map::new()).expect("an answer");
        assert_eq!((answer.text("status"), answer.text("node_secret")), (Some("ok"), Some("x")));
        let head = served.join().expect("served");
        assert!(head.starts_with("POST /a2a/hello "), "{head}");
        assert!(head.contains("Bearer s3cr3t-of-this-node"), "{head}");
    }

    #[test]
    fn a_refusal_keeps_what_the_hub_says_and_not_the_secret() {
        let body = r#"{"code":"rate_limited","message":"no s3cr3t-of-this-node\n\u001b[31m","correction":"wait",
            "field":"payload.x","retry_after_ms":1500}"#;
        let (client, served) = answering(http("429 Too Many Requests", "", body));
        let error = client.get("/a2a/stats").expect_err("refused");
        assert!(error.is_passing());
        let ClientError::Refused { status, code, message, correction, field, retry_after } = error else {
            panic!("a refusal")
        };
        assert_eq!((status, code.as_str(), message.as_str()), (429, "rate_limited", "no [REDACTED:secret] [31m"));
        assert_eq!((correction.as_deref(), field.as_deref()), (Some("wait"), Some("payload.x")));
        assert_eq!(retry_after, Some(Duration::from_millis(1500)));
        served.join().expect("served");
    }

    #[test]
    fn an_answer_that_was_cut_is_a_fault_of_the_network() {
        let body = r#"{"code":"component_missing","message":"PUT it first"}"#;
        for status in ["200 OK", "409 Conflict", "503 Service Unavailable"] {
            let whole = http(status, "", body);
            for length in [whole.len() - 1, whole.len() - body.len()] {
                let (client, served) = answering(&whole.as_bytes()[..length]);
                let error = client.get("/a2a/stats").expect_err("cut");
                assert!(matches!(error, ClientError::Network { .. }) && error.is_passing(), "{status}: {error:?}");
                served.join().expect("served");
            }
        }
    }

    #[test]
    fn a_redirect_is_not_followed() {
        let (client, served) = answering(http("302 Found", "location: http://127.0.0.1:1/\r\n", ""));
        let error = client.get("/a2a/stats").expect_err("refused").to_string();
        assert!(error.contains("redirects to http://127.0.0.1:1/"), "{error}");
        served.join().expect("served");
    }

    #[test]
    fn bytes_must_have_their_digest_and_are_bounded() {
        let digest = format!("sha256:{}", digest::sha256_hex(b"wasm"));
        let (client, served) = answering(http("200 OK", "", "wasm"));
        assert_eq!(client.component(&digest, 4).expect("bytes"), b"wasm");
        served.join().expect("served");
        let (client, served) = answering(http("200 OK", "", "wasn"));
        assert!(matches!(client.component(&digest, 4), Err(ClientError::Foreign { .. })));
        served.join().expect("served");
        let (client, served) = answering(http("200 OK", "", "wasm2"));
        assert_eq!(client.component(&digest, 4), Err(ClientError::TooLarge { limit: 4 }));
        served.join().expect("served");
    }

    #[test]
    fn an_answer_that_is_not_json_is_foreign_and_nobody_listening_is_the_network() {
        let (client, served) = answering(http("200 OK", "", "<html>"));
        assert!(matches!(client.get("/a2a/stats"), Err(ClientError::Foreign { .. })));
        served.join().expect("served");
        let client =
            Client::new(HubAddress::read("http://127.0.0.1:1").expect("an address"), None, Duration::from_secs(1));
        let error = client.get("/a2a/stats").expect_err("nobody");
        assert!(matches!(error, ClientError::Network { .. }) && error.is_passing(), "{error}");
    }

    #[test]
    fn a_secret_is_not_shown() {
        assert!(Secret::new("short").is_err() && Secret::new(&"x y".repeat(9)).is_err());
        let secret = Secret::new(&"ab".repeat(32)).expect("a secret");
        assert_eq!(format!("{secret:?}"), "Secret");
    }
}
