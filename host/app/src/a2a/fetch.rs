//! Fetches assets of others: first their descriptions, then those that are wanted. Each verifies before it is kept, as a
//! candidate with lowered confidence.

use gephost_core::a2a::{Bundle, Envelope, MessageType, NodeId, Signed, is_digest};
use gephost_core::reception::Sender;
use gephost_runner::mailbox::Mailbox;
use serde_json::{Map, Value, json};

use super::node::Node;
use crate::assets::{Imported, RefusedAsset};
use crate::error::AppError;
use crate::project::Project;

/// Most assets of one search.
const MAX_FOUND: usize = 100;
/// Most assets that one message asks for: hubs give few at a time.
const MAX_AT_ONCE: usize = 50;

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct FetchAsk {
    /// Only assets for one of these signals; all if empty.
    pub signals: Vec<String>,
    /// `Gene` or `Capsule`; both if `None`.
    pub kind: Option<String>,
    /// These assets, by their ids, without a search.
    pub ids: Vec<String>,
    /// Most assets of a search.
    pub limit: usize,
    /// Whether only descriptions are fetched.
    pub search_only: bool,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundAsset {
    /// The id of its content: `sha256:` and 64 hexadecimal digits.
    pub asset_id: String,
    /// Its member `type`, as the hub states it; `None` if it states none.
    pub kind: Option<String>,
    /// What it says of itself.
    pub summary: Option<String>,
    /// Its state at the hub.
    pub state: Option<String>,
    /// The id of the node that published it; `None` if the hub does not say.
    pub publisher: Option<String>,
    /// Whether the hub says that the publisher proved who it is.
    pub authenticated: Option<bool>,
}

/// What a search found, and what of it was taken in.
#[derive(Debug)]
pub struct Fetched {
    /// Where it came from: the hub, or the folder.
    pub source: String,
    /// What the search found.
    pub found: Vec<FoundAsset>,
    /// What was taken in.
    pub imported: Imported,
    /// Ids that were asked for and that the hub did not send.
    pub missing: Vec<String>,
}

impl Project {
    /// Searches a hub, and takes in what was found; or takes in the assets that are named.
    pub fn fetch_assets(&self, node: &mut Node, ask: &FetchAsk) -> Result<Fetched, AppError> {
        if let Some(wrong) = ask.ids.iter().find(|id| !is_digest(id)) {
            return Err(AppError::usage("asset_id", format!("{wrong:?} is not an asset id"))
                .hint("an asset at a hub is named by `sha256:` and 64 lower-case hexadecimal digits"));
        }
        node.ensure_registered(Some(self))?;
        let limit = ask.limit.clamp(1, MAX_FOUND);
        let mut found = Vec::new();
        let wanted = if ask.ids.is_empty() {
            let mut payload = Map::from_iter([
                ("search_only".to_owned(), Value::Bool(true)),
                ("limit".to_owned(), Value::from(limit)),
            ]);
            if !ask.signals.is_empty() {
                payload.insert("signals".to_owned(), json!(ask.signals));
            }
            payload.insert("asset_type".to_owned(), json!(ask.kind));
            let answer = node.call(MessageType::Fetch, payload)?;
            found = listed(answer.member("assets").or(answer.member("results")));
            found.truncate(limit);
            found.iter().map(|asset| asset.asset_id.clone()).collect()
        } else {
            ask.ids.clone()
        };
        let source = format!("hub {}", node.hub());
        if ask.search_only || wanted.is_empty() {
            return Ok(Fetched { source, found, imported: Imported::default(), missing: Vec::new() });
        }
        let mut texts = Vec::new();
        let mut missing = wanted.clone();
        for ids in wanted.chunks(MAX_AT_ONCE) {
            let payload = Map::from_iter([("asset_ids".to_owned(), json!(ids))]);
            let answer = node.call(MessageType::Fetch, payload)?;
            let assets = answer.member("assets").or(answer.member("results")).and_then(Value::as_array);
            for asset in assets.into_iter().flatten() {
                let document = document_of(asset);
                let stated = document.get("asset_id").and_then(Value::as_str).unwrap_or_default();
                // A hub that sends something else than it was asked for is not believed.
                if let Some(place) = missing.iter().position(|id| id == stated) {
                    missing.swap_remove(place);
                    texts.push(document.to_string());
                }
            }
        }
        let texts = texts.iter().map(|text| (text.as_bytes(), Sender::Unsigned));
        let imported = self.take_in(&source, texts)?;
        Ok(Fetched { source, found, imported, missing })
    }

    /// Takes in the bundles of the publish messages in the inbox of a folder.
    pub fn fetch_from_folder(&self, mailbox: &Mailbox, name: &str) -> Result<Fetched, AppError> {
        let (mut texts, mut refused) = (Vec::new(), Vec::new());
        let received = mailbox.receive(|mail| {
            let bundle = mail.text.ok_or_else(|| "it is too long".to_owned()).and_then(read_bundle);
            match bundle {
                Ok(Some(SentBundle { assets, signer })) => texts.extend(assets.map(|text| (text, signer.clone()))),
                Ok(None) => {}
                Err(reason) => {
                    let reason = format!("{}: {reason}", mail.file);
                    refused.push(RefusedAsset { file: "", number: mail.number, reason });
                }
            }
        });
        received.map_err(|error| AppError::failed("mailbox", format!("the inbox cannot be read: {error}")))?;
        let source = format!("folder {name}");
        let texts = texts
            .iter()
            .map(|(text, signer)| (text.as_bytes(), signer.as_deref().map_or(Sender::Unsigned, Sender::Verified)));
        let mut imported = self.take_in(&source, texts)?;
        imported.refused += refused.len() as u64;
        imported.refusals.extend(refused);
        imported.refusals.truncate(crate::assets::MAX_LISTED);
        Ok(Fetched { source, found: Vec::new(), imported, missing: Vec::new() })
    }
}

/// What a publish message holds.
struct SentBundle {
    /// The gene and the capsule.
    assets: [String; 2],
    /// The node that signed the message. The key of a message is that of its node only if the node's id is made of it.
    signer: Option<String>,
}

/// The bundle of a publish message; `None` for a message of another type.
fn read_bundle(text: &[u8]) -> Result<Option<SentBundle>, String> {
    let said = |problem: gephost_core::a2a::Problem| format!("{}: {}", problem.message, problem.correction);
    let envelope = Envelope::read(text).map_err(said)?;
    if envelope.message_type != MessageType::Publish {
        return Ok(None);
    }
    let signer = match envelope.signed().map_err(said)? {
        Signed::By(key) if NodeId::of_key(&key) == envelope.sender_id => Some(envelope.sender_id.to_string()),
        Signed::By(_) | Signed::No => None,
    };
    let bundle = Bundle::read(&envelope.payload).map_err(said)?;
    let text = |document: &Map<String, Value>| serde_json::to_string(document).unwrap_or_default();
    let assets = [bundle.gene.asset.document(), bundle.capsule.asset.document()].map(text);
    Ok(Some(SentBundle { assets, signer }))
}

/// The asset itself, or the member that holds it, as hubs differ.
fn document_of(asset: &Value) -> &Value {
    let within = |name: &str| asset.get(name).filter(|value| value.get("type").is_some());
    within("payload").or_else(|| within("asset")).unwrap_or(asset)
}

fn listed(assets: Option<&Value>) -> Vec<FoundAsset> {
    let text = |asset: &Value, names: &[&str]| {
        let inner = document_of(asset);
        names.iter().find_map(|name| asset[*name].as_str().or(inner[*name].as_str())).map(str::to_owned)
    };
    let assets = assets.and_then(Value::as_array).into_iter().flatten();
    let found = assets.filter_map(|asset| {
        let asset_id = text(asset, &["asset_id"]).filter(|id| is_digest(id))?;
        Some(FoundAsset {
            asset_id,
            kind: text(asset, &["asset_type", "type"]),
            summary: text(asset, &["summary", "short_title"]),
            state: text(asset, &["status", "state"]),
            publisher: text(asset, &["source_node_id", "sender_id", "node_id", "publisher"]),
            authenticated: asset["authenticated"].as_bool(),
        })
    });
    found.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hubs_list_is_read_in_either_form() {
        let id = format!("sha256:{}", "0a".repeat(32));
        let found = listed(Some(&json!([
            {"asset_id": id, "asset_type": "Capsule", "status": "promoted", "summary": "s", "authenticated": true},
            {"asset_id": id, "payload": {"type": "Gene", "summary": "inner"}, "source_node_id": "node_x"},
            {"asset_id": "../../x"},
            7,
        ])));
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].kind.as_deref(), found[0].state.as_deref()), (Some("Capsule"), Some("promoted")));
        assert_eq!((found[1].kind.as_deref(), found[1].summary.as_deref()), (Some("Gene"), Some("inner")));
        assert_eq!((found[0].authenticated, found[1].authenticated), (Some(true), None));
        assert!(listed(None).is_empty());
    }
}
