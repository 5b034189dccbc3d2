//! `gephost gate`: the gate's verdict on a saved proposal or a bare diff. Changes nothing.

use gephost_core::config::Config;
use gephost_core::gate::Decision;
use gephost_core::proposal::{MAX_JSON_BYTES, Proposal};
use gephost_runner::cycle::{gate, gene_history};
use serde_json::json;

use super::past;
use crate::args::GateArguments;
use crate::context::{Folder, read_config, read_input};
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::render;

pub(super) fn run(environment: &Environment, arguments: &GateArguments) -> Result<Report, Failure> {
    let folder = Folder::open(environment)?;
    let config: Config = match &arguments.policy {
        Some(file) => {
            let path = environment.resolve(file);
            if !path.exists() {
                return Err(Failure::new(Exit::Usage, "policy", format!("there is no policy file {}", file.display())));
            }
            read_config(&path)?
        }
        None => folder.config.clone(),
    };
    let proposal = read_proposal(environment, &arguments.file)?;
    let project = folder.project()?;
    let base = super::cycle::base(&project)?;
    let tried = gene_history(proposal.gene.as_deref(), &past::read(&folder)?.attempts);
    let verdict = gate(proposal, &base, &config.policy, tried)
        .map_err(|error| Failure::new(Exit::Failed, "repository", error.to_string()))?;
    let exit = if verdict.decision() == Decision::Pass { Exit::Done } else { Exit::Refused };
    let document = serde_json::to_value(&verdict).unwrap_or_else(|error| json!({ "error": error.to_string() }));
    let mut text = render::verdict::diff(verdict.diff());
    text.push_str(&render::verdict::verdict(&verdict));
    Ok(Report { exit, document, text })
}

/// A proposal from a file or standard input: JSON, or a bare unified diff.
pub(super) fn read_proposal(environment: &Environment, file: &std::path::Path) -> Result<Proposal, Failure> {
    let bytes = read_input(environment, file, MAX_JSON_BYTES as u64)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        Failure::new(Exit::Usage, "not_utf8", format!("{} is not UTF-8 text: byte {at}", file.display()))
    })?;
    Proposal::read(&text).map_err(|error| {
        Failure::new(Exit::Usage, "proposal", format!("{}: {error}", file.display()))
            .hint("a proposal is a JSON object with `unified_diff` or `changes`, or a bare unified diff")
    })
}
