//! Genes that are only text, and the bundled strategist that carries them out by asking a model.
//!
//! What must stay true: a text-only gene proposes in its own name, under its own grant and constraints; it is asked only
//! if no gene with code has a candidate; and one that was received from elsewhere is asked only if the operator names it.

use std::collections::BTreeSet;
use std::sync::OnceLock;

use gephost_core::gene::{Manifest, SettingValue, Settings, TextGene};
use gephost_core::model::NoOpKind;
use gephost_core::proposal::Proposal;
use gephost_core::select::index::{Found, Place as DocumentPlace, Query, Searcher};
use gephost_runner::bundled::{BUNDLED, STRATEGIST};
use gephost_runner::place::Place;
use gephost_runner::registry::{Registry, RegistryError, TextIndex};
use gephost_runner::sandbox::{Gene, LoadError, Sandbox};

/// The setting that names the gene which the strategist carries out.
const SETTING: &str = "gene";

/// A text-only gene of a cycle.
#[derive(Debug, Clone)]
pub struct CarriedText {
    /// The gene, as its JSON says.
    pub text: TextGene,
    /// Whether the operator names it for this run, which lets it ask the model.
    pub is_requested: bool,
}

/// The text-only genes of a cycle, and who carries them out.
#[derive(Debug)]
pub struct TextGenes {
    /// The bundled gene that carries the others out.
    pub carrier: Gene,
    /// The genes that the request or the config names.
    pub texts: Vec<CarriedText>,
    /// Those of the assets folder, if it may have any.
    pub folder: Option<FolderGenes>,
    /// Ids of genes with components: a gene of the assets folder with one of these is never carried out.
    pub taken: BTreeSet<String>,
}

/// Most text-only genes of the assets folder that a selection ranks.
pub const MAX_FOLDER_GENES: usize = 8;

/// The text-only genes of the assets folder. Nothing is read before the first question.
#[derive(Debug)]
pub struct FolderGenes {
    registry: Registry,
    cache: Place,
    opened: OnceLock<Option<TextIndex>>,
}

impl FolderGenes {
    /// The genes of an assets folder; `None` if it has no file with genes. `cache` is the user's cache folder.
    pub fn of(registry: &Registry, cache: &Place) -> Option<Self> {
        let folder = || Self { registry: registry.clone(), cache: cache.clone(), opened: OnceLock::new() };
        registry.may_have_genes().then(folder)
    }

    /// How many genes and capsules are damaged or too large.
    pub(crate) fn left_out(&self) -> Result<u32, RegistryError> {
        if self.opened.get().is_none() {
            let _ = self.opened.set(self.registry.text_genes(&self.cache)?);
        }
        Ok(self.opened.get().and_then(Option::as_ref).map_or(0, |opened| opened.index.left_out()))
    }

    /// The index; `None` if the folder has no genes.
    fn index(&self) -> Result<Option<&TextIndex>, RegistryError> {
        self.left_out()?;
        Ok(self.opened.get().and_then(Option::as_ref).filter(|opened| opened.index.genes() > 0))
    }

    /// The best genes for the signals. A folder that cannot be read has none; [`Self::left_out`] says why.
    pub(crate) fn select(&self, query: &Query<'_>) -> Option<Found> {
        let index = &self.index().ok()??.index;
        Some(Searcher::new(index).select(query))
    }

    /// The gene with this id, as it is in the folder now.
    pub(crate) fn gene(&self, id: &str) -> Option<TextGene> {
        let opened = self.index().ok()??;
        let place: DocumentPlace = opened.index.place_of(id)?;
        opened.gene(id, place)
    }

    /// Whether the folder has a text-only gene with this id.
    pub(crate) fn has(&self, id: &str) -> bool {
        self.index().ok().flatten().is_some_and(|opened| opened.index.has(id))
    }
}

/// A text-only gene that has no candidate, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextUnanswered {
    /// The id of the gene that had no candidate.
    pub gene: String,
    /// Why, for people.
    pub reason: String,
    /// What came of asking the model; `None` if it was not asked, because the gene needs a model and has none.
    pub no_op: Option<NoOpKind>,
}

impl TextUnanswered {
    /// Whether a model was asked and answered. If not, it may answer the next time.
    pub(crate) fn is_answered(&self) -> bool {
        matches!(self.no_op, Some(NoOpKind::Empty | NoOpKind::Invalid | NoOpKind::Declined))
    }

    /// Both in one line.
    pub(crate) fn line(&self) -> String {
        let needs = if self.no_op.is_none() { " needs a model" } else { "" };
        format!("{}{needs}: {}", self.gene, self.reason)
    }
}

impl TextGenes {
    /// Loads the strategist, if there may be something to carry out.
    pub(crate) fn load(
        sandbox: &Sandbox,
        texts: Vec<CarriedText>,
        folder: Option<FolderGenes>,
        components: &[Gene],
    ) -> Result<Option<Self>, LoadError> {
        let is_needed = !texts.is_empty() || folder.is_some();
        let strategist = BUNDLED.iter().find(|bundled| bundled.id == STRATEGIST).filter(|_| is_needed);
        let carrier = strategist.map(|bundled| sandbox.load_when_called(bundled)).transpose()?;
        let ids = BUNDLED.iter().map(|bundled| bundled.id).chain(components.iter().map(Gene::id));
        let taken = ids.map(str::to_owned).collect();
        Ok(carrier.map(|carrier| Self { carrier, texts, folder, taken }))
    }

    /// The gene with this id, if it may be carried out: a named one, or the folder's own.
    pub(crate) fn get(&self, id: &str) -> Option<CarriedText> {
        let named = self.texts.iter().find(|text| text.text.id() == id).cloned();
        named.or_else(|| {
            if self.taken.contains(id) {
                return None;
            }
            let text = self.folder.as_ref()?.gene(id)?;
            Some(CarriedText { text, is_requested: false })
        })
    }

    /// Whether the request or the config names this gene.
    pub(crate) fn names(&self, id: &str) -> bool {
        self.texts.iter().any(|text| text.text.id() == id)
    }

    /// The manifests with which those that are named are selected.
    pub(crate) fn manifests(&self) -> Vec<Manifest> {
        self.texts.iter().map(|text| text.text.carried_by(self.carrier.manifest())).collect()
    }
}

impl CarriedText {
    /// What the strategist receives.
    pub(crate) fn settings(&self) -> Settings {
        Settings::from([(SETTING.to_owned(), SettingValue::Text(self.text.to_json()))])
    }

    /// A proposal in the gene's own name.
    pub(crate) fn author(&self, proposal: Proposal) -> Proposal {
        Proposal { gene: Some(self.text.id().to_owned()), ..proposal }.with_content_id()
    }
}
