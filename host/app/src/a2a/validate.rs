//! Validates a capsule of a hub: its recording is run again here, and the result is reported with this node's signature.

use gephost_core::a2a::{ComponentRef, MessageType, is_digest};
use gephost_core::capsule::Capsule;
use gephost_core::digest::{self, Verification};
use serde_json::{Map, Value, json};

use super::answers;
use super::messages::{Decided, check};
use super::node::Node;
use super::replayed::{Replay, replay};
use crate::error::AppError;
use crate::project::Project;

/// Most bytes of a recording that is fetched.
const MAX_RECORDING: u64 = 64 << 20;

/// A capsule that was run again.
#[derive(Debug, Clone, PartialEq)]
pub struct Validated {
    /// The capsule's asset id.
    pub asset: String,
    /// What the run came to.
    pub replay: Replay,
    /// What the hub answered to the report; `None` if nothing could be run, or nothing was to be reported.
    pub reported: Option<Decided>,
}

impl Project {
    /// Runs the recording of a capsule again, in the sandbox of this project. With `report`, the result is sent to the hub.
    pub fn validate_at_hub(&self, node: &mut Node, asset: &str, report: bool) -> Result<Validated, AppError> {
        check(asset)?;
        let capsule = asset_of(node, asset)?;
        let recording = capsule.blob("recording").ok_or_else(|| {
            AppError::usage("no_recording", format!("the bundle of {asset} carries no recording"))
                .hint("its publisher sends one with `gephost a2a publish --recording`")
        })?;
        let wrong = |error: &dyn std::fmt::Display| AppError::failed("hub_answer", format!("{asset}: {error}"));
        let document = Capsule::read(capsule.document.clone()).map_err(|error| wrong(&error))?;
        let gene_id = document.gene.as_deref().filter(|id| is_digest(id));
        let gene = asset_of(node, gene_id.ok_or_else(|| wrong(&"it names no gene"))?)?;
        let component = ComponentRef::read(&gene.document, "").map_err(|problem| wrong(&problem))?;
        let component = component.ok_or_else(|| wrong(&"its gene has no component"))?;
        let bytes = node.client.recording(&recording, MAX_RECORDING);
        let bytes = bytes.map_err(|error| answers::failed(node.hub(), &error))?;
        let name = gene.document.get("id").and_then(Value::as_str).unwrap_or_default();
        let sandbox = self.sandbox()?;
        let replay = replay(&sandbox, &bytes, &component.blob.digest, name, &document);
        let held = match replay {
            Replay::Confirmed => Some(true),
            Replay::Refuted(_) => Some(false),
            // What cannot be run here says nothing of the capsule.
            Replay::Impossible(_) => None,
        };
        let reported = match held.filter(|_| report) {
            Some(held) => Some(node.report_replay(asset, held, &component.blob.digest, &recording)?),
            None => None,
        };
        Ok(Validated { asset: asset.to_owned(), replay, reported })
    }
}

impl Node {
    fn report_replay(
        &mut self,
        asset: &str,
        held: bool,
        component: &str,
        recording: &str,
    ) -> Result<Decided, AppError> {
        let mut report = self.report_of(held);
        report["method"] = "replay".into();
        report["target_asset_id"] = asset.into();
        report["component"] = component.into();
        report["recording"] = recording.into();
        report["verifier"] = self.id().as_str().into();
        // The report has a signature of its own, so that it can be kept apart from its message.
        if let Some(members) = report.as_object_mut() {
            self.key.sign(members).map_err(|error| AppError::failed("report", error))?;
        }
        self.about(MessageType::Report, asset, json!({ "validation_report": report }))
    }
}

/// An asset of a hub, whose id was verified.
struct AtHub {
    document: Map<String, Value>,
    around: Map<String, Value>,
}

impl AtHub {
    /// The digest of bytes that travel beside it.
    fn blob(&self, name: &str) -> Option<String> {
        let stated = self.around.get(name)?;
        stated.as_str().or(stated["digest"].as_str()).filter(|text| is_digest(text)).map(str::to_owned)
    }
}

fn asset_of(node: &Node, asset: &str) -> Result<AtHub, AppError> {
    let answer =
        node.client.get(&format!("/a2a/assets/{asset}")).map_err(|error| answers::failed(node.hub(), &error))?;
    let around = match answer.document.get("asset") {
        Some(Value::Object(inner)) => inner.clone(),
        _ => answer.document,
    };
    let document = match around.get("payload") {
        Some(Value::Object(document)) => document.clone(),
        _ => around.clone(),
    };
    let stated = document.get("asset_id").and_then(Value::as_str);
    let verifies = matches!(digest::verify_members(&document), Ok(Verification::Match));
    if stated == Some(asset) && verifies {
        return Ok(AtHub { document, around });
    }
    let message = format!("{}: what it shows as {asset} has another asset id", node.hub());
    Err(AppError::failed("hub_answer", message))
}
