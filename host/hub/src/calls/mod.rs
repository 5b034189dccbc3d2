//! The messages of the protocol: each is read whole and checked before anything of it is believed.

mod fetch;
mod heartbeat;
mod hello;
mod publish;
mod received;
mod reply;
mod statements;

use std::sync::Arc;

use axum::body::Body;
use axum::http::HeaderMap;
use gephost_core::a2a::{Envelope, MessageType};
use sha2::{Digest as _, Sha256};

use crate::answer::Outcome;
use crate::app::{Peer, Shared};
use crate::body::{collect, expect_json};
use crate::store::Message;
use received::{MAX_MESSAGE_BYTES, Received};

/// Takes one message.
pub(crate) async fn take(
    kind: MessageType,
    shared: Arc<Shared>,
    peer: Peer,
    headers: HeaderMap,
    body: Body,
) -> Outcome {
    expect_json(&headers)?;
    let bytes = collect(body, MAX_MESSAGE_BYTES, shared.settings.limits.body_time).await?;
    if let Some(node) = heartbeat::bare(&bytes).filter(|_| kind == MessageType::Heartbeat) {
        return heartbeat::take_bare(&shared, &node, &headers).await;
    }
    let envelope = Envelope::read(&bytes)?;
    envelope.expect_type(kind)?;
    envelope.check_time((shared.clock)(), shared.settings.limits.skew)?;
    let message = Message {
        sender: envelope.sender_id.to_string(),
        id: envelope.message_id.clone(),
        digest: Sha256::digest(&bytes).into(),
        at: shared.now(),
    };
    if kind == MessageType::Hello {
        return hello::take(&shared, &envelope, message, &headers).await;
    }
    let caller = shared.caller(&envelope, &headers).await?;
    if !matches!(kind, MessageType::Fetch | MessageType::Validate) {
        // Who did not prove to be the node must not use up its rate.
        let name = if caller.proven { message.sender.clone() } else { peer.0.to_string() };
        shared.rates.sender(&name)?;
    }
    let received = Received { envelope, caller, message };
    match kind {
        MessageType::Publish => publish::take(&shared, received).await,
        MessageType::Validate => publish::validate(&shared, &received).await,
        MessageType::Fetch => fetch::take(&shared, received).await,
        MessageType::Heartbeat => heartbeat::take(&shared, received).await,
        MessageType::Report | MessageType::Decision | MessageType::Revoke | MessageType::Hello => {
            statements::take(kind, &shared, received).await
        }
    }
}
