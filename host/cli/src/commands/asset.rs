//! `gephost asset id|verify`: content ids of GEP assets (RFC 8785 and SHA-256), usable alone.

use std::fmt::Write as _;

use gephost_core::digest::{self, Verification};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::args::{AssetArguments, AssetCommand};
use crate::context::read_input;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::page::Page;

pub(super) fn run(environment: &Environment, command: &AssetCommand) -> Result<Report, Failure> {
    match command {
        AssetCommand::Id(arguments) => id(environment, arguments),
        AssetCommand::Verify(arguments) => verify(environment, arguments),
    }
}

fn id(environment: &Environment, arguments: &AssetArguments) -> Result<Report, Failure> {
    let mut assets = Vec::new();
    for file in &arguments.files {
        let asset = read_asset(environment, file)?;
        let asset_id = digest::asset_id(&asset).map_err(|error| refused(file, &error))?;
        assets.push(AssetRow { path: file.display().to_string(), asset_id });
    }
    Ok(Report::of(&AssetIdPage { assets }))
}

/// The ids of assets.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AssetIdPage {
    /// One for each file, in order.
    assets: Vec<AssetRow>,
}

/// An asset and its id.
#[derive(Debug, Serialize, JsonSchema)]
struct AssetRow {
    /// Its file.
    path: String,
    /// `sha256:` and 64 hexadecimal digits.
    asset_id: String,
}

impl Page for AssetIdPage {
    const KIND: &'static str = "asset-id";

    fn text(&self) -> String {
        if let [asset] = self.assets.as_slice() {
            return format!("{}\n", asset.asset_id);
        }
        let mut text = String::new();
        for AssetRow { path, asset_id } in &self.assets {
            let _ = writeln!(text, "{asset_id}  {path}");
        }
        text
    }
}

fn verify(environment: &Environment, arguments: &AssetArguments) -> Result<Report, Failure> {
    let mut assets = Vec::new();
    for file in &arguments.files {
        let asset = read_asset(environment, file)?;
        let verification = digest::verify(&asset).map_err(|error| refused(file, &error))?;
        let computed = digest::asset_id(&asset).map_err(|error| refused(file, &error))?;
        let (result, stated) = match verification {
            Verification::Match => (Comparison::Match, Some(computed.clone())),
            Verification::Mismatch { stated, .. } => (Comparison::Mismatch, Some(stated)),
            Verification::Missing { .. } => (Comparison::Missing, None),
        };
        assets.push(VerifiedAsset { path: file.display().to_string(), result, stated, computed });
    }
    Ok(Report::of(&AssetVerifyPage { assets }))
}

/// Assets, and whether their ids are right.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AssetVerifyPage {
    /// One for each file, in order.
    assets: Vec<VerifiedAsset>,
}

/// An asset whose id was compared.
#[derive(Debug, Serialize, JsonSchema)]
struct VerifiedAsset {
    /// Its file.
    path: String,
    result: Comparison,
    /// The id that it states.
    stated: Option<String>,
    /// The id of its content.
    computed: String,
}

/// Whether an asset states the id of its content.
#[derive(Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Comparison {
    /// It does.
    Match,
    /// It states another one.
    Mismatch,
    /// It states none.
    Missing,
}

impl Page for AssetVerifyPage {
    const KIND: &'static str = "asset-verify";

    fn text(&self) -> String {
        let mut text = String::new();
        for VerifiedAsset { path, result, stated, computed } in &self.assets {
            let stated = stated.as_deref().unwrap_or_default();
            let _ = match result {
                Comparison::Match => writeln!(text, "{path}: match {computed}"),
                Comparison::Mismatch => writeln!(text, "{path}: MISMATCH\n  stated   {stated}\n  computed {computed}"),
                Comparison::Missing => writeln!(text, "{path}: states no asset_id\n  computed {computed}"),
            };
        }
        text
    }

    fn exit(&self) -> Exit {
        let all_match = self.assets.iter().all(|asset| asset.result == Comparison::Match);
        if all_match { Exit::Done } else { Exit::Failed }
    }
}

fn read_asset(environment: &Environment, file: &std::path::Path) -> Result<Value, Failure> {
    let bytes = read_input(environment, file, digest::MAX_ASSET_BYTES as u64)?;
    digest::read_value(&bytes, digest::MAX_ASSET_BYTES).map_err(|error| refused(file, &error))
}

fn refused(file: &std::path::Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::new(Exit::Usage, "asset_refused", format!("{}: {error}", file.display()))
        .hint("an asset is one JSON object, without duplicate keys, lone surrogates or numbers out of range")
}
