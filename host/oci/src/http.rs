//! Requests to one registry: which addresses are contacted, who is told the credentials, how much is read.

use std::cell::RefCell;
use std::io::Read as _;
use std::time::Duration;

use gephost_core::component::reference::{OciReference, is_loopback};
use gephost_core::recording::Digest;
use ureq::http::{Method, Request, Response, Uri};
use ureq::{Agent, Body};

use crate::auth::{Challenge, Credentials, MAX_TOKEN_BYTES, token_of};
use crate::error::OciError;

/// The most redirects of one request.
const MAX_REDIRECTS: usize = 5;
/// The most bytes of an error that are read, and shown.
const MAX_ERROR_BYTES: u64 = 500;
/// How long connecting may take.
const CONNECT: Duration = Duration::from_secs(15);
/// How long a whole request may take.
const WHOLE: Duration = Duration::from_mins(5);

/// What is asked of a registry.
pub(crate) struct Ask<'a> {
    pub(crate) method: Method,
    /// An address of [`Session::url`], or one that the registry named.
    pub(crate) url: String,
    pub(crate) accept: Option<&'a str>,
    /// The body and its type.
    pub(crate) body: Option<(&'a str, &'a [u8])>,
    /// What it is about, for errors.
    pub(crate) what: String,
}

impl<'a> Ask<'a> {
    pub(crate) fn new(method: Method, url: String, what: impl Into<String>) -> Self {
        Self { method, url, accept: None, body: None, what: what.into() }
    }

    pub(crate) fn accept(self, accept: &'a str) -> Self {
        Self { accept: Some(accept), ..self }
    }

    pub(crate) fn body(self, media_type: &'a str, bytes: &'a [u8]) -> Self {
        Self { body: Some((media_type, bytes)), ..self }
    }
}

/// The connections to one repository of one registry.
pub(crate) struct Session {
    agent: Agent,
    registry: String,
    repository: String,
    is_loopback: bool,
    credentials: Credentials,
    /// The header `Authorization`, once the registry asked for one.
    authorization: RefCell<Option<String>>,
}

impl Session {
    /// Contacts nobody yet.
    pub(crate) fn new(reference: &OciReference, credentials: Credentials) -> Self {
        let is_loopback = reference.is_loopback();
        let agent = Agent::config_builder()
            .timeout_connect(Some(CONNECT))
            .timeout_global(Some(WHOLE))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .https_only(!is_loopback)
            .proxy(None)
            .user_agent(concat!("gephost/", env!("CARGO_PKG_VERSION")))
            .build();
        let authorization = match &credentials {
            Credentials::Token(token) => Some(format!("Bearer {token}")),
            Credentials::Anonymous | Credentials::Basic { .. } => None,
        };
        Self {
            agent: agent.into(),
            registry: reference.registry.clone(),
            repository: reference.repository.clone(),
            is_loopback,
            credentials,
            authorization: RefCell::new(authorization),
        }
    }

    /// The address of something of the repository.
    pub(crate) fn url(&self, path: &str) -> String {
        let scheme = if self.is_loopback { "http" } else { "https" };
        format!("{scheme}://{}/v2/{}/{path}", self.registry, self.repository)
    }

    /// Asks, and again with credentials if the registry wants them. A response of status 401 or 403 is an error.
    pub(crate) fn ask(&self, ask: &Ask<'_>) -> Result<Response<Body>, OciError> {
        let mut response = self.follow(ask)?;
        if response.status() == 401 && self.authorize(&response)? {
            response = self.follow(ask)?;
        }
        if matches!(response.status().as_u16(), 401 | 403) {
            return Err(OciError::Unauthenticated(said(&mut response)));
        }
        Ok(response)
    }

    /// The same, if any other status than these is an error.
    pub(crate) fn expect(&self, ask: &Ask<'_>, expected: &[u16]) -> Result<Response<Body>, OciError> {
        let mut response = self.ask(ask)?;
        let status = response.status().as_u16();
        match status {
            _ if expected.contains(&status) => Ok(response),
            404 => Err(OciError::NotFound(ask.what.clone())),
            _ => Err(OciError::Status { status, what: ask.what.clone(), said: said(&mut response) }),
        }
    }

    /// Where a response leads, if it is contacted at all.
    pub(crate) fn location(&self, from: &str, response: &Response<Body>) -> Result<String, OciError> {
        let text = response.headers().get("location").and_then(|value| value.to_str().ok()).unwrap_or_default();
        let refused = || OciError::Address(text.chars().take(200).collect());
        if text.starts_with('/') && !text.starts_with("//") {
            let base: Uri = from.parse().map_err(|_| refused())?;
            let authority = base.authority().ok_or_else(refused)?;
            return Ok(format!("{}://{authority}{text}", base.scheme_str().unwrap_or("https")));
        }
        if self.is_contacted(text) { Ok(text.to_owned()) } else { Err(refused()) }
    }

