//! A bundle (seed 002, "Bundle Rules"): a gene and a capsule that belong together, and the event that made them.
//!
//! What must stay true: each asset's id is recomputed from the content that is kept, and the capsule and the event name the
//! gene of the same bundle. So nothing that a node kept of a bundle can be exchanged later.

use serde_json::{Map, Value, json};

use super::component::{BlobRef, ComponentRef, RECORDING_MEDIA_TYPE};
use super::problem::{Code, Problem};
use crate::capsule::Capsule;
use crate::digest::{self, AssetError, Fields};
use crate::evolution_event::EvolutionEvent;
use crate::gene::{Category, Gene};

/// Most bytes of a bundle. Components travel apart.
pub const MAX_BUNDLE_BYTES: usize = 512 * 1024;
/// Fewest characters of a gene's summary.
const MIN_GENE_SUMMARY: usize = 10;
/// Fewest characters of a capsule's summary.
const MIN_CAPSULE_SUMMARY: usize = 20;
/// Fewest characters of a signal.
const MIN_SIGNAL: usize = 3;
/// The categories that the protocol has (schema 1.x).
const CATEGORIES: [&str; 4] = ["repair", "optimize", "innovate", "explore"];

/// An asset whose id was recomputed.
#[derive(Debug, Clone, PartialEq)]
pub struct BundleAsset<T> {
    /// `sha256:` and the hash of its content.
    pub asset_id: String,
    /// What it says.
    pub asset: T,
}

/// A bundle that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Bundle {
    /// The strategy.
    pub gene: BundleAsset<Gene>,
    /// What one application of it achieved.
    pub capsule: BundleAsset<Capsule>,
    /// The cycle that made it.
    pub event: Option<BundleAsset<EvolutionEvent>>,
    /// The component of the gene.
    pub component: Option<ComponentRef>,
    /// The recording of the gene's call, for others to run again.
    pub recording: Option<BlobRef>,
}

/// The deterministic id of the bundle of a gene and a capsule, by their asset ids.
pub fn bundle_id(gene: &str, capsule: &str) -> String {
    let digits = digest::sha256_hex(format!("{gene}|{capsule}").as_bytes());
    format!("bundle_{}", digits.get(..32).unwrap_or_default())
}

/// The form in which a capsule travels: of its outcome only `status` and `score` take part in the hash on the wire.
pub fn wire_document(capsule: &Map<String, Value>) -> Map<String, Value> {
    let mut document = capsule.clone();
    if let Some(Value::Object(outcome)) = document.get_mut("outcome") {
        outcome.retain(|member, _| member == "status" || member == "score");
    }
    document
}

impl Bundle {
    /// Reads the payload of a publish message.
    pub fn read(payload: &Map<String, Value>) -> Result<Self, Problem> {
        let parts = Parts::sort(payload)?;
        let (place, document) = parts.gene;
        let prefix = format!("payload.assets[{place}].");
        let gene = read_asset(document.clone(), &prefix, Gene::read)?;
        check_gene(&gene.asset, &prefix)?;
        let component = ComponentRef::read(document, &prefix)?;
        let (place, document) = parts.capsule;
        let prefix = format!("payload.assets[{place}].");
        let capsule = read_asset(travelling(document), &prefix, Capsule::read)?;
        check_capsule(&capsule.asset, &gene.asset_id, &prefix)?;
        let event = match parts.event {
            None => None,
            Some((place, document)) => {
                let prefix = format!("payload.assets[{place}].");
                let event = read_asset(document.clone(), &prefix, EvolutionEvent::read)?;
                check_event(&event.asset, &gene, &capsule, &prefix)?;
                Some(event)
            }
        };
        let recording = BlobRef::read(payload, "recording", RECORDING_MEDIA_TYPE, "payload.")?;
        if recording.is_some() && component.is_none() {
            let message = "the bundle names a recording, and its gene has no component to run again";
            return Err(Problem::new(
                Code::ValidationError,
                message,
                "add `component` to the gene, or leave `recording` out",
            )
            .at("payload.recording"));
        }
        Ok(Self { gene, capsule, event, component, recording })
    }

