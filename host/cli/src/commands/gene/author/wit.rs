//! `gephost gene wit`: the contract that genes are written against.

use gephost_app::authoring::write_contract;
use gephost_author::contract;
use schemars::JsonSchema;
use serde::Serialize;

use crate::args::WitArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::printable;

pub(crate) fn run(environment: &Environment, arguments: &WitArguments) -> Result<Report, Failure> {
    let file = arguments.output.as_deref().map(|folder| write_contract(environment, folder)).transpose()?;
    let wit = if file.is_none() { Some(contract::TEXT) } else { None };
    let file = file.map(|file| file.display().to_string());
    Ok(Report::of(&GeneWitPage { version: contract::VERSION, file, wit }))
}

/// The contract.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct GeneWitPage {
    /// Its version.
    version: &'static str,
    /// The file that it was written to; null if it is printed.
    file: Option<String>,
    /// The WIT package; null if it was written to a file.
    wit: Option<&'static str>,
}

impl Page for GeneWitPage {
    const KIND: &'static str = "gene-wit";

    fn text(&self) -> String {
        match (&self.file, self.wit) {
            (Some(file), _) => format!("Wrote gephost:gene@{} to {}\n", self.version, printable(file)),
            (None, wit) => wit.unwrap_or_default().to_owned(),
        }
    }
}
