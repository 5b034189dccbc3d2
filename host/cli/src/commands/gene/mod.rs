//! `gephost gene`: what genes there are, what a component is or a gene that is only text, drafts of new genes, and what a
//! gene's author does. Only `build`, `check` and `test` run anything.

pub(crate) mod author;
mod distill;
mod inspection;
mod pages;
mod text;
mod text_only;

use std::path::Path;

use gephost_app::Project;
use gephost_app::genes::{read_gene, read_text};
use gephost_core::gene::is_text;
use gephost_core::recording::Digest;
use gephost_runner::bundled::BUNDLED;
use gephost_runner::sandbox::{Inspected, inspect};

pub(crate) use distill::DistillPage;
use inspection::Inspection;
pub(crate) use pages::{GenePage, GenesPage};
use pages::{ListedGene, ListedText};
pub(crate) use text_only::TextGenePage;
use text_only::TextInspection;

use crate::args::GeneCommand;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;

pub(super) fn run(environment: &Environment, command: &GeneCommand) -> Result<Report, Failure> {
    match command {
        GeneCommand::List => list(environment),
        GeneCommand::Distill(arguments) => distill::run(environment, arguments),
        GeneCommand::Inspect { file } => inspect_gene(environment, file),
        GeneCommand::New(arguments) => author::new(environment, arguments),
        GeneCommand::Wit(arguments) => author::wit(environment, arguments),
        GeneCommand::Build(arguments) => author::build(environment, arguments),
        GeneCommand::Pack(arguments) => author::pack(environment, arguments),
        GeneCommand::Check(arguments) => author::check(environment, arguments),
        GeneCommand::Test(arguments) => author::test(environment, arguments),
    }
}

fn inspect_gene(environment: &Environment, file: &Path) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    let bundled = BUNDLED.iter().find(|bundled| Path::new(bundled.id) == file);
    let bytes = match bundled {
        Some(bundled) => bundled.bytes.to_vec(),
        None => read_gene(environment, file)?,
    };
    let name = file.display().to_string();
    if is_text(&bytes) {
        let text = read_text(file, &bytes)?;
        let inspection = TextInspection::new(name, &text, bytes.len(), &folder)?;
        return Ok(Report::of(&TextGenePage { gene: inspection.document(), inspection: &inspection }));
    }
    let inspection = Inspection::new(name.clone(), inspect_bytes(&name, &bytes)?, &folder)?;
    Ok(Report::of(&GenePage { gene: inspection.document(), inspection: &inspection }))
}

fn list(environment: &Environment) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    let (mut found, mut texts) = (Vec::new(), Vec::new());
    for bundled in BUNDLED {
        found.push(("bundled", inspect_bytes(bundled.id, bundled.bytes)?));
    }
    for file in &folder.config.file.genes.files {
        let path = folder.root.join(file);
        let bytes = read_gene(environment, &path)?;
        if is_text(&bytes) {
            texts.push((file, read_text(&path, &bytes)?));
        } else {
            found.push((file, inspect_bytes(file, &bytes)?));
        }
    }
    Ok(Report::of(&GenesPage {
        genes: found.iter().map(ListedGene::of).collect(),
        texts: texts.iter().map(|(source, text)| ListedText { id: text.id(), source }).collect(),
    }))
}

fn inspect_bytes(name: &str, bytes: &[u8]) -> Result<(Inspected, Digest), Failure> {
    let refused = |error| Failure::new(Exit::Usage, "gene_refused", format!("gene {name}: {error}"));
    Ok((inspect(bytes).map_err(refused)?, Digest::of(bytes)))
}