    /// Its id.
    pub fn id(&self) -> String {
        bundle_id(&self.gene.asset_id, &self.capsule.asset_id)
    }

    /// The payload of the publish message.
    pub fn payload(&self) -> Map<String, Value> {
        let mut assets = vec![self.gene.asset.document(), self.capsule.asset.document()];
        assets.extend(self.event.iter().map(|event| event.asset.document()));
        let mut payload = Map::new();
        payload.insert("assets".to_owned(), json!(assets));
        if let Some(BlobRef { digest, size, media_type }) = &self.recording {
            payload.insert("recording".to_owned(), json!({"digest": digest, "size": size, "media_type": media_type}));
        }
        payload
    }
}

type Placed<'a> = (usize, &'a Map<String, Value>);

/// The assets of a payload by their types.
struct Parts<'a> {
    gene: Placed<'a>,
    capsule: Placed<'a>,
    event: Option<Placed<'a>>,
}

impl<'a> Parts<'a> {
    fn sort(payload: &'a Map<String, Value>) -> Result<Self, Problem> {
        let required = |message: &str, field: &str| {
            let correction =
                "send `payload.assets` = [Gene, Capsule], and an EvolutionEvent as a third element if there is one";
            Problem::new(Code::BundleRequired, message, correction).at(field)
        };
        let Some(assets) = payload.get("assets").filter(|assets| !assets.is_null()) else {
            let single = payload.contains_key("asset");
            let message = if single { "`payload.asset` is a single asset" } else { "there is no `payload.assets`" };
            return Err(required(message, if single { "payload.asset" } else { "payload.assets" }));
        };
        let Value::Array(assets) = assets else {
            return Err(required("`payload.assets` is not an array", "payload.assets"));
        };
        let (mut gene, mut capsule, mut event) = (None, None, None);
        for (place, asset) in assets.iter().enumerate() {
            let field = format!("payload.assets[{place}]");
            let wrong = |message: String| {
                let correction = "send exactly one Gene, one Capsule and at most one EvolutionEvent";
                Problem::new(Code::ValidationError, message, correction).at(field.clone())
            };
            let Value::Object(asset) = asset else { return Err(wrong(format!("`{field}` is not an object"))) };
            let slot = match asset.get("type").and_then(Value::as_str) {
                Some("Gene") => &mut gene,
                Some("Capsule") => &mut capsule,
                Some("EvolutionEvent") => &mut event,
                _ => return Err(wrong(format!("`{field}.type` is not Gene, Capsule or EvolutionEvent"))),
            };
            if slot.replace((place, asset)).is_some() {
                return Err(wrong(format!("`{field}` is the second asset of its type")));
            }
        }
        match (gene, capsule) {
            (Some(gene), Some(capsule)) => Ok(Self { gene, capsule, event }),
            (None, _) => Err(required("`payload.assets` has no Gene", "payload.assets")),
            (_, None) => Err(required("`payload.assets` has no Capsule", "payload.assets")),
        }
    }
}

/// The capsule as it is kept: whole if its id is that of the whole, else in the form that travels.
fn travelling(document: &Map<String, Value>) -> Map<String, Value> {
    let stated = document.get("asset_id").and_then(Value::as_str);
    match digest::members_id(document) {
        Ok(computed) if stated == Some(&computed) => document.clone(),
        _ => wire_document(document),
    }
}

fn read_asset<T>(
    document: Map<String, Value>,
    prefix: &str,
    read: impl FnOnce(Map<String, Value>) -> Result<T, AssetError>,
) -> Result<BundleAsset<T>, Problem> {
    if document.contains_key("__proto__") {
        let message = "an asset with a member `__proto__` has no id that covers all of it";
        return Err(
            Problem::new(Code::ValidationError, message, "leave `__proto__` out").at(format!("{prefix}__proto__"))
        );
    }
    let computed = digest::members_id(&document).map_err(|error| Problem::asset(prefix, &error.into()))?;
    let stated = Fields::of(&document)
        .text("asset_id")
        .map_err(|error| Problem::field(Code::ValidationError, prefix, &error))?;
    if stated != computed {
        let message = format!("`{prefix}asset_id` is not the id of the asset: its content has {computed}");
        let correction = "compute \"sha256:\" and the SHA-256 of the canonical JSON of the asset without `asset_id`";
        return Err(Problem::new(Code::AssetIdMismatch, message, correction).at(format!("{prefix}asset_id")));
    }
    let asset = read(document).map_err(|error| Problem::asset(prefix, &error))?;
    Ok(BundleAsset { asset_id: computed, asset })
}

