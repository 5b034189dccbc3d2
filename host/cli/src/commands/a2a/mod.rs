//! `gephost a2a`: shares assets over GEP-A2A (seed 002).

pub(crate) mod exchange;
pub(crate) mod messages;
mod node;
pub(crate) mod status;
pub(crate) mod sync;
pub(crate) mod validate;
pub(crate) mod verify;

use gephost_app::Project;
use gephost_app::a2a::Hello;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::{A2aCommand, HubArguments};
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::{Output, Report};
use crate::page::Page;
use crate::render::style::{bold, printable};

pub(super) fn run(environment: &Environment, output: Output, command: &A2aCommand) -> Result<Report, Failure> {
    match command {
        A2aCommand::Hello(hub) => hello(environment, hub),
        A2aCommand::Publish(arguments) => exchange::publish(environment, arguments),
        A2aCommand::Fetch(arguments) => exchange::fetch(environment, arguments),
        A2aCommand::Report(arguments) => messages::report(environment, arguments),
        A2aCommand::Decision(arguments) => messages::decision(environment, arguments),
        A2aCommand::Revoke(arguments) => messages::revoke(environment, arguments),
        A2aCommand::Sync(arguments) => sync::run(environment, output, arguments),
        A2aCommand::Status(hub) => status::run(environment, hub),
        A2aCommand::Validate(arguments) => validate::run(environment, arguments),
        A2aCommand::Verify { file } => verify::run(environment, file),
    }
}

fn hello(environment: &Environment, hub: &HubArguments) -> Result<Report, Failure> {
    let project = Project::open_quietly(environment)?;
    let Hello { hub, node, status, claim_code, claim_url, has_secret } =
        node::of(environment, hub)?.hello(Some(&project))?;
    Ok(Report::of(&HelloPage { hub, node, status, claim_code, claim_url, has_secret }))
}

/// A node that is registered.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct HelloPage {
    /// The hub.
    hub: String,
    /// The node's id.
    node: String,
    /// The hub's own word, such as `acknowledged`.
    status: String,
    /// What a person enters at the hub to take the node as theirs.
    claim_code: Option<String>,
    /// Where.
    claim_url: Option<String>,
    /// Whether the hub gave a secret, which is kept in the user's state folder.
    has_secret: bool,
}

impl Page for HelloPage {
    const KIND: &'static str = "a2a-hello";

    fn text(&self) -> String {
        let mut text = format!("{} {} at {}\n", bold(&self.node), printable(&self.status), self.hub);
        if let Some(code) = &self.claim_code {
            let place = self.claim_url.as_deref().map(|url| format!(" at {}", printable(url))).unwrap_or_default();
            text.push_str(&format!("To take this node as yours, enter {}{place}\n", bold(printable(code))));
        }
        if !self.has_secret {
            text.push_str("The hub gave no secret: it knows the node by its signature.\n");
        }
        text
    }
}
