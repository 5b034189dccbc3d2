//! What `gephost gene inspect` prints.

use std::collections::BTreeSet;

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
    /// Bytes that the component carries for the gene's standard input; absent if it carries none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) input: Option<usize>,
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
            input: inspected.input,
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
