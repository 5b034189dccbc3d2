//! The `EvolutionEvent` (seed 000): one cycle, as other GEP tools read it. Events form a tree by `parent`.
//!
//! Callers redact texts before they pass them in. Ids are never redacted, because they link the tree (invariant 12).

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::blast_radius::BlastRadius;
use crate::capsule::{Outcome, read_blast_radius};
use crate::contest::Tried;
use crate::digest::{self, AssetError, Fields, SCHEMA_VERSION};
use crate::gene::Category;
use crate::validation::Level;

/// How the id of an event ends that says that the change of its parent was taken back.
pub const TAKEN_BACK: &str = "_rollback";

/// The content of a new event.
#[derive(Debug, Clone, PartialEq)]
pub struct EventDraft {
    /// `evt_` and something unique to this store, milliseconds since the Unix epoch by custom.
    pub id: String,
    /// Id of the event that this one follows; `None` at the root.
    pub parent: Option<String>,
    /// What the change was meant to do.
    pub intent: Category,
    /// The signals that led to it.
    pub signals: Vec<String>,
    /// Ids of the genes that were applied.
    pub genes_used: Vec<String>,
    /// How far the change reaches.
    pub blast_radius: BlastRadius,
    /// How it ended.
    pub outcome: Outcome,
    /// Id of the capsule that was made or applied, including a failed one, whose streak ends here.
    pub capsule_id: Option<String>,
    /// Id of the validation report.
    pub validation_report_id: Option<String>,
    /// How far the validation commands were confined, written as `meta.sandbox`.
    pub sandbox: Option<Level>,
    /// The gene's isolation (`thread`, or `process` with what confined it), written as `meta.isolation`; `None` if no
    /// gene ran.
    pub isolation: Option<String>,
    /// The time, written as `meta.at`. Selection weighs old events less.
    pub at: Timestamp,
    /// All candidates of the cycle, best first, written as `meta.candidates` if there was more than one.
    pub candidates: Vec<Tried>,
}

/// A new event as it is written, in the order of its members.
#[derive(Serialize)]
#[serde(tag = "type", rename = "EvolutionEvent")]
struct NewEvent<'a> {
    schema_version: &'static str,
    id: &'a str,
    parent: Option<&'a str>,
    intent: &'a str,
    signals: &'a [String],
    genes_used: &'a [String],
    blast_radius: BlastRadius,
    outcome: Outcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    capsule_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    validation_report_id: Option<&'a str>,
    meta: Meta<'a>,
}

/// The member `meta` of a new event.
#[derive(Serialize)]
struct Meta<'a> {
    at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    sandbox: Option<Level>,
    #[serde(skip_serializing_if = "Option::is_none")]
    isolation: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    candidates: Option<&'a [Tried]>,
}

/// An event as a document, with the members that gephost reads. Unknown members stay in the document.
#[derive(Debug, Clone, PartialEq)]
pub struct EvolutionEvent {
    /// Its id; the computed asset id where none is stated, as on the wire (seed 002).
    pub id: String,
    /// Id of the event that this one follows.
    pub parent: Option<String>,
    /// What the change was meant to do.
    pub intent: Category,
    /// The signals that led to it.
    pub signals: Vec<String>,
    /// Ids of the genes that were applied.
    pub genes_used: Vec<String>,
    /// How far the change reaches.
    pub blast_radius: Option<BlastRadius>,
    /// How it ended.
    pub outcome: Outcome,
    /// Id of the capsule.
    pub capsule_id: Option<String>,
    /// Id of the validation report.
    pub validation_report_id: Option<String>,
    /// The time from `meta.at`; `None` if it is absent or not a time.
    pub at: Option<Timestamp>,
    document: Map<String, Value>,
}

impl EvolutionEvent {
    /// Makes an event with its asset id.
    pub fn record(draft: &EventDraft) -> Result<Self, AssetError> {
        Self::read(digest::sealed(&NewEvent {
            schema_version: SCHEMA_VERSION,
            id: &draft.id,
            parent: draft.parent.as_deref(),
            intent: draft.intent.as_str(),
            signals: &draft.signals,
            genes_used: &draft.genes_used,
            blast_radius: draft.blast_radius,
            outcome: draft.outcome,
            capsule_id: draft.capsule_id.as_deref(),
            validation_report_id: draft.validation_report_id.as_deref(),
            meta: Meta {
                at: draft.at.to_string(),
                sandbox: draft.sandbox,
                isolation: draft.isolation.as_deref(),
                candidates: (draft.candidates.len() > 1).then_some(&draft.candidates),
            },
        })?)
    }

