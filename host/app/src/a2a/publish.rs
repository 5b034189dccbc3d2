//! Publishes capsules of this project: each as a bundle with its gene and its event.

use std::path::Path;

use gephost_core::a2a::{BlobRef, Bundle, MessageType, RECORDING_MEDIA_TYPE};
use gephost_core::recording::Digest;
use gephost_hub_client::ClientError;
use gephost_runner::hubs::{Publications, Published};
use gephost_runner::mailbox::Mailbox;
use gephost_runner::place::Place;
use serde_json::Value;

use super::answers;
use super::material::{Carried, Chosen, NotShared, Outgoing};
use super::node::{Node, identity, sealed, state_failed};
use crate::environment::Environment;
use crate::error::AppError;
use crate::project::Project;

/// A capsule that was published.
#[derive(Debug, Clone, PartialEq)]
pub struct Shared {
    /// The capsule's id in the assets folder.
    pub capsule: String,
    /// Its asset id as it travels.
    pub asset_id: String,
    /// Id of the bundle.
    pub bundle: String,
    /// Whether it was published before, and nothing was sent.
    pub is_known: bool,
    /// Its state at the hub, if the answer says so.
    pub state: Option<String>,
    /// The whole answer; `null` for a message in a folder.
    pub answer: Value,
}

/// What became of the capsules.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Publishing {
    /// What was published, now or before.
    pub shared: Vec<Shared>,
    /// What stays here, and why.
    pub kept: Vec<NotShared>,
}

impl Project {
    /// Publishes capsules at a hub. One that was published there before is not sent again; one whose answer was lost is.
    /// With `recordings`, the recording of the gene's call travels along, so that others can run it again: it holds the files
    /// that the gene read.
    pub fn publish(&self, node: &mut Node, chosen: Chosen<'_>, recordings: bool) -> Result<Publishing, AppError> {
        let (bundles, kept) = self.bundles(chosen)?;
        let publications = self.publications();
        let mut shared = Vec::new();
        for mut outgoing in bundles {
            node.ensure_registered(Some(self))?;
            if recordings {
                outgoing.recording = self.attach_recording(&mut outgoing.bundle)?;
            }
            shared.push(self.publish_one(node, &publications, &outgoing)?);
        }
        Ok(Publishing { shared, kept })
    }

    /// Names the recording of a bundle's capsule in it, and returns its bytes, if it is kept here.
    fn attach_recording(&self, bundle: &mut Bundle) -> Result<Option<Vec<u8>>, AppError> {
        let Some(component) = &bundle.component else { return Ok(None) };
        let packed = self.recording_of(&bundle.gene.asset.id, &component.blob.digest, &bundle.capsule.asset)?;
        bundle.recording = packed.as_ref().map(|bytes| BlobRef {
            digest: Digest::of(bytes).to_string(),
            size: bytes.len() as u64,
            media_type: RECORDING_MEDIA_TYPE.to_owned(),
        });
        Ok(packed)
    }

    /// Writes the messages into the outbox of a folder, for others to carry.
    pub fn publish_to_folder(&self, mailbox: &Mailbox, chosen: Chosen<'_>) -> Result<Publishing, AppError> {
        let (bundles, kept) = self.bundles(chosen)?;
        let (id, key) = identity(&self.environment)?;
        let mut shared = Vec::new();
        for Outgoing { capsule, bundle, .. } in bundles {
            let message = sealed(&self.environment, &id, &key, MessageType::Publish, bundle.payload())?;
            let sent = mailbox.send(MessageType::Publish.as_str(), &message);
            sent.map_err(|error| AppError::failed("mailbox", format!("the outbox cannot be written: {error}")))?;
            shared.push(Shared {
                capsule,
                asset_id: bundle.capsule.asset_id.clone(),
                bundle: bundle.id(),
                is_known: false,
                state: None,
                answer: Value::Null,
            });
        }
        Ok(Publishing { shared, kept })
    }

