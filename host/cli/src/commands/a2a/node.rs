//! The node of a command.

use gephost_app::a2a::Node;

use crate::args::HubArguments;
use crate::environment::Environment;
use crate::error::Failure;

/// The user's node at the hub that is named.
pub(super) fn of(environment: &Environment, hub: &HubArguments) -> Result<Node, Failure> {
    Ok(Node::open(environment, hub.hub.as_deref())?)
}
