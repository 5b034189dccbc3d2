//! Genes that are only text, and the bundled strategist that carries them out by asking a model.
//!
//! What must stay true: a text-only gene proposes in its own name, under its own grant and constraints; and it is asked only
//! if no gene with code has a candidate.

use gephost_core::gene::{Manifest, SettingValue, Settings, TextGene};
use gephost_core::model::NoOpKind;
use gephost_core::proposal::Proposal;
use gephost_runner::bundled::{BUNDLED, STRATEGIST};
use gephost_runner::sandbox::{Gene, LoadError, Sandbox};

/// The setting by which the strategist is told what to carry out.
const SETTING: &str = "gene";

/// A text-only gene of a cycle.
#[derive(Debug, Clone)]
pub struct CarriedText {
    /// The gene.
    pub text: TextGene,
    /// Whether the operator names it for this run, which lets it ask the model.
    pub is_requested: bool,
}

/// The text-only genes of a cycle, at least one, and who carries them out.
#[derive(Debug)]
pub struct TextGenes {
    /// The strategist.
    pub carrier: Gene,
    /// The genes.
    pub texts: Vec<CarriedText>,
}

/// A text-only gene that has no candidate, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextUnanswered {
    /// Its id.
    pub gene: String,
    /// Why, for people.
    pub reason: String,
    /// What came of asking the model; `None` if it was not asked, because the gene needs a model and has none.
    pub no_op: Option<NoOpKind>,
}

impl TextUnanswered {
    /// Both in one line.
    pub(crate) fn line(&self) -> String {
        let needs = if self.no_op.is_none() { " needs a model" } else { "" };
        format!("{}{needs}: {}", self.gene, self.reason)
    }
}

impl TextGenes {
    /// Loads the strategist, if there is something to carry out.
    pub(crate) fn load(sandbox: &Sandbox, texts: Vec<CarriedText>) -> Result<Option<Self>, LoadError> {
        let strategist = BUNDLED.iter().find(|bundled| bundled.id == STRATEGIST).filter(|_| !texts.is_empty());
        let carrier = strategist.map(|bundled| sandbox.load_when_called(bundled)).transpose()?;
        Ok(carrier.map(|carrier| Self { carrier, texts }))
    }

    /// The gene with this id.
    pub(crate) fn get(&self, id: &str) -> Option<&CarriedText> {
        self.texts.iter().find(|text| text.text.id() == id)
    }

    /// The manifests with which they are selected.
    pub(crate) fn manifests(&self) -> Vec<Manifest> {
        self.texts.iter().map(|text| text.text.carried_by(self.carrier.manifest())).collect()
    }
}

impl CarriedText {
    /// What the strategist is told.
    pub(crate) fn settings(&self) -> Settings {
        Settings::from([(SETTING.to_owned(), SettingValue::Text(self.text.to_json()))])
    }

    /// A proposal in the gene's own name.
    pub(crate) fn author(&self, proposal: Proposal) -> Proposal {
        Proposal { gene: Some(self.text.id().to_owned()), ..proposal }.with_content_id()
    }
}
