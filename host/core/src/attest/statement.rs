//! in-toto statements about a gene file.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::digest::{DigestError, FieldError, Fields, members_id, read_object};
use crate::gene::{Manifest, TextGene};
use crate::recording::Digest;

/// The `_type` of an in-toto statement, version 1.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// The type of the predicate about a gene. It changes if the meaning of a member changes; members may be added.
pub const PREDICATE_TYPE: &str = "urn:gephost:attestation:gene:v1";
/// The world of a gene that is only text.
pub const TEXT_WORLD: &str = "text";
/// The largest statement, in bytes.
const MAX_STATEMENT_BYTES: usize = 128 * 1024;
/// The most characters of the name of a subject.
const MAX_NAME: usize = 255;

/// What a gene says of itself, as far as it is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneClaim {
    /// The gene's id.
    pub gene: String,
    /// The world that it exports, or [`TEXT_WORLD`].
    pub world: String,
    /// The capabilities that it requests.
    pub capabilities: BTreeSet<String>,
    /// Content id of the asset.
    pub asset_id: String,
}

impl GeneClaim {
    /// What the manifest of a component says.
    pub fn of(manifest: &Manifest) -> Result<Self, DigestError> {
        Ok(Self {
            gene: manifest.id().to_owned(),
            world: manifest.world.as_str().to_owned(),
            capabilities: manifest.capabilities.iter().map(ToString::to_string).collect(),
            asset_id: members_id(manifest.gene.document())?,
        })
    }

    /// What a gene that is only text says.
    pub fn of_text(text: &TextGene) -> Result<Self, DigestError> {
        Ok(Self {
            gene: text.id().to_owned(),
            world: TEXT_WORLD.to_owned(),
            capabilities: BTreeSet::new(),
            asset_id: members_id(text.gene().document())?,
        })
    }

    /// The first member in which another claim differs.
    pub(super) fn difference(&self, other: &Self) -> Option<&'static str> {
        let is_other = [
            ("gene", self.gene != other.gene),
            ("world", self.world != other.world),
            ("capabilities", self.capabilities != other.capabilities),
            ("asset_id", self.asset_id != other.asset_id),
        ];
        is_other.into_iter().find_map(|(member, differs)| differs.then_some(member))
    }
}

/// Why a payload is no statement about a gene.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StatementError {
    /// Too large, or not strict JSON.
    #[error("{0}")]
    Json(String),
    /// A member is missing or has the wrong form.
    #[error("{0}")]
    Field(#[from] FieldError),
    /// Another version of in-toto, or another predicate.
    #[error("it is a statement of another kind: {0:?}")]
    Kind(String),
}

/// A statement about one gene file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// Name and digest of each file that it is about. The name is for display only.
    pub subjects: Vec<(String, Digest)>,
    /// What the gene says of itself.
    pub claim: GeneClaim,
    /// The program that made the statement.
    pub tool: String,
    /// When, as RFC 3339.
    pub time: String,
}

impl Statement {
    /// A statement about one file.
    pub fn of(name: &str, file: Digest, claim: GeneClaim, tool: &str, time: &str) -> Self {
        let name = name.chars().filter(|c| !c.is_control()).take(MAX_NAME).collect();
        Self { subjects: vec![(name, file)], claim, tool: tool.to_owned(), time: time.to_owned() }
    }

    /// The statement as JSON.
    pub fn to_json(&self) -> Vec<u8> {
        let subject = |(name, digest): &(String, Digest)| json!({ "name": name, "digest": { "sha256": digest.hex() } });
        let document = json!({
            "_type": STATEMENT_TYPE,
            "subject": self.subjects.iter().map(subject).collect::<Vec<Value>>(),
            "predicateType": PREDICATE_TYPE,
            "predicate": {
                "gene": self.claim.gene,
                "world": self.claim.world,
                "capabilities": self.claim.capabilities,
                "asset_id": self.claim.asset_id,
                "tool": self.tool,
                "time": self.time,
            },
        });
        document.to_string().into_bytes()
    }

    /// Reads the payload of an envelope. Members that it does not know are passed over, as in-toto asks.
    pub fn read(bytes: &[u8]) -> Result<Self, StatementError> {
        let members =
            read_object(bytes, MAX_STATEMENT_BYTES).map_err(|error| StatementError::Json(error.to_string()))?;
        let fields = Fields::of(&members);
        for (field, known) in [("_type", STATEMENT_TYPE), ("predicateType", PREDICATE_TYPE)] {
            let found = fields.text(field)?;
            if found != known {
                return Err(StatementError::Kind(found.chars().take(MAX_NAME).collect()));
            }
        }
        let subjects = fields.optional_objects("subject")?.unwrap_or_default();
        let subjects = subjects.iter().map(subject).collect::<Result<Vec<_>, _>>()?;
        let predicate = fields.object("predicate")?;
        let capabilities = predicate.texts("capabilities")?;
        let claim = GeneClaim {
            gene: predicate.text("gene")?.to_owned(),
            world: predicate.text("world")?.to_owned(),
            capabilities: capabilities.into_iter().collect(),
            asset_id: predicate.text("asset_id")?.to_owned(),
        };
        let (tool, time) = (predicate.text("tool")?.to_owned(), predicate.text("time")?.to_owned());
        Ok(Self { subjects, claim, tool, time })
    }

    /// Whether it is about the file with this digest.
    pub fn is_about(&self, file: Digest) -> bool {
        self.subjects.iter().any(|(_, digest)| *digest == file)
    }
}

fn subject(fields: &Fields<'_>) -> Result<(String, Digest), FieldError> {
    let digests = fields.object("digest")?;
    let digest = Digest::from_hex(digests.text("sha256")?)
        .map_err(|_| digests.refused("sha256", "must be 64 lower-case hexadecimal digits"))?;
    Ok((fields.optional_text("name")?.unwrap_or_default().to_owned(), digest))
}
