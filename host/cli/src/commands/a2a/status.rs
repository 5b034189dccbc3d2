//! `gephost a2a status`: what this project published, and why it is where it is.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::a2a::{AssetAtHub, NodeStatus, PublicationStatus};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::node;
use crate::args::HubArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bold, printable};

/// Most lines of a hub's explanation that are shown.
const MAX_REASONS: usize = 20;

pub(super) fn run(environment: &Environment, hub: &HubArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let status = project.publication_status(&node::of(environment, hub)?)?;
    Ok(Report::of(&A2aStatusPage::of(status)))
}

/// The user's node at a hub, and what this project published there.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct A2aStatusPage {
    /// The hub.
    hub: String,
    /// The node's id.
    node: String,
    /// When the hub acknowledged the node (RFC 3339); null if it never did.
    registered_at: Option<String>,
    /// What the hub says of the node.
    at_hub: Option<Value>,
    /// What was published, oldest first.
    publications: Vec<PublicationRow>,
}

/// A publication.
#[derive(Debug, Serialize, JsonSchema)]
struct PublicationRow {
    /// The capsule here.
    capsule: String,
    /// Id of the bundle.
    bundle: String,
    /// When it was sent first (RFC 3339).
    at: String,
    /// Whether the hub answered.
    acknowledged: bool,
    /// Its asset id at the hub; null if the hub does not show it.
    asset_id: Option<String>,
    /// Its state at the hub.
    state: Option<String>,
    /// Why the hub does not show it.
    problem: Option<String>,
    /// What the hub says of it, with the parts of its rank.
    document: Option<Value>,
}

impl A2aStatusPage {
    fn of(status: NodeStatus) -> Self {
        let NodeStatus { hub, node, registered_at, at_hub, publications } = status;
        let publications = publications.into_iter().map(|publication| {
            let PublicationStatus { capsule, bundle, at, is_acknowledged, at_hub } = publication;
            let (asset_id, state, problem, document) = match at_hub {
                AssetAtHub::Known { asset_id, state, document } => (Some(asset_id), state, None, Some(document)),
                AssetAtHub::Unknown { reason } => (None, None, Some(reason), None),
            };
            PublicationRow { capsule, bundle, at, acknowledged: is_acknowledged, asset_id, state, problem, document }
        });
        Self { hub, node, registered_at, at_hub, publications: publications.collect() }
    }
}

impl Page for A2aStatusPage {
    const KIND: &'static str = "a2a-status";

    fn text(&self) -> String {
        let mut text = format!("{} at {}\n", bold(&self.node), self.hub);
        match &self.registered_at {
            None => text.push_str("It is not registered there: gephost a2a hello\n"),
            Some(at) => {
                let reputation = self
                    .at_hub
                    .as_ref()
                    .and_then(|document| document["reputation"].as_f64().or(document["node"]["reputation"].as_f64()));
                let reputation = reputation.map(|value| format!(", reputation {value:.0} of 100"));
                let _ = writeln!(text, "registered {at}{}", reputation.unwrap_or_default());
            }
        }
        for row in &self.publications {
            let state = row.state.as_deref().unwrap_or(if row.acknowledged { "not shown" } else { "not acknowledged" });
            let _ = writeln!(text, "{} {} (sent {})", bold(printable(state)), printable(&row.capsule), row.at);
            if let Some(id) = &row.asset_id {
                let _ = writeln!(text, "  {id}");
            }
            if let Some(problem) = &row.problem {
                let _ = writeln!(text, "  {}", printable(problem));
            }
            for reason in row.document.iter().flat_map(explanation) {
                let _ = writeln!(text, "  {}", printable(&reason));
            }
        }
        if self.publications.is_empty() {
            text.push_str("This project published nothing there: gephost a2a publish\n");
        }
        text
    }
}

/// Why an asset is where it is, as far as the hub says.
fn explanation(document: &Value) -> Vec<String> {
    let asset = if document["asset"].is_object() { &document["asset"] } else { document };
    let mut lines = Vec::new();
    for name in ["reasons", "rules"] {
        let member = if document[name].is_null() { &asset[name] } else { &document[name] };
        for rule in member.as_array().into_iter().flatten() {
            let met = rule["met"].as_bool().or(rule["ok"].as_bool()).or(rule["passed"].as_bool());
            let words = rule.as_str().or(rule["message"].as_str()).or(rule["reason"].as_str());
            let mark = match met {
                Some(true) => "yes: ",
                Some(false) => "no:  ",
                None => "",
            };
            lines.extend(words.map(|words| format!("{mark}{words}")));
        }
    }
    lines.truncate(MAX_REASONS);
    lines
}