fn invalid(field: String, message: &str, correction: &str) -> Problem {
    Problem::new(Code::ValidationError, format!("`{field}` {message}"), correction).at(field)
}

fn check_gene(gene: &Gene, prefix: &str) -> Result<(), Problem> {
    check_category(&gene.category, &format!("{prefix}category"))?;
    check_signals(&gene.signals_match, &format!("{prefix}signals_match"))?;
    check_summary(gene.summary.as_deref(), MIN_GENE_SUMMARY, &format!("{prefix}summary"))
}

fn check_category(category: &Category, field: &str) -> Result<(), Problem> {
    if CATEGORIES.contains(&category.as_str()) {
        return Ok(());
    }
    Err(invalid(field.to_owned(), "is not a category of the protocol", "use repair, optimize or innovate"))
}

fn check_signals(signals: &[String], field: &str) -> Result<(), Problem> {
    if signals.is_empty() {
        return Err(invalid(field.to_owned(), "is empty or missing", "name at least one signal"));
    }
    match signals.iter().position(|signal| signal.chars().count() < MIN_SIGNAL) {
        None => Ok(()),
        Some(place) => {
            Err(invalid(format!("{field}[{place}]"), "is too short", "use signals of at least 3 characters"))
        }
    }
}

fn check_summary(summary: Option<&str>, fewest: usize, field: &str) -> Result<(), Problem> {
    if summary.is_some_and(|summary| summary.trim().chars().count() >= fewest) {
        return Ok(());
    }
    let correction = format!("describe it in at least {fewest} characters");
    Err(invalid(field.to_owned(), "is missing or too short", &correction))
}

fn check_capsule(capsule: &Capsule, gene: &str, prefix: &str) -> Result<(), Problem> {
    let fields = Fields::of(capsule.document());
    let field = |error| Problem::field(Code::ValidationError, prefix, &error);
    if capsule.gene.as_deref() != Some(gene) {
        let correction = format!("set it to the `asset_id` of the bundle's gene, {gene}");
        return Err(invalid(format!("{prefix}gene"), "does not name the gene of the bundle", &correction));
    }
    check_signals(&capsule.trigger, &format!("{prefix}trigger"))?;
    check_summary(capsule.summary.as_deref(), MIN_CAPSULE_SUMMARY, &format!("{prefix}summary"))?;
    if fields.optional_share("confidence").map_err(field)?.is_none() {
        return Err(invalid(format!("{prefix}confidence"), "is missing", "add a number from 0 to 1"));
    }
    if capsule.blast_radius.is_none() {
        let correction = "add `files` and `lines`, the numbers of files and lines that the change touches";
        return Err(invalid(format!("{prefix}blast_radius"), "is missing or incomplete", correction));
    }
    fields.optional_object("env_fingerprint").map_err(field)?;
    fields.optional_count("success_streak").map_err(field)?;
    Ok(())
}

