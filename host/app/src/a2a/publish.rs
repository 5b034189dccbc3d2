//! Publishes capsules of this project: each as a bundle with its gene and its event.

use std::collections::BTreeMap;
use std::path::Path;

use gephost_core::a2a::quality::Shortfall;
use gephost_core::a2a::{
    BlobRef, Bundle, COMPONENT_MEDIA_TYPE, ComponentRef, MessageType, Publication, RECORDING_MEDIA_TYPE,
};
use gephost_core::capsule::Capsule;
use gephost_core::evolution_event::EvolutionEvent;
use gephost_core::gene::Gene;
use gephost_core::recording::Digest;
use gephost_core::select::Vouched;
use gephost_hub_client::ClientError;
use gephost_runner::bundled::BUNDLED;
use gephost_runner::hubs::{Publications, Published};
use gephost_runner::mailbox::Mailbox;
use gephost_runner::place::Place;
use serde_json::Value;

use super::answers;
use super::node::{Node, identity, sealed, state_failed};
use crate::environment::Environment;
use crate::error::{AppError, ErrorKind};
use crate::past::assets_failed;
use crate::project::Project;

/// Which capsules are published.
#[derive(Debug, Clone, Copy)]
pub enum Chosen<'a> {
    /// These. One that may not be shared is an error.
    These(&'a [String]),
    /// All that may be shared.
    Eligible,
}

/// A capsule that was published.
#[derive(Debug, Clone, PartialEq)]
pub struct Shared {
    /// Its id here.
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

/// A capsule that stays here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotShared {
    /// Its id.
    pub capsule: String,
    /// Every rule that it does not meet.
    pub rules: Vec<Shortfall>,
}

/// What became of the capsules.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Publishing {
    /// What was published, now or before.
    pub shared: Vec<Shared>,
    /// What stays here, and why.
    pub kept: Vec<NotShared>,
}

/// What may be shared, by the ids of the capsules, and what may not.
type Sorted = (Vec<(String, Bundle)>, Vec<NotShared>);

/// What a bundle is made of.
struct Material {
    capsules: Vec<Capsule>,
    genes: BTreeMap<String, Gene>,
    events: Vec<EvolutionEvent>,
    vouched: BTreeMap<String, Vouched>,
}

impl Project {
    /// Publishes capsules at a hub. One that was published there before is not sent again; one whose answer was lost is.
    /// With `recordings`, the recording of the gene's call travels along, so that others can run it again: it holds the files
    /// that the gene read.
    pub fn publish(&self, node: &mut Node, chosen: Chosen<'_>, recordings: bool) -> Result<Publishing, AppError> {
        let (bundles, kept) = self.bundles(chosen)?;
        let publications = self.publications();
        let mut shared = Vec::new();
        for (capsule, mut bundle) in bundles {
            node.ensure_registered(Some(self))?;
            let recording = if recordings { self.attach_recording(&mut bundle)? } else { None };
            shared.push(self.publish_one(node, &publications, &capsule, &bundle, recording.as_deref())?);
        }
        Ok(Publishing { shared, kept })
    }