    /// Reads an event from the bytes of one JSON object of at most [`digest::MAX_ASSET_BYTES`].
    pub fn from_json(bytes: &[u8]) -> Result<Self, AssetError> {
        Self::read(digest::read_object(bytes, digest::MAX_ASSET_BYTES)?)
    }

    /// Reads an event from an object. `type`, `intent` and `outcome.status` are required; missing lists are empty
    /// (seed 002 sends events without signals).
    pub fn read(document: Map<String, Value>) -> Result<Self, AssetError> {
        let fields = Fields::of(&document);
        fields.expect_asset("EvolutionEvent")?;
        let id = match fields.optional_text("id")? {
            Some(id) => id.to_owned(),
            None => digest::members_id(&document)?,
        };
        Ok(Self {
            id,
            parent: fields.optional_text("parent")?.map(str::to_owned),
            intent: Category::of(fields.text("intent")?),
            signals: fields.optional_texts("signals")?.unwrap_or_default(),
            genes_used: fields.optional_texts("genes_used")?.unwrap_or_default(),
            blast_radius: read_blast_radius(&fields)?,
            outcome: Outcome::read(&fields)?,
            capsule_id: fields.optional_text("capsule_id")?.map(str::to_owned),
            validation_report_id: fields.optional_text("validation_report_id")?.map(str::to_owned),
            at: read_time(&document),
            document,
        })
    }

    /// What the cycle shows of each gene, by id: whether a change of it held. These are the genes that were used, and those
    /// whose candidates were validated beside them (`meta.candidates`).
    pub fn outcomes(&self) -> BTreeMap<&str, bool> {
        let used = self.genes_used.iter().map(|gene| (gene.as_str(), self.outcome.is_success()));
        let mut outcomes: BTreeMap<&str, bool> = BTreeMap::new();
        for (gene, held) in used.chain(validated(&self.document)) {
            *outcomes.entry(gene).or_default() |= held;
        }
        outcomes
    }

    /// Every member, in the order in which it was read.
    pub fn document(&self) -> &Map<String, Value> {
        &self.document
    }
}

/// The genes of the candidates that were validated to the end, each with whether its candidate held. Every tool may fill
/// `meta` freely, so anything else is passed over.
fn validated(document: &Map<String, Value>) -> impl Iterator<Item = (&str, bool)> {
    let listed = document.get("meta").and_then(|meta| meta.get("candidates")?.as_array());
    listed.into_iter().flatten().filter_map(|candidate| {
        let held = match candidate.get("fate")?.as_str()? {
            "published" | "outranked" => true,
            "failed" => false,
            _ => return None,
        };
        Some((candidate.get("gene")?.as_str()?, held))
    })
}

