//! What this node published, and why it is where it is.

use serde_json::Value;

use super::node::{Node, state_failed};
use crate::error::AppError;
use crate::project::Project;

/// The node of this user at a hub, and what it published there.
#[derive(Debug, Clone, PartialEq)]
pub struct NodeStatus {
    /// The hub's address.
    pub hub: String,
    /// The id under which the hub knows this user's node.
    pub node: String,
    /// When the hub acknowledged the node; `None` if it never did.
    pub registered_at: Option<String>,
    /// What the hub says of the node, such as its reputation.
    pub at_hub: Option<Value>,
    /// What was published there, oldest first.
    pub publications: Vec<PublicationStatus>,
}

/// A capsule that was published from this project, and what the hub says of it.
#[derive(Debug, Clone, PartialEq)]
pub struct PublicationStatus {
    /// The capsule's id in the assets folder.
    pub capsule: String,
    /// Id of the bundle.
    pub bundle: String,
    /// When it was sent first.
    pub at: String,
    /// Whether the hub answered.
    pub is_acknowledged: bool,
    /// The capsule as the hub has it.
    pub at_hub: AssetAtHub,
}

/// An asset as a hub has it.
#[derive(Debug, Clone, PartialEq)]
pub enum AssetAtHub {
    /// With the hub's own explanation.
    Known {
        /// The id of its content: `sha256:` and 64 hexadecimal digits.
        asset_id: String,
        /// The state that the hub gives it; `None` if it names none.
        state: Option<String>,
        /// The whole answer, with the parts of its rank.
        document: Value,
    },
    /// The hub could not be asked, or does not have it.
    Unknown {
        /// What the hub answered, or why it did not.
        reason: String,
    },
}

impl Project {
    /// The publications of this project at the node's hub, each as the hub has it now.
    pub fn publication_status(&self, node: &Node) -> Result<NodeStatus, AppError> {
        let mut publications = Vec::new();
        for published in self.publications().list().map_err(|error| state_failed(&error))? {
            if published.hub != node.hub() {
                continue;
            }
            let at_hub = match published.assets.get(1) {
                Some(asset_id) => asked(node, asset_id),
                None => AssetAtHub::Unknown { reason: "the publication names no asset".to_owned() },
            };
            publications.push(PublicationStatus {
                capsule: published.capsule,
                bundle: published.bundle,
                at: published.at,
                is_acknowledged: published.answer.is_some(),
                at_hub,
            });
        }
        let registered_at = node.registration.registered_at.clone();
        let at_hub = match &registered_at {
            Some(_) => node.client.get(&format!("/a2a/nodes/{}", node.id())).ok(),
            None => None,
        };
        Ok(NodeStatus {
            hub: node.hub().to_owned(),
            node: node.id().as_str().to_owned(),
            registered_at,
            at_hub: at_hub.map(|answer| Value::Object(answer.document)),
            publications,
        })
    }
}

fn asked(node: &Node, asset_id: &str) -> AssetAtHub {
    match node.client.get(&format!("/a2a/assets/{asset_id}?explain=1")) {
        Ok(answer) => AssetAtHub::Known {
            asset_id: asset_id.to_owned(),
            state: super::messages::state_of(&answer),
            document: Value::Object(answer.document),
        },
        Err(error) => AssetAtHub::Unknown { reason: error.to_string() },
    }
}
