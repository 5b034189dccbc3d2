//! Components and recordings by digest, and the signed statements about components.

use std::sync::Arc;

use axum::Extension;
use axum::body::Body;
use axum::extract::State;
use axum::http::header::{CACHE_CONTROL, CONTENT_LENGTH, CONTENT_TYPE, ETAG, HeaderValue};
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE};
use gephost_core::a2a::{COMPONENT_MEDIA_TYPE, Code, Problem, RECORDING_MEDIA_TYPE};
use gephost_core::digest::read_value;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{InPath, id};
use crate::answer::{self, Outcome};
use crate::app::{Peer, Shared};
use crate::body::{collect, expect_json, too_large};
use crate::component_check;
use crate::store::{BlobRow, digest_text};

/// Most bytes of a statement about a component.
const MAX_ATTESTATION_BYTES: usize = 64 * 1024;

/// `GET /a2a/components/:digest`
pub(crate) async fn component(state: State<Arc<Shared>>, path: InPath, method: Method, headers: HeaderMap) -> Outcome {
    get("component", COMPONENT_MEDIA_TYPE, state, path, method, headers).await
}

/// `GET /a2a/recordings/:digest`
pub(crate) async fn recording(state: State<Arc<Shared>>, path: InPath, method: Method, headers: HeaderMap) -> Outcome {
    get("recording", RECORDING_MEDIA_TYPE, state, path, method, headers).await
}

/// `PUT /a2a/components/:digest`
pub(crate) async fn put_component(
    state: State<Arc<Shared>>,
    peer: Extension<Peer>,
    path: InPath,
    headers: HeaderMap,
    body: Body,
) -> Outcome {
    put("component", state, peer, path, headers, body).await
}

/// `PUT /a2a/recordings/:digest`
pub(crate) async fn put_recording(
    state: State<Arc<Shared>>,
    peer: Extension<Peer>,
    path: InPath,
    headers: HeaderMap,
    body: Body,
) -> Outcome {
    put("recording", state, peer, path, headers, body).await
}

async fn get(
    kind: &'static str,
    media_type: &'static str,
    State(shared): State<Arc<Shared>>,
    InPath(text): InPath,
    method: Method,
    headers: HeaderMap,
) -> Outcome {
    let digest = id(&text)?;
    let blob = known(&shared, kind, &digest).await?;
    let etag = format!("\"{text}\"");
    let mut response = if answer::has(&headers, &etag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        let body =
            if method == Method::HEAD { Body::empty() } else { Body::from_stream(shared.blobs.stream(&digest).await?) };
        let mut response = Response::new(body);
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
        response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(blob.size));
        response
    };
    let headers = response.headers_mut();
    answer::harden(headers);
    headers.insert(ETAG, HeaderValue::from_str(&etag).map_err(|_| answer::unwritable())?);
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    Ok(response)
}

async fn put(
    kind: &'static str,
    State(shared): State<Arc<Shared>>,
    Extension(peer): Extension<Peer>,
    InPath(text): InPath,
    headers: HeaderMap,
    body: Body,
) -> Outcome {
    let digest = id(&text)?;
    shared.may_upload(&headers).await?;
    let limit = shared.settings.limits.component_bytes;
    let announced =
        headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()).and_then(|value| value.parse::<u64>().ok());
    if announced.is_some_and(|size| size > limit) {
        return Err(too_large(limit).into());
    }
    if let Some(blob) = shared.store.blob(&digest).await?.filter(|blob| blob.kind == kind) {
        return stored(StatusCode::OK, kind, &text, &blob);
    }
    // Who does not say how much it is may send as much as is allowed.
    shared.rates.upload(peer.0, announced.unwrap_or(limit))?;
    let staged = shared.blobs.stage(&digest, body, limit, shared.settings.limits.body_time).await?;
    let mut blob = BlobRow {
        kind: kind.to_owned(),
        size: i64::try_from(staged.size).unwrap_or(i64::MAX),
        world: None,
        gene_id: None,
    };
    if kind == "component" {
        match shared.blobs.look(&staged, component_check::check).await {
            Ok(looked) => {
                blob.world = Some(looked.world.as_str().to_owned());
                blob.gene_id = Some(looked.gene_id);
            }
            Err(problem) => {
                shared.blobs.discard(staged).await;
                return Err(problem.into());
            }
        }
    }
    shared.blobs.keep(staged, &digest).await?;
    shared.store.note_blob(digest, blob.clone(), shared.now()).await?;
    stored(StatusCode::CREATED, kind, &text, &blob)
}

