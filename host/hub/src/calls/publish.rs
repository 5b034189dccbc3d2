//! Takes bundles.

use gephost_core::a2a::{AssetState, BlobRef, Bundle, Code, MessageType, Problem, quality};
use gephost_core::digest::canonical_text;
use serde_json::{Map, Value, json};

use super::received::Received;
use super::reply::reply;
use crate::answer::{self, Outcome, Refusal};
use crate::app::Shared;
use crate::render;
use crate::store::{NewAsset, NewBundle, claims, digest_bytes, terms_of};

/// Reads a bundle, whose bytes must be here.
async fn read(shared: &Shared, received: &Received) -> Result<Bundle, Refusal> {
    let bundle = Bundle::read(&received.envelope.payload)?;
    if let Some(component) = &bundle.component {
        expect_blob(shared, "component", &component.blob, Some(component.world.as_str())).await?;
    }
    if let Some(recording) = &bundle.recording {
        expect_blob(shared, "recording", recording, None).await?;
    }
    Ok(bundle)
}

/// What the quality gate says, for an answer.
fn gate(shortfalls: &[quality::Shortfall]) -> Value {
    let unmet: Vec<Value> =
        shortfalls.iter().map(|miss| json!({"rule": miss.rule, "met": false, "message": miss.message})).collect();
    json!({"passed": shortfalls.is_empty(), "unmet": unmet})
}

/// Checks a bundle as a publication would, and stores nothing.
pub(super) async fn validate(shared: &Shared, received: &Received) -> Outcome {
    let bundle = read(shared, received).await?;
    let shortfalls = quality::shortfalls(&bundle.capsule.asset);
    let id = bundle.id();
    let ids = [
        Some(&bundle.gene.asset_id),
        Some(&bundle.capsule.asset_id),
        bundle.event.as_ref().map(|event| &event.asset_id),
    ];
    let members = json!({
        "status": "ok",
        "valid": shortfalls.is_empty(),
        "dry_run": true,
        "bundle_id": id,
        "bundleId": id,
        "asset_ids": ids.into_iter().flatten().collect::<Vec<_>>(),
        "quality_gate": gate(&shortfalls),
    });
    answer::json(&reply(MessageType::Validate, members))
}

/// Takes a bundle: candidate, or rejected by the quality gate.
pub(super) async fn take(shared: &Shared, received: Received) -> Outcome {
    let bundle = read(shared, &received).await?;
    let shortfalls = quality::shortfalls(&bundle.capsule.asset);
    let passes = shortfalls.is_empty();
    let reason = (!passes).then(|| shortfalls.iter().map(|miss| miss.message.as_str()).collect::<Vec<_>>().join("; "));
    let new = NewBundle {
        message: received.message,
        proven: received.caller.proven,
        id: bundle.id(),
        gene: asset(&bundle.gene.asset_id, bundle.gene.asset.document(), bundle.component.as_ref().map(|c| &c.blob))?,
        capsule: asset(&bundle.capsule.asset_id, bundle.capsule.asset.document(), bundle.recording.as_ref())?,
        event: bundle.event.as_ref().map(|event| asset(&event.asset_id, event.asset.document(), None)).transpose()?,
        state: if passes { AssetState::Candidate } else { AssetState::Rejected },
        reason,
        standing: claims(&bundle.capsule.asset),
    };
    let id = new.id.clone();
    let published = shared.store.publish(new).await?;
    let replay = passes && !published.duplicate && shared.replays.queue(published.capsule, bundle);
    let explained = shared.store.explain(published.capsule, &shared.scorer, shared.now()).await?;
    let rows = shared.store.bundle(published.capsule).await?;
    let assets: Vec<Value> = rows
        .iter()
        .map(|row| json!({"asset_id": crate::store::digest_text(&row.asset_id), "type": row.kind().as_str(), "status": row.state().as_str()}))
        .collect();
    let mut members = json!({
        "status": explained.state.as_str(),
        "state": explained.state.as_str(),
        "decision": decision(explained.state),
        "bundle_id": id,
        "bundleId": id,
        "duplicate": published.duplicate,
        "authenticated": received.caller.proven,
        "replay": if replay { "queued" } else { "none" },
        "quality_gate": gate(&shortfalls),
        "assets": assets,
    });
    if let (Some(members), Value::Object(why)) = (members.as_object_mut(), render::explained(&explained)) {
        members.extend(why);
    }
    let mut document = reply(MessageType::Publish, members);
    // Clients in use read `status` of the payload as the fate of the message, and fail at `candidate`. `decision` tells them.
    if let Some(payload) = document.get_mut("payload").and_then(Value::as_object_mut) {
        payload.remove("status");
    }
    answer::json(&document)
}

/// The word of the protocol for what the hub did. A candidate is accepted: clients in use take `quarantine` for a bundle that
/// failed the quality gate, and report a failure to their user.
fn decision(state: AssetState) -> &'static str {
    match state {
        AssetState::Candidate | AssetState::Promoted => "accept",
        AssetState::Quarantined => "quarantine",
        AssetState::Rejected | AssetState::Revoked => "reject",
    }
}

fn asset(id: &str, document: &Map<String, Value>, blob: Option<&BlobRef>) -> Result<NewAsset, Problem> {
    let body = canonical_text(&Value::Object(document.clone())).map_err(|_| answer::unwritable())?;
    Ok(NewAsset {
        id: digest_bytes(id).ok_or_else(answer::unwritable)?,
        local_id: document.get("id").and_then(Value::as_str).map(|id| id.chars().take(128).collect()),
        terms: terms_of(document),
        body: body.into_bytes(),
        blob: blob.and_then(|blob| digest_bytes(&blob.digest)),
    })
}

/// Refuses a bundle that names bytes which the hub does not have, and says where to put them.
async fn expect_blob(shared: &Shared, kind: &str, blob: &BlobRef, world: Option<&str>) -> Result<(), Refusal> {
    let digest = digest_bytes(&blob.digest).ok_or_else(answer::unwritable)?;
    let field = if kind == "component" { "payload.assets.component" } else { "payload.recording" };
    let Some(known) = shared.store.blob(&digest).await?.filter(|known| known.kind == kind) else {
        let path = format!("/a2a/{kind}s/{}", blob.digest);
        let message = format!("the bundle names the {kind} {}, which this hub does not have", blob.digest);
        let problem = Problem::new(
            Code::ComponentMissing,
            message,
            format!("PUT its bytes to {path}, and send the bundle again"),
        );
        return Err(Refusal::from(problem.at(field)).with("upload_to", path));
    };
    if u64::try_from(known.size).ok() != Some(blob.size) {
        let message = format!("the {kind} has {} bytes, and the bundle says {}", known.size, blob.size);
        return Err(Problem::new(Code::ValidationError, message, "correct `size`").at(format!("{field}.size")).into());
    }
    if world.is_some() && known.world.as_deref() != world {
        let message = "the component's manifest names another world than the gene";
        return Err(Problem::new(Code::ValidationError, message, "correct `world`")
            .at(format!("{field}.world"))
            .into());
    }
    Ok(())
}
