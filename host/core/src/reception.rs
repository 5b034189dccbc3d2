//! Takes in an asset that somebody else made (seed 001, "External Capsule Reception"; invariant 11).
//!
//! What must stay true: an asset whose id does not verify is refused; what is kept has a lowered confidence and says where it
//! came from; and the sender's own text is kept beside it, byte for byte, so that the original still verifies.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use crate::capsule::Capsule;
use crate::digest::{self, AssetError, DigestError, MAX_ASSET_BYTES, StrictError, Verification};
use crate::gene::Gene;

/// What remains of a capsule's confidence.
const CONFIDENCE_KEPT: f64 = 0.6;

/// Most bytes of a text that is received: with the lowered copy around it, it must stay an asset that can be read.
const MAX_TEXT_BYTES: usize = MAX_ASSET_BYTES / 4;

/// Why an asset is not taken in.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    /// Not strict JSON, or too large.
    #[error(transparent)]
    Json(#[from] StrictError),
    /// Not what its type says.
    #[error(transparent)]
    Asset(#[from] AssetError),
    /// It cannot be hashed.
    #[error(transparent)]
    Digest(#[from] DigestError),
    /// Only these travel.
    #[error("its type is {0:?}, and only genes and capsules are imported")]
    Kind(String),
    /// It was changed after it was hashed, or was hashed in another way.
    #[error("it states {stated}, and its content has {computed}")]
    Mismatch {
        /// The stated id.
        stated: String,
        /// The id of its content.
        computed: String,
    },
    /// Nothing says that it is what its author made.
    #[error("it states no asset_id")]
    NoId,
    /// Failed capsules are never reused.
    #[error("it is a capsule of a change that failed")]
    Failed,
}

/// Who signed the message that an asset came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sender<'a> {
    /// Nobody. A hub passes no signature on, and a file has none.
    Unsigned,
    /// The node with this id: the message verified with the key that the id is made of.
    Verified(&'a str),
}

impl Sender<'_> {
    /// `unsigned`, or `verified by NODE`. A message whose signature fails is refused before its assets are looked at.
    pub fn state(self) -> String {
        match self {
            Self::Unsigned => "unsigned".to_owned(),
            Self::Verified(node) => format!("verified by {node}"),
        }
    }
}

/// An asset from elsewhere, as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Received {
    /// `Gene` or `Capsule`.
    pub kind: &'static str,
    /// Its member `id`.
    pub id: String,
    /// The asset id that its sender stated, and that verified.
    pub original_id: String,
    /// Who signed the message that it came in: [`Sender::state`].
    pub signature: String,
    /// What is stored: `confidence` is lowered, and `a2a` says what it is, where it came from and when, and holds the
    /// sender's text.
    pub document: Map<String, Value>,
}

/// Takes in the text of an asset. `source` says where it came from.
pub fn receive(text: &[u8], source: &str, sender: Sender<'_>, at: Timestamp) -> Result<Received, Refused> {
    let mut document = digest::read_object(text, MAX_TEXT_BYTES)?;
    let kind = document.get("type").and_then(Value::as_str).unwrap_or_default().to_owned();
    if kind != "Gene" && kind != "Capsule" {
        return Err(Refused::Kind(kind));
    }
    let original_id = match digest::verify_members(&document)? {
        Verification::Match => document.get("asset_id").and_then(Value::as_str).unwrap_or_default().to_owned(),
        Verification::Mismatch { stated, computed } => return Err(Refused::Mismatch { stated, computed }),
        Verification::Missing { .. } => return Err(Refused::NoId),
    };
    let (kind, id) = if kind == "Gene" {
        ("Gene", Gene::read(document.clone())?.id)
    } else {
        let capsule = Capsule::read(document.clone())?;
        if !capsule.outcome.is_success() {
            return Err(Refused::Failed);
        }
        let kept = (capsule.confidence * CONFIDENCE_KEPT).clamp(0.0, 1.0);
        document.insert("confidence".to_owned(), json!(kept));
        ("Capsule", capsule.id)
    };
    let mut sharing = match document.shift_remove("a2a") {
        Some(Value::Object(sharing)) => sharing,
        _ => Map::new(),
    };
    sharing.insert("status".to_owned(), "external_candidate".into());
    sharing.insert("source".to_owned(), source.into());
    let signature = sender.state();
    sharing.insert("signature".to_owned(), signature.as_str().into());
    sharing.insert("received_at".to_owned(), at.to_string().into());
    sharing.insert("original_asset_id".to_owned(), original_id.as_str().into());
    // A reader has checked that it is JSON, so it is UTF-8.
    sharing.insert("original".to_owned(), String::from_utf8_lossy(text).trim().into());
    document.insert("a2a".to_owned(), sharing.into());
    digest::seal(&mut document)?;
    Ok(Received { kind, id, original_id, signature, document })
}

