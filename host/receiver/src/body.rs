//! A request's body, whole and unpacked, within bounds of bytes and of time.

use std::io::Read as _;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use http_body_util::BodyExt as _;
use hyper::StatusCode;
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONTENT_ENCODING, HeaderMap};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::reply::Refusal;
use crate::server::Limits;

/// A body's bytes as they came, and their share of the memory that all bodies have together.
pub(crate) struct Body {
    bytes: Vec<u8>,
    room: Option<OwnedSemaphorePermit>,
}

/// Waits for the whole body. `room` has as many permits as there are bytes for all bodies at one time.
pub(crate) async fn collect(body: Incoming, limits: &Limits, room: &Arc<Semaphore>) -> Result<Body, Refusal> {
    let stated = body.size_hint().lower();
    if stated > limits.body_bytes as u64 {
        return Err(too_large(limits));
    }
    timeout(limits.body_time, frames(body, limits, room)).await.map_err(|_| {
        Refusal::new(StatusCode::REQUEST_TIMEOUT, format!("the body took more than {} s", limits.body_time.as_secs()))
    })?
}

async fn frames(mut body: Incoming, limits: &Limits, room: &Arc<Semaphore>) -> Result<Body, Refusal> {
    let mut collected = Body { bytes: Vec::new(), room: None };
    while let Some(frame) = body.frame().await {
        let frame =
            frame.map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, format!("the body breaks off: {error}")))?;
        let Ok(data) = frame.into_data() else { continue };
        if collected.bytes.len() + data.len() > limits.body_bytes {
            return Err(too_large(limits));
        }
        let share = u32::try_from(data.len()).unwrap_or(u32::MAX);
        let permit = Arc::clone(room)
            .try_acquire_many_owned(share)
            .map_err(|_| Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too much comes at once; send it again"))?;
        match &mut collected.room {
            Some(held) => held.merge(permit),
            None => collected.room = Some(permit),
        }
        collected.bytes.extend_from_slice(&data);
    }
    Ok(collected)
}

fn too_large(limits: &Limits) -> Refusal {
    let message =
        format!("the body has more than {} bytes, which is the limit: send smaller batches", limits.body_bytes);
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}

impl Body {
    /// The bytes, unpacked where the headers say that they are packed. The limit holds for what comes out.
    pub(crate) fn unpacked(self, headers: &HeaderMap, limits: &Limits) -> Result<Vec<u8>, Refusal> {
        let encoding = headers.get(CONTENT_ENCODING).map_or(Ok("identity"), |encoding| encoding.to_str());
        match encoding.map(str::trim) {
            Ok(name) if name.eq_ignore_ascii_case("identity") => Ok(self.bytes),
            Ok(name) if name.eq_ignore_ascii_case("gzip") => gunzip(&self.bytes, limits),
            _ => {
                let message = "this content encoding is not read: send gzip or none";
                Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message))
            }
        }
    }
}

fn gunzip(packed: &[u8], limits: &Limits) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let most = limits.body_bytes as u64;
    MultiGzDecoder::new(packed)
        .take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, format!("the body is no gzip: {error}")))?;
    if bytes.len() > limits.body_bytes { Err(too_large(limits)) } else { Ok(bytes) }
}