/// Every tool may fill `meta` freely, so a value that is not a time is not an error.
fn read_time(document: &Map<String, Value>) -> Option<Timestamp> {
    document.get("meta")?.get("at")?.as_str()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::capsule::OutcomeStatus;
    use crate::contest::{Fate, Step};
    use crate::digest::Verification;

    fn draft() -> EventDraft {
        EventDraft {
            id: "evt_2".to_owned(),
            parent: Some("evt_1".to_owned()),
            intent: Category::Repair,
            signals: vec!["log_error".to_owned()],
            genes_used: vec!["gene_x".to_owned()],
            blast_radius: BlastRadius { files: 1, lines: 2 },
            outcome: Outcome { status: OutcomeStatus::Success, score: 0.85 },
            capsule_id: Some("capsule_1".to_owned()),
            validation_report_id: None,
            sandbox: Some(Level::L1),
            isolation: Some("process+landlock7+seccomp".to_owned()),
            at: "2026-02-07T15:20:54.155Z".parse().expect("a time"),
            candidates: Vec::new(),
        }
    }

    #[test]
    fn a_recorded_event_verifies_and_reads_back() {
        let event = EvolutionEvent::record(&draft()).expect("an event");
        assert_eq!(digest::verify_members(event.document()).expect("an object"), Verification::Match);
        let text = serde_json::to_string(event.document()).expect("JSON");
        let expect = r#"{"type":"EvolutionEvent","schema_version":"1.5.0","id":"evt_2","parent":"evt_1","intent":"repair",
            "signals":["log_error"],"genes_used":["gene_x"],"blast_radius":{"files":1,"lines":2},
            "outcome":{"status":"success","score":0.85},"capsule_id":"capsule_1","meta":{"at":"2026-02-07T15:20:54.155Z",
            "sandbox":"L1","isolation":"process+landlock7+seccomp"},"asset_id":"sha256:"#;
        let expect: String = expect.lines().map(str::trim).collect();
        assert_eq!(text.get(..expect.len()), Some(expect.as_str()));
        let read = EvolutionEvent::from_json(text.as_bytes()).expect("an event");
        assert_eq!(read, event);
        assert_eq!(read.parent.as_deref(), Some("evt_1"));
        assert_eq!(read.at, Some(draft().at));
        assert_eq!(read.document()["meta"]["sandbox"], "L1");
        assert_eq!(read.document()["meta"]["isolation"], "process+landlock7+seccomp");
        assert!(!read.document().contains_key("validation_report_id"));
    }

    #[test]
    fn each_gene_whose_candidate_was_validated_has_an_outcome() {
        let tried = |gene: &str, fate| Tried { gene: Some(gene.to_owned()), ..Tried::new("gep-1", fate, "") };
        let candidates = vec![
            tried("loser", Fate::Failed),
            tried("late", Fate::Failed),
            tried("late", Fate::Outranked),
            tried("idle", Fate::NotTried),
            tried("gene_gep_repair_from_errors", Fate::Published),
            Tried::new("gep-2", Fate::Failed, "a person brought it"),
        ];
        let event = EvolutionEvent::record(&EventDraft { candidates, ..draft() }).expect("an event");
        let expect =
            BTreeMap::from([("gene_x", true), ("gene_gep_repair_from_errors", true), ("late", true), ("loser", false)]);
        assert_eq!(event.outcomes(), expect);
        // Another tool's `meta` is no error.
        for meta in ["null", "[]", r#"{"candidates":7}"#, r#"{"candidates":[null,{"gene":3,"fate":"failed"}]}"#] {
            let text = format!(
                r#"{{"type":"EvolutionEvent","id":"e","intent":"repair","genes_used":["g"],"outcome":{{"status":"failed"}},"meta":{meta}}}"#
            );
            let event = EvolutionEvent::from_json(text.as_bytes()).expect("an event");
            assert_eq!(event.outcomes(), BTreeMap::from([("g", false)]));
        }
    }

    #[test]
    fn a_cycle_of_several_candidates_names_them_all() {
        let candidates =
            vec![Tried::new("gep-1", Fate::Failed, "still_failing"), Tried::new("gep-2", Fate::Published, "fixed")];
        let event = EvolutionEvent::record(&EventDraft { candidates, ..draft() }).expect("an event");
        let written = &event.document()["meta"]["candidates"];
        assert_eq!(written[0]["fate"], "failed", "{written}");
        assert_eq!((&written[1]["proposal"], &written[1]["fate"]), (&json!("gep-2"), &json!("published")));
        assert_eq!(written[1].get("steps"), None, "a repair of one step is written as before: {written}");
        assert_eq!(event.at, Some(draft().at));
    }

    #[test]
    fn a_repair_of_several_steps_names_them() {
        let step = |proposal: &str, then_fails: Option<&str>| Step {
            proposal: proposal.to_owned(),
            title: "a title".to_owned(),
            gene: Some("gene_x".to_owned()),
            then_fails: then_fails.map(str::to_owned),
            recordings: vec!["rec-1".to_owned()],
        };
        let steps = vec![step("gep-1", Some("KeyError: 'b'")), step("gep-3", None)];
        let candidates = vec![
            Tried::new("gep-1", Fate::Extended, "improved"),
            Tried { steps, ..Tried::new("gep-2", Fate::Published, "fixed") },
        ];
        let event = EvolutionEvent::record(&EventDraft { candidates, ..draft() }).expect("an event");
        let written = &event.document()["meta"]["candidates"];
        assert_eq!(written[0]["fate"], "extended", "{written}");
        assert_eq!(written[1]["steps"][0]["then_fails"], "KeyError: 'b'", "{written}");
        assert_eq!(written[1]["steps"][1]["proposal"], "gep-3", "{written}");
    }

    #[test]
    fn a_root_says_so() {
        let event = EvolutionEvent::record(&EventDraft { parent: None, ..draft() }).expect("an event");
        assert_eq!(event.document().get("parent"), Some(&Value::Null));
        assert_eq!(event.parent, None);
    }

    #[test]
    fn the_event_of_a_bundle_is_read() {
        let text = r#"{"type":"EvolutionEvent","intent":"explore","outcome":{"status":"failure","score":0.1},
            "meta":"free text"}"#;
        let event = EvolutionEvent::from_json(text.as_bytes()).expect("an event");
        assert_eq!(event.intent.as_str(), "explore");
        assert_eq!((event.at, event.blast_radius), (None, None));
        assert!(event.id.starts_with("sha256:"));
    }
}
