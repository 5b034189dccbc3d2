//! What all requests share.

use std::net::IpAddr;
use std::sync::Arc;

use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use gephost_core::a2a::{Code, Envelope, MessageType, NodeId, Problem, Signed};

use crate::blobs::Blobs;
use crate::clock::Clock;
use crate::rates::Rates;
use crate::replay::Replays;
use crate::secrets::Secrets;
use crate::settings::Settings;
use crate::store::{Fetches, NodeRow, Scorer, Store};

/// What all requests share.
pub(crate) struct Shared {
    pub(crate) settings: Settings,
    pub(crate) clock: Clock,
    pub(crate) store: Store,
    pub(crate) blobs: Blobs,
    pub(crate) secrets: Arc<Secrets>,
    pub(crate) scorer: Arc<Scorer>,
    pub(crate) rates: Rates,
    pub(crate) fetches: Fetches,
    pub(crate) replays: Replays,
    /// Without a slash at the end.
    pub(crate) public_url: String,
    /// Set when the hub stops.
    pub(crate) draining: std::sync::atomic::AtomicBool,
}

/// The address that a request came from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Peer(pub(crate) IpAddr);

/// Who sends a request.
#[derive(Debug, Clone)]
pub(crate) struct Caller {
    /// The node, if the hub knows it.
    pub(crate) node: Option<NodeRow>,
    /// Whether it proved who it is.
    pub(crate) proven: bool,
}

impl Shared {
    /// Milliseconds since the Unix epoch.
    pub(crate) fn now(&self) -> i64 {
        (self.clock)().as_millisecond()
    }

    /// Who sends a message. A registered node has to prove who it is, except where [`Self::excuses`] says otherwise.
    pub(crate) async fn caller(&self, envelope: &Envelope, headers: &HeaderMap) -> Result<Caller, Problem> {
        let signed = envelope.signed()?;
        let node = self.store.node(envelope.sender_id.as_str()).await?;
        let registered = node.as_ref().filter(|node| node.is_registered());
        let Some(known) = registered else {
            return match bearer(headers) {
                Some(_) => Err(wrong_secret()),
                None if self.settings.require_auth => Err(no_proof()),
                None => Ok(Caller { node, proven: false }),
            };
        };
        let by_key = match signed {
            Signed::By(key) if known.key.as_deref() == Some(&key.bytes()[..]) => true,
            Signed::By(key) if known.key.is_some() || NodeId::of_key(&key) == envelope.sender_id => {
                return Err(wrong_key());
            }
            Signed::By(_) | Signed::No => false,
        };
        let by_secret = match bearer(headers) {
            Some(shown) if self.has_secret(known, shown) => true,
            Some(_) => return Err(wrong_secret()),
            None => false,
        };
        let proven = by_key || by_secret;
        if !proven && !self.excuses(known, envelope.message_type) {
            return Err(no_proof());
        }
        if proven && !known.proved {
            // If too many writes wait, the next proof notes it.
            let _ = self.store.proved(known.n).await;
        }
        Ok(Caller { node, proven })
    }

    /// Whether a registered node may send this without proof. Seed 002 knows no secrets, so a client of its time never shows
    /// one: it reads what everybody may read, and publishes with as little trust as a node that never said hello. The first
    /// proof of a node ends the second.
    fn excuses(&self, node: &NodeRow, kind: MessageType) -> bool {
        !self.settings.require_auth
            && match kind {
                MessageType::Fetch | MessageType::Validate => true,
                MessageType::Publish => !node.proved,
                _ => false,
            }
    }

    /// Whether a text is the secret of a registered node.
    pub(crate) fn has_secret(&self, node: &NodeRow, shown: &str) -> bool {
        self.secrets.is_of(&node.node_id, node.generation, shown) && node.is_registered()
    }

    /// Whose secret a request shows.
    pub(crate) async fn holder(&self, headers: &HeaderMap) -> Result<NodeRow, Problem> {
        let shown = bearer(headers).ok_or_else(no_proof)?;
        let node = self.store.node_of_secret(shown).await?.ok_or_else(wrong_secret)?;
        if self.has_secret(&node, shown) { Ok(node) } else { Err(wrong_secret()) }
    }

    /// Refuses an upload of nobody, if the operator asks for proof.
    pub(crate) async fn may_upload(&self, headers: &HeaderMap) -> Result<(), Problem> {
        if self.settings.require_auth || bearer(headers).is_some() {
            self.holder(headers).await?;
        }
        Ok(())
    }
}

/// The secret that a request shows.
pub(crate) fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(AUTHORIZATION)?.to_str().ok()?;
    let (scheme, secret) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then_some(secret.trim())
}

fn no_proof() -> Problem {
    let correction =
        "send `Authorization: Bearer` with the `node_secret` of your hello, or sign the envelope with the node's key";
    Problem::new(Code::NodeSecretInvalid, "the call needs the secret or the signature of the node", correction)
}

fn wrong_secret() -> Problem {
    let correction = "use the `node_secret` that this hub gave to this node";
    Problem::new(Code::NodeSecretInvalid, "the secret is not that of the node", correction)
}

fn wrong_key() -> Problem {
    let correction = "sign with the key of the node's first signed hello";
    Problem::new(Code::SignatureInvalid, "the signature is by another key than the node's", correction)
        .at("signature.public_key")
}
