//! `gephost gene list`: the genes of a project in the order in which they run, and why some do not.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::gene_ids::GeneSource;
use gephost_app::gene_list::{ListedBody, ListedGene};
use gephost_core::component::lock::Pin;
use gephost_core::recording::Digest;
use schemars::JsonSchema;
use serde::Serialize;

use super::pages::GeneMembers;
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::signature::SignatureRow;
use crate::render::style::{dim, note, printable};

pub(super) fn run(environment: &Environment) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let (listed, missing) = project.listed_genes()?;
    Ok(Report::of(&GenesPage::of(&listed, &missing)))
}

/// The genes of a project.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GenesPage<'a> {
    /// The bundled ones, then those of the config, then those that you added.
    genes: Vec<GeneRow<'a>>,
    /// Genes that `gephost.lock` pins and that do not run, because you did not add exactly the pinned component.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    missing: Vec<MissingGene<'a>>,
    /// Genes of the config that are only text: the strategist carries them out, which needs a model.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    texts: Vec<TextRow<'a>>,
}

/// A pin without a component.
#[derive(Debug, Serialize, JsonSchema)]
struct MissingGene<'a> {
    /// The gene's id.
    id: &'a str,
    /// Where it was added from.
    source: &'a str,
}

/// Whether and when a gene runs.
#[derive(Debug, Serialize, JsonSchema)]
struct Standing<'a> {
    /// `bundled`, `added`, or the file that the config names.
    source: &'a str,
    /// Who vouches for it.
    signature: SignatureRow,
    /// Its place in the order in which genes run, from 1; null if it does not run.
    order: Option<usize>,
    /// Why it does not run; null if it does.
    why_not: Option<&'a str>,
}

/// A gene of the list.
#[derive(Debug, Serialize, JsonSchema)]
struct GeneRow<'a> {
    #[serde(flatten)]
    gene: GeneMembers<'a>,
    #[serde(flatten)]
    standing: Standing<'a>,
}

/// A gene of the list that is only text.
#[derive(Debug, Serialize, JsonSchema)]
struct TextRow<'a> {
    /// The gene's id.
    id: &'a str,
    /// Digest of the file.
    digest: Digest,
    #[serde(flatten)]
    standing: Standing<'a>,
}

impl<'a> GenesPage<'a> {
    fn of(listed: &'a [ListedGene], missing: &'a [Pin]) -> Self {
        let mut page = Self { genes: Vec::new(), missing: Vec::new(), texts: Vec::new() };
        let is_component = |gene: &&ListedGene| matches!(gene.body, ListedBody::Component(_));
        // Genes that are only text are asked after all others.
        let (components, texts): (Vec<_>, Vec<_>) = listed.iter().partition(is_component);
        let mut place = 0;
        for gene in components.into_iter().chain(texts) {
            place += usize::from(gene.why_not.is_none());
            let standing = Standing {
                source: source(&gene.source),
                signature: SignatureRow::of(&gene.signature),
                order: gene.why_not.is_none().then_some(place),
                why_not: gene.why_not.as_deref(),
            };
            match &gene.body {
                ListedBody::Component(inspected) => {
                    page.genes.push(GeneRow { gene: GeneMembers::of(inspected, gene.digest), standing });
                }
                ListedBody::Text(text) => {
                    page.texts.push(TextRow { id: text.id(), digest: gene.digest, standing });
                }
            }
        }
        page.missing = missing.iter().map(|pin| MissingGene { id: &pin.id, source: &pin.source }).collect();
        page
    }
}

fn source(source: &GeneSource) -> &str {
    match source {
        GeneSource::Bundled => "bundled",
        GeneSource::Added => "added",
        GeneSource::Assets => "assets",
        GeneSource::File(path) => path,
    }
}

impl Page for GenesPage<'_> {
    const KIND: &'static str = "genes";

    fn text(&self) -> String {
        let mut text = String::new();
        for GeneRow { gene, standing } in &self.genes {
            text.push_str(&standing.lines(gene.id, gene.world.as_str(), gene.digest));
        }
        for TextRow { id, digest, standing } in &self.texts {
            text.push_str(&standing.lines(id, "text", *digest));
        }
        for MissingGene { id, source } in &self.missing {
            let hint = format!("you did not add this version: gephost gene add {}", printable(source));
            let _ = writeln!(text, "  -  {id:<34} {:<10} {}", "", note(hint));
        }
        text
    }
}

impl Standing<'_> {
    /// A line, and another one if the gene does not run. That a bundled gene is gephost's own is said by its source.
    fn lines(&self, id: &str, world: &str, digest: Digest) -> String {
        let order = self.order.map_or_else(|| "-".to_owned(), |order| order.to_string());
        let digest = dim(digest.short());
        let mut text = format!("{order:>3}  {id:<34} {world:<10} {digest}  {}", printable(self.source));
        if self.source != "bundled" {
            let _ = write!(text, "  {}", self.signature.text());
        }
        if let Some(why_not) = self.why_not {
            let _ = write!(text, "\n     {}", note(format!("does not run: {}", printable(why_not))));
        }
        text + "\n"
    }
}
