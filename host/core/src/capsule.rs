//! The Capsule (seeds 000 and 001): what one application of a gene did, and how it ended.
//!
//! Failed capsules are stored in a file of their own, with `validation_errors`, and are never reused. Callers redact
//! texts before they pass them in (invariant 12).

use serde::Serialize;
use serde_json::{Map, Value};

use crate::blast_radius::BlastRadius;
use crate::digest::{self, AssetError, FieldError, Fields, SCHEMA_VERSION};

/// How an application ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OutcomeStatus {
    /// The checks passed and the change was published.
    Success,
    /// The change was not published.
    Failed,
}

/// How an application ended, and how well (seed 001, "Outcome Tracking").
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Outcome {
    /// Success or failure. A failure is read from `failed` or `failure` (seed 002) and written as `failed`.
    pub status: OutcomeStatus,
    /// From 0 to 1.
    pub score: f64,
}

impl Outcome {
    /// Reads the member `outcome`. A missing score counts as 0, which makes a capsule ineligible for sharing.
    pub fn read(fields: &Fields<'_>) -> Result<Self, FieldError> {
        let outcome = fields.object("outcome")?;
        let status = match outcome.text("status")? {
            "success" => OutcomeStatus::Success,
            "failed" | "failure" => OutcomeStatus::Failed,
            other => {
                let problem = format!("is {other:?}: expected success or failed");
                return Err(FieldError::value("outcome.status", problem));
            }
        };
        Ok(Self { status, score: outcome.optional_share("score")?.unwrap_or_default() })
    }

    /// Whether it is a success.
    pub fn is_success(self) -> bool {
        self.status == OutcomeStatus::Success
    }
}

/// Reads the member `blast_radius`. `None` if it is missing or incomplete; such a capsule is never shared.
pub(crate) fn read_blast_radius(fields: &Fields<'_>) -> Result<Option<BlastRadius>, FieldError> {
    let Some(radius) = fields.optional_object("blast_radius")? else {
        return Ok(None);
    };
    let (files, lines) = (radius.optional_count("files")?, radius.optional_count("lines")?);
    Ok(files.zip(lines).map(|(files, lines)| BlastRadius { files, lines }))
}

/// The content of a new capsule.
#[derive(Debug, Clone, PartialEq)]
pub struct CapsuleDraft {
    /// `capsule_` and something unique to this store, milliseconds since the Unix epoch by custom.
    pub id: String,
    /// The signals that led to it.
    pub trigger: Vec<String>,
    /// Id of the gene.
    pub gene: String,
    /// What was changed; at least 20 characters if it is to be shared.
    pub summary: String,
    /// From 0 to 1 ([`crate::evaluate::confidence`]).
    pub confidence: f64,
    /// How far the change reaches.
    pub blast_radius: BlastRadius,
    /// The change as a diff; `None` if it has secrets, is too long, or did not hold.
    pub diff: Option<String>,
    /// How it ended.
    pub outcome: Outcome,
    /// Successes in a row of this capsule, including this one ([`crate::evaluate::success_streak`]).
    pub success_streak: u64,
    /// Where it ran: platform, architecture, versions, `captured_at`. No host or user name.
    pub env_fingerprint: Map<String, Value>,
    /// Whether it may be shared ([`crate::evaluate::broadcast_refusals`]).
    pub eligible_to_broadcast: bool,
    /// Why it failed; only failed capsules have it.
    pub validation_errors: Vec<String>,
}

/// A new capsule as it is written, in the order of its members.
#[derive(Serialize)]
#[serde(tag = "type", rename = "Capsule")]
struct NewCapsule<'a> {
    schema_version: &'static str,
    id: &'a str,
    trigger: &'a [String],
    gene: &'a str,
    summary: &'a str,
    confidence: f64,
    blast_radius: BlastRadius,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<&'a str>,
    outcome: Outcome,
    success_streak: u64,
    env_fingerprint: &'a Map<String, Value>,
    a2a: Sharing,
    #[serde(skip_serializing_if = "Option::is_none")]
    validation_errors: Option<&'a [String]>,
}

