//! What a component declares: its Gene document, the world it targets and the capabilities it requests.
//!
//! The manifest is stored in the component's custom section `gephost:gene`, so a gene can be selected without running
//! it. A request grants nothing, and a capability that is not requested is never granted (invariant 7).

use std::collections::BTreeSet;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Gene;
use super::members::unknown_members;
use super::settings_table::SettingsTable;
use crate::digest::{self, AssetError, DigestError, FieldError, Fields, StrictError, Verification};

/// Largest manifest, in bytes.
pub const MAX_MANIFEST_BYTES: usize = 64 * 1024;

/// Which world of `wit/` a component targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum World {
    /// Exports `diagnose`: finds failure patterns.
    Heuristic,
    /// Exports `propose`: proposes repairs.
    Strategy,
    /// Exports both.
    Gene,
}

impl World {
    /// Every world.
    pub const ALL: [Self; 3] = [Self::Heuristic, Self::Strategy, Self::Gene];

    /// The name in `wit/` and in a manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Heuristic => "heuristic",
            Self::Strategy => "strategy",
            Self::Gene => "gene",
        }
    }

    /// Whether it exports `diagnose`.
    pub fn diagnoses(self) -> bool {
        matches!(self, Self::Heuristic | Self::Gene)
    }

    /// Whether it exports `propose`.
    pub fn proposes(self) -> bool {
        matches!(self, Self::Strategy | Self::Gene)
    }
}

impl fmt::Display for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// An import of `wit/` that a gene may request. Logging needs no request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Capability {
    /// Reading the events of the agent's runs.
    RunLog,
    /// Reading the files of the base commit that the grant allows.
    Workspace,
    /// Reading what was tried before, and its outcome.
    History,
    /// Asking the configured model.
    Completion,
    /// Reading which lines the failing command executes. Makes the gene a search gene.
    Coverage,
}

impl Capability {
    /// Every capability.
    pub const ALL: [Self; 5] = [Self::RunLog, Self::Workspace, Self::History, Self::Completion, Self::Coverage];

    /// The name in `wit/` and in a manifest.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::RunLog => "run-log",
            Self::Workspace => "workspace",
            Self::History => "history",
            Self::Completion => "completion",
            Self::Coverage => "coverage",
        }
    }
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a manifest is refused.
#[derive(Debug, thiserror::Error)]
pub enum ManifestError {
    /// It is too large or not strict JSON.
    #[error("the gene manifest is refused: {0}")]
    Json(#[from] StrictError),
    /// A member is missing or has the wrong form.
    #[error("the gene manifest is refused: {0}")]
    Field(#[from] FieldError),
    /// Its asset id cannot be computed.
    #[error("the gene manifest is refused: {0}")]
    Digest(#[from] DigestError),
    /// The id is too long or has characters that are not allowed in file names and commands.
    #[error(
        "gene id {0:?} is refused: use 1 to 128 of the characters a-z, 0-9, `_`, `.` and `-`, and begin with none of `.` \
         and `-`"
    )]
    Id(String),
    /// The world is not one of [`World::ALL`].
    #[error("unknown world {0:?}: use heuristic, strategy or gene")]
    UnknownWorld(String),
    /// The capability is not one of [`Capability::ALL`]. It is not ignored, because the gene would run without
    /// something that it needs.
    #[error("unknown capability {0:?}: use run-log, workspace, history, completion or coverage")]
    UnknownCapability(String),
    /// A member is probably a misspelling. It is not ignored, because the gene's author relies on what it says.
    #[error("the gene manifest is refused: member `{}` is unknown: did you mean `{meant}`?", .member.escape_debug())]
    Misspelled {
        /// The member, with dots for members of members.
        member: String,
        /// The known member.
        meant: &'static str,
    },
    /// Its asset id is not the one computed from its content.
    #[error("the manifest gives asset id {stated:?}, but its content has {computed}: remove `asset_id` or correct it")]
    AssetId {
        /// The asset id in the manifest.
        stated: String,
        /// The asset id computed from the content.
        computed: String,
    },
}

/// The manifest of a component, validated.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// The Gene document, including the members `world` and `capabilities`.
    pub gene: Gene,
    /// The world that the component targets.
    pub world: World,
    /// The capabilities that it requests.
    pub capabilities: BTreeSet<Capability>,
    /// The settings that it declares. `None` if the manifest has no table, as in components for 0.1.0: then the gene is
    /// handed whatever the operator sets.
    pub settings: Option<SettingsTable>,
}

impl Manifest {
    /// Reads the content of the custom section `gephost:gene`. Unknown members are kept, unless they are misspellings of
    /// known ones. A misspelling, a duplicate key, an unknown world or capability, or a wrong asset id is an error.
    pub fn from_json(bytes: &[u8]) -> Result<Self, ManifestError> {
        let document = digest::read_object(bytes, MAX_MANIFEST_BYTES)?;
        let fields = Fields::of(&document);
        let id = fields.text("id")?;
        if !is_id(id) {
            return Err(ManifestError::Id(id.chars().take(200).collect()));
        }
        let misspelled =
            unknown_members(&document).into_iter().find_map(|unknown| Some((unknown.path, unknown.meant?)));
        if let Some((member, meant)) = misspelled {
            return Err(ManifestError::Misspelled { member, meant });
        }
        let world = read_world(fields.text("world")?)?;
        let capabilities = read_capabilities(&fields)?;
        let settings = SettingsTable::read(&fields)?;
        if let Verification::Mismatch { stated, computed } = digest::verify_members(&document)? {
            return Err(ManifestError::AssetId { stated, computed });
        }
        let gene = Gene::read(document).map_err(|error| match error {
            AssetError::Json(error) => ManifestError::Json(error),
            AssetError::Field(error) => ManifestError::Field(error),
            AssetError::Digest(error) => ManifestError::Digest(error),
        })?;
        Ok(Self { gene, world, capabilities, settings })
    }