fn check_event(
    event: &EvolutionEvent,
    gene: &BundleAsset<Gene>,
    capsule: &BundleAsset<Capsule>,
    prefix: &str,
) -> Result<(), Problem> {
    check_category(&event.intent, &format!("{prefix}intent"))?;
    if !event.genes_used.is_empty() && !event.genes_used.contains(&gene.asset_id) {
        let correction = format!("list the `asset_id` of the bundle's gene, {}", gene.asset_id);
        return Err(invalid(format!("{prefix}genes_used"), "does not list the gene of the bundle", &correction));
    }
    match event.capsule_id.as_deref() {
        Some(id) if id.starts_with("sha256:") && id != capsule.asset_id => {
            let correction = format!("set it to the `asset_id` of the bundle's capsule, {}", capsule.asset_id);
            Err(invalid(format!("{prefix}capsule_id"), "does not name the capsule of the bundle", &correction))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(mut asset: Value) -> Value {
        digest::seal(asset.as_object_mut().expect("an object")).expect("an id");
        asset
    }

    /// The publish example of seed 002, with its ids computed.
    fn example() -> [Value; 3] {
        let gene = sealed(json!({"type": "Gene", "schema_version": "1.5.0", "category": "repair",
            "signals_match": ["TimeoutError"], "summary": "Retry with exponential backoff on timeout errors"}));
        let capsule = sealed(json!({"type": "Capsule", "schema_version": "1.5.0", "trigger": ["TimeoutError"],
            "gene": gene["asset_id"], "summary": "Fix API timeout with bounded retry and connection pooling",
            "confidence": 0.85, "blast_radius": {"files": 1, "lines": 10},
            "outcome": {"status": "success", "score": 0.85},
            "env_fingerprint": {"platform": "linux", "arch": "x64"}, "success_streak": 3}));
        let event = sealed(json!({"type": "EvolutionEvent", "intent": "repair", "capsule_id": capsule["asset_id"],
            "genes_used": [gene["asset_id"]], "outcome": {"status": "success", "score": 0.85},
            "mutations_tried": 3, "total_cycles": 5}));
        [gene, capsule, event]
    }

    fn read(assets: &Value) -> Result<Bundle, Problem> {
        Bundle::read(json!({"assets": assets}).as_object().expect("an object"))
    }

    #[test]
    fn the_seed_s_example_is_a_bundle_with_a_deterministic_id() {
        let [gene, capsule, event] = example();
        assert_eq!(gene["asset_id"], "sha256:1c378f08f5cf0f2ad82f3f8a695aec9610137b5708dbff31d38fe2fe29176919");
        let bundle = read(&json!([gene, capsule, event])).expect("a bundle");
        assert_eq!(bundle.id(), bundle_id(&bundle.gene.asset_id, &bundle.capsule.asset_id));
        assert!(bundle.event.is_some() && bundle.component.is_none());
        assert_eq!(Value::Object(bundle.payload()), json!({"assets": [gene, capsule, event]}));
        // Any order, and no event.
        assert_eq!(read(&json!([capsule, gene])).expect("a bundle").id(), bundle.id());
    }

    #[test]
    fn a_gene_and_a_capsule_travel_together() {
        let [gene, capsule, event] = example();
        let check = |payload: Value, code: Code, field: &str| {
            let problem = Bundle::read(payload.as_object().expect("an object")).expect_err(field);
            assert_eq!((problem.code, problem.field.as_deref()), (code, Some(field)), "{problem:?}");
        };
        check(json!({"asset": gene}), Code::BundleRequired, "payload.asset");
        check(json!({}), Code::BundleRequired, "payload.assets");
        check(json!({"assets": gene}), Code::BundleRequired, "payload.assets");
        check(json!({"assets": [gene]}), Code::BundleRequired, "payload.assets");
        check(json!({"assets": [capsule, event]}), Code::BundleRequired, "payload.assets");
        check(json!({"assets": [gene, capsule, gene]}), Code::ValidationError, "payload.assets[2]");
        check(json!({"assets": [gene, capsule, {"type": "Mutation"}]}), Code::ValidationError, "payload.assets[2]");
        check(json!({"assets": [gene, "x"]}), Code::ValidationError, "payload.assets[1]");
    }

    #[test]
    fn each_wrong_member_is_named() {
        let [gene, capsule, event] = example();
        let change = |asset: &Value, member: &str, value: Value| {
            let mut asset = asset.clone();
            asset[member] = value;
            sealed(asset)
        };
        let check = |place: usize, member: &str, value: Value, field: &str| {
            let mut assets = [gene.clone(), capsule.clone(), event.clone()];
            assets[place] = change(&assets[place], member, value);
            if place == 0 {
                assets[1] = change(&assets[1], "gene", assets[0]["asset_id"].clone());
                assets[2] = change(&assets[2], "genes_used", json!([assets[0]["asset_id"]]));
            }
            if place < 2 {
                assets[2] = change(&assets[2], "capsule_id", assets[1]["asset_id"].clone());
            }
            let problem = read(&json!(assets)).expect_err(field);
            assert_eq!(problem.field.as_deref(), Some(&*format!("payload.assets[{place}].{field}")), "{problem:?}");
            assert_eq!(problem.code, Code::ValidationError);
        };
        check(0, "category", json!("destroy"), "category");
        check(0, "signals_match", json!([]), "signals_match");
        check(0, "signals_match", json!(["error", "ab"]), "signals_match[1]");
        check(0, "summary", json!("short"), "summary");
        check(0, "__proto__", json!({"a": 1}), "__proto__");
        check(0, "component", json!({"digest": "x"}), "component.digest");
        check(0, "schema_version", json!("2.0.0"), "schema_version");
        check(1, "trigger", Value::Null, "trigger");
        check(1, "summary", json!("nineteen characters"), "summary");
        check(1, "confidence", json!(1.5), "confidence");
        check(1, "confidence", Value::Null, "confidence");
        check(1, "blast_radius", json!({"files": 1}), "blast_radius");
        check(1, "outcome", json!({"status": "maybe"}), "outcome.status");
        check(1, "env_fingerprint", json!("linux"), "env_fingerprint");
        check(1, "success_streak", json!(-1), "success_streak");
        check(1, "gene", json!("gene_x"), "gene");
        check(2, "intent", json!("harm"), "intent");
        check(2, "genes_used", json!(["sha256:00"]), "genes_used");
        check(2, "capsule_id", json!("sha256:00"), "capsule_id");
    }

    #[test]
    fn an_id_is_that_of_the_content_that_is_kept() {
        let [gene, capsule, _] = example();
        let mut changed = capsule.clone();
        changed["confidence"] = json!(0.99);
        let problem = read(&json!([gene, changed])).expect_err("a lie");
        assert_eq!(problem.code, Code::AssetIdMismatch);
        assert_eq!(problem.field.as_deref(), Some("payload.assets[1].asset_id"));
        // Notes of an outcome that are not part of the hash are not kept.
        let mut noted = capsule.clone();
        noted["outcome"]["note"] = json!("by the way");
        let bundle = read(&json!([gene, noted])).expect("a bundle");
        assert_eq!(Value::Object(bundle.capsule.asset.document().clone()), capsule);
        // Whoever hashes them keeps them.
        let noted = sealed(noted);
        let bundle = read(&json!([gene, noted])).expect("a bundle");
        assert_eq!(Value::Object(bundle.capsule.asset.document().clone()), noted);
        let mut none = gene;
        none.as_object_mut().expect("an object").shift_remove("asset_id");
        assert_eq!(read(&json!([none, capsule])).expect_err("no id").code, Code::ValidationError);
    }

    #[test]
    fn a_recording_needs_a_component() {
        let [gene, capsule, _] = example();
        let digest = format!("sha256:{}", "0a".repeat(32));
        let recording = json!({"digest": digest, "size": 3, "media_type": RECORDING_MEDIA_TYPE});
        let payload = json!({"assets": [gene, capsule], "recording": recording});
        let problem = Bundle::read(payload.as_object().expect("an object")).expect_err("no component");
        assert_eq!(problem.field.as_deref(), Some("payload.recording"));
        let mut gene = gene;
        gene["component"] = json!({"digest": digest, "size": 3, "media_type": "application/wasm", "world": "strategy"});
        let gene = sealed(gene);
        let mut capsule = capsule;
        capsule["gene"] = gene["asset_id"].clone();
        let payload = json!({"assets": [gene, sealed(capsule)], "recording": recording});
        let bundle = Bundle::read(payload.as_object().expect("an object")).expect("a bundle");
        assert_eq!(Value::Object(bundle.payload()), payload);
    }
}