/// The member `a2a` of a capsule.
#[derive(Serialize)]
struct Sharing {
    eligible_to_broadcast: bool,
}

/// A capsule as a document, with the members that gephost reads. Unknown members stay in the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Capsule {
    /// The `id`, or the computed asset id where there is none, as on the wire (seed 002).
    pub id: String,
    /// The signals that led to it.
    pub trigger: Vec<String>,
    /// Id or asset id of the gene. Failed capsules of other tools may lack it.
    pub gene: Option<String>,
    /// What was changed.
    pub summary: Option<String>,
    /// From 0 to 1; 0 if it is missing.
    pub confidence: f64,
    /// How far the change reaches.
    pub blast_radius: Option<BlastRadius>,
    /// How it ended.
    pub outcome: Outcome,
    /// Its own count of successes. gephost recomputes the count from the events and trusts only that.
    pub success_streak: u64,
    /// Why it failed.
    pub validation_errors: Vec<String>,
    document: Map<String, Value>,
}

impl Capsule {
    /// Makes a capsule with its asset id.
    pub fn record(draft: &CapsuleDraft) -> Result<Self, AssetError> {
        let CapsuleDraft { id, trigger, gene, summary, confidence, blast_radius, outcome, success_streak, .. } = draft;
        Self::read(digest::sealed(&NewCapsule {
            schema_version: SCHEMA_VERSION,
            id,
            trigger,
            gene,
            summary,
            confidence: *confidence,
            blast_radius: *blast_radius,
            diff: draft.diff.as_deref(),
            outcome: *outcome,
            success_streak: *success_streak,
            env_fingerprint: &draft.env_fingerprint,
            a2a: Sharing { eligible_to_broadcast: draft.eligible_to_broadcast },
            validation_errors: (!outcome.is_success()).then_some(&draft.validation_errors),
        })?)
    }

    /// Reads a capsule from the bytes of one JSON object of at most [`digest::MAX_ASSET_BYTES`].
    pub fn from_json(bytes: &[u8]) -> Result<Self, AssetError> {
        Self::read(digest::read_object(bytes, digest::MAX_ASSET_BYTES)?)
    }

    /// Reads a capsule from an object. `type` and `outcome.status` are required: the failed capsules of seed 001
    /// state little more.
    pub fn read(document: Map<String, Value>) -> Result<Self, AssetError> {
        let fields = Fields::of(&document);
        fields.expect_asset("Capsule")?;
        let id = match fields.optional_text("id")? {
            Some(id) => id.to_owned(),
            None => digest::members_id(&document)?,
        };
        Ok(Self {
            id,
            trigger: fields.optional_texts("trigger")?.unwrap_or_default(),
            gene: fields.optional_text("gene")?.map(str::to_owned),
            summary: fields.optional_text("summary")?.map(str::to_owned),
            confidence: fields.optional_share("confidence")?.unwrap_or_default(),
            blast_radius: read_blast_radius(&fields)?,
            outcome: Outcome::read(&fields)?,
            success_streak: fields.optional_count("success_streak")?.unwrap_or_default(),
            validation_errors: fields.optional_texts("validation_errors")?.unwrap_or_default(),
            document,
        })
    }

    /// The change as a diff, if it keeps one.
    pub fn patch(&self) -> Option<&str> {
        self.document.get("diff")?.as_str().filter(|diff| !diff.is_empty())
    }

    /// What it says of the machine that it was validated on.
    pub fn fingerprint(&self) -> Option<&Map<String, Value>> {
        self.document.get("env_fingerprint")?.as_object()
    }

