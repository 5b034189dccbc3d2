//! `gephost asset id|verify`: content ids of GEP assets (RFC 8785 and SHA-256), usable alone.

use std::fmt::Write as _;

use gephost_core::digest::{self, Verification};
use serde_json::{Value, json};

use crate::args::{AssetArguments, AssetCommand};
use crate::context::read_input;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;

pub(super) fn run(environment: &Environment, command: &AssetCommand) -> Result<Report, Failure> {
    match command {
        AssetCommand::Id(arguments) => id(environment, arguments),
        AssetCommand::Verify(arguments) => verify(environment, arguments),
    }
}

fn id(environment: &Environment, arguments: &AssetArguments) -> Result<Report, Failure> {
    let mut text = String::new();
    let mut assets = Vec::new();
    for file in &arguments.files {
        let asset = read_asset(environment, file)?;
        let id = digest::asset_id(&asset).map_err(|error| refused(file, &error))?;
        let _ = match arguments.files.len() {
            1 => writeln!(text, "{id}"),
            _ => writeln!(text, "{id}  {}", file.display()),
        };
        assets.push(json!({ "path": file, "asset_id": id }));
    }
    Ok(Report { exit: Exit::Done, document: json!({ "schema": "gephost.asset-id/1", "assets": assets }), text })
}

fn verify(environment: &Environment, arguments: &AssetArguments) -> Result<Report, Failure> {
    let mut text = String::new();
    let mut assets = Vec::new();
    let mut exit = Exit::Done;
    for file in &arguments.files {
        let asset = read_asset(environment, file)?;
        let verification = digest::verify(&asset).map_err(|error| refused(file, &error))?;
        let computed = digest::asset_id(&asset).map_err(|error| refused(file, &error))?;
        let name = file.display();
        let (word, stated) = match &verification {
            Verification::Match => ("match", Some(computed.clone())),
            Verification::Mismatch { stated, .. } => ("mismatch", Some(stated.clone())),
            Verification::Missing { .. } => ("missing", None),
        };
        let _ = match &verification {
            Verification::Match => writeln!(text, "{name}: match {computed}"),
            Verification::Mismatch { stated, .. } => {
                writeln!(text, "{name}: MISMATCH\n  stated   {stated}\n  computed {computed}")
            }
            Verification::Missing { .. } => writeln!(text, "{name}: states no asset_id\n  computed {computed}"),
        };
        if word != "match" {
            exit = Exit::Failed;
        }
        assets.push(json!({ "path": file, "result": word, "stated": stated, "computed": computed }));
    }
    Ok(Report { exit, document: json!({ "schema": "gephost.asset-verify/1", "assets": assets }), text })
}

fn read_asset(environment: &Environment, file: &std::path::Path) -> Result<Value, Failure> {
    let bytes = read_input(environment, file, digest::MAX_ASSET_BYTES as u64)?;
    digest::read_value(&bytes, digest::MAX_ASSET_BYTES).map_err(|error| refused(file, &error))
}

fn refused(file: &std::path::Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::new(Exit::Usage, "asset_refused", format!("{}: {error}", file.display()))
        .hint("an asset is one JSON object, without duplicate keys, lone surrogates or numbers out of range")
}
