//! What a bundle is made of: capsules, genes and events of this project, and the components of its genes.

use std::collections::{BTreeMap, BTreeSet};

use gephost_core::a2a::quality::Shortfall;
use gephost_core::a2a::{BlobRef, Bundle, COMPONENT_MEDIA_TYPE, ComponentRef, Publication};
use gephost_core::capsule::Capsule;
use gephost_core::evolution_event::EvolutionEvent;
use gephost_core::gene::Gene;
use gephost_core::recording::Digest;
use gephost_core::select::Vouched;
use serde_json::Value;

use crate::error::{AppError, ErrorKind};
use crate::gene_file::GeneBytes;
use crate::past::assets_failed;
use crate::project::Project;

/// Which capsules are published.
#[derive(Debug, Clone, Copy)]
pub enum Chosen<'a> {
    /// These. One that may not be shared is an error.
    These(&'a [String]),
    /// All that may be shared.
    Eligible,
}

/// A capsule that stays here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotShared {
    /// The capsule's id in the assets folder.
    pub capsule: String,
    /// Every rule that it does not meet.
    pub rules: Vec<Shortfall>,
}

/// What may be shared, and what may not.
pub(super) type Sorted = (Vec<Outgoing>, Vec<NotShared>);

/// A capsule that may be shared.
pub(super) struct Outgoing {
    /// Its id here.
    pub(super) capsule: String,
    pub(super) bundle: Bundle,
    /// The component that the bundle names.
    pub(super) component: Option<Carried>,
    /// The recording that the bundle names.
    pub(super) recording: Option<Vec<u8>>,
}

/// The component of a gene, as it travels.
#[derive(Clone)]
pub(super) struct Carried {
    reference: ComponentRef,
    pub(super) bytes: Vec<u8>,
    /// Who vouches for it: its DSSE envelope.
    pub(super) envelope: Option<Vec<u8>>,
}

impl Chosen<'_> {
    /// Whether a capsule is one of these.
    fn has(&self, capsule: &str) -> bool {
        match self {
            Self::These(ids) => ids.iter().any(|id| id == capsule),
            Self::Eligible => true,
        }
    }
}

impl Carried {
    fn of(gene: GeneBytes) -> Self {
        let blob = BlobRef {
            digest: Digest::of(&gene.bytes).to_string(),
            size: gene.bytes.len() as u64,
            media_type: COMPONENT_MEDIA_TYPE.to_owned(),
        };
        Self { reference: ComponentRef { blob, world: gene.world }, bytes: gene.bytes, envelope: gene.envelope }
    }
}

/// What bundles are made of.
struct Material {
    capsules: Vec<Capsule>,
    genes: BTreeMap<String, Gene>,
    /// The newest.
    events: Vec<EvolutionEvent>,
    /// How many there are before them.
    earlier: u64,
    vouched: BTreeMap<String, Vouched>,
    /// By the ids of the genes that have one which runs here.
    components: BTreeMap<String, Carried>,
}

impl Project {
    pub(super) fn bundles(&self, chosen: Chosen<'_>) -> Result<Sorted, AppError> {
        let material = self.material(chosen)?;
        let (mut bundles, mut kept) = (Vec::new(), Vec::new());
        let mut redactor = self.config.policy.redactor();
        let mut redact = |text: &str| redactor.redact(text).into_owned();
        for capsule in &material.capsules {
            if !chosen.has(&capsule.id) {
                continue;
            }
            match material.bundle(capsule, &mut redact) {
                Ok(bundle) => bundles.push(Outgoing {
                    capsule: capsule.id.clone(),
                    component: material.component_of(capsule).cloned(),
                    bundle,
                    recording: None,
                }),
                Err(rules) => kept.push(NotShared { capsule: capsule.id.clone(), rules }),
            }
        }
        if let Chosen::These(ids) = chosen {
            let is_here = |id: &String| material.capsules.iter().any(|capsule| capsule.id == *id);
            if let Some(unknown) = ids.iter().find(|id| !is_here(id)) {
                return Err(AppError::usage("no_such_capsule", format!("there is no capsule {unknown:?} here"))
                    .hint("`gephost asset list` shows the capsules of this project"));
            }
            if let Some(NotShared { capsule, rules }) = kept.first() {
                return Err(not_eligible(capsule, rules));
            }
        }
        Ok((bundles, kept))
    }

    fn material(&self, chosen: Chosen<'_>) -> Result<Material, AppError> {
        let failed = |error| assets_failed(&error);
        let past = self.past()?;
        let named = past.capsules.iter().filter(|capsule| chosen.has(&capsule.id));
        let own = named.filter(|capsule| past.vouched.contains_key(&capsule.id));
        let ids: BTreeSet<&str> = own.filter_map(|capsule| capsule.gene.as_deref()).collect();
        let (mut genes, mut components) = (BTreeMap::new(), BTreeMap::new());
        for id in ids {
            // Another tool's gene may stand under the id of a component.
            let component = self.component_named(id)?;
            let gene = match &component {
                Some(component) => Some(component.gene.clone()),
                None => self.registry.gene(id).map_err(failed)?,
            };
            genes.extend(gene.map(|gene| (id.to_owned(), gene)));
            components.extend(component.map(|component| (id.to_owned(), Carried::of(component))));
        }
        Ok(Material {
            capsules: past.capsules,
            genes,
            events: past.events,
            earlier: past.earlier.events,
            vouched: past.vouched,
            components,
        })
    }
}

impl Material {
    fn bundle(&self, capsule: &Capsule, redact: &mut dyn FnMut(&str) -> String) -> Result<Bundle, Vec<Shortfall>> {
        let missed = |rule, message: &str| vec![Shortfall { rule, message: message.to_owned() }];
        let vouched = self.vouched.get(&capsule.id).filter(|vouched| vouched.has(capsule)).ok_or_else(|| {
            missed("own", "your log does not have it as it is here: only what you made yourself is published")
        })?;
        let gene_id = capsule.gene.as_deref().unwrap_or_default();
        let gene = self.genes.get(gene_id).ok_or_else(|| {
            missed("gene", &format!("its gene {gene_id:?} is not among the genes of the assets folder"))
        })?;
        let place = self
            .events
            .iter()
            .rposition(|event| event.capsule_id.as_deref() == Some(&capsule.id) && event.outcome.is_success());
        let publication = Publication {
            gene,
            capsule,
            event: place.and_then(|place| self.events.get(place)),
            streak: vouched.streak,
            total_cycles: place.map_or(0, |place| self.earlier + place as u64 + 1),
            component: self.component_of(capsule).map(|component| component.reference.clone()),
            recording: None,
        };
        publication.bundle(redact)
    }

    fn component_of(&self, capsule: &Capsule) -> Option<&Carried> {
        self.components.get(capsule.gene.as_deref()?)
    }
}

fn not_eligible(capsule: &str, rules: &[Shortfall]) -> AppError {
    let why: Vec<String> =
        rules.iter().map(|shortfall| format!("{} ({})", shortfall.message, shortfall.rule)).collect();
    let detail: Vec<Value> = rules
        .iter()
        .map(|shortfall| serde_json::json!({ "rule": shortfall.rule, "message": shortfall.message }))
        .collect();
    let message = format!("capsule {capsule} may not be published: {}", why.join("; "));
    AppError::new(ErrorKind::Failed, "not_eligible", message)
        .hint("a capsule is shared after at least 2 successes in a row, with a score of at least 0.7, at most 5 files and 200 lines")
        .detail(serde_json::json!({ "rules": detail }))
}
