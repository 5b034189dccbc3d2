//! Reads the bodies of requests, within a bound of bytes and of time.

use std::time::Duration;

use axum::body::Body;
use axum::http::HeaderMap;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use bytes::Bytes;
use gephost_core::a2a::{Code, Problem};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};

/// Refuses bodies that say they are something else than JSON. A page in a browser cannot send JSON to another site unasked.
pub(crate) fn expect_json(headers: &HeaderMap) -> Result<(), Problem> {
    if headers.get(CONTENT_ENCODING).is_some_and(|coding| !coding.as_bytes().eq_ignore_ascii_case(b"identity")) {
        let message = "the body is compressed";
        return Err(Problem::new(Code::UnsupportedMediaType, message, "send it without `Content-Encoding`"));
    }
    let Some(value) = headers.get(CONTENT_TYPE) else { return Ok(()) };
    let essence = value.to_str().unwrap_or("").split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    if essence == "application/json" || (essence.starts_with("application/") && essence.ends_with("+json")) {
        return Ok(());
    }
    Err(Problem::new(Code::UnsupportedMediaType, "the body is not JSON", "send `Content-Type: application/json`"))
}

/// Reads a body of at most `limit` bytes within `time`.
pub(crate) async fn collect(body: Body, limit: usize, time: Duration) -> Result<Bytes, Problem> {
    let reading = Limited::new(body, limit).collect();
    match tokio::time::timeout(time, reading).await {
        Err(_) => {
            Err(Problem::new(Code::RequestTimeout, "the body did not arrive in time", "send it faster, or less of it"))
        }
        Ok(Ok(collected)) => Ok(collected.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large(limit as u64)),
        Ok(Err(_)) => Err(Problem::new(Code::InvalidProtocolMessage, "the body did not arrive whole", "send it again")),
    }
}

pub(crate) fn too_large(limit: u64) -> Problem {
    Problem::new(Code::PayloadTooLarge, format!("the body has more than {limit} bytes"), "send less")
}
