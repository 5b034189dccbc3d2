//! `gephost gene list|inspect`: what genes there are, and what a component is. Runs nothing, compiles nothing.

mod inspection;
mod pages;
mod text;

use std::path::Path;

use gephost_app::Project;
use gephost_app::genes::read_component;
use gephost_core::recording::Digest;
use gephost_runner::bundled::BUNDLED;
use gephost_runner::sandbox::{Inspected, inspect};

use inspection::Inspection;
use pages::ListedGene;
pub(crate) use pages::{GenePage, GenesPage};

use crate::args::GeneCommand;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;

pub(super) fn run(environment: &Environment, command: &GeneCommand) -> Result<Report, Failure> {
    match command {
        GeneCommand::List => list(environment),
        GeneCommand::Inspect { file } => {
            let found = bundled_or_file(environment, file)?;
            let folder = Project::open(environment)?;
            let inspection = Inspection::new(file.display().to_string(), found, &folder)?;
            Ok(Report::of(&GenePage { gene: inspection.document(), inspection: &inspection }))
        }
    }
}

/// A component file, or a bundled gene by its id.
fn bundled_or_file(environment: &Environment, name: &Path) -> Result<(Inspected, Digest), Failure> {
    let shown = name.display().to_string();
    match BUNDLED.iter().find(|bundled| Path::new(bundled.id) == name) {
        Some(bundled) => inspect_bytes(&shown, bundled.bytes),
        None => inspect_bytes(&shown, &read_component(environment, name)?),
    }
}

fn list(environment: &Environment) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    let mut found = Vec::new();
    for bundled in BUNDLED {
        found.push(("bundled", inspect_bytes(bundled.id, bundled.bytes)?));
    }
    for file in &folder.config.file.genes.files {
        let bytes = read_component(environment, &folder.root.join(file))?;
        found.push((file, inspect_bytes(file, &bytes)?));
    }
    Ok(Report::of(&GenesPage { genes: found.iter().map(ListedGene::of).collect() }))
}

fn inspect_bytes(name: &str, bytes: &[u8]) -> Result<(Inspected, Digest), Failure> {
    let refused = |error| Failure::new(Exit::Usage, "gene_refused", format!("gene {name}: {error}"));
    Ok((inspect(bytes).map_err(refused)?, Digest::of(bytes)))
}
