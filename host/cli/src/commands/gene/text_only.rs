//! A gene that is only text as `gene inspect` shows it.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_core::gene::{Capability, Gene, TextGene};
use gephost_core::grant::Grant;
use gephost_runner::bundled::STRATEGIST;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::error::Failure;
use crate::exit_code::Exit;
use crate::page::Page;
use crate::render::signature::SignatureRow;
use crate::render::style::{bad, bold, dim, good, grouped, note, printable};

/// Width of the left column.
const LEFT: usize = 10;

/// A gene that is only text, and what this project makes of it.
#[derive(Debug)]
pub(crate) struct TextInspection {
    name: String,
    bytes: usize,
    gene: Gene,
    asset_id: String,
    grant: Grant,
    signature: SignatureRow,
}

/// A gene that is only text, and what this project makes of it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TextGenePage<'a> {
    pub(super) gene: InspectedText<'a>,
    #[serde(skip)]
    pub(super) inspection: &'a TextInspection,
}

/// What the asset says.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct InspectedText<'a> {
    /// The gene's id.
    id: &'a str,
    /// `text`: there is no component.
    kind: &'static str,
    /// Always true: its steps are carried out by asking a model.
    needs_model: bool,
    /// The bundled gene that carries it out.
    carried_out_by: &'static str,
    /// Whether the config lets it ask the model. Naming its file with `--gene` does so for one run.
    granted: bool,
    /// Content id of the asset.
    asset_id: &'a str,
    /// Who vouches for the file.
    signature: &'a SignatureRow,
    /// The gene as a GEP asset.
    asset: &'a Map<String, Value>,
}

impl TextInspection {
    pub(super) fn new(
        name: String,
        text: &TextGene,
        bytes: usize,
        signature: SignatureRow,
        folder: &Project,
    ) -> Result<Self, Failure> {
        let gene = text.gene().clone();
        let asset_id = gephost_core::digest::members_id(gene.document())
            .map_err(|error| Failure::new(Exit::Usage, "gene_refused", format!("gene {name}: {error}")))?;
        let grant = folder.config.grants.of(&gene.id);
        Ok(Self { name, bytes, gene, asset_id, grant, signature })
    }

    pub(super) fn document(&self) -> InspectedText<'_> {
        InspectedText {
            id: &self.gene.id,
            kind: "text",
            needs_model: true,
            carried_out_by: STRATEGIST,
            granted: self.is_granted(),
            asset_id: &self.asset_id,
            signature: &self.signature,
            asset: self.gene.document(),
        }
    }

    fn is_granted(&self) -> bool {
        self.grant.capabilities().contains(&Capability::Completion)
    }
}

impl Page for TextGenePage<'_> {
    const KIND: &'static str = "text-gene";

    fn text(&self) -> String {
        let TextInspection { name, bytes, gene, asset_id, grant, signature } = self.inspection;
        let mut text = String::new();
        let mut row = |title: &str, value: String| {
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{}  {value}", bold(format!("{title:<LEFT$}")));
        };
        row("Gene", format!("{}  {}", gene.id, dim(format!("{}, only text", gene.category))));
        if let Some(summary) = &gene.summary {
            row("", printable(summary));
        }
        row("File", format!("{}, {} bytes", printable(name), grouped(*bytes as u64)));
        row("Asset id", asset_id.clone());
        row("Signature", signature.text());
        row("Needs", format!("{}: {STRATEGIST} carries it out by asking it", note("a model")));
        let granted = if self.inspection.is_granted() { good("granted here") } else { bad("not granted here") };
        row("Asks for", format!("{:<10} {granted}", Capability::Completion.as_str()));
        if !self.inspection.is_granted() {
            let place = grant.place();
            row(
                "",
                dim(format!(
                    "{:11}`--gene FILE` grants it for one run; for all runs, add \"completion\" to {place}",
                    ""
                )),
            );
        }
        let mut list = |title: &str, lines: &[String]| {
            for (position, line) in lines.iter().enumerate() {
                row(if position == 0 { title } else { "" }, printable(line));
            }
        };
        list("Signals", &gene.signals_match);
        list("If", &gene.preconditions);
        list("Steps", &gene.strategy);
        list(
            "At most",
            &gene.constraints.max_files.map(|files| format!("{files} files")).into_iter().collect::<Vec<_>>(),
        );
        list("Never", &gene.constraints.forbidden_paths);
        list("Commands", &gene.validation);
        text
    }
}