    /// What this project published.
    pub(super) fn publications(&self) -> Publications {
        Publications::new(self.state.root())
    }

    fn publish_one(&self, node: &Node, publications: &Publications, outgoing: &Outgoing) -> Result<Shared, AppError> {
        let Outgoing { capsule, bundle, component, recording } = outgoing;
        let known = publications.get(node.hub(), capsule).map_err(|error| state_failed(&error))?;
        // A capsule whose streak has grown is another asset, and travels again.
        let known = known.filter(|known| known.bundle == bundle.id());
        if let Some(Published { answer: Some(answer), .. }) = known {
            return Ok(share(capsule, bundle, true, answer));
        }
        let pending = known.as_ref().and_then(|known| known.pending.clone());
        let message = match pending.filter(|pending| node.is_recent(pending)) {
            Some(pending) => pending,
            None => node.message(MessageType::Publish, bundle.payload())?,
        };
        let assets = [Some(&bundle.gene.asset_id), Some(&bundle.capsule.asset_id)];
        let event = bundle.event.as_ref().map(|event| &event.asset_id);
        let mut published = Published {
            hub: node.hub().to_owned(),
            capsule: capsule.clone(),
            bundle: bundle.id(),
            assets: assets.into_iter().chain([event]).flatten().cloned().collect(),
            at: known.map_or_else(|| self.environment.now().to_string(), |known| known.at),
            pending: Some(message.clone()),
            answer: None,
        };
        self.create_state()?;
        let keep = |published: &Published| publications.set(published).map_err(|error| state_failed(&error));
        keep(&published)?;
        let mut sent = node.client.send(MessageType::Publish, &message);
        // The component and the recording, at most. A hub keeps nothing of a message that it refuses, so the same one is sent.
        for _ in 0..2 {
            let Err(ClientError::Refused { code, field, .. }) = &sent else { break };
            if code != "component_missing" {
                break;
            }
            let is_recording = field.as_deref().is_some_and(|field| field.contains("recording"));
            match (is_recording, &bundle.recording, recording, &bundle.component) {
                (true, Some(blob), Some(bytes), _) => {
                    let put = node.client.put_recording(&blob.digest, bytes);
                    put.map_err(|error| answers::failed(node.hub(), &error))?;
                }
                (false, _, _, Some(stated)) => match component {
                    Some(component) => put_component(node, &stated.blob.digest, component)?,
                    None => break,
                },
                _ => break,
            }
            sent = node.client.send(MessageType::Publish, &message);
        }
        let answer = sent.map_err(|error| answers::failed(node.hub(), &error))?;
        let answer = Value::Object(answer.document);
        published.pending = None;
        published.answer = Some(answer.clone());
        keep(&published)?;
        Ok(share(capsule, bundle, false, answer))
    }
}

/// Uploads a component, and who vouches for it.
fn put_component(node: &Node, digest: &str, component: &Carried) -> Result<(), AppError> {
    let failed = |error: ClientError| answers::failed(node.hub(), &error);
    node.client.put_component(digest, &component.bytes).map_err(failed)?;
    match &component.envelope {
        Some(envelope) => node.client.put_attestation(digest, envelope).map(drop).map_err(failed),
        None => Ok(()),
    }
}

fn share(capsule: &str, bundle: &Bundle, is_known: bool, answer: Value) -> Shared {
    let text = |name: &str| answer[name].as_str().or(answer["payload"][name].as_str()).map(str::to_owned);
    Shared {
        capsule: capsule.to_owned(),
        asset_id: bundle.capsule.asset_id.clone(),
        bundle: bundle.id(),
        is_known,
        state: text("state").or_else(|| text("status")),
        answer,
    }
}

impl Environment {
    /// The mailbox in a folder that the user names.
    pub fn mailbox(&self, folder: &Path) -> Mailbox {
        Mailbox::new(Place::shared(&self.resolve(folder)))
    }
}
