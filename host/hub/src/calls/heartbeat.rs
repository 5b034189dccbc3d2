//! Notes that a node is alive.

use axum::http::HeaderMap;
use gephost_core::a2a::{Code, MessageType, NodeId, Problem};
use gephost_core::digest::read_object;
use serde_json::{Value, json};

use super::received::{MAX_MESSAGE_BYTES, Received};
use super::reply::reply;
use crate::answer::{self, Outcome};
use crate::app::Shared;

/// How long a node waits until its next heartbeat, in milliseconds. Clients in use sleep as long as the hub says.
pub(super) const INTERVAL_MS: u64 = 300_000;

/// Takes a heartbeat in an envelope.
pub(super) async fn take(shared: &Shared, received: Received) -> Outcome {
    if let Some(node) = received.caller.node.filter(|_| received.caller.proven) {
        shared.store.seen(node.n, received.message.at).await?;
    }
    acknowledged(&received.message.sender)
}

/// The node of a heartbeat without an envelope: clients in use send only an object that names the node.
pub(super) fn bare(bytes: &[u8]) -> Option<String> {
    let members = read_object(bytes, MAX_MESSAGE_BYTES).ok()?;
    if members.contains_key("protocol") || members.contains_key("payload") {
        return None;
    }
    ["sender_id", "node_id"].iter().find_map(|name| members.get(*name)).and_then(Value::as_str).map(str::to_owned)
}

/// Takes such a heartbeat. Nothing in it says when it was made, so only the secret proves who sends it.
pub(super) async fn take_bare(shared: &Shared, named: &str, headers: &HeaderMap) -> Outcome {
    let node = shared.holder(headers).await?;
    if NodeId::read(named).is_none_or(|named| named.as_str() != node.node_id) {
        let correction = "name the node whose secret you send";
        return Err(Problem::new(Code::NodeSecretInvalid, "the secret is that of another node", correction)
            .at("sender_id")
            .into());
    }
    shared.rates.sender(&node.node_id)?;
    shared.store.seen(node.n, shared.now()).await?;
    acknowledged(&node.node_id)
}

fn acknowledged(node: &str) -> Outcome {
    let members =
        json!({"status": "acknowledged", "your_node_id": node, "tasks": [], "next_heartbeat_ms": INTERVAL_MS});
    answer::json(&reply(MessageType::Heartbeat, members))
}
