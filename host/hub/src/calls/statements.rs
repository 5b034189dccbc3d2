//! Reports, decisions and revocations: what a node says about an asset that is here.

use std::sync::Arc;

use gephost_core::a2a::promotion::DECIDES_FROM;
use gephost_core::a2a::{AssetState, Code, MessageType, Problem};
use gephost_core::digest::canonical_text;
use serde_json::{Map, Value, json};

use super::received::Received;
use super::reply::reply;
use crate::answer::{self, Outcome};
use crate::app::{Caller, Shared};
use crate::render;
use crate::store::{Statement, digest_bytes, digest_text};

/// Most bytes of a validation report.
const MAX_REPORT_BYTES: usize = 32 * 1024;
/// Most characters of a reason.
const MAX_REASON: usize = 1000;

/// Takes a statement. It needs proof of who says it.
pub(super) async fn take(kind: MessageType, shared: &Shared, received: Received) -> Outcome {
    if !received.caller.proven {
        let correction =
            "say hello first, and send `Authorization: Bearer` with the `node_secret`, or sign with the node's key";
        let message = format!("a {kind} needs the secret or the signature of the node");
        return Err(Problem::new(Code::NodeSecretInvalid, message, correction).into());
    }
    let payload = &received.envelope.payload;
    let target = payload.get("target_asset_id").and_then(Value::as_str).and_then(digest_bytes).ok_or_else(|| {
        let message = "`payload.target_asset_id` is missing or no asset id";
        Problem::new(Code::ValidationError, message, "use sha256: and 64 hexadecimal digits")
            .at("payload.target_asset_id")
    })?;
    let statement = match kind {
        MessageType::Report => report(payload)?,
        MessageType::Decision => decision(payload, shared, &received.caller)?,
        _ => Statement::Revoke { reason: reason(payload)? },
    };
    let (decided, explained) =
        shared.store.state_something(received.message, target, statement, Arc::clone(&shared.scorer)).await?;
    let mut members = json!({
        "status": "acknowledged",
        "target_asset_id": digest_text(&target),
        "state": decided.state.as_str(),
        "changed": decided.changed,
    });
    if let (Some(members), Some(Value::Object(why))) =
        (members.as_object_mut(), explained.as_ref().map(render::explained))
    {
        members.extend(why);
    }
    answer::json(&reply(kind, members))
}

fn report(payload: &Map<String, Value>) -> Result<Statement, Problem> {
    let field = "payload.validation_report";
    let report = payload.get("validation_report").and_then(Value::as_object).ok_or_else(|| {
        Problem::new(Code::ValidationError, format!("`{field}` is missing or no object"), "send the validation report")
            .at(field)
    })?;
    let ok = report.get("overall_ok").and_then(Value::as_bool).ok_or_else(|| {
        let field = format!("{field}.overall_ok");
        Problem::new(Code::ValidationError, format!("`{field}` is not true or false"), "say whether the asset held")
            .at(field)
    })?;
    let body = canonical_text(&Value::Object(report.clone())).map_err(|_| answer::unwritable())?.into_bytes();
    if body.len() > MAX_REPORT_BYTES {
        let message = format!("the report has more than {MAX_REPORT_BYTES} bytes");
        return Err(Problem::new(Code::PayloadTooLarge, message, "leave out the output of the commands").at(field));
    }
    Ok(Statement::Report { ok, body })
}

fn decision(payload: &Map<String, Value>, shared: &Shared, caller: &Caller) -> Result<Statement, Problem> {
    let to = match payload.get("decision").and_then(Value::as_str) {
        Some("accept") => AssetState::Promoted,
        Some("reject") => AssetState::Rejected,
        Some("quarantine") => AssetState::Quarantined,
        _ => {
            let message = "`payload.decision` is missing or unknown";
            return Err(
                Problem::new(Code::ValidationError, message, "use accept, reject or quarantine").at("payload.decision")
            );
        }
    };
    let operator = caller.node.as_ref().is_some_and(|node| shared.settings.operators.contains(&node.node_id));
    let reputation = caller.node.as_ref().map_or(0.0, |node| node.reputation);
    if !operator && reputation < DECIDES_FROM {
        let message = format!(
            "a decision needs a reputation of {DECIDES_FROM}, and this node has {}",
            render::rounded(reputation)
        );
        return Err(Problem::new(
            Code::Forbidden,
            message,
            "send a `report` instead, which counts by the node's reputation",
        ));
    }
    Ok(Statement::Decision { to, reason: reason(payload)?, finally: operator })
}

fn reason(payload: &Map<String, Value>) -> Result<Option<String>, Problem> {
    match payload.get("reason") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if text.chars().count() <= MAX_REASON => Ok(Some(text.clone())),
        Some(_) => {
            let message = format!("`payload.reason` is not a text of at most {MAX_REASON} characters");
            Err(Problem::new(Code::ValidationError, message, "shorten it, or leave it out").at("payload.reason"))
        }
    }
}