fn stored(status: StatusCode, kind: &str, digest: &str, blob: &BlobRow) -> Outcome {
    let document = json!({"status": "stored", "digest": digest, "kind": kind, "size": blob.size, "world": blob.world, "gene_id": blob.gene_id});
    let mut response = answer::json(&document)?;
    *response.status_mut() = status;
    Ok(response)
}

async fn known(shared: &Shared, kind: &str, digest: &[u8; 32]) -> Result<BlobRow, Problem> {
    let blob = shared.store.blob(digest).await?.filter(|blob| blob.kind == kind);
    blob.ok_or_else(|| {
        Problem::new(Code::NotFound, format!("there is no {kind} with this digest here"), "PUT its bytes to this path")
    })
}

/// `GET /a2a/components/:digest/attestations`
pub(crate) async fn attestations(State(shared): State<Arc<Shared>>, InPath(text): InPath) -> Outcome {
    let digest = id(&text)?;
    known(&shared, "component", &digest).await?;
    let bodies = shared.store.attestations(&digest).await?;
    let all: Vec<Value> = bodies.iter().filter_map(|body| serde_json::from_slice(body).ok()).collect();
    answer::json(&json!({"digest": text, "attestations": all, "count": all.len()}))
}

/// `PUT /a2a/components/:digest/attestations`
///
/// The statement is kept as it is. Whose key signed it is for the reader to decide.
pub(crate) async fn attest(
    State(shared): State<Arc<Shared>>,
    InPath(text): InPath,
    headers: HeaderMap,
    body: Body,
) -> Outcome {
    let digest = id(&text)?;
    shared.may_upload(&headers).await?;
    expect_json(&headers)?;
    known(&shared, "component", &digest).await?;
    let bytes = collect(body, MAX_ATTESTATION_BYTES, shared.settings.limits.body_time).await?;
    let envelope = read_value(&bytes, MAX_ATTESTATION_BYTES)
        .map_err(|error| Problem::new(Code::ValidationError, error.to_string(), "send a DSSE envelope as JSON"))?;
    subject_must_be(&envelope, &digest)?;
    let new = shared.store.attest(digest, bytes.to_vec(), Sha256::digest(&bytes).into(), shared.now()).await?;
    let mut response = answer::json(&json!({"status": "stored", "digest": text, "new": new}))?;
    *response.status_mut() = if new { StatusCode::CREATED } else { StatusCode::OK };
    Ok(response)
}

/// A DSSE envelope around an in-toto statement, one of whose subjects has the digest of the component.
fn subject_must_be(envelope: &Value, digest: &[u8; 32]) -> Result<(), Problem> {
    let refuse = |field: &str, message: &str| {
        let correction =
            "send a DSSE envelope of an in-toto statement about this component, as `gephost gene sign` makes it";
        Problem::new(Code::ValidationError, message, correction).at(field)
    };
    if envelope["payloadType"] != "application/vnd.in-toto+json" {
        return Err(refuse("payloadType", "`payloadType` is not application/vnd.in-toto+json"));
    }
    let signatures = envelope["signatures"].as_array().map_or(0, Vec::len);
    if !(1..=16).contains(&signatures) {
        return Err(refuse("signatures", "there are no signatures, or more than 16"));
    }
    let payload = envelope["payload"].as_str().ok_or_else(|| refuse("payload", "`payload` is not text"))?;
    let statement = STANDARD.decode(payload).or_else(|_| URL_SAFE.decode(payload)).ok();
    let statement = statement.and_then(|bytes| read_value(&bytes, MAX_ATTESTATION_BYTES).ok());
    let statement = statement.ok_or_else(|| refuse("payload", "`payload` is not the base64 of strict JSON"))?;
    let wanted = digest_text(digest);
    let hex = wanted.trim_start_matches("sha256:");
    let names = |subject: &Value| subject["digest"]["sha256"].as_str() == Some(hex);
    if statement["subject"].as_array().is_some_and(|subjects| subjects.iter().any(names)) {
        return Ok(());
    }
    Err(refuse("payload", "the statement is not about this component"))
}
