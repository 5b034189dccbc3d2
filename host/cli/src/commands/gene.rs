//! `gephost gene list|inspect`: what genes there are, and what a component is. Runs nothing.

use std::fmt::Write as _;

use gephost_runner::bundled::BUNDLED;
use gephost_runner::sandbox::{Inspected, inspect};
use serde_json::{Value, json};

use crate::args::GeneCommand;
use crate::context::{Folder, read_component};
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;

pub(super) fn run(environment: &Environment, command: &GeneCommand) -> Result<Report, Failure> {
    match command {
        GeneCommand::List => list(environment),
        GeneCommand::Inspect { file } => {
            let inspected = inspect_bytes(&file.display().to_string(), &read_component(environment, file)?)?;
            let document = json!({ "schema": "gephost.gene/1", "gene": describe(&inspected) });
            Ok(Report { exit: Exit::Done, document, text: page(&inspected) })
        }
    }
}

fn list(environment: &Environment) -> Result<Report, Failure> {
    let folder = Folder::open(environment)?;
    let mut text = String::new();
    let mut genes = Vec::new();
    let mut add = |source: &str, inspected: &Inspected| {
        let manifest = &inspected.manifest;
        let _ = writeln!(text, "{:<34} {:<10} {source}", manifest.gene.id, manifest.world.as_str());
        let mut gene = describe(inspected);
        gene["source"] = source.into();
        genes.push(gene);
    };
    for bundled in BUNDLED {
        add("bundled", &inspect_bytes(bundled.id, bundled.bytes)?);
    }
    for file in &folder.config.file.genes.files {
        let bytes = read_component(environment, &folder.root.join(file))?;
        add(file, &inspect_bytes(file, &bytes)?);
    }
    Ok(Report { exit: Exit::Done, document: json!({ "schema": "gephost.genes/1", "genes": genes }), text })
}

fn inspect_bytes(name: &str, bytes: &[u8]) -> Result<Inspected, Failure> {
    inspect(bytes).map_err(|error| Failure::new(Exit::Usage, "gene_refused", format!("gene {name}: {error}")))
}

fn describe(inspected: &Inspected) -> Value {
    json!({
        "id": inspected.manifest.gene.id,
        "world": inspected.manifest.world.as_str(),
        "capabilities": inspected.manifest.capabilities,
        "digest": inspected.digest,
        "size": inspected.size,
        "imports": inspected.imports,
        "exports": inspected.exports,
        "manifest": inspected.manifest.gene.document(),
    })
}

fn page(inspected: &Inspected) -> String {
    let manifest = &inspected.manifest;
    let capabilities: Vec<_> = manifest.capabilities.iter().map(|capability| capability.as_str()).collect();
    let mut text = String::new();
    let _ = writeln!(text, "gene          {}", manifest.gene.id);
    let _ = writeln!(text, "world         {}", manifest.world.as_str());
    let _ = writeln!(
        text,
        "asks for      {}",
        if capabilities.is_empty() { "nothing".to_owned() } else { capabilities.join(", ") }
    );
    let _ = writeln!(text, "digest        {}", inspected.digest);
    let _ = writeln!(text, "size          {} bytes", inspected.size);
    for (title, names) in [("imports", &inspected.imports), ("exports", &inspected.exports)] {
        for (position, name) in names.iter().enumerate() {
            let _ = writeln!(text, "{:<13} {name}", if position == 0 { title } else { "" });
        }
    }
    text
}
