//! What `gephost gene` prints.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use gephost_core::gene::{Capability, World};
use gephost_core::recording::Digest;
use gephost_runner::sandbox::{Budget, Inspected, Producer, Size, Usage};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use super::inspection::{CapabilityUse, Inspection, SettingHere};
use super::text;
use crate::page::Page;
use crate::render::signature::SignatureRow;
use crate::render::style::{note, printable};

/// The genes of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GenesPage<'a> {
    /// The bundled ones, then those of the config, then those that you added.
    pub(super) genes: Vec<ListedGene<'a>>,
    /// Genes that `gephost.lock` pins and that do not run, because you did not add exactly the pinned component.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) missing: Vec<MissingGene<'a>>,
    /// Genes of the config that are only text: the strategist carries them out, which needs a model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) texts: Vec<ListedText<'a>>,
}

/// A pin without a component.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MissingGene<'a> {
    /// The gene's id.
    pub(super) id: &'a str,
    /// Where it was added from.
    pub(super) source: &'a str,
}

/// A gene of the list that is only text.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ListedText<'a> {
    /// The gene's id.
    pub(super) id: &'a str,
    /// The file that the config names.
    pub(super) source: &'a str,
    /// Who vouches for it.
    pub(super) signature: SignatureRow,
}

/// A component of the list.
pub(super) struct Listed<'a> {
    /// `bundled`, or the file that the config names.
    pub(super) source: &'a str,
    pub(super) gene: (Inspected, Digest),
    pub(super) signature: SignatureRow,
}

/// A gene of the list.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ListedGene<'a> {
    #[serde(flatten)]
    pub(super) gene: GeneMembers<'a>,
    /// `bundled`, `added`, or the file that the config names.
    pub(super) source: &'a str,
    /// Who vouches for it.
    pub(super) signature: SignatureRow,
}

impl<'a> ListedGene<'a> {
    pub(super) fn of(listed: &'a Listed<'a>) -> Self {
        let (inspected, digest) = &listed.gene;
        let signature = listed.signature.clone();
        Self { gene: GeneMembers::of(inspected, *digest), source: listed.source, signature }
    }
}

impl Page for GenesPage<'_> {
    const KIND: &'static str = "genes";

    fn text(&self) -> String {
        let mut text = String::new();
        for ListedGene { gene, source, signature } in &self.genes {
            let _ = writeln!(text, "{}", listed(gene.id, gene.world.as_str(), source, signature));
        }
        for ListedText { id, source, signature } in &self.texts {
            let _ = writeln!(text, "{}", listed(id, "text", source, signature));
        }
        for MissingGene { id, source } in &self.missing {
            let hint = format!("you did not add this version: gephost gene add {}", printable(source));
            let _ = writeln!(text, "{id:<34} {:<10} {}", "", note(hint));
        }
        text
    }
}

/// A line of the list. That a bundled gene is gephost's own is said by its source.
fn listed(id: &str, world: &str, source: &str, signature: &SignatureRow) -> String {
    let line = format!("{id:<34} {world:<10} {source}");
    if source == "bundled" { line } else { format!("{line}  {}", signature.text()) }
}

/// A gene, and what this project makes of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GenePage<'a> {
    pub(super) gene: InspectedGene<'a>,
    #[serde(skip)]
    pub(super) inspection: &'a Inspection,
}

impl Page for GenePage<'_> {
    const KIND: &'static str = "gene";

    fn text(&self) -> String {
        text::page(self.inspection)
    }
}

/// What a component says of itself.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct GeneMembers<'a> {
    /// The gene's id.
    pub(super) id: &'a str,
    pub(super) world: World,
    /// The capabilities that it requests.
    pub(super) capabilities: &'a BTreeSet<Capability>,
    /// Digest of the component.
    pub(super) digest: Digest,
    /// Bytes of the component.
    pub(super) size: u64,
    /// Names of the imports, sorted.
    pub(super) imports: &'a [String],
    /// Names of the exports, sorted.
    pub(super) exports: &'a [String],
    /// The gene as a GEP asset.
    pub(super) manifest: &'a Map<String, Value>,
}

impl<'a> GeneMembers<'a> {
    pub(super) fn of(inspected: &'a Inspected, digest: Digest) -> Self {
        let manifest = &inspected.manifest;
        Self {
            id: &manifest.gene.id,
            world: manifest.world,
            capabilities: &manifest.capabilities,
            digest,
            size: inspected.size,
            imports: &inspected.imports,
            exports: &inspected.exports,
            manifest: manifest.gene.document(),
        }
    }
}

/// A component, and what this project makes of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct InspectedGene<'a> {
    #[serde(flatten)]
    pub(super) gene: GeneMembers<'a>,
    /// Content id of the asset.
    pub(super) asset_id: &'a str,
    pub(super) signature: Signature,
    pub(super) producers: ProducersRow<'a>,
    /// What the component consists of.
    pub(super) parts: &'a Size,
    /// Each capability that it requests or imports.
    pub(super) grants: Vec<GrantRow>,
    /// Patterns of the files that it may read; null if the grant does not narrow them.
    pub(super) reads: Option<&'a [String]>,
    /// The settings that it declares; absent if there are none.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    pub(super) settings: &'a [SettingHere],
    /// The limits of a call.
    pub(super) budgets: Vec<BudgetRow>,
}

/// Who vouches for a component.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Signature {
    #[serde(flatten)]
    pub(super) row: SignatureRow,
    /// Whether it has a section for signatures, which this gephost does not check.
    pub(super) unchecked_section: bool,
}

/// What made a component.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ProducersRow<'a> {
    /// The language; null if nothing in it tells.
    pub(super) language: Option<&'a str>,
    /// What tells.
    pub(super) evidence: Vec<String>,
    /// The entries of its section `producers`.
    pub(super) entries: &'a BTreeSet<Producer>,
}

/// A capability: requested, imported and granted.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct GrantRow {
    pub(super) capability: Capability,
    /// Whether the manifest requests it.
    pub(super) asked: bool,
    /// Whether the component imports what it opens.
    pub(super) imported: bool,
    /// Whether the config grants it.
    pub(super) granted: bool,
    /// Whether the gene has it.
    pub(super) has: bool,
    /// What to do if request, import and grant differ.
    pub(super) hint: Option<String>,
}

/// A limit of a call.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct BudgetRow {
    pub(super) budget: Budget,
    /// What is counted.
    pub(super) counts: &'static str,
    /// The limit.
    pub(super) limit: u64,
}
impl Inspection {
    pub(super) fn document(&self) -> InspectedGene<'_> {
        let inspected = &self.inspected;
        let grant = |asked: &CapabilityUse| GrantRow {
            capability: asked.capability,
            asked: asked.asked,
            imported: asked.imported,
            granted: asked.granted,
            has: asked.asked && asked.granted,
            hint: asked.hint(&self.grant),
        };
        let rooms = Usage::default().headroom(&self.budgets).into_iter();
        InspectedGene {
            gene: GeneMembers::of(inspected, self.digest),
            asset_id: &self.asset_id,
            signature: Signature { row: self.signature.clone(), unchecked_section: inspected.has_signature },
            producers: ProducersRow {
                language: inspected.producers.language(),
                evidence: inspected.producers.evidence(),
                entries: &inspected.producers.entries,
            },
            parts: &inspected.parts,
            grants: self.capabilities.iter().map(grant).collect(),
            reads: self.grant.read(),
            settings: &self.settings,
            budgets: rooms
                .map(|room| BudgetRow { budget: room.budget, counts: room.counts, limit: room.limit })
                .collect(),
        }
    }
}
