//! Answers: JSON documents, and refusals in the protocol's form with the members of RFC 9457 beside it.

use axum::body::Body;
use axum::http::header::{
    CACHE_CONTROL, CONNECTION, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, RETRY_AFTER,
    WWW_AUTHENTICATE,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use gephost_core::a2a::{Code, Problem};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::rates::Limited;

/// How long a client waits when the queue of writes is full.
const BUSY_MS: u64 = 250;

/// A refusal, and what a client needs to know beside the problem.
#[derive(Debug)]
pub(crate) struct Refusal {
    problem: Box<Problem>,
    members: Map<String, Value>,
    allow: Option<&'static str>,
}

/// What a request comes to.
pub(crate) type Outcome = Result<Response, Refusal>;

impl From<Problem> for Refusal {
    fn from(problem: Problem) -> Self {
        let mut refusal = Self { problem: Box::new(problem), members: Map::new(), allow: None };
        if refusal.problem.code == Code::ServerBusy {
            refusal.members.insert("retry_after_ms".to_owned(), BUSY_MS.into());
        }
        refusal
    }
}

impl From<Limited> for Refusal {
    fn from(limited: Limited) -> Self {
        let wait = u64::try_from(limited.wait.as_millis()).unwrap_or(u64::MAX).max(1);
        Self::from(Limited::problem()).with("retry_after_ms", wait)
    }
}

impl Refusal {
    /// The same with one more member.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.members.insert(name.to_owned(), value.into());
        self
    }

    /// The same with the methods that the path has.
    pub(crate) fn allowing(mut self, methods: &'static str) -> Self {
        self.allow = Some(methods);
        self
    }
}

impl Refusal {
    /// The parts of the answer.
    fn parts(self) -> (StatusCode, HeaderMap, String) {
        let mut body = self.problem.body();
        let wait = self.members.get("retry_after_ms").and_then(Value::as_u64);
        if let Some(members) = body.as_object_mut() {
            members.extend(self.members);
        }
        let code = self.problem.code;
        let status = StatusCode::from_u16(code.http_status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        harden(&mut headers);
        if let Some(wait) = wait {
            headers.insert(RETRY_AFTER, HeaderValue::from(wait.div_ceil(1000)));
        }
        if let Some(allow) = self.allow {
            headers.insert(axum::http::header::ALLOW, HeaderValue::from_static(allow));
        }
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"gep-a2a\""));
        }
        (status, headers, body.to_string())
    }

    /// The answer as it is sent, for a connection that closes before it has a request.
    pub(crate) fn wire(self) -> Vec<u8> {
        let (status, mut headers, body) = self.parts();
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
        let mut wire = format!("HTTP/1.1 {status}\r\n").into_bytes();
        for (name, value) in &headers {
            wire.extend([name.as_str().as_bytes(), b": ", value.as_bytes(), b"\r\n"].concat());
        }
        wire.extend(b"\r\n");
        wire.extend(body.into_bytes());
        wire
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let (status, headers, body) = self.parts();
        (status, headers, Body::from(body)).into_response()
    }
}

/// A document that may change at any time.
pub(crate) fn json(value: &impl Serialize) -> Outcome {
    let body = serde_json::to_vec(value).map_err(|_| unwritable())?;
    Ok(json_bytes(body.into()))
}

/// The same of bytes that are JSON.
pub(crate) fn json_bytes(body: Bytes) -> Response {
    let mut response = Body::from(body).into_response();
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    harden(headers);
    response
}

/// A document with an entity tag: 304 if the client has it.
pub(crate) fn tagged(asked: &HeaderMap, body: Bytes, etag: &str) -> Response {
    let mut response = if has(asked, etag) { StatusCode::NOT_MODIFIED.into_response() } else { json_bytes(body) };
    let headers = response.headers_mut();
    harden(headers);
    if let Ok(value) = HeaderValue::from_str(etag) {
        headers.insert(ETAG, value);
    }
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

/// Whether a client has what this tag names.
pub(crate) fn has(asked: &HeaderMap, etag: &str) -> bool {
    let tags = asked.get_all(axum::http::header::IF_NONE_MATCH);
    tags.iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(',')).any(|tag| {
        let tag = tag.trim();
        tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == etag
    })
}

/// No browser runs or guesses what comes from here.
pub(crate) fn harden(headers: &mut HeaderMap) {
    headers.insert(HeaderName::from_static("x-content-type-options"), HeaderValue::from_static("nosniff"));
    headers.insert(HeaderName::from_static("content-security-policy"), HeaderValue::from_static("default-src 'none'"));
}

pub(crate) fn unwritable() -> Problem {
    Problem::new(Code::Internal, "the answer cannot be written", "report this as a defect of the hub")
}
