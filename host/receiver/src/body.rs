//! Collects a request's body and decompresses it, with limits of bytes and time.

use std::io::Read as _;
use std::sync::Arc;

use flate2::read::MultiGzDecoder;
use http_body_util::BodyExt as _;
use hyper::StatusCode;
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONTENT_ENCODING, HeaderMap};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::limits::Limits;
use crate::reply::Refusal;

/// The bytes of a body as received, with the memory permits that they hold.
pub(crate) struct Body {
    bytes: Vec<u8>,
    memory: Option<OwnedSemaphorePermit>,
}

/// Waits for the whole body. `memory` has one permit for each byte that all bodies together may take. If there are too
/// few, `make_room` closes a slower connection, and says whether there was one.
pub(crate) async fn collect(
    body: Incoming,
    limits: &Limits,
    memory: &Arc<Semaphore>,
    make_room: impl Fn() -> bool,
) -> Result<Body, Refusal> {
    let stated = body.size_hint().lower();
    if stated > limits.body_bytes as u64 {
        return Err(too_large(limits));
    }
    timeout(limits.body_time, frames(body, limits, memory, make_room)).await.map_err(|_| {
        Refusal::new(StatusCode::REQUEST_TIMEOUT, format!("the body took more than {} s", limits.body_time.as_secs()))
    })?
}

async fn frames(
    mut body: Incoming,
    limits: &Limits,
    memory: &Arc<Semaphore>,
    make_room: impl Fn() -> bool,
) -> Result<Body, Refusal> {
    let mut collected = Body { bytes: Vec::new(), memory: None };
    while let Some(frame) = body.frame().await {
        let frame =
            frame.map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, format!("the body is incomplete: {error}")))?;
        let Ok(data) = frame.into_data() else { continue };
        if collected.bytes.len() + data.len() > limits.body_bytes {
            return Err(too_large(limits));
        }
        let share = u32::try_from(data.len()).unwrap_or(u32::MAX);
        let permit = permit(memory, share, &make_room).await?;
        match &mut collected.memory {
            Some(held) => held.merge(permit),
            None => collected.memory = Some(permit),
        }
        collected.bytes.extend_from_slice(&data);
    }
    Ok(collected)
}

/// Permits for so many bytes. What a slower connection holds is taken from it.
async fn permit(
    memory: &Arc<Semaphore>,
    share: u32,
    make_room: &impl Fn() -> bool,
) -> Result<OwnedSemaphorePermit, Refusal> {
    loop {
        if let Ok(permit) = Arc::clone(memory).try_acquire_many_owned(share) {
            return Ok(permit);
        }
        if !make_room() {
            return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, "too much data at once: send it again"));
        }
        // A closed connection gives back what it holds when its task runs next.
        tokio::task::yield_now().await;
    }
}

fn too_large(limits: &Limits) -> Refusal {
    let message = format!("the body is longer than the limit of {} bytes: send smaller batches", limits.body_bytes);
    Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, message)
}

impl Body {
    /// The bytes, decompressed if the headers say so. The size limit applies to the decompressed bytes.
    pub(crate) fn decompressed(self, headers: &HeaderMap, limits: &Limits) -> Result<Vec<u8>, Refusal> {
        let encoding = headers.get(CONTENT_ENCODING).map_or(Ok("identity"), |encoding| encoding.to_str());
        match encoding.map(str::trim) {
            Ok(name) if name.eq_ignore_ascii_case("identity") => Ok(self.bytes),
            Ok(name) if name.eq_ignore_ascii_case("gzip") => gunzip(&self.bytes, limits),
            _ => {
                let message = "this content encoding is not supported: send gzip or none";
                Err(Refusal::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, message))
            }
        }
    }
}

fn gunzip(compressed: &[u8], limits: &Limits) -> Result<Vec<u8>, Refusal> {
    let mut bytes = Vec::new();
    let most = limits.body_bytes as u64;
    MultiGzDecoder::new(compressed)
        .take(most + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| Refusal::new(StatusCode::BAD_REQUEST, format!("the body is not valid gzip: {error}")))?;
    if bytes.len() > limits.body_bytes { Err(too_large(limits)) } else { Ok(bytes) }
}
