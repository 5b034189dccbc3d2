//! Registers nodes.

use std::sync::Arc;

use axum::http::HeaderMap;
use gephost_core::a2a::{Envelope, MessageType, NodeId, Problem, Signed};
use serde_json::{Value, json};

use super::reply::reply;
use crate::answer::{self, Outcome};
use crate::app::{Shared, bearer};
use crate::store::{Greeting, Hello, Message, NodeRow};
use crate::{random, render, webhook};

/// How long a claim code is valid, in milliseconds.
const CLAIM_TIME: i64 = 24 * 3_600_000;
/// Letters and digits that are not mistaken for each other.
const CLAIM_LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/// Most characters of a platform or an architecture.
const MAX_PLATFORM: usize = 64;

/// Takes a hello.
///
/// A new node gets its secret. A registered node that proves who it is gets the same answer again. Without proof it gets
/// neither secret nor claim code, and nothing changes.
pub(super) async fn take(shared: &Shared, envelope: &Envelope, message: Message, headers: &HeaderMap) -> Outcome {
    let key = match envelope.signed()? {
        Signed::By(key) => Some(key),
        Signed::No => None,
    };
    let payload = &envelope.payload;
    let webhook = match payload.get("webhook_url") {
        None | Some(Value::Null) => None,
        Some(Value::String(url)) => Some(webhook::check(url)?),
        Some(_) => Some(webhook::check("")?),
    };
    let shown = match bearer(headers) {
        None => None,
        Some(secret) => {
            let known = shared.store.node(&message.sender).await?;
            known.filter(|node| shared.has_secret(node, secret)).map(|node| node.generation)
        }
    };
    let of_machine = |name: &str| {
        let text = payload.get("env_fingerprint")?.get(name)?.as_str()?;
        Some(text.chars().filter(|letter| !letter.is_control()).take(MAX_PLATFORM).collect())
    };
    let hello = Hello {
        key: key.map(|key| key.bytes()),
        id_of_key: key.is_some_and(|key| NodeId::of_key(&key) == envelope.sender_id),
        shown,
        claim_code: claim_code()?,
        claim_until: message.at + CLAIM_TIME,
        platform: of_machine("platform"),
        arch: of_machine("arch"),
        webhook,
        secrets: Arc::clone(&shared.secrets),
        message,
    };
    let (secrets, url) = (Arc::clone(&shared.secrets), shared.public_url.clone());
    let answer = shared
        .store
        .hello(hello, move |node, greeting| {
            let secret = (greeting != Greeting::Unproven).then(|| secrets.of(&node.node_id, node.generation));
            serde_json::to_vec(&reply(MessageType::Hello, members(node, greeting, secret, &url))).unwrap_or_default()
        })
        .await?;
    Ok(answer::json_bytes(answer.into()))
}

fn members(node: &NodeRow, greeting: Greeting, secret: Option<String>, url: &str) -> Value {
    let Some(secret) = secret else {
        let hint = "this node is registered; send its secret or sign with its key to get the rest of this answer";
        return json!({"status": "acknowledged", "your_node_id": node.node_id, "registration": greeting, "note": hint});
    };
    let code = node.claim_code.as_deref().unwrap_or_default();
    json!({
        "status": "acknowledged",
        "your_node_id": node.node_id,
        "registration": greeting,
        "node_secret": secret,
        "key_pinned": node.key.is_some(),
        "claim_code": code,
        "claim_url": format!("{url}/claim/{code}"),
        "heartbeat_interval_ms": super::heartbeat::INTERVAL_MS,
        "claim_expires_at": render::time(node.claim_until.unwrap_or_default()),
    })
}

/// Eight random letters and digits, with a hyphen between.
fn claim_code() -> Result<String, Problem> {
    let random = random::bytes::<8>().ok_or_else(answer::unwritable)?;
    let letter = |byte: &u8| char::from(CLAIM_LETTERS.get(usize::from(byte & 31)).copied().unwrap_or(b'A'));
    let letters: String = random.iter().map(letter).collect();
    let (left, right) = letters.split_at(4);
    Ok(format!("{left}-{right}"))
}