    /// Names the recording of a bundle's capsule in it, and returns its bytes, if it is kept here.
    fn attach_recording(&self, bundle: &mut Bundle) -> Result<Option<Vec<u8>>, AppError> {
        if bundle.component.is_none() {
            return Ok(None);
        }
        let packed = self.recording_of(&bundle.gene.asset.id, &bundle.capsule.asset)?;
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
        for (capsule, bundle) in bundles {
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

    fn bundles(&self, chosen: Chosen<'_>) -> Result<Sorted, AppError> {
        let material = self.material()?;
        let (mut bundles, mut kept) = (Vec::new(), Vec::new());
        let mut redactor = self.config.policy.redactor();
        let mut redact = |text: &str| redactor.redact(text).into_owned();
        for capsule in &material.capsules {
            let is_chosen = match chosen {
                Chosen::These(ids) => ids.contains(&capsule.id),
                Chosen::Eligible => true,
            };
            if !is_chosen {
                continue;
            }
            match material.bundle(capsule, &mut redact) {
                Ok(bundle) => bundles.push((capsule.id.clone(), bundle)),
                Err(rules) => kept.push(NotShared { capsule: capsule.id.clone(), rules }),
            }
        }
        if let Chosen::These(ids) = chosen {
            let is_here = |id: &String| material.capsules.iter().any(|capsule| capsule.id == *id);
            if let Some(unknown) = ids.iter().find(|id| !is_here(id)) {
                return Err(AppError::usage("no_such_capsule", format!("there is no capsule {unknown:?} here"))
                    .hint("`gephost asset list` shows the capsules of this project"));
            }
            if let Some(NotShared { capsule, rules }) = kept.first() {
                return Err(not_eligible(capsule, rules));
            }
        }
        Ok((bundles, kept))
    }

    fn material(&self) -> Result<Material, AppError> {
        let failed = |error| assets_failed(&error);
        let mut genes: BTreeMap<String, Gene> = BTreeMap::new();
        for gene in self.registry.genes().map_err(failed)? {
            genes.insert(gene.id.clone(), gene);
        }
        let past = self.past()?;
        Ok(Material { capsules: past.capsules, genes, events: past.events, vouched: past.vouched })
    }

    fn publish_one(
        &self,
        node: &Node,
        publications: &Publications,
        capsule: &str,
        bundle: &Bundle,
        recording: Option<&[u8]>,
    ) -> Result<Shared, AppError> {
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
            capsule: capsule.to_owned(),
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
                (false, _, _, Some(component)) => put_component(node, component)?,
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

impl Material {
    fn bundle(&self, capsule: &Capsule, redact: &mut dyn FnMut(&str) -> String) -> Result<Bundle, Vec<Shortfall>> {
        let missed = |rule, message: &str| vec![Shortfall { rule, message: message.to_owned() }];
        let vouched = self.vouched.get(&capsule.id).filter(|vouched| vouched.has(capsule)).ok_or_else(|| {
            missed("own", "your log does not have it as it is here: only what you made yourself is published")
        })?;
        let gene_id = capsule.gene.as_deref().unwrap_or_default();
        let gene = self.genes.get(gene_id).ok_or_else(|| {
            missed("gene", &format!("its gene {gene_id:?} is not among the genes of the assets folder"))
        })?;
        let place = self
            .events
            .iter()
            .rposition(|event| event.capsule_id.as_deref() == Some(&capsule.id) && event.outcome.is_success());
        let publication = Publication {
            gene,
            capsule,
            event: place.and_then(|place| self.events.get(place)),
            streak: vouched.streak,
            total_cycles: place.map_or(0, |place| place as u64 + 1),
            component: component_of(gene),
            recording: None,
        };
        publication.bundle(redact)
    }
}

/// The component of a bundled gene, which everybody may have.
fn component_of(gene: &Gene) -> Option<ComponentRef> {
    let bundled = BUNDLED.iter().find(|bundled| bundled.id == gene.id)?;
    let world = gene.document().get("world")?.as_str()?;
    let world = gephost_core::gene::World::ALL.into_iter().find(|known| known.as_str() == world)?;
    let blob = BlobRef {
        digest: Digest::of(bundled.bytes).to_string(),
        size: bundled.bytes.len() as u64,
        media_type: COMPONENT_MEDIA_TYPE.to_owned(),
    };
    Some(ComponentRef { blob, world })
}

fn put_component(node: &Node, component: &ComponentRef) -> Result<(), AppError> {
    let wanted = &component.blob.digest;
    let bytes = BUNDLED
        .iter()
        .map(|bundled| bundled.bytes)
        .find(|bytes| bytes.len() as u64 == component.blob.size && Digest::of(bytes).to_string() == *wanted);
    let bytes = bytes.ok_or_else(|| AppError::failed("component", format!("the component {wanted} is not here")))?;
    let put = node.client.put_component(wanted, bytes);
    put.map(drop).map_err(|error| answers::failed(node.hub(), &error))
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

fn not_eligible(capsule: &str, rules: &[Shortfall]) -> AppError {
    let why: Vec<String> =
        rules.iter().map(|shortfall| format!("{} ({})", shortfall.message, shortfall.rule)).collect();
    let detail: Vec<Value> = rules
        .iter()
        .map(|shortfall| serde_json::json!({ "rule": shortfall.rule, "message": shortfall.message }))
        .collect();
    let message = format!("capsule {capsule} may not be published: {}", why.join("; "));
    AppError::new(ErrorKind::Failed, "not_eligible", message)
        .hint("a capsule is shared after at least 2 successes in a row, with a score of at least 0.7, at most 5 files and 200 lines")
        .detail(serde_json::json!({ "rules": detail }))
}

impl Environment {
    /// The mailbox in a folder that the user names.
    pub fn mailbox(&self, folder: &Path) -> Mailbox {
        Mailbox::new(Place::shared(&self.resolve(folder)))
    }
}
