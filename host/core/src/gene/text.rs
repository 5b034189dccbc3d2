//! A gene that is only text: a GEP Gene asset without a component. The bundled strategist carries out its steps by asking a
//! model.

use super::manifest::{MAX_MANIFEST_BYTES, Manifest, is_id};
use super::{Category, Gene};
use crate::digest::{self, AssetError, DigestError, StrictError, Verification};
use crate::pattern::{Case, PatternSet};

/// Most steps, signals, preconditions or commands, and the longest of them in bytes.
const MAX_ENTRIES: usize = 64;
const MAX_ENTRY_BYTES: usize = 4096;

/// A Gene asset whose steps a model can carry out, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct TextGene {
    gene: Gene,
}

/// Why a document is not a text-only gene that can be carried out.
#[derive(Debug, thiserror::Error)]
pub enum TextGeneError {
    /// It is too large or not strict JSON.
    #[error("it is not a gene: {0}")]
    Json(#[from] StrictError),
    /// It is not a Gene, or a member has the wrong form.
    #[error("it is not a gene: {0}")]
    Asset(#[from] AssetError),
    /// Its asset id cannot be computed.
    #[error("it is not a gene: {0}")]
    Digest(#[from] DigestError),
    /// Its asset id is not the one computed from its content.
    #[error("it gives asset id {stated:?}, but its content has {computed}: it was changed, or the id is wrong")]
    AssetId {
        /// The asset id in the document.
        stated: String,
        /// The asset id computed from the content.
        computed: String,
    },
    /// The id has characters that are not allowed in file names and commands.
    #[error("its id {0:?} is refused: use 1 to 128 of the characters a-z, 0-9, `_`, `.` and `-`")]
    Id(String),
    /// A component's manifest.
    #[error("it is the manifest of a component (it has the member `world`): name the component's file instead")]
    Manifest,
    /// There is nothing to do, or no way to be selected.
    #[error("its member `{0}` is empty: {1}")]
    Empty(&'static str, &'static str),
    /// A list or an entry is too long.
    #[error("its member `{0}` has more than {MAX_ENTRIES} entries, or one of more than {MAX_ENTRY_BYTES} bytes")]
    Long(&'static str),
    /// The category is not one of seed 000.
    #[error("its category is {0:?}: use repair, optimize or innovate")]
    Category(String),
    /// A pattern that cannot be enforced.
    #[error("its member `constraints.forbidden_paths` has {0:?}: {1}")]
    ForbiddenPath(String, String),
}

impl TextGene {
    /// Reads a document of at most [`MAX_MANIFEST_BYTES`].
    pub fn from_json(bytes: &[u8]) -> Result<Self, TextGeneError> {
        let document = digest::read_object(bytes, MAX_MANIFEST_BYTES)?;
        if document.contains_key("world") {
            return Err(TextGeneError::Manifest);
        }
        if let Verification::Mismatch { stated, computed } = digest::verify_members(&document)? {
            return Err(TextGeneError::AssetId { stated, computed });
        }
        let gene = Gene::read(document)?;
        check(&gene)?;
        Ok(Self { gene })
    }

    /// Its id: 1 to 128 of a-z, 0-9, `_`, `.` and `-`.
    pub fn id(&self) -> &str {
        &self.gene.id
    }

    /// The asset.
    pub fn gene(&self) -> &Gene {
        &self.gene
    }

    /// The asset as text, as it is handed to the gene that carries it out.
    pub fn to_json(&self) -> String {
        serde_json::Value::Object(self.gene.document().clone()).to_string()
    }

    /// The manifest with which it takes part in a cycle: its own asset, with what `carrier` requests and exports.
    #[must_use]
    pub fn carried_by(&self, carrier: &Manifest) -> Manifest {
        Manifest { gene: self.gene.clone(), ..carrier.clone() }
    }
}

/// Whether the bytes of a file are those of a JSON document and not of a component.
pub fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().find(|byte| !byte.is_ascii_whitespace()).is_some_and(|byte| matches!(byte, b'{' | b'['))
}

fn check(gene: &Gene) -> Result<(), TextGeneError> {
    if !is_id(&gene.id) {
        return Err(TextGeneError::Id(gene.id.chars().take(200).collect()));
    }
    if let Category::Other(word) = &gene.category {
        return Err(TextGeneError::Category(word.chars().take(80).collect()));
    }
    for (name, list) in [
        ("strategy", &gene.strategy),
        ("signals_match", &gene.signals_match),
        ("preconditions", &gene.preconditions),
        ("validation", &gene.validation),
        ("constraints.forbidden_paths", &gene.constraints.forbidden_paths),
    ] {
        if list.len() > MAX_ENTRIES || list.iter().any(|entry| entry.len() > MAX_ENTRY_BYTES) {
            return Err(TextGeneError::Long(name));
        }
    }
    let is_blank = |list: &[String]| list.iter().all(|entry| entry.trim().is_empty());
    if is_blank(&gene.strategy) {
        return Err(TextGeneError::Empty("strategy", "there are no steps to carry out"));
    }
    if is_blank(&gene.signals_match) {
        return Err(TextGeneError::Empty("signals_match", "it would never be selected"));
    }
    let forbidden = gene.constraints.forbidden_paths.iter().map(String::as_str);
    PatternSet::new(forbidden, Case::Folded)
        .map_err(|(pattern, reason)| TextGeneError::ForbiddenPath(pattern, reason.to_string()))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn gene() -> Value {
        json!({
            "type": "Gene", "schema_version": "1.5.0", "id": "gene_x", "category": "repair",
            "signals_match": ["log_error"], "preconditions": ["tests exist"], "strategy": ["read", "repair"],
            "constraints": { "max_files": 2, "forbidden_paths": [".git"] }, "validation": ["pytest -q"],
            "unknown": { "kept": true },
        })
    }

    fn refusal(member: &str, value: Value) -> String {
        let mut gene = gene();
        gene[member] = value;
        TextGene::from_json(gene.to_string().as_bytes()).unwrap_err().to_string()
    }

    #[test]
    fn an_asset_without_a_component_is_read_whole() {
        let read = TextGene::from_json(gene().to_string().as_bytes()).unwrap();
        assert_eq!((read.id(), read.gene().strategy.len()), ("gene_x", 2));
        assert_eq!(serde_json::from_str::<Value>(&read.to_json()).unwrap(), gene());
        let mut sealed = gene().as_object().unwrap().clone();
        digest::seal(&mut sealed).unwrap();
        assert!(TextGene::from_json(Value::Object(sealed).to_string().as_bytes()).is_ok());
    }

    #[test]
    fn what_cannot_be_carried_out_is_refused_with_the_member() {
        for (member, value, expected) in [
            ("type", json!("Capsule"), "field `type` is \"Capsule\": expected \"Gene\""),
            ("id", json!("../x"), "its id \"../x\" is refused: use 1 to 128"),
            ("id", json!("gene x"), "its id \"gene x\" is refused"),
            ("id", json!(7), "field `id` must be a string"),
            ("category", json!("explore"), "its category is \"explore\": use repair, optimize or innovate"),
            ("strategy", json!([]), "its member `strategy` is empty: there are no steps"),
            ("strategy", json!([" ", "\n"]), "its member `strategy` is empty"),
            ("strategy", json!("read"), "field `strategy` must be an array of strings"),
            ("strategy", json!(vec!["x"; 65]), "its member `strategy` has more than 64 entries"),
            (
                "validation",
                json!(["x".repeat(4097)]),
                "its member `validation` has more than 64 entries, or one of more",
            ),
            ("signals_match", json!([]), "its member `signals_match` is empty: it would never be selected"),
            ("constraints", json!({ "max_files": -1 }), "field `constraints.max_files` must be a whole number"),
            ("constraints", json!({ "forbidden_paths": ["!x"] }), "`constraints.forbidden_paths` has \"!x\""),
            ("asset_id", json!("sha256:00"), "it gives asset id \"sha256:00\""),
            ("world", json!("strategy"), "it is the manifest of a component"),
        ] {
            let said = refusal(member, value);
            assert!(said.contains(expected), "{said}");
        }
    }

    #[test]
    fn what_is_no_json_is_refused_where_it_ends_to_be() {
        let twice = gene().to_string().replacen("\"id\"", "\"id\":\"a\",\"id\"", 1);
        let large = refusal("unknown", json!("x".repeat(MAX_MANIFEST_BYTES)));
        for (text, expected) in
            [("", ""), ("{", ""), ("[]", ""), ("null", ""), (twice.as_str(), "duplicate key \"id\"")]
        {
            let said = TextGene::from_json(text.as_bytes()).unwrap_err().to_string();
            assert!(said.starts_with("it is not a gene: ") && said.contains(expected), "{said}");
        }
        assert!(large.contains("over the limit of 65536"), "{large}");
        assert!(is_text(b"\n {\"type\"") && is_text(b"[") && !is_text(b"\0asm") && !is_text(b"") && !is_text(b"PK"));
    }
}
