//! `gephost gene …`: what genes there are, what a component is or a gene that is only text, drafts of new genes, who vouches
//! for a gene file, components from elsewhere, and what a gene's author does. Only `build`, `check` and `test` run anything.

pub(crate) mod author;
mod distill;
mod exchange;
mod inspection;
mod list;
mod pages;
mod sign;
mod text;
mod text_only;

use std::path::Path;

use gephost_app::Project;
use gephost_app::gene_file::read_text;
use gephost_app::vouching::GeneFile;
use gephost_core::gene::is_text;
use gephost_core::recording::Digest;
use gephost_runner::bundled::BUNDLED;
use gephost_runner::sandbox::{Inspected, inspect};

pub(crate) use distill::DistillPage;
pub(crate) use exchange::{AddPage, PullPage, PushPage, RemovePage};
use inspection::Inspection;
pub(crate) use list::GenesPage;
pub(crate) use pages::GenePage;
pub(crate) use sign::{KeyPage, SignPage, VerifyPage};
pub(crate) use text_only::TextGenePage;
use text_only::TextInspection;

use crate::args::GeneCommand;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::render::signature::SignatureRow;

pub(super) fn run(environment: &Environment, output: Output, command: &GeneCommand) -> Result<Report, Failure> {
    match command {
        GeneCommand::List => list::run(environment),
        GeneCommand::Distill(arguments) => distill::run(environment, arguments),
        GeneCommand::Inspect { file } => inspect_gene(environment, file),
        GeneCommand::Sign(arguments) => sign::sign(environment, arguments),
        GeneCommand::Verify { file } => sign::verify(environment, file),
        GeneCommand::Key => sign::key(environment),
        GeneCommand::Add(arguments) => exchange::add(environment, arguments),
        GeneCommand::Remove { id } => exchange::remove(environment, id),
        GeneCommand::Pull(arguments) => exchange::pull(environment, arguments),
        GeneCommand::Push(arguments) => exchange::push(environment, arguments),
        GeneCommand::New(arguments) => author::new(environment, arguments),
        GeneCommand::Wit(arguments) => author::wit(environment, arguments),
        GeneCommand::Build(arguments) => author::build(environment, arguments),
        GeneCommand::Pack(arguments) => author::pack(environment, arguments),
        GeneCommand::Check(arguments) => author::check(environment, arguments),
        GeneCommand::Run(arguments) => author::run_alone(environment, arguments),
        GeneCommand::Test(arguments) => author::test(environment, output, arguments),
    }
}

fn inspect_gene(environment: &Environment, file: &Path) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    let vouching = folder.vouching()?;
    let (bytes, signature) = if let Some(bundled) = BUNDLED.iter().find(|bundled| Path::new(bundled.id) == file) {
        (bundled.bytes.to_vec(), vouching.judge(file, bundled.bytes, None)?)
    } else {
        let GeneFile { bytes, signature, .. } = folder.gene_named(&vouching, file)?;
        (bytes, signature)
    };
    let signature = SignatureRow::of(&signature);
    let name = file.display().to_string();
    if is_text(&bytes) {
        let text = read_text(file, &bytes)?;
        let inspection = TextInspection::new(name, &text, bytes.len(), signature, &folder)?;
        return Ok(Report::of(&TextGenePage { gene: inspection.document(), inspection: &inspection }));
    }
    let inspection = Inspection::new(name.clone(), inspect_bytes(&name, &bytes)?, signature, &folder)?;
    Ok(Report::of(&GenePage { gene: inspection.document(), inspection: &inspection }))
}

fn inspect_bytes(name: &str, bytes: &[u8]) -> Result<(Inspected, Digest), Failure> {
    let refused = |error| Failure::new(Exit::Usage, "gene_refused", format!("gene {name}: {error}"));
    Ok((inspect(bytes).map_err(refused)?, Digest::of(bytes)))
}
