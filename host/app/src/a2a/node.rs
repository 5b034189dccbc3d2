//! The node of this user at one hub: who it is, what the hub gave it, and how it sends messages.

use std::time::Duration;

use gephost_core::a2a::{Draft, MessageType, NodeId, NodeKey, message_id};
use gephost_core::user_config::USER_CONFIG_FILE;
use gephost_hub_client::{Answer, Client, HubAddress, Secret};
use gephost_runner::hubs::{Hubs, Registration};
use gephost_runner::user_key::{KeyFile, UserKey};
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::answers;
use crate::environment::Environment;
use crate::error::AppError;
use crate::files::user_config;

/// The variable that names a hub, as other clients of the protocol have it.
const HUB_VARIABLE: &str = "A2A_HUB_URL";
/// How long one call may take.
const TIMEOUT: Duration = Duration::from_mins(2);

/// The node of this user at one hub.
#[derive(Debug)]
pub struct Node {
    pub(super) environment: Environment,
    pub(super) client: Client,
    pub(super) hubs: Hubs,
    pub(super) registration: Registration,
    id: NodeId,
    pub(super) key: NodeKey,
}

impl Node {
    /// The node at the hub that is named, or else at that of `A2A_HUB_URL`, or of the user's own config. The node's key is
    /// made at first use. Opens no connection.
    pub fn open(environment: &Environment, named: Option<&str>) -> Result<Self, AppError> {
        let address = reachable(environment, named)?;
        let (id, key) = identity(environment)?;
        let hubs = Hubs::new(&environment.user_folders().state);
        let known = hubs.get(address.as_str()).map_err(|error| state_failed(&error))?;
        let fresh = || Registration {
            hub: address.as_str().to_owned(),
            node: id.as_str().to_owned(),
            ..Registration::default()
        };
        // A registration of an earlier key is of another node.
        let registration = known.filter(|known| known.node == id.as_str()).unwrap_or_else(fresh);
        let secret = registration.secret.as_deref().and_then(|secret| Secret::new(secret).ok());
        let client = Client::new(address, secret, TIMEOUT);
        Ok(Self { environment: environment.clone(), client, hubs, registration, id, key })
    }

    /// The address of the hub that the node speaks with.
    pub fn hub(&self) -> &str {
        self.client.address().as_str()
    }

    /// The id that the hub knows the node by. It is made of the node's public key.
    pub fn id(&self) -> &NodeId {
        &self.id
    }

    /// The hub's calls that are not messages.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// A message of this node, signed.
    pub(super) fn message(
        &self,
        kind: MessageType,
        payload: Map<String, Value>,
    ) -> Result<Map<String, Value>, AppError> {
        sealed(&self.environment, &self.id, &self.key, kind, payload)
    }

    /// Sends a message that is made now, and whose repetition does no harm.
    pub(super) fn call(&self, kind: MessageType, payload: Map<String, Value>) -> Result<Answer, AppError> {
        let message = self.message(kind, payload)?;
        self.client.send(kind, &message).map_err(|error| answers::failed(self.hub(), &error))
    }

    pub(super) fn keep(&self) -> Result<(), AppError> {
        self.hubs.set(&self.registration).map_err(|error| state_failed(&error))
    }
}

/// This user's node: its id and its key, made at first use.
pub(super) fn identity(environment: &Environment) -> Result<(NodeId, NodeKey), AppError> {
    let key = UserKey::open(&environment.user_folders().state, KeyFile::Node)
        .map_err(|error| AppError::failed("node_key", format!("the key of your node cannot be used: {error}")))?;
    let key = key.node_key();
    Ok((NodeId::of_key(&key.public()), key))
}

/// A signed message that is made now.
pub(super) fn sealed(
    environment: &Environment,
    id: &NodeId,
    key: &NodeKey,
    kind: MessageType,
    payload: Map<String, Value>,
) -> Result<Map<String, Value>, AppError> {
    let timestamp: Timestamp = environment.now();
    let mut random = [0; 4];
    let drawn = rustix::rand::getrandom(&mut random, rustix::rand::GetRandomFlags::empty());
    drawn.map_err(|error| AppError::failed("random", error))?;
    let message_id = message_id(timestamp, random);
    let draft = Draft { message_type: kind, message_id, sender_id: id.clone(), timestamp, payload };
    draft.sealed(key).map_err(|error| AppError::failed("message", error))
}

/// The hub's calls that need no node.
pub(crate) fn hub_client(environment: &Environment) -> Result<Client, AppError> {
    Ok(Client::new(reachable(environment, None)?, None, TIMEOUT))
}

/// Where the hub is, if the network is not refused.
fn reachable(environment: &Environment, named: Option<&str>) -> Result<HubAddress, AppError> {
    let address = address(environment, named)?;
    if environment.offline {
        return Err(AppError::usage("offline", format!("{address} cannot be reached: the network is turned off"))
            .hint("leave out `--offline`"));
    }
    Ok(address)
}

/// Where the hub is that the user named.
fn address(environment: &Environment, named: Option<&str>) -> Result<HubAddress, AppError> {
    let variable =
        environment.variable(HUB_VARIABLE).and_then(|value| value.to_str()).filter(|value| !value.is_empty());
    let (text, place) = match (named, variable) {
        (Some(named), _) => (named.to_owned(), "--hub"),
        (None, Some(variable)) => (variable.to_owned(), HUB_VARIABLE),
        (None, None) => {
            let url = user_config(environment)?.hub.url.ok_or_else(|| {
                let hint = format!(
                    "name one with `--hub URL` or {HUB_VARIABLE}, or write `url` into the table `[hub]` of your own \
                     {USER_CONFIG_FILE}; `gephost hub serve` starts one"
                );
                AppError::usage("no_hub", "no hub is named").hint(hint)
            })?;
            (url, "`hub.url` of your config")
        }
    };
    HubAddress::read(&text).map_err(|error| AppError::usage("hub_address", format!("{place}: {error}")))
}

pub(super) fn state_failed(error: &std::io::Error) -> AppError {
    AppError::failed("state", format!("the stored data on hubs cannot be used: {error}"))
}
