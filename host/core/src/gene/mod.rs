//! The Gene (seed 000, "Gene"): what a strategy is for, what it may change, and what must pass afterwards.
//!
//! A component carries the same document with three more members; see [`Manifest`].

mod lines;
mod manifest;
mod members;
mod sections;
mod settings;
mod settings_table;
mod text;

use std::fmt;

use serde_json::{Map, Value};

use crate::digest::{self, AssetError, FieldError, Fields};

pub use lines::{Lines, MAX_LINES_BYTES};
pub use manifest::{Capability, MAX_MANIFEST_BYTES, Manifest, ManifestError, World, is_id};
pub use members::{UnknownMember, unknown_members};
pub use sections::{INPUT_SECTION, LINES_SECTION, MANIFEST_SECTION, MAX_INPUT_BYTES};
pub(crate) use settings::invalid_reason;
pub use settings::{SettingValue, Settings};
pub use settings_table::{DeclaredSetting, SettingsTable};
pub use text::{TextGene, TextGeneError, is_text};

/// What an evolution is meant to do (seed 000: a gene's `category`, an event's `intent`).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// Fix something that fails.
    Repair,
    /// Improve something that works.
    Optimize,
    /// Add something new.
    Innovate,
    /// A word of a later schema, such as `explore`. It is kept as it is.
    Other(String),
}

impl Category {
    /// Reads the word in a document.
    pub fn of(word: &str) -> Self {
        match word {
            "repair" => Self::Repair,
            "optimize" => Self::Optimize,
            "innovate" => Self::Innovate,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The word in a document.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Repair => "repair",
            Self::Optimize => "optimize",
            Self::Innovate => "innovate",
            Self::Other(word) => word,
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Limits that a gene sets for its own changes (seed 000, "Blast Radius Limits"). A policy can only be stricter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Constraints {
    /// Most files that a change may touch; `None` leaves the limit to the policy.
    pub max_files: Option<u64>,
    /// Paths that a change must not touch, in addition to those that the policy denies.
    pub forbidden_paths: Vec<String>,
}

/// A gene document, and the members that gephost reads from it. Other members are kept in the document.
#[derive(Debug, Clone, PartialEq)]
pub struct Gene {
    /// The member `id`, or the computed asset id if there is none, as on the wire (seed 002).
    pub id: String,
    /// The purpose of its changes.
    pub category: Category,
    /// Patterns of the signals that it handles (`signal::pattern_matches`).
    pub signals_match: Vec<String>,
    /// When it applies, described for people.
    pub preconditions: Vec<String>,
    /// The steps it takes.
    pub strategy: Vec<String>,
    /// Limits of its changes.
    pub constraints: Constraints,
    /// Commands that must pass before its change is accepted.
    pub validation: Vec<String>,
    /// A summary of one or two sentences.
    pub summary: Option<String>,
    document: Map<String, Value>,
}

impl Gene {
    /// Reads a gene from the bytes of one JSON object of at most [`digest::MAX_ASSET_BYTES`].
    pub fn from_json(bytes: &[u8]) -> Result<Self, AssetError> {
        Self::read(digest::read_object(bytes, digest::MAX_ASSET_BYTES)?)
    }

    /// Reads a gene from an object. `type`, `category` and `signals_match` are required. Any other list of seed 000
    /// that is missing is read as empty, because bundles on the wire leave them out (seed 002).
    pub fn read(document: Map<String, Value>) -> Result<Self, AssetError> {
        let fields = Fields::of(&document);
        fields.expect_asset("Gene")?;
        let id = match fields.optional_text("id")? {
            Some("") => return Err(FieldError::value("id", "is empty: give the gene an id").into()),
            Some(id) => id.to_owned(),
            None => digest::members_id(&document)?,
        };
        Ok(Self {
            id,
            category: Category::of(fields.text("category")?),
            signals_match: fields.texts("signals_match")?,
            preconditions: fields.optional_texts("preconditions")?.unwrap_or_default(),
            strategy: fields.optional_texts("strategy")?.unwrap_or_default(),
            constraints: read_constraints(&fields)?,
            validation: fields.optional_texts("validation")?.unwrap_or_default(),
            summary: fields.optional_text("summary")?.map(str::to_owned),
            document,
        })
    }

    /// Every member, in the original order.
    pub fn document(&self) -> &Map<String, Value> {
        &self.document
    }
}

fn read_constraints(fields: &Fields<'_>) -> Result<Constraints, FieldError> {
    let Some(constraints) = fields.optional_object("constraints")? else {
        return Ok(Constraints::default());
    };
    Ok(Constraints {
        max_files: constraints.optional_count("max_files")?,
        forbidden_paths: constraints.optional_texts("forbidden_paths")?.unwrap_or_default(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: &str = r#"{"type":"Gene","schema_version":"1.5.0","id":"gene_x","category":"repair",
        "signals_match":["error","/time.?out/i"],"preconditions":["a log"],"strategy":["a","b"],
        "constraints":{"max_files":20,"forbidden_paths":[".git"]},"validation":["pytest -q"],
        "epigenetic_marks":["kept"]}"#;

    #[test]
    fn a_gene_is_read_and_its_unknown_members_are_kept() {
        let gene = Gene::from_json(FULL.as_bytes()).expect("a gene");
        assert_eq!((gene.id.as_str(), &gene.category), ("gene_x", &Category::Repair));
        assert_eq!(gene.signals_match, ["error", "/time.?out/i"]);
        assert_eq!(gene.strategy, ["a", "b"]);
        assert_eq!(gene.constraints.max_files, Some(20));
        assert_eq!(gene.constraints.forbidden_paths, [".git"]);
        assert_eq!(gene.validation, ["pytest -q"]);
        assert_eq!(gene.document().get("epigenetic_marks").map(ToString::to_string), Some(r#"["kept"]"#.into()));
    }

    #[test]
    fn a_gene_of_a_bundle_is_known_by_its_content() {
        let bundle = r#"{"type":"Gene","schema_version":"1.5.0","category":"repair",
            "signals_match":["TimeoutError"],"summary":"Retry with exponential backoff on timeout errors"}"#;
        let gene = Gene::from_json(bundle.as_bytes()).expect("a gene");
        assert_eq!(gene.id, "sha256:1c378f08f5cf0f2ad82f3f8a695aec9610137b5708dbff31d38fe2fe29176919");
        assert_eq!(gene.constraints, Constraints::default());
    }

    #[test]
    fn a_category_of_a_later_schema_is_kept() {
        let gene = Gene::from_json(FULL.replace("repair", "explore").as_bytes()).expect("a gene");
        assert_eq!(gene.category, Category::Other("explore".to_owned()));
        assert_eq!(gene.category.to_string(), "explore");
    }

    #[test]
    fn what_is_no_gene_is_refused_with_the_field() {
        let check = |from: &str, to: &str, expect: &str| {
            assert!(FULL.contains(from), "{from}");
            let refused = Gene::from_json(FULL.replacen(from, to, 1).as_bytes()).expect_err(to);
            assert_eq!(refused.to_string(), expect);
        };
        check("\"Gene\"", "\"Capsule\"", "field `type` is \"Capsule\": expected \"Gene\"");
        check("\"gene_x\"", "\"\"", "field `id` is empty: give the gene an id");
        check("\"error\"", "1", "field `signals_match` must be an array of strings, not an array");
        check("20", "-1", "field `constraints.max_files` must be a whole number from 0 to 2^53, not a number");
        check("\"category\":\"repair\",", "", "field `category` is missing");
    }
}