    /// Whether it searches: its candidates are edits to try, and it is asked after all other genes. A gene that requests
    /// [`Capability::Coverage`] does.
    pub fn searches(&self) -> bool {
        self.capabilities.contains(&Capability::Coverage)
    }

    /// Id of the gene, as [`is_id`] allows it.
    pub fn id(&self) -> &str {
        &self.gene.id
    }
}

/// Whether a text is a valid id for the gene of a component: 1 to 128 of a-z, 0-9, `_`, `.` and `-`. It begins with none of
/// `.` and `-`, because ids become names of files and arguments of commands.
pub fn is_id(text: &str) -> bool {
    (1..=128).contains(&text.len())
        && !text.starts_with(['.', '-'])
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.-".contains(&byte))
}

fn read_world(word: &str) -> Result<World, ManifestError> {
    World::ALL
        .into_iter()
        .find(|world| world.as_str() == word)
        .ok_or_else(|| ManifestError::UnknownWorld(word.to_owned()))
}

fn read_capabilities(fields: &Fields<'_>) -> Result<BTreeSet<Capability>, ManifestError> {
    let words = fields.optional_texts("capabilities")?.unwrap_or_default();
    words
        .into_iter()
        .map(|word| {
            let capability = Capability::ALL.into_iter().find(|capability| capability.as_str() == word);
            capability.ok_or(ManifestError::UnknownCapability(word))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPAIR: &str = r#"{"type":"Gene","schema_version":"1.5.0","id":"gene_gep_repair_from_errors",
        "category":"repair","signals_match":["error"],"strategy":["read","repair"],
        "constraints":{"max_files":3},"validation":[],"summary":"Repairs what broke",
        "world":"strategy","capabilities":["run-log","workspace"],"future":{"kept":true}}"#;

    #[test]
    fn a_manifest_is_a_gene_with_a_world_and_requests() {
        let manifest = Manifest::from_json(REPAIR.as_bytes()).expect("a manifest");
        assert_eq!(manifest.id(), "gene_gep_repair_from_errors");
        assert_eq!(manifest.world, World::Strategy);
        assert!(manifest.world.proposes() && !manifest.world.diagnoses());
        let asked: Vec<_> = manifest.capabilities.iter().map(ToString::to_string).collect();
        assert_eq!(asked, ["run-log", "workspace"]);
        assert!(manifest.gene.document().contains_key("future"));
    }

    #[test]
    fn what_is_not_asked_for_is_not_asked_for() {
        let silent = REPAIR.replace(r#""capabilities":["run-log","workspace"],"#, "");
        assert!(Manifest::from_json(silent.as_bytes()).expect("a manifest").capabilities.is_empty());
    }

    #[test]
    fn a_wrong_manifest_is_refused_with_what_to_do() {
        let check = |from: &str, to: &str, expect: &str| {
            assert!(REPAIR.contains(from), "{from}");
            let refused = Manifest::from_json(REPAIR.replacen(from, to, 1).as_bytes()).expect_err(to);
            assert!(refused.to_string().contains(expect), "{refused}");
        };
        check("\"strategy\",\"cap", "\"hub\",\"cap", "unknown world \"hub\"");
        check("\"workspace\"", "\"network\"", "unknown capability \"network\"");
        check("\"workspace\"", "\"Workspace\"", "unknown capability \"Workspace\"");
        check("gene_gep_repair_from_errors", "Gene", "gene id \"Gene\" is refused");
        check("gene_gep_repair_from_errors", "../x", "is refused");
        check("gene_gep_repair_from_errors", "", "is refused");
        check("gene_gep_repair_from_errors", "..", "is refused");
        check("gene_gep_repair_from_errors", "-rf", "begin with none of `.` and `-`");
        check("\"constraints\"", "\"constraint\"", "member `constraint` is unknown: did you mean `constraints`?");
        check("max_files", "maxFiles", "member `constraints.maxFiles` is unknown: did you mean `max_files`?");
        check("\"capabilities\"", "\"capability\"", "did you mean `capabilities`?");
        check("gene_gep_repair_from_errors", &"g".repeat(129), "is refused");
        check("\"world\":\"strategy\",", "", "field `world` is missing");
        check("\"type\"", "\"id\":\"x\",\"type\"", "duplicate key \"id\"");
        check("\"type\"", "\"asset_id\":\"sha256:00\",\"type\"", "gives asset id \"sha256:00\"");
        check("Repairs what broke", &"x".repeat(MAX_MANIFEST_BYTES), "over the limit of 65536");
    }

    #[test]
    fn a_right_asset_id_is_accepted() {
        let mut document = digest::read_object(REPAIR.as_bytes(), MAX_MANIFEST_BYTES).expect("an object");
        digest::seal(&mut document).expect("an id");
        let text = serde_json::to_vec(&document).expect("JSON");
        assert!(Manifest::from_json(&text).is_ok());
    }
}
