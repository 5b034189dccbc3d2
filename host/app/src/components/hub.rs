//! Components of a hub.

use gephost_core::a2a::ComponentRef;
use gephost_core::component::reference::Reference;
use gephost_core::digest::{self, Verification};
use gephost_core::recording::Digest;
use gephost_hub_client::Client;
use serde_json::Value;

use super::offer::{ComponentSource, Found, Offered};
use crate::a2a::{Node, failed_call, hub_client};
use crate::environment::Environment;
use crate::error::{AppError, ErrorKind};

/// What of a hub is wanted.
pub(super) enum Wanted {
    /// The component with this digest.
    Component(Digest),
    /// The component of the newest promoted gene with this id.
    Gene(String),
}

/// The hub that the user named, as a source of components.
pub(super) struct HubSource {
    environment: Environment,
    wanted: Wanted,
}

impl HubSource {
    pub(super) fn new(environment: &Environment, wanted: Wanted) -> Self {
        Self { environment: environment.clone(), wanted }
    }
}

impl ComponentSource for HubSource {
    fn pull(&self, limit: u64) -> Result<Found, AppError> {
        let client = hub_client(&self.environment)?;
        let digest = match &self.wanted {
            Wanted::Component(digest) => *digest,
            Wanted::Gene(id) => component_of(&client, id)?,
        };
        let name = digest.to_string();
        let failed = |error| failed_call(client.address().as_str(), &error);
        let bytes = client.component(&name, limit).map_err(failed)?;
        let statements = client.attestations(&name).map_err(failed)?;
        // A hub gives the envelope itself, or a member that holds it.
        let envelope = |statement: &Value| {
            let envelope = statement.get("envelope").filter(|inner| inner.is_object()).unwrap_or(statement);
            serde_json::to_vec(envelope).unwrap_or_default()
        };
        let envelopes = statements.iter().map(envelope).collect();
        Ok(Found { bytes, envelopes, source: Reference::HubComponent(digest) })
    }

    fn push(&self, gene: &Offered<'_>) -> Result<Reference, AppError> {
        let mut node = Node::open(&self.environment, None)?;
        node.ensure_registered(None)?;
        let name = gene.digest.to_string();
        let failed = |error| failed_call(node.hub(), &error);
        node.client().put_component(&name, gene.bytes).map_err(failed)?;
        if let Some(envelope) = gene.envelope {
            node.client().put_attestation(&name, envelope).map_err(failed)?;
        }
        Ok(Reference::HubComponent(gene.digest))
    }
}

/// The digest of the component of a gene at the hub. The hub's word on it is checked against the gene's own asset id.
fn component_of(client: &Client, id: &str) -> Result<Digest, AppError> {
    let hub = client.address().as_str();
    let answer = client.get(&format!("/a2a/genes/{id}")).map_err(|error| failed_call(hub, &error))?;
    let wrong = |what: &str| AppError::new(ErrorKind::Failed, "hub_answer", format!("{hub}: its gene {id} {what}"));
    let inner = answer.member("payload").or_else(|| answer.member("asset")?.get("payload"));
    let document = inner.and_then(Value::as_object).unwrap_or(&answer.document);
    if !matches!(digest::verify_members(document), Ok(Verification::Match)) {
        return Err(wrong("does not verify"));
    }
    if document.get("id").and_then(Value::as_str) != Some(id) {
        return Err(wrong("has another id"));
    }
    let component = ComponentRef::read(document, "").map_err(|problem| wrong(&format!("is no gene: {problem}")))?;
    let component =
        component.ok_or_else(|| wrong("has no component: it is only text, and `gephost a2a fetch` takes it in"))?;
    component.blob.digest.parse().map_err(|_| wrong("names no component"))
}
