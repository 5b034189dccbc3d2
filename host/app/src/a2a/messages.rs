//! The messages about one asset of a hub: report, decision, revoke.

use gephost_core::a2a::{MessageType, is_digest};
use gephost_hub_client::Answer;
use serde_json::{Map, Value, json};

use super::node::Node;
use crate::error::AppError;

/// A node's word on an asset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// It may be offered to every node.
    Accept,
    /// Nobody is offered the asset.
    Reject,
    /// It is held back.
    Quarantine,
}

impl Verdict {
    /// The word in a message.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "accept",
            Self::Reject => "reject",
            Self::Quarantine => "quarantine",
        }
    }
}

/// What a hub answered to a message about an asset.
#[derive(Debug, Clone, PartialEq)]
pub struct Decided {
    /// The hub's address.
    pub hub: String,
    /// The asset id: `sha256:` and 64 hexadecimal digits.
    pub asset: String,
    /// Its state at the hub, if the answer says so.
    pub state: Option<String>,
    /// The hub's answer, as it came.
    pub answer: Value,
}

impl Node {
    /// Says how an asset did here.
    pub fn report(&mut self, asset: &str, held: bool, note: Option<&str>) -> Result<Decided, AppError> {
        check(asset)?;
        let mut report = self.report_of(held);
        if let Some(note) = note {
            report["note"] = note.into();
        }
        self.about(MessageType::Report, asset, json!({ "validation_report": report }))
    }

    /// What every validation report says.
    pub(super) fn report_of(&self, held: bool) -> Value {
        json!({
            "report_id": format!("report_{}", self.environment.now().as_millisecond()),
            "overall_ok": held,
            "env_fingerprint_key": format!("{}_{}", std::env::consts::OS, std::env::consts::ARCH),
        })
    }

    /// Decides about an asset. A hub takes it from nodes that may decide.
    pub fn decide(&mut self, asset: &str, verdict: Verdict, reason: &str) -> Result<Decided, AppError> {
        check(asset)?;
        self.about(MessageType::Decision, asset, json!({ "decision": verdict.as_str(), "reason": reason }))
    }

    /// Withdraws an asset of this node, for good.
    pub fn revoke(&mut self, asset: &str, reason: &str) -> Result<Decided, AppError> {
        check(asset)?;
        self.about(MessageType::Revoke, asset, json!({ "reason": reason }))
    }

    pub(super) fn about(&mut self, kind: MessageType, asset: &str, more: Value) -> Result<Decided, AppError> {
        self.ensure_registered(None)?;
        let mut payload = Map::from_iter([("target_asset_id".to_owned(), Value::from(asset))]);
        payload.extend(more.as_object().cloned().unwrap_or_default());
        let answer = self.call(kind, payload)?;
        Ok(Decided {
            hub: self.hub().to_owned(),
            asset: asset.to_owned(),
            state: state_of(&answer),
            answer: Value::Object(answer.document),
        })
    }
}

/// The state of an asset in an answer.
pub(super) fn state_of(answer: &Answer) -> Option<String> {
    answer.text("state").or(answer.text("status")).map(str::to_owned)
}

pub(super) fn check(asset: &str) -> Result<(), AppError> {
    if is_digest(asset) {
        return Ok(());
    }
    Err(AppError::usage("asset_id", format!("{asset:?} is not an asset id"))
        .hint("an asset at a hub is named by `sha256:` and 64 lower-case hexadecimal digits; `gephost a2a status` shows yours"))
}