    /// Every member, in the order in which it was read.
    pub fn document(&self) -> &Map<String, Value> {
        &self.document
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::digest::Verification;

    fn draft(status: OutcomeStatus) -> CapsuleDraft {
        CapsuleDraft {
            id: "capsule_1770477654236".to_owned(),
            trigger: vec!["log_error".to_owned()],
            gene: "gene_gep_repair_from_errors".to_owned(),
            summary: "Import Mapping from collections.abc".to_owned(),
            confidence: 0.85,
            blast_radius: BlastRadius { files: 1, lines: 2 },
            diff: None,
            outcome: Outcome { status, score: 0.85 },
            success_streak: 1,
            env_fingerprint: Map::from_iter([("platform".to_owned(), json!("linux"))]),
            eligible_to_broadcast: false,
            validation_errors: vec!["pytest: 1 failed".to_owned()],
        }
    }

    #[test]
    fn a_recorded_capsule_has_the_members_of_the_seed_and_verifies() {
        let capsule = Capsule::record(&draft(OutcomeStatus::Success)).expect("a capsule");
        let keys: Vec<_> = capsule.document().keys().map(String::as_str).collect();
        let expect = "type schema_version id trigger gene summary confidence blast_radius outcome success_streak \
                      env_fingerprint a2a asset_id";
        assert_eq!(keys.join(" "), expect);
        assert_eq!(digest::verify_members(capsule.document()).expect("an object"), Verification::Match);
        let text = serde_json::to_string(capsule.document()).expect("JSON");
        let expect = r#"{"type":"Capsule","schema_version":"1.5.0","id":"capsule_1770477654236","trigger":["log_error"],
            "gene":"gene_gep_repair_from_errors","summary":"Import Mapping from collections.abc","confidence":0.85,
            "blast_radius":{"files":1,"lines":2},"outcome":{"status":"success","score":0.85},"success_streak":1,
            "env_fingerprint":{"platform":"linux"},"a2a":{"eligible_to_broadcast":false},"asset_id":"sha256:"#;
        let expect: String = expect.lines().map(str::trim).collect();
        assert_eq!(text.get(..expect.len()), Some(expect.as_str()));
    }

    #[test]
    fn a_failed_capsule_says_why() {
        let capsule = Capsule::record(&draft(OutcomeStatus::Failed)).expect("a capsule");
        assert_eq!(capsule.validation_errors, ["pytest: 1 failed"]);
        assert!(!capsule.outcome.is_success());
        assert_eq!(digest::verify_members(capsule.document()).expect("an object"), Verification::Match);
    }

    #[test]
    fn the_failed_capsule_of_seed_001_is_read() {
        let text = r#"{"type":"Capsule","id":"capsule_1770477201173","outcome":{"status":"failed","score":0.2},
            "validation_errors":["constraint_violations: forbidden_path touched: assets/gep/events.jsonl"]}"#;
        let capsule = Capsule::from_json(text.as_bytes()).expect("a capsule");
        assert_eq!(capsule.id, "capsule_1770477201173");
        assert_eq!((capsule.gene, capsule.blast_radius), (None, None));
        assert_eq!(capsule.validation_errors.len(), 1);
        let hub = Capsule::from_json(text.replace("\"failed\"", "\"failure\"").as_bytes()).expect("a capsule");
        assert_eq!(hub.outcome.status, OutcomeStatus::Failed);
    }

    #[test]
    fn what_is_no_capsule_is_refused_with_the_field() {
        let check = |text: &str, expect: &str| {
            assert_eq!(Capsule::from_json(text.as_bytes()).expect_err(text).to_string(), expect);
        };
        check(r#"{"type":"Capsule"}"#, "field `outcome` is missing");
        let maybe = r#"{"type":"Capsule","outcome":{"status":"maybe"}}"#;
        check(maybe, "field `outcome.status` is \"maybe\": expected success or failed");
        let over = r#"{"type":"Capsule","outcome":{"status":"success","score":7}}"#;
        check(over, "field `outcome.score` is 7: it goes from 0 to 1");
        let sure = r#"{"type":"Capsule","outcome":{"status":"success"},"confidence":2}"#;
        check(sure, "field `confidence` is 2: it goes from 0 to 1");
    }

    #[test]
    fn half_a_blast_radius_is_none() {
        let text = r#"{"type":"Capsule","outcome":{"status":"success"},"blast_radius":{"files":1}}"#;
        assert_eq!(Capsule::from_json(text.as_bytes()).expect("a capsule").blast_radius, None);
    }
}