/// The asset id that the sender of a received asset stated.
pub fn original_id(document: &Map<String, Value>) -> Option<&str> {
    document.get("a2a")?.get("original_asset_id")?.as_str()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at() -> Timestamp {
        "2026-02-07T15:20:54.155Z".parse().expect("a time")
    }

    fn sealed(text: &str) -> String {
        let mut members = digest::read_object(text.as_bytes(), MAX_ASSET_BYTES).expect("an object");
        digest::seal(&mut members).expect("an id");
        serde_json::to_string(&members).expect("JSON")
    }

    const CAPSULE: &str = r#"{"type":"Capsule","id":"c","gene":"g","trigger":["error"],"confidence":0.85,
        "outcome":{"status":"success","score":0.9},"a2a":{"eligible_to_broadcast":true,"signature":"verified by me"},"theirs":[1.00]}"#;

    #[test]
    fn a_capsule_is_lowered_and_its_original_still_verifies() {
        let text = sealed(CAPSULE);
        let received = receive(text.as_bytes(), "node_abc123def456", Sender::Verified("node_abc123def456"), at())
            .expect("received");
        assert_eq!((received.kind, received.id.as_str()), ("Capsule", "c"));
        let capsule = Capsule::read(received.document.clone()).expect("a capsule");
        assert!((capsule.confidence - 0.51).abs() < 1e-9, "{}", capsule.confidence);
        assert_eq!(digest::verify_members(&received.document).expect("an id"), Verification::Match);
        let sharing = &received.document["a2a"];
        assert_eq!(
            (&sharing["status"], &sharing["source"]),
            (&json!("external_candidate"), &json!("node_abc123def456"))
        );
        assert_eq!(sharing["signature"], json!("verified by node_abc123def456"), "whatever the sender wrote there");
        assert_eq!((&sharing["eligible_to_broadcast"], &received.document["theirs"]), (&json!(true), &json!([1.0])));
        let original = sharing["original"].as_str().expect("a text");
        assert_eq!(original, text);
        let original = digest::read_value(original.as_bytes(), MAX_ASSET_BYTES).expect("JSON");
        assert_eq!(digest::verify(&original).expect("an id"), Verification::Match);
        assert_eq!(original_id(&received.document), Some(received.original_id.as_str()));
    }

    #[test]
    fn what_does_not_verify_or_does_not_travel_is_refused() {
        let check = |text: &str, expect: &str| {
            let refused = receive(text.as_bytes(), "x", Sender::Unsigned, at()).expect_err(text).to_string();
            assert!(refused.contains(expect), "{text}: {refused}");
        };
        check(CAPSULE, "states no asset_id");
        check(&sealed(CAPSULE).replace("0.85", "0.99"), "its content has sha256:");
        check(&sealed(&CAPSULE.replace("success", "failed")), "a change that failed");
        check(&sealed(&CAPSULE.replace("0.85", "85")), "goes from 0 to 1");
        check(&sealed(r#"{"type":"EvolutionEvent","id":"e"}"#), "only genes and capsules");
        check(&sealed(r#"{"type":"Gene","id":"g"}"#), "`category` is missing");
        check(r#"{"a":1,"a":2}"#, "duplicate key");
        check(&format!("\"{}\"", "x".repeat(MAX_TEXT_BYTES)), "over the limit");
    }
}