    /// Sends a request and follows redirects of a request that reads.
    fn follow(&self, ask: &Ask<'_>) -> Result<Response<Body>, OciError> {
        let mut url = ask.url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let response = self.send(ask, &url)?;
            if !response.status().is_redirection() || ask.method != Method::GET {
                return Ok(response);
            }
            url = self.location(&url, &response)?;
        }
        Err(OciError::Address(url))
    }

    fn send(&self, ask: &Ask<'_>, url: &str) -> Result<Response<Body>, OciError> {
        let mut request = Request::builder().method(ask.method.clone()).uri(url);
        if let Some(accept) = ask.accept {
            request = request.header("accept", accept);
        }
        // Whoever the registry leads to learns no credentials.
        if let Some(authorization) = self.authorization.borrow().as_deref().filter(|_| self.is_registry(url)) {
            request = request.header("authorization", authorization);
        }
        let broken = |error: ureq::http::Error| OciError::Network(error.to_string());
        let sent = match ask.body {
            Some((media_type, bytes)) => {
                self.agent.run(request.header("content-type", media_type).body(bytes).map_err(broken)?)
            }
            None if ask.method == Method::POST => {
                self.agent.run(request.header("content-length", "0").body(&[][..]).map_err(broken)?)
            }
            None => self.agent.run(request.body(()).map_err(broken)?),
        };
        sent.map_err(|error| OciError::Network(error.to_string()))
    }

    /// Does what a challenge asks for. Returns whether there is something new to send.
    fn authorize(&self, response: &Response<Body>) -> Result<bool, OciError> {
        let headers = response.headers().get_all("www-authenticate");
        let mut challenges = headers.iter().filter_map(|value| Challenge::read(value.to_str().ok()?));
        let header = match challenges.next() {
            Some(Challenge::Basic) => self.credentials.basic(),
            Some(Challenge::Bearer { realm, service }) => {
                Some(format!("Bearer {}", self.token(&realm, service.as_deref())?))
            }
            None => None,
        };
        let is_new = header.is_some() && *self.authorization.borrow() != header;
        if is_new {
            *self.authorization.borrow_mut() = header;
        }
        Ok(is_new)
    }

    fn token(&self, realm: &str, service: Option<&str>) -> Result<String, OciError> {
        if !self.is_contacted(realm) {
            return Err(OciError::Address(realm.chars().take(200).collect()));
        }
        let scope = format!("repository:{}:pull,push", self.repository);
        let mut request = self.agent.get(realm).query("scope", &scope);
        if let Some(service) = service {
            request = request.query("service", service);
        }
        if let Some(basic) = self.credentials.basic() {
            request = request.header("authorization", basic);
        }
        let mut response = request.call().map_err(|error| OciError::Network(error.to_string()))?;
        if response.status() != 200 {
            return Err(OciError::Unauthenticated(said(&mut response)));
        }
        token_of(&read(&mut response, MAX_TOKEN_BYTES, "the token server's answer")?)
    }

    /// Whether an address is one that may be contacted: with TLS, or on this machine if the registry is there too.
    fn is_contacted(&self, url: &str) -> bool {
        let Ok(uri) = url.parse::<Uri>() else { return false };
        let is_plain = uri.authority().is_some_and(|authority| !authority.as_str().contains('@'));
        let on_this_machine = || self.is_loopback && uri.host().is_some_and(is_loopback);
        is_plain && (uri.scheme_str() == Some("https") || (uri.scheme_str() == Some("http") && on_this_machine()))
    }

    fn is_registry(&self, url: &str) -> bool {
        let uri = url.parse::<Uri>().ok();
        uri.and_then(|uri| uri.into_parts().authority).is_some_and(|authority| authority.as_str() == self.registry)
    }
}

/// The body of a response, of at most `limit` bytes, whatever the response says of its length.
pub(crate) fn read(response: &mut Response<Body>, limit: u64, what: &str) -> Result<Vec<u8>, OciError> {
    let mut bytes = Vec::new();
    let reader = response.body_mut().as_reader();
    let failed = |error: std::io::Error| OciError::Network(error.to_string());
    reader.take(limit.saturating_add(1)).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > limit {
        return Err(OciError::TooLarge { what: what.to_owned(), limit });
    }
    Ok(bytes)
}

/// Compares the digest of bytes.
pub(crate) fn verified(bytes: Vec<u8>, expected: Digest, what: &str) -> Result<Vec<u8>, OciError> {
    let found = Digest::of(&bytes);
    if found == expected {
        return Ok(bytes);
    }
    Err(OciError::Digest { what: what.to_owned(), expected: expected.to_string(), found: found.to_string() })
}

/// What a response says, on one line and without control characters.
fn said(response: &mut Response<Body>) -> String {
    let mut bytes = Vec::new();
    // An error that cannot be read says nothing.
    let _ = response.body_mut().as_reader().take(MAX_ERROR_BYTES).read_to_end(&mut bytes);
    let text = String::from_utf8_lossy(&bytes);
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() { response.status().to_string() } else { text }
}
