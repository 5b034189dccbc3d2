//! Registers the node at its hub.

use gephost_core::a2a::{Envelope, MAX_SKEW, MessageType};
use gephost_hub_client::Secret;
use serde_json::{Map, Value, json};

use super::answers;
use super::node::Node;
use crate::error::AppError;
use crate::project::Project;

/// What a hub answered to a hello.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hello {
    /// The hub's address.
    pub hub: String,
    /// The id under which the hub knows this user's node.
    pub node: String,
    /// What the hub calls the answer, such as `acknowledged`.
    pub status: String,
    /// What a person enters at the hub to take the node as theirs.
    pub claim_code: Option<String>,
    /// The page at which a person enters the code.
    pub claim_url: Option<String>,
    /// Whether the hub gave a secret, now or before.
    pub has_secret: bool,
}

impl Node {
    /// Registers the node, or shows it again. The same message is sent until it is answered, so a lost answer makes no second
    /// node and loses no secret. `project` says how many genes and capsules there are.
    pub fn hello(&mut self, project: Option<&Project>) -> Result<Hello, AppError> {
        let message = match self.registration.pending.take().filter(|pending| self.is_recent(pending)) {
            Some(pending) => pending,
            None => self.message(MessageType::Hello, introduction(project))?,
        };
        self.registration.pending = Some(message.clone());
        self.keep()?;
        let sent = self.client.send(MessageType::Hello, &message);
        let answer = match sent {
            Ok(answer) => answer,
            Err(error) => {
                if !error.is_passing() {
                    self.registration.pending = None;
                    self.keep()?;
                }
                return Err(answers::failed(self.hub(), &error));
            }
        };
        if let Some(theirs) = answer.text("your_node_id").filter(|theirs| *theirs != self.id().as_str()) {
            let message = format!("{} calls this node {theirs:?}, and it is {}", self.hub(), self.id());
            return Err(AppError::failed("hub_answer", message));
        }
        let text = |name: &str| answer.text(name).map(str::to_owned);
        if let Some(secret) = answer.text("node_secret").and_then(|secret| Secret::new(secret).ok()) {
            self.registration.secret = Some(secret.expose().to_owned());
            self.client.set_secret(secret);
        }
        self.registration.claim_code = text("claim_code").or(self.registration.claim_code.take());
        self.registration.claim_url = text("claim_url").or(self.registration.claim_url.take());
        self.registration.registered_at = Some(self.environment.now().to_string());
        self.registration.pending = None;
        self.keep()?;
        Ok(Hello {
            hub: self.hub().to_owned(),
            node: self.id().as_str().to_owned(),
            status: text("status").unwrap_or_else(|| "acknowledged".to_owned()),
            claim_code: self.registration.claim_code.clone(),
            claim_url: self.registration.claim_url.clone(),
            has_secret: self.registration.secret.is_some(),
        })
    }

    /// Registers the node if it is not registered yet.
    pub(crate) fn ensure_registered(&mut self, project: Option<&Project>) -> Result<(), AppError> {
        if self.registration.registered_at.is_some() { Ok(()) } else { self.hello(project).map(drop) }
    }

    /// Whether a hub still takes a message that was made earlier.
    pub(super) fn is_recent(&self, message: &Map<String, Value>) -> bool {
        Envelope::of(message.clone()).is_ok_and(|read| read.check_time(self.environment.now(), MAX_SKEW / 2).is_ok())
    }
}

/// What a node says of itself.
fn introduction(project: Option<&Project>) -> Map<String, Value> {
    let count = |count: Option<usize>| count.unwrap_or_default();
    let genes = project.and_then(|project| project.registry.genes().ok()).map(|genes| genes.len());
    let capsules = project.and_then(|project| project.registry.capsules().ok()).map(|capsules| capsules.len());
    let payload = json!({
        "capabilities": {},
        "gene_count": count(genes),
        "capsule_count": count(capsules),
        "env_fingerprint": { "platform": std::env::consts::OS, "arch": std::env::consts::ARCH },
    });
    payload.as_object().cloned().unwrap_or_default()
}
